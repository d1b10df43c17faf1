import { Admission } from '../admission/admit.ts'
import { ApprovalMemory } from '../admission/approval.ts'
import type { ApprovalMode } from '../admission/permission.ts'
import { Catalog, type CatalogOptions } from '../catalog/catalog.ts'
import { searchAmong } from '../catalog/search/search-among.ts'
import type { ToolOverview } from '../catalog/system-prompt.ts'
import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink, StepRecord } from '../contract/events.ts'
import { type CallId, type SessionId, sessionId, type TraceId, traceId } from '../contract/ids.ts'
import type { ToolDefinition } from '../contract/messages.ts'
import type { Approver, Asker, Clock, IdSource, Namespace, Question, SessionStore } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'
import type { ToolResult } from '../contract/result.ts'
import type { AgentTool, Logger, Progress } from '../contract/tool.ts'
import { InteractionLock } from '../dispatch/interaction-lock.ts'
import type { BatchStrategy } from '../dispatch/plan-batch.ts'
import type { ExecutionHost } from '../execution/call-scope.ts'
import { DEFAULT_TIMEOUT_MS } from '../execution/execute.ts'
import { openNamespace } from '../execution/namespace.ts'
import { toolDefinitionOf } from '../registry/definitions/definition.ts'
import type { ToolSnapshot } from '../registry/snapshot.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import { OpenTurn } from './open-turn.ts'
import { Turn, type TurnEnvironment } from './turn.ts'

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
  /** What of the tools the model sees, and when. Default: all that everybody may use, extended ones on demand once there are many. */
  readonly catalog?: SessionCatalogOptions
  /** Whether a complete read may start while the model still writes the rest of its answer. Default true. */
  readonly earlyStart?: boolean
  readonly limits?: {
    /** Reads in flight at once. Default 10. */
    readonly concurrency?: number
    /** Characters of a result that reach the model. Default 8 000. */
    readonly resultChars?: number
    /** Milliseconds for a call whose tool sets no limit. Default 60 000. */
    readonly timeoutMs?: number
  }
}

/** One for the process: sessions of the same role search the same tools, and an index of thousands is made once. */
const sharedSearch = searchAmong()

