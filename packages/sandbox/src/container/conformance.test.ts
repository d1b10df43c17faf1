/** The suite that every backend passes, with a Podman of the test's own. */
import { after, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { IMAGE, startPodman } from '../../test/podman.ts'
import { containerBackend } from './container-backend.ts'

const podman = await startPodman()

if (typeof podman === 'string') it(`container: THE SUITE DID NOT RUN: ${podman}`, { skip: true }, () => undefined)
else {
  after(() => podman.close())
  sandboxConformance(
    'container',
    async () => containerBackend({ clock: systemClock, ids: randomIds, socket: podman.socket, image: IMAGE }),
    {
      parts: ['functional', 'limits'],
    },
  )
}
