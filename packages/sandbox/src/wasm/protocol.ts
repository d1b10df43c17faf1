/**
 * The words between the host's thread and the worker in which code runs. Everything is data that is copied, save bytes of files, which
 * both may read and nobody writes again. The worker is ours, what runs inside of its engine is not: text in these messages is the code's.
 */
import type { SandboxLimitName } from '@adjutant/core/contract'
import type { FileLimits } from './memory-files.ts'
import type { WasmModule } from './web-assembly.ts'

export type OutputStream = 'stdout' | 'stderr'

/** What every worker is started with. */
export interface WorkerSetup {
  /** Compiled once for all workers. */
  readonly module: WasmModule
  /** One 32 bit number: the run must stop when it is not 0. Read while the worker is too busy for messages. */
  readonly stop: SharedArrayBuffer
}

interface SharedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly modifiedAt: number
}

/** One kind of value that a granted function takes. */
export type HostParameter = 'string' | 'number' | 'boolean' | 'json'

/** Calls of granted functions that may wait for their answer at once, of one run. */
export const MAX_PENDING_CALLS = 64
/** Characters of all arguments of one call. */
export const MAX_CALL_TEXT = 1_048_576

export interface GrantShape {
  readonly name: string
  readonly parameters: readonly HostParameter[]
}

export interface FileChange {
  readonly path: string
  /** Absent: it is gone. */
  readonly bytes: Uint8Array | undefined
  readonly modifiedAt: number
}

export interface RunMessage {
  readonly type: 'run'
  readonly code: string
  readonly stdin: Uint8Array | undefined
  /** The folder that paths start from, relative to the workspace; '' is the workspace itself. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly files: readonly SharedFile[]
  readonly fileLimits: FileLimits
  readonly limits: { readonly wallMs: number; readonly cpuMs: number; readonly outputBytes: number; readonly memoryBytes: number }
  /** In the instance that this worker keeps. */
  readonly session: boolean
  readonly grants: readonly GrantShape[]
  /** Milliseconds since 1970, for files that the run writes. */
  readonly now: number
}

export type ToWorker =
  | RunMessage
  /** What a granted function gave: JSON, or what is wrong. */
  | { readonly type: 'answer'; readonly call: number; readonly ok: boolean; readonly text: string }
  /** Wakes a worker that waits; whoever is busy reads the shared number. */
  | { readonly type: 'wake' }

export interface EndMessage {
  readonly type: 'end'
  readonly exitCode: number | undefined
  readonly limit: SandboxLimitName | undefined
  readonly truncated: boolean
  readonly cpuMs: number
  readonly memoryBytes: number
  /** The engine failed in a way that leaves nothing to be trusted in this worker. */
  readonly broken: boolean
}

export type FromWorker =
  /** An instance waits for code. @param cpuMs that this worker has used so far */
  | { readonly type: 'ready'; readonly cpuMs: number }
  | { readonly type: 'output'; readonly stream: OutputStream; readonly bytes: Uint8Array }
  /** What became of files, all at once: only together do they surely fit. */
  | { readonly type: 'files'; readonly changes: readonly FileChange[] }
  | { readonly type: 'call'; readonly call: number; readonly name: string; readonly text: string }
  | EndMessage

const FROM_WORKER: ReadonlySet<string> = new Set(['ready', 'output', 'files', 'call', 'end'])

/** Both ends are of this package and of one version, so that the kind says enough. */
export function isFromWorker(value: unknown): value is FromWorker {
  return isTyped(value) && FROM_WORKER.has(value.type)
}

export function isToWorker(value: unknown): value is ToWorker {
  return isTyped(value) && (value.type === 'run' || value.type === 'answer' || value.type === 'wake')
}

export function isWorkerSetup(value: unknown): value is WorkerSetup {
  return typeof value === 'object' && value !== null && 'module' in value && 'stop' in value
}

function isTyped(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
