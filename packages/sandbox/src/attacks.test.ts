/** Every attempt of the list on every backend that works here: see docs/security.md. A table for each closes it. */
import { after, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { IMAGE, startPodman } from '../test/podman.ts'
import { bubblewrapBackend, containerBackend, landlockBackend, quickJsBackend, sqlJsBackend } from './index.ts'

sandboxConformance('bubblewrap', async () => bubblewrapBackend({ clock: systemClock, ids: randomIds }), { parts: ['attack'] })
sandboxConformance('landlock', async () => landlockBackend({ clock: systemClock, ids: randomIds }), { parts: ['attack'] })
sandboxConformance('quickjs', async () => quickJsBackend({ clock: systemClock }), {
  parts: ['attack'],
  only: ({ lang }) => lang === 'js',
})
sandboxConformance('sqljs', async () => sqlJsBackend({ clock: systemClock }), { parts: ['attack'], only: ({ lang }) => lang === 'sql' })

const podman = await startPodman()
if (typeof podman === 'string') it(`container: NO ATTEMPT WAS MADE: ${podman}`, { skip: true }, () => undefined)
else {
  after(() => podman.close())
  sandboxConformance(
    'container',
    async () => containerBackend({ clock: systemClock, ids: randomIds, socket: podman.socket, image: IMAGE }),
    {
      parts: ['attack'],
    },
  )
}
