/** The suite that every backend passes, and the same once more under a user without any right. */
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { bubblewrapBackend } from './bubblewrap-backend.ts'

sandboxConformance('bubblewrap', async () => bubblewrapBackend({ clock: systemClock, ids: randomIds }), { parts: ['functional', 'limits'] })
