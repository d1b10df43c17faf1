import { systemClock } from '@adjutant/core'
import { type SandboxPart, sandboxConformance } from '@adjutant/testkit'
import { quickJsBackend } from '../quickjs/quickjs-backend.ts'
import { sqlJsBackend } from '../sqljs/sqljs-backend.ts'

// Attacks are run with those of the other backends: their controls take minutes.
const parts: readonly SandboxPart[] = ['functional', 'limits']

sandboxConformance('quickjs', async () => quickJsBackend({ clock: systemClock, pool: 1 }), { parts })
sandboxConformance('sqljs', async () => sqlJsBackend({ clock: systemClock, pool: 1 }), { parts })
