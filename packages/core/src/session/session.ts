import { Admission } from '../admission/admit.ts'
import { ApprovalMemory } from '../admission/approval.ts'
import type { ApprovalMode } from '../admission/permission.ts'
import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink, StepRecord } from '../contract/events.ts'
import { type CallId, type SessionId, sessionId, type TraceId, traceId } from '../contract/ids.ts'
import type { Approver, Asker, Clock, IdSource, Namespace, Question, SessionStore } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'
import type { ToolResult } from '../contract/result.ts'
import type { Logger, Progress } from '../contract/tool.ts'
import { InteractionLock } from '../dispatch/interaction-lock.ts'
import type { BatchStrategy } from '../dispatch/plan-batch.ts'
import type { ExecutionHost } from '../execution/call-scope.ts'
import { DEFAULT_TIMEOUT_MS } from '../execution/execute.ts'
import { openNamespace } from '../execution/namespace.ts'
import type { ToolSnapshot } from '../registry/snapshot.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import { runTurn, type TurnEnvironment } from './turn.ts'

/** Reads in flight at once. More hardly helps one model's batch and strains servers. */
const DEFAULT_CONCURRENCY = 10

export interface SessionOptions {
  readonly tools: ToolSnapshot
  /** The folder below which the session's own folder is made. */
  readonly namespaceRoot: string
  readonly mode: ApprovalMode
  readonly approver: Approver
  readonly asker: Asker
  /** Default: the person at this terminal. */
  readonly principal?: Principal
  /** Default: a new one. */
  readonly id?: SessionId
  readonly clock?: Clock
  readonly ids?: IdSource
  readonly events?: EventSink
  readonly store?: SessionStore
  /** Shared with whoever else writes to the same terminal. Default: one of its own. */
  readonly interaction?: InteractionLock
  readonly strategy?: BatchStrategy
  readonly limits?: {
    /** Reads in flight at once. Default 10. */
    readonly concurrency?: number
    /** Characters of a result that reach the model. Default 8 000. */
    readonly resultChars?: number
    /** Milliseconds for a call whose tool sets no limit. Default 60 000. */
    readonly timeoutMs?: number
  }
}

/**
 * One principal's work with one set of tools: it keeps approvals, namespace, ids and time, and carries out batches one after the
 * other. A batch sees the tools there were when it began. Closing stops what runs; a closed session takes no more calls.
 *
 * @example
 * ```ts
 * const session = new Session({ tools, namespaceRoot: '.adjutant/sessions', mode: 'ask', approver, asker })
 * const results = await session.execute(calls) // one for each call, in call order
 * ```
 */
export class Session {
  readonly id: SessionId
  readonly traceId: TraceId
  readonly namespace: Namespace
  readonly interaction: InteractionLock
  readonly clock: Clock
  readonly ids: IdSource
  readonly #options: SessionOptions
  readonly #startedAt: number
  readonly #closing = new AbortController()
  readonly #environment: Omit<TurnEnvironment, 'tools'>
  #tools: ToolSnapshot
  #tail: Promise<unknown> = Promise.resolve()
  #pendingWrites: Promise<void>[] = []

  constructor(options: SessionOptions) {
    this.#options = options
    this.#tools = options.tools
    this.clock = options.clock ?? systemClock
    this.ids = options.ids ?? randomIds
    this.id = options.id ?? sessionId(this.ids.next('session'))
    this.traceId = traceId(this.ids.traceId())
    this.interaction = options.interaction ?? new InteractionLock()
    this.namespace = openNamespace({ root: options.namespaceRoot, sessionId: this.id })
    this.#startedAt = this.clock.monotonic()
    this.#environment = this.#makeEnvironment()
  }

  get tools(): ToolSnapshot {
    return this.#tools
  }

  /** From the next batch on. A batch in flight keeps the tools it began with. */
  useTools(tools: ToolSnapshot): void {
    this.#tools = tools
  }

  /** Milliseconds since the session started. */
  readonly at = (): number => this.clock.monotonic() - this.#startedAt

  /** Aborts when the session is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  get events(): EventSink | undefined {
    return this.#options.events
  }

  /**
   * Carries out one batch. A second batch waits for the first.
   *
   * @returns one result for each call, in call order
   * @throws AdjutantError CANCELLED when the session is closed; the store's error when a step could not be kept
   */
  async execute(calls: readonly ToolCall[], options: { readonly signal?: AbortSignal } = {}): Promise<readonly ToolResult[]> {
    const before = this.#tail
    const turn = (async () => {
      await before
      return this.#run(calls, options.signal)
    })()
    this.#tail = turn.catch(() => {})
    return turn
  }

  /** Keeps one step (E9). Without a store this does nothing. */
  async record(step: StepRecord): Promise<void> {
    await this.#options.store?.append(this.id, step)
  }

  /** Stops what runs and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException('the session was closed', 'AbortError'))
    await this.#tail
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #run(calls: readonly ToolCall[], signal: AbortSignal | undefined): Promise<readonly ToolResult[]> {
    if (this.#closing.signal.aborted) throw new AdjutantError('CANCELLED', 'the session is closed')
    const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
    const results = await runTurn(calls, { ...this.#environment, tools: this.#tools }, stop)
    const writes = this.#pendingWrites
    this.#pendingWrites = []
    await Promise.all(writes)
    return results
  }

  #makeEnvironment(): Omit<TurnEnvironment, 'tools'> {
    const { limits, mode, approver, events: emit, store, strategy = 'strict' } = this.#options
    const principal = this.#options.principal ?? LOCAL_PRINCIPAL
    const approvals = new ApprovalMemory()
    return {
      sessionId: this.id,
      principal,
      admission: new Admission({ mode, principal, approvals }),
      approvals,
      approver,
      interaction: this.interaction,
      ids: this.ids,
      emit,
      at: this.at,
      host: this.#makeHost(principal),
      strategy,
      concurrency: limits?.concurrency ?? DEFAULT_CONCURRENCY,
      timeoutMs: limits?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      resultChars: limits?.resultChars ?? DEFAULT_RESULT_CHARS,
      settled:
        store === undefined
          ? undefined
          : (call, result) => {
              const write = store.append(this.id, { version: 1, type: 'call', call, result })
              // Awaited at the end of the batch; marked handled now so that an early failure is not an unhandled rejection.
              write.catch(() => {})
              this.#pendingWrites.push(write)
            },
    }
  }

  #makeHost(principal: Principal): ExecutionHost {
    const { events: emit, asker } = this.#options
    const at = this.at
    const log =
      (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
      (message, fields) =>
        emit?.({ type: 'log', level, message, ...(fields === undefined ? {} : { fields }), at: at() })
    return {
      clock: this.clock,
      sessionId: this.id,
      traceId: this.traceId,
      principal,
      namespace: this.namespace,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      progress: (id: CallId, name: string, progress: Progress) => emit?.({ type: 'progress', id, name, progress, at: at() }),
      ask: (id: CallId, question: Question, signal: AbortSignal) =>
        this.interaction.run(() => {
          emit?.({ type: 'question', id, question, at: at() })
          return asker.ask(question, { signal })
        }, signal),
    }
  }
}
