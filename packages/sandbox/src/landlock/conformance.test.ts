/** The suite that every backend passes. Its attack part runs with those of the others, in attacks.test.ts. */
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { landlockBackend } from './landlock-backend.ts'

sandboxConformance('landlock', async () => landlockBackend({ clock: systemClock, ids: randomIds }), { parts: ['functional', 'limits'] })
