/**
 * Owns one box whose code runs in a worker: its files in memory, the order of its runs, the worker that its session keeps. Whatever ended a
 * run other than by itself, its worker is not used again. Runs of one box follow each other. Nothing of a box is left after `close`.
 */
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimits,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { pathParts, shown } from '../workspace/path-parts.ts'
import { MEGABYTE } from './bounded-memory.ts'
import { runLimits } from './box-limits.ts'
import type { FolderFiles } from './folder-files.ts'
import { grantShapes, type HostGrants } from './host-grants.ts'
import type { LanePool } from './lane-pool.ts'
import { runInLane } from './lane-run.ts'
import { MemoryFiles } from './memory-files.ts'
import type { FileChange, RunMessage } from './protocol.ts'
import { sharedBytes } from './shared-bytes.ts'
import type { WorkerLane } from './worker-lane.ts'

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
    await this.#options.folder?.takeIn(this.#files)
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
      const { report, clean } = await runInLane({
        backend: this.backend,
        clock: this.#options.clock,
        lane,
        mode,
        message,
        grants: this.#options.grants,
        output: run.output,
        files: (changes) => this.#apply(changes),
        signal,
      })
      reusable = clean
      const refused = (await this.#options.folder?.giveBack(this.#files)) ?? []
      const notes = refused.map((why) => `[not written to the workspace: ${why}]\n`)
      if (session !== undefined && !clean) notes.push(SESSION_LOST)
      const stderr = notes.length === 0 ? report.stderr : Buffer.concat([report.stderr, Buffer.from(notes.join(''))])
      return { ...report, stderr, usage: { ...report.usage, diskMB: this.#files.bytes / MEGABYTE } }
    } finally {
      if (session === undefined) this.#options.pool.release(lane, reusable)
      else if (!reusable) await this.#endSession()
    }
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

  /**
   * First all away, then all there: in this order it fits, as it did in the worker. Unless the host has written meanwhile: what it wrote stays,
   * and what does not go with it any more is left out.
   */
  #apply(changes: readonly FileChange[]): void {
    for (const { path } of changes) this.#files.remove(path)
    for (const { path, bytes, modifiedAt } of changes) {
      if (bytes === undefined) continue
      try {
        this.#files.write(path, { bytes, modifiedAt })
      } catch (error) {
        if (!AdjutantError.isInstance(error)) throw error
      }
    }
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

const SESSION_LOST = '[this run was ended; what the session kept in variables is gone, its files are not]\n'

/** @throws AdjutantError PATH_OUTSIDE_WORKSPACE */
function folderOf(cwd: string): string {
  if (cwd !== ROOT && !cwd.startsWith(`${ROOT}/`)) {
    throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', `cwd ${shown(cwd)} is not in ${ROOT}, the only folder of this box`)
  }
  return pathParts(cwd.slice(ROOT.length + 1)).join('/')
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
