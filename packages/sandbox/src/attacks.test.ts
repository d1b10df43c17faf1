/** Every attempt of the list on every backend that works here: see docs/security.md. A table for each closes it. */
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { bubblewrapBackend, landlockBackend, quickJsBackend, sqlJsBackend } from './index.ts'

sandboxConformance('bubblewrap', async () => bubblewrapBackend({ clock: systemClock, ids: randomIds }), { parts: ['attack'] })
sandboxConformance('landlock', async () => landlockBackend({ clock: systemClock, ids: randomIds }), { parts: ['attack'] })
sandboxConformance('quickjs', async () => quickJsBackend({ clock: systemClock }), {
  parts: ['attack'],
  only: ({ lang }) => lang === 'js',
})
sandboxConformance('sqljs', async () => sqlJsBackend({ clock: systemClock }), { parts: ['attack'], only: ({ lang }) => lang === 'sql' })
