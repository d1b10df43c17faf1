/**
 * Owns one box whose code runs in a worker: its files in memory, its order of runs, the deadline of each, and the report. A run is asked to
 * end and, when it does not, ended by force; so is one that was aborted. Whatever ended a run other than by itself, its worker is not used
 * again. Runs of one box follow each other. Nothing of a box is left after `close`.
 */
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimitName,
  type SandboxLimits,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { pathParts, shown } from '../workspace/path-parts.ts'
import { MEGABYTE } from './bounded-memory.ts'
import { runLimits } from './box-limits.ts'
import type { FolderFiles } from './folder-files.ts'
import { GrantDesk, grantShapes, type HostGrants } from './host-grants.ts'
import type { LanePool } from './lane-pool.ts'
import { MemoryFiles } from './memory-files.ts'
import type { EndMessage, RunMessage } from './protocol.ts'
import { sharedBytes } from './shared-bytes.ts'
import type { GoneMessage, WorkerLane } from './worker-lane.ts'

/** What a run may take to notice that it should end, before it is ended by force. */
const GRACE_MS = 250
const MAX_CODE = 8_388_608
const MAX_READ = 64 * MEGABYTE
const ROOT = '/workspace'

export interface WorkerSandboxOptions {
  readonly id: string
  readonly backend: string
  readonly language: SandboxLanguage
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly clock: Clock
  readonly pool: LanePool
  readonly limits: SandboxLimits
  readonly env: Readonly<Record<string, string>>
  readonly grants: HostGrants
  /** A folder of the host whose files are taken in before each run and given back after it. */
  readonly folder?: FolderFiles
  /** @throws AdjutantError OVERLOADED when no box may keep a worker any more. Gives back what frees the place. */
  readonly reserveSession: () => () => void
  readonly onClose: (sandbox: WorkerSandbox) => void
}

interface Session {
  readonly lane: WorkerLane
  readonly free: () => void
}

interface Collected {
  readonly stdout: Uint8Array[]
  readonly stderr: Uint8Array[]
  bytes: number
  truncated: boolean
}

export class WorkerSandbox implements Sandbox {
  readonly id: string
  readonly backend: string
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly #options: WorkerSandboxOptions
  readonly #files: MemoryFiles
  readonly #closing = new AbortController()
  #tail: Promise<unknown> = Promise.resolve()
  #session: Session | undefined
  #closed: Promise<void> | undefined

  constructor(options: WorkerSandboxOptions) {
    this.id = options.id
    this.backend = options.backend
    this.enforces = options.enforces
    this.#options = options
    this.#files = new MemoryFiles({ bytes: options.limits.diskMB * MEGABYTE, files: options.limits.files })
  }

  run(run: SandboxRun): Promise<SandboxReport> {
    const turn = this.#tail.then(() => this.#run(run))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#assertOpen()
    await this.#options.folder?.write(path, bytes)
    this.#files.write(path, { bytes: sharedBytes(bytes), modifiedAt: this.#options.clock.now() })
  }

