/**
 * Owns the bounds of one run: its time, its output, whoever stops it. The first reason to stop wins and the run is ended from outside; what comes
 * after it is dropped.
 */
import { AdjutantError, type Clock, type SandboxLimits, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'

export type StopReason = 'wall' | 'output' | 'cancelled' | 'closed'

/** How what ran has ended. */
export interface Outcome {
  readonly exitCode?: number
  readonly signal?: string
  readonly stateLost?: boolean
}

export interface Following<T> {
  /** Reads what comes until the end of it. */
  readonly follow: (signal: AbortSignal) => Promise<T>
  /** Ends what runs; false when nobody can be sure. */
  readonly kill: () => Promise<boolean>
}

export class RunGuard implements Disposable {
  readonly #clock: Clock
  readonly #limits: Pick<SandboxLimits, 'wallMs' | 'outputBytes'>
  readonly #run: SandboxRun
  readonly #closing: AbortSignal
  readonly #backend: string
  readonly #started: number
  readonly #pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  readonly #stopped: Promise<StopReason>
  readonly #untime: () => void
  #settle: (reason: StopReason) => void = () => undefined
  #length = 0
  #reason: StopReason | undefined
  readonly #cancel = (): void => this.#stop('cancelled')
  readonly #close = (): void => this.#stop('closed')

  /** @param backend for reports and messages */
  constructor(backend: string, clock: Clock, run: SandboxRun, limits: Pick<SandboxLimits, 'wallMs' | 'outputBytes'>, closing: AbortSignal) {
    this.#backend = backend
    this.#clock = clock
    this.#limits = limits
    this.#run = run
    this.#closing = closing
    this.#started = clock.monotonic()
    this.#stopped = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.#untime = clock.after(limits.wallMs, () => this.#stop('wall'))
    run.signal?.addEventListener('abort', this.#cancel, { once: true })
    closing.addEventListener('abort', this.#close, { once: true })
    if (run.signal?.aborted === true) this.#cancel()
    if (closing.aborted) this.#close()
  }

  /** Keeps what fits, and ends the run when it does not. */
  take(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (this.#reason !== undefined || bytes.length === 0) return
    const room = this.#limits.outputBytes - this.#length
    const kept = bytes.length > room ? bytes.subarray(0, Math.max(0, Math.floor(room))) : bytes
    if (kept.length > 0) {
      this.#length += kept.length
      this.#pieces[stream].push(kept)
      try {
        this.#run.output?.(stream, kept)
      } catch {
        // Whoever listens must not throw; the run is not its own.
      }
    }
    if (kept.length < bytes.length) this.#stop('output')
  }

  /**
   * Waits for the end, of itself or by a limit. Undefined after a limit.
   *
   * @throws AdjutantError CANCELLED; SANDBOX_FAILED when what runs could not be ended; whatever `follow` throws
   */
  async follow<T>({ follow, kill }: Following<T>): Promise<T | undefined> {
    const reading = new AbortController()
    const following = follow(reading.signal).then((value) => ({ value }))
    following.catch(() => undefined)
    let first: { readonly value: T } | StopReason
    try {
      first = await Promise.race([this.#stopped, following])
    } catch (error) {
      // What was started may run on unseen.
      await kill()
      throw this.#reason === 'cancelled' || this.#reason === 'closed' ? this.#cancelled() : error
    }
    if (typeof first !== 'string') return first.value
    // A box that is being closed ends with all that is in it.
    const sure = first === 'closed' || (await kill())
    reading.abort()
    await following.catch(() => undefined)
    if (first === 'cancelled' || first === 'closed') throw this.#cancelled()
    if (!sure) {
      throw new AdjutantError('SANDBOX_FAILED', `${this.#backend}: a run that reached its limit (${first}) could not be ended`, {
        hint: 'Close the box; a new one can be opened.',
      })
    }
    return undefined
  }

  report(mode: SandboxReport['mode'], outcome: Outcome | undefined): SandboxReport {
    const reason = this.#reason
    const limit = outcome === undefined && (reason === 'wall' || reason === 'output') ? reason : undefined
    const ended: Outcome = outcome ?? { signal: 'SIGKILL' }
    return {
      backend: this.#backend,
      mode,
      ...ended,
      timedOut: limit === 'wall',
      // Nobody says so: a signal may have had any reason.
      oom: false,
      ...(limit === undefined ? {} : { limit }),
      stdout: Buffer.concat(this.#pieces.stdout),
      stderr: Buffer.concat(this.#pieces.stderr),
      truncated: reason === 'output',
      durationMs: this.#clock.monotonic() - this.#started,
      usage: {},
    }
  }

  [Symbol.dispose](): void {
    this.#untime()
    this.#run.signal?.removeEventListener('abort', this.#cancel)
    this.#closing.removeEventListener('abort', this.#close)
  }

  #stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#settle(reason)
  }

  #cancelled(): AdjutantError {
    return new AdjutantError(
      'CANCELLED',
      `${this.#backend}: the run was stopped${this.#reason === 'closed' ? ': its box was closed' : ''}`,
      {
        outcome: 'unknown',
      },
    )
  }
}
