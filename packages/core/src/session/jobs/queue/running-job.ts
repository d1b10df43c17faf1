/**
 * Owns one attempt of one job from its claim until its end is recorded: the handler is called once, told when it has to end, and not waited for for ever.
 */
import { AdjutantError } from '../../../contract/errors.ts'
import type { Job, JobHandler } from '../../../contract/job.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { Progress } from '../../../contract/tool.ts'
import type { AttemptEnd, Claim, JobBook } from './job-book.ts'

export interface RunningJobOptions {
  readonly claim: Claim
  readonly handler: JobHandler
  readonly book: JobBook
  readonly warn: (message: string) => void
}

export type EndReason = 'cancelled' | 'timeout' | 'lost' | 'stopped'

/** For a handler that was told to end. */
const ABORT_GRACE_MS = 5_000
/** Between two writings of progress. */
const PROGRESS_MS = 1_000
/** Between two attempts to record an end in a store that cannot be reached. */
const RECORD_AGAIN_MS = 500
/** Characters of a result as JSON. */
const RESULT_CHARS = 4_194_304
const MESSAGE_CHARS = 2_000

export class RunningJob {
  /** Resolves when its end is recorded: what the job is now; undefined when it was not this attempt's to record. Never rejects. */
  readonly recorded: Promise<Job | undefined>
  readonly #cx: RunningJobOptions
  readonly #control = new AbortController()
  readonly #gaveUp = Promise.withResolvers<'gave-up'>()
  #reason: EndReason | undefined
  #disarmTimeout: () => void = () => {}
  #disarmGrace: () => void = () => {}
  #progress: Progress | undefined
  #disarmProgress: (() => void) | undefined
  #keeping: Promise<void> = Promise.resolve()
  #until: number
  #over = false

  constructor(options: RunningJobOptions) {
    this.#cx = options
    this.#until = options.claim.until
    const { clock } = options.book
    this.#disarmTimeout = clock.after(options.claim.job.timeoutMs ?? 3_600_000, () => this.end('timeout'))
    this.recorded = this.#run()
  }

  /** When the claim runs out. */
  get until(): number {
    return this.#until
  }

  renewed(until: number): void {
    this.#until = until
  }

  /** Tells the handler to end. The first reason counts, save that a lost claim is lost. */
  end(reason: EndReason): void {
    if (reason === 'lost') this.#reason = reason
    else this.#reason ??= reason
    if (this.#control.signal.aborted || this.#over) return
    this.#disarmGrace = this.#cx.book.clock.after(ABORT_GRACE_MS, () => this.#gaveUp.resolve('gave-up'))
    this.#control.abort(errorOf(this.#reason ?? reason, this.#cx.claim.job))
  }

  async #run(): Promise<Job | undefined> {
    const { claim, handler } = this.#cx
    const { signal } = this.#control
    const context = { job: claim.job, signal, progress: (progress: Progress) => this.#note(progress) }
    const came = (async (): Promise<AttemptEnd> => {
      try {
        return { type: 'done', result: kept(await handler(context)) }
      } catch (error) {
        return this.#failure(error)
      }
    })()
    const first = await Promise.race([came, this.#gaveUp.promise])
    this.#over = true
    this.#disarmTimeout()
    this.#disarmGrace()
    this.#disarmProgress?.()
    await this.#keeping
    if (this.#reason === 'lost') return undefined
    const said = `it did not end when it was told to (${this.#reason ?? 'stopped'})`
    return await this.#record(first === 'gave-up' ? { type: 'left', why: said } : first)
  }

  #failure(error: unknown): AttemptEnd {
    switch (this.#reason) {
      case 'cancelled':
        return { type: 'cancelled' }
      case 'timeout':
        return { type: 'failed', final: false, error: errorShown(errorOf('timeout', this.#cx.claim.job)) }
      case 'stopped':
        return { type: 'left', why: 'its worker was stopped while it ran' }
      case 'lost':
      case undefined: {
        const known = AdjutantError.from(error, 'TOOL_FAILED')
        return { type: 'failed', final: AdjutantError.isInstance(error) && known.grade === 'final', error: errorShown(known) }
      }
      default:
        return this.#reason satisfies never
    }
  }

  /** A store that cannot be reached is tried again as long as the claim lasts. */
  async #record(end: AttemptEnd): Promise<Job | undefined> {
    const { book, claim, warn } = this.#cx
    for (;;) {
      try {
        return await book.settle(claim, end)
      } catch (error) {
        warn(`the end of job ${claim.job.id} cannot be recorded: ${error instanceof Error ? error.message : String(error)}`)
        if (book.clock.now() >= this.#until) return undefined
        await new Promise<void>((resolve) => book.clock.after(RECORD_AGAIN_MS, resolve))
      }
    }
  }

  #note(progress: Progress): void {
    if (this.#over) return
    this.#progress = { ...progress }
    if (this.#disarmProgress !== undefined) return
    this.#keepProgress()
    this.#disarmProgress = this.#cx.book.clock.after(PROGRESS_MS, () => {
      this.#disarmProgress = undefined
      if (this.#progress !== undefined) this.#note(this.#progress)
    })
  }

  #keepProgress(): void {
    const progress = this.#progress
    this.#progress = undefined
    if (progress === undefined) return
    const { book, claim, warn } = this.#cx
    this.#keeping = this.#keeping.then(() =>
      book.progress(claim, progress).catch((error) => warn(`progress of job ${claim.job.id} was not kept: ${String(error)}`)),
    )
  }
}

function errorOf(reason: EndReason, job: Job): AdjutantError {
  switch (reason) {
    case 'cancelled':
      return new AdjutantError('CANCELLED', `job ${job.id} was cancelled`, { outcome: 'unknown' })
    case 'timeout':
      return new AdjutantError('TIMEOUT', `an attempt of job ${job.id} took longer than ${job.timeoutMs ?? 3_600_000} ms`)
    case 'lost':
      return new AdjutantError('OUTCOME_UNKNOWN', `job ${job.id} was given to somebody else: this worker gave no sign of life`)
    case 'stopped':
      // Unlike what was cancelled it may be done again.
      return new AdjutantError('CANCELLED', `the worker of job ${job.id} is being stopped`, { outcome: 'unknown', grade: 'retry' })
    default:
      return reason satisfies never
  }
}

function errorShown({ code, message }: AdjutantError): { readonly code: string; readonly message: string } {
  return { code, message: message.length <= MESSAGE_CHARS ? message : `${message.slice(0, MESSAGE_CHARS)} …` }
}

/** @throws AdjutantError of grade `final` when it cannot be kept: it would be the same at the next attempt */
function kept(result: JsonValue | undefined): JsonValue | undefined {
  let text: string | undefined
  try {
    text = JSON.stringify(result)
  } catch (cause) {
    throw new AdjutantError('TOOL_FAILED', 'what the handler gave is no JSON', { cause, grade: 'final' })
  }
  if (text === undefined) return undefined
  if (text.length > RESULT_CHARS) {
    throw new AdjutantError('TOO_LARGE', `what the handler gave has ${text.length} characters; the most is ${RESULT_CHARS}`, {
      grade: 'final',
    })
  }
  const copy: JsonValue = JSON.parse(text)
  return copy
}