  async readFile(path: string, options: { readonly maxBytes?: number } = {}): Promise<Uint8Array> {
    this.#assertOpen()
    if (this.#options.folder !== undefined) return this.#options.folder.read(path, options)
    const { bytes } = this.#files.read(path)
    const most = options.maxBytes ?? MAX_READ
    if (bytes.byteLength > most) {
      throw new AdjutantError('TOO_LARGE', `${shown(path)} has ${bytes.byteLength} bytes; ${most} are read at most`)
    }
    // A copy: the kept bytes are shared with the worker and must stay as they are.
    return Uint8Array.from(bytes)
  }

  async list(path = ''): Promise<readonly SandboxFile[]> {
    this.#assertOpen()
    return this.#options.folder === undefined ? this.#files.list(path) : this.#options.folder.list(path)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    await this.#tail
    await this.#endSession()
    this.#files.remove('')
    await this.#options.folder?.close()
    this.#options.onClose(this)
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_FAILED', `the box ${this.id} is closed`, { outcome: 'not-run' })
  }

  async #run(run: SandboxRun): Promise<SandboxReport> {
    this.#assertOpen()
    const { language } = this.#options
    if (run.lang !== language) throw new AdjutantError('UNSUPPORTED', `${this.backend} runs ${language} and not ${String(run.lang)}`)
    const signal = run.signal === undefined ? this.#closing.signal : AbortSignal.any([run.signal, this.#closing.signal])
    assertGoing(signal)
    const limits = runLimits(this.#options.limits, run.limits)
    const cwd = folderOf(run.cwd ?? ROOT)
    if (typeof run.code !== 'string') throw new AdjutantError('UNSUPPORTED', `the code is ${typeof run.code} and must be text`)
    if (run.code.length > MAX_CODE) return this.#refusal(`the code is longer than ${MAX_CODE} characters\n`)
    await this.#takeIn()
    const { lane, mode, session } = await this.#lane(run.session === true, signal)
    let reusable = false
    try {
      await untilAborted(lane.whenReady(), signal)
      const message: RunMessage = {
        type: 'run',
        code: run.code,
        stdin: typeof run.stdin === 'string' ? new TextEncoder().encode(run.stdin) : run.stdin,
        cwd,
        env: { ...this.#options.env, ...run.env },
        files: [...this.#files.entries()].map(([path, file]) => ({ path, ...file })),
        fileLimits: { bytes: this.#options.limits.diskMB * MEGABYTE, files: this.#options.limits.files },
        limits: { ...limits, memoryBytes: this.#options.limits.memoryMB * MEGABYTE },
        session: session !== undefined,
        grants: grantShapes(this.#options.grants),
        now: this.#options.clock.now(),
      }
      const { report, clean } = await this.#drive(lane, message, run, mode, signal)
      reusable = clean
      await this.#giveBack()
      if (session === undefined || clean) return report
      return { ...report, stderr: Buffer.concat([report.stderr, SESSION_LOST]) }
    } finally {
      if (session === undefined) this.#options.pool.release(lane, reusable)
      else if (!reusable) await this.#endSession()
    }
  }

  /** Runs it to its end, whoever brings that about. */
  async #drive(
    lane: WorkerLane,
    message: RunMessage,
    run: SandboxRun,
    mode: SandboxReport['mode'],
    signal: AbortSignal,
  ): Promise<{ readonly report: SandboxReport; readonly clean: boolean }> {
    const { clock } = this.#options
    const desk = new GrantDesk(this.#options.grants)
    const collected: Collected = { stdout: [], stderr: [], bytes: 0, truncated: false }
    let forced: SandboxLimitName | undefined
    const end = (limit: SandboxLimitName): void => {
      forced ??= limit
      void lane.terminate()
    }
    const timers = new Set<() => void>()
    const after = (ms: number, callback: () => void): void => {
      const cancel = clock.after(ms, () => {
        timers.delete(cancel)
        callback()
      })
      timers.add(cancel)
    }
    const onAbort = (): void => void lane.terminate()
    const started = clock.monotonic()
    const running = lane.run(message, {
      output: (stream, bytes) => collect(collected, message.limits.outputBytes, run.output, stream, bytes),
      file: (path, bytes, modifiedAt) => this.#apply(path, bytes, modifiedAt),
      call: (call, name, text) => void desk.call(name, text).then((answer) => lane.answer(call, answer.ok, answer.text)),
    })
    signal.addEventListener('abort', onAbort, { once: true })
    after(message.limits.wallMs, () => {
      lane.stop()
      after(GRACE_MS, () => end('wall'))
    })
    // What the engine does in one long step is not interrupted by it; so somebody outside looks as well.
    const watch = (ms: number): void =>
      after(ms, () => {
        void lane.cpuMs().then((used) => {
          if (settled) return
          const left = message.limits.cpuMs + GRACE_MS - used
          if (left <= 0) end('cpu')
          else watch(Math.max(left, 10))
        })
      })
    let settled = false
    if (message.limits.cpuMs < message.limits.wallMs) watch(message.limits.cpuMs + GRACE_MS)
    const ended = await running
    settled = true
    const durationMs = clock.monotonic() - started
    for (const cancel of timers) cancel()
    signal.removeEventListener('abort', onAbort)
    desk.end()
    if (signal.aborted) {
      await lane.terminate()
      throw cancelled()
    }
    const oom = ended.type === 'gone' ? ended.oom && forced === undefined : ended.limit === 'memory'
    if (ended.type === 'gone' && forced === undefined && !oom) {
      throw new AdjutantError('SANDBOX_FAILED', `the worker of ${this.backend} broke: ${reasonOf(ended)}`, { cause: ended.error })
    }
    const limit = ended.type === 'end' ? ended.limit : (forced ?? 'memory')
    const clean = ended.type === 'end' && (limit === undefined || limit === 'disk' || limit === 'files') && !ended.broken
    const report: SandboxReport = {
      backend: this.backend,
      mode,
      ...(ended.type === 'end' && ended.exitCode !== undefined ? { exitCode: ended.exitCode } : {}),
      timedOut: limit === 'wall',
      oom,
      ...(limit === undefined ? {} : { limit }),
      stdout: Buffer.concat(collected.stdout),
      stderr: Buffer.concat(collected.stderr),
      truncated: collected.truncated || (ended.type === 'end' && ended.truncated),
      durationMs,
      usage: usageOf(ended, this.#files.bytes),
    }
    return { report, clean }
  }

  async #lane(
    session: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly lane: WorkerLane; readonly mode: SandboxReport['mode']; readonly session?: Session }> {
    if (this.#session?.lane.gone === true) await this.#endSession()
    if (session && this.#session !== undefined) return { lane: this.#session.lane, mode: 'session', session: this.#session }
    const free = session ? this.#options.reserveSession() : undefined
    try {
      const lane = await this.#options.pool.acquire(signal)
      if (free === undefined) return { lane, mode: lane.ready ? 'warm' : 'cold' }
      this.#options.pool.detach(lane)
      this.#session = { lane, free }
      return { lane, mode: 'session', session: this.#session }
    } catch (error) {
      free?.()
      throw error
    }
  }

  async #endSession(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    session?.free()
    await session?.lane.terminate()
  }

  #apply(path: string, bytes: Uint8Array | undefined, modifiedAt: number): void {
    if (bytes === undefined) this.#files.remove(path)
    else this.#files.write(path, { bytes, modifiedAt })
  }

  async #takeIn(): Promise<void> {
    await this.#options.folder?.takeIn(this.#files)
  }

  async #giveBack(): Promise<void> {
    await this.#options.folder?.giveBack(this.#files)
  }

  /** Code that is not even tried. */
  #refusal(why: string): SandboxReport {
    return {
      backend: this.backend,
      mode: 'cold',
      exitCode: 1,
      timedOut: false,
      oom: false,
      stdout: new Uint8Array(),
      stderr: new TextEncoder().encode(why),
      truncated: false,
      durationMs: 0,
      usage: {},
    }
  }
}

const SESSION_LOST = new TextEncoder().encode('[this run was ended; what the session kept in variables is gone, its files are not]\n')

function collect(collected: Collected, most: number, output: SandboxRun['output'], stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
  const room = most - collected.bytes
  const taken = bytes.byteLength > room ? bytes.subarray(0, Math.max(0, room)) : bytes
  if (taken.byteLength < bytes.byteLength) collected.truncated = true
  if (taken.byteLength === 0) return
  collected.bytes += taken.byteLength
  collected[stream].push(taken)
  try {
    output?.(stream, taken)
  } catch {
    // Whoever watches must not be able to end the run.
  }
}

function usageOf(ended: EndMessage | GoneMessage, fileBytes: number): SandboxReport['usage'] {
  const diskMB = fileBytes / MEGABYTE
  return ended.type === 'gone' ? { diskMB } : { cpuMs: ended.cpuMs, memoryMB: ended.memoryBytes / MEGABYTE, processes: 1, diskMB }
}

function reasonOf(gone: GoneMessage): string {
  return gone.error instanceof Error ? gone.error.message : String(gone.error)
}

/** @throws AdjutantError PATH_OUTSIDE_WORKSPACE */
function folderOf(cwd: string): string {
  if (cwd !== ROOT && !cwd.startsWith(`${ROOT}/`)) {
    throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', `cwd ${shown(cwd)} is not in ${ROOT}, the only folder of this box`)
  }
  return pathParts(cwd.slice(ROOT.length + 1)).join('/')
}

function cancelled(): AdjutantError {
  return new AdjutantError('CANCELLED', 'the run was stopped', { outcome: 'unknown' })
}

function assertGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new AdjutantError('CANCELLED', 'the run was stopped before it began')
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(new AdjutantError('CANCELLED', 'the run was stopped before it began'))
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
