/** Owns which backends there are without being asked for, and in which order they are tried for a language. None is made before it is needed. */
import type { Clock, IdSource, SandboxBackend, SandboxGuarantee, SandboxLanguage } from '@adjutant/core/contract'
import { bubblewrapBackend } from '../bubblewrap/bubblewrap-backend.ts'
import { containerBackend } from '../container/container-backend.ts'
import { e2bBackend } from '../e2b/index.ts'
import { landlockBackend } from '../landlock/landlock-backend.ts'
import { quickJsBackend } from '../quickjs/quickjs-backend.ts'
import { seatbeltBackend } from '../seatbelt/seatbelt-backend.ts'
import { sqlJsBackend } from '../sqljs/sqljs-backend.ts'

export interface BackendTools {
  readonly clock: Clock
  readonly ids: IdSource
  /** Where keys and addresses of remote services are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Makes a backend when the first box is asked of it. May throw: the backend then counts as one that does not work here. */
export type MakeBackend = (tools: BackendTools) => SandboxBackend | Promise<SandboxBackend>

/** Those that need no setting, or find it in the environment that was given. */
export const BUILT_IN_BACKENDS: Readonly<Record<string, MakeBackend>> = {
  bubblewrap: (tools) => bubblewrapBackend(tools),
  container: (tools) => containerBackend(tools),
  e2b: ({ clock, env = {} }) => e2bBackend({ clock, env }),
  landlock: ({ clock, ids }) => landlockBackend({ clock, ids }),
  quickjs: ({ clock }) => quickJsBackend({ clock }),
  seatbelt: ({ clock, ids }) => seatbeltBackend({ clock, ids }),
  sqljs: ({ clock }) => sqlJsBackend({ clock }),
}

const SYSTEM = ['bubblewrap', 'container', 'e2b', 'landlock', 'seatbelt'] as const

/** The first that works, has the language and enforces what is required is taken. `host` is in none. */
export const DEFAULT_ORDER: Readonly<Record<SandboxLanguage, readonly string[]>> = {
  bash: SYSTEM,
  python: SYSTEM,
  js: ['quickjs', ...SYSTEM],
  sql: ['sqljs'],
}

/** What holds when nobody says what is required: less than this is no box. */
export const DEFAULT_REQUIRES: readonly SandboxGuarantee[] = ['filesystem', 'network', 'processes', 'environment']

/** The backend that is none: only for whoever asks for it by name. */
export const HOST = 'host'