/** The catalogue's options that are not the session's own business. */
export type SessionCatalogOptions = Omit<CatalogOptions, 'principal' | 'search' | 'loaded' | 'unloaded'> & {
  /** Finds tools, e.g. by meaning as well. Default: by words, with an index that sessions share. */
  readonly search?: CatalogOptions['search']
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
  readonly #environment: TurnEnvironment
  readonly #wholeBatch: TurnEnvironment
  readonly #catalog: Catalog
  #tools: ToolSnapshot
  #toolsInUse: ToolSnapshot
  #tail: Promise<unknown> = Promise.resolve()
  #pendingWrites: Promise<void>[] = []
  /** Steps of calls whose answer is still being read; undefined when there is none. */
  #heldSteps: StepRecord[] | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#tools = options.tools
    this.#toolsInUse = options.tools
    this.clock = options.clock ?? systemClock
    this.ids = options.ids ?? randomIds
    this.id = options.id ?? sessionId(this.ids.next('session'))
    this.traceId = traceId(this.ids.traceId())
    this.interaction = options.interaction ?? new InteractionLock()
    this.namespace = openNamespace({ root: options.namespaceRoot, sessionId: this.id })
    this.#startedAt = this.clock.monotonic()
    this.#catalog = this.#makeCatalog()
    this.#environment = this.#makeEnvironment()
    this.#wholeBatch = { ...this.#environment, earlyStart: false }
  }

  get tools(): ToolSnapshot {
    return this.#tools
  }

  /** From the next batch on. A batch in flight keeps the tools it began with. */
  useTools(tools: ToolSnapshot): void {
    this.#tools = tools
  }

  /**
   * The tools of the next request, as a model is told of them: what the principal may use and, where there are many, has loaded. Within a turn
   * they are the ones that its calls are looked up among.
   */
  request(): readonly ToolDefinition[] {
    this.#catalog.requested()
    return definitionsOf(this.#catalog.tools())
  }

  /** What a system prompt says of the tools: see {@link buildSystemPrompt}. */
  toolOverview(): ToolOverview {
    return this.#catalog.overview()
  }

  /** A round of the loop is over, with its results: tools loaded for one turn leave. */
  endRound(): void {
    this.#catalog.endRound()
  }

  /** The task is done: tools loaded for it leave. */
  endTask(): void {
    this.#catalog.endTask()
  }

  /** Keeps a loaded tool from being pushed out by others. */
  pinTool(name: string, pinned = true): void {
    this.#catalog.pin(name, pinned)
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
  execute(calls: readonly ToolCall[], options: { readonly signal?: AbortSignal } = {}): Promise<readonly ToolResult[]> {
    return this.#inTurn(options.signal, async (signal) => {
      // The whole batch is there: it is looked at before anything of it runs.
      const turn = new Turn(this.#wholeBatch, signal)
      try {
        for (const [position, call] of calls.entries()) turn.add(call, position)
        return this.#told(await turn.complete())
      } finally {
        await turn.close()
      }
    })
  }

  /**
   * Lends a turn to whoever reads a model's answer: calls are added as they are complete, and reads among them start at once. When `work` is
   * done, what still runs is stopped. A second turn waits for the first.
   *
   * @throws AdjutantError CANCELLED when the session is closed; whatever `work` throws; the store's error when a step could not be kept
   */
  turn<T>(work: (turn: OpenTurn) => Promise<T>, options: { readonly signal?: AbortSignal } = {}): Promise<T> {
    return this.#inTurn(options.signal, async (signal) => {
      this.#heldSteps = []
      const turn = new OpenTurn(this.#environment, signal, (results) => this.#told(results))
      try {
        return await work(turn)
      } finally {
        await turn.close()
        if (this.#options.store !== undefined) this.#keepHeldSteps(this.#options.store)
      }
    })
  }

  /** Keeps one step (E9). Without a store this does nothing. */
  async record(step: StepRecord): Promise<void> {
    const { store } = this.#options
    if (store === undefined) return
    const written = store.append(this.id, step)
    // What ran before the answer was complete is kept after the answer it belongs to.
    if (step.type === 'model') this.#keepHeldSteps(store)
    await written
  }

  #keepHeldSteps(store: SessionStore): void {
    const held = this.#heldSteps ?? []
    this.#heldSteps = undefined
    for (const step of held) this.#keep(store, step)
  }

  #keep(store: SessionStore, step: StepRecord): void {
    const write = store.append(this.id, step)
    // Awaited at the end of the turn; marked handled now so that an early failure is not an unhandled rejection.
    write.catch(() => {})
    this.#pendingWrites.push(write)
  }

  /** Stops what runs and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException('the session was closed', 'AbortError'))
    await this.#tail
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** One turn after the other; each ends with its steps kept. */
  #inTurn<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#tail
    const turn = (async () => {
      await before
      if (this.#closing.signal.aborted) throw new AdjutantError('CANCELLED', 'the session is closed')
      this.#takeTools()
      const value = await work(signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]))
      const writes = this.#pendingWrites
      this.#pendingWrites = []
      await Promise.all(writes)
      return value
    })()
    this.#tail = turn.catch(() => {})
    return turn
  }

  /** A turn sees one state of the registry from its beginning to its end. */
  #takeTools(): void {
    if (this.#tools === this.#toolsInUse) return
    this.#toolsInUse = this.#tools
    this.#catalog.useTools(this.#tools)
  }

  #told(results: readonly ToolResult[]): readonly ToolResult[] {
    for (const result of results) this.#catalog.note(result.name, result.outcome === 'ok')
    this.events?.({ type: 'results', results, at: this.at() })
    return results
  }

  #makeCatalog(): Catalog {
    const { events: emit, principal = LOCAL_PRINCIPAL, catalog } = this.#options
    return new Catalog(this.#tools, {
      search: sharedSearch,
      ...catalog,
      principal,
      loaded: (name, tokens) => emit?.({ type: 'tool-loaded', name, tokens, at: this.at() }),
      unloaded: (name, reason) => emit?.({ type: 'tool-unloaded', name, reason, at: this.at() }),
    })
  }

  #makeEnvironment(): TurnEnvironment {
    const { limits, mode, approver, events: emit, store, strategy = 'strict', earlyStart = true } = this.#options
    const principal = this.#options.principal ?? LOCAL_PRINCIPAL
    const approvals = new ApprovalMemory()
    return {
      sessionId: this.id,
      resolve: (call) => this.#catalog.resolve(call),
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
      earlyStart,
      concurrency: limits?.concurrency ?? DEFAULT_CONCURRENCY,
      timeoutMs: limits?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      resultChars: limits?.resultChars ?? DEFAULT_RESULT_CHARS,
      settled:
        store === undefined
          ? undefined
          : (call, result) => {
              const step: StepRecord = { version: 1, type: 'call', call, result }
              if (this.#heldSteps === undefined) this.#keep(store, step)
              else this.#heldSteps.push(step)
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

const definitions = new WeakMap<readonly AgentTool[], readonly ToolDefinition[]>()

/** A snapshot's list of tools stays the same object, so ten thousand definitions are made once. */
function definitionsOf(tools: readonly AgentTool[]): readonly ToolDefinition[] {
  const known = definitions.get(tools)
  if (known !== undefined) return known
  const made = tools.map(toolDefinitionOf)
  definitions.set(tools, made)
  return made
}
