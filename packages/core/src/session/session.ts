import { Catalog } from '../catalog/catalog.ts'
import { searchAmong } from '../catalog/search/search-among.ts'
import type { ToolOverview } from '../catalog/system-prompt.ts'
import type { ToolCall } from '../contract/call.ts'
import type { Usage } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink, StepRecord } from '../contract/events.ts'
import { type SessionId, sessionId, type TraceId, traceId } from '../contract/ids.ts'
import type { ToolDefinition } from '../contract/messages.ts'
import type { Clock, IdSource, Namespace } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { ToolResult } from '../contract/result.ts'
import type { AgentTool } from '../contract/tool.ts'
import { InteractionLock } from '../dispatch/interaction-lock.ts'
import { openNamespace } from '../execution/namespace.ts'
import { toolDefinitionOf } from '../registry/definitions/definition.ts'
import type { ToolSnapshot } from '../registry/snapshot.ts'
import { SPILL_LIMITS, setSpillLimits } from '../response/spill-settings.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import { Followers } from './followers.ts'
import { KeptSteps } from './kept-steps.ts'
import { OpenTurn } from './open-turn.ts'
import { RunGuards } from './run-guards.ts'
import { turnEnvironment } from './session-environment.ts'
import type { SessionOptions } from './session-options.ts'
import { Turn, type TurnEnvironment } from './turn.ts'
import { UsedTools } from './used-tools.ts'

/** One for the process: sessions of the same role search the same tools, and an index of thousands is made once. */
const sharedSearch = searchAmong()

export interface ExecuteOptions {
  readonly signal?: AbortSignal
  /** The batch belongs to the same decision of the model as the one before it: equal calls of both count once for the loop guard. */
  readonly continues?: boolean
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
  readonly #guards: RunGuards
  readonly #steps: KeptSteps | undefined
  readonly #used = new UsedTools()
  readonly #followers: Followers
  #policyVersion: number | undefined
  #tail: Promise<unknown> = Promise.resolve()

  constructor(options: SessionOptions) {
    this.#options = options
    this.#tools = options.tools
    this.#toolsInUse = options.tools
    this.clock = options.clock ?? systemClock
    this.ids = options.ids ?? randomIds
    this.id = options.id ?? sessionId(this.ids.next('session'))
    this.traceId = traceId(this.ids.traceId())
    this.interaction = options.interaction ?? new InteractionLock()
    this.namespace = openNamespace({ root: options.namespaceRoot, sessionId: this.id, owner: options.principal ?? LOCAL_PRINCIPAL })
    if (options.results !== undefined) setSpillLimits(this.namespace, { ...SPILL_LIMITS, ...options.results }, this.clock)
    this.#startedAt = this.clock.monotonic()
    const principal = options.principal ?? LOCAL_PRINCIPAL
    const { clock, at } = this
    this.#followers = new Followers(options.events, options.observers ?? [], {
      sessionId: this.id,
      traceId: this.traceId,
      principal,
      startedAt: clock.now(),
    })
    const { emit } = this.#followers
    this.#steps = options.store === undefined ? undefined : new KeptSteps(options.store, this.id)
    this.#guards = new RunGuards(options, { clock, sessionId: this.id, principal, emit, at })
    this.#catalog = this.#makeCatalog()
    this.#policyVersion = options.policy?.version
    this.#environment = turnEnvironment(options, {
      id: this.id,
      traceId: this.traceId,
      clock,
      ids: this.ids,
      namespace: this.namespace,
      interaction: this.interaction,
      catalog: this.#catalog,
      guards: this.#guards,
      steps: this.#steps,
      used: this.#used,
      emit,
      at,
    })
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

  /** Everybody who hears the session's events; undefined when nobody does. */
  get events(): EventSink | undefined {
    return this.#followers.emit
  }

  /** Why the task must end: the loop guard saw the same again after its warning. Undefined while it may go on. */
  get stopped(): string | undefined {
    return this.#guards.stopped
  }

  /** The budget that is used up, if one is: no more calls are carried out. */
  exhausted(): AdjutantError | undefined {
    return this.#guards.exhausted()
  }

  /** Counts an answer of the model against the budgets. */
  answered(usage: Usage): void {
    this.#guards.answered(usage)
  }

  /** What the model should be told of its budgets with the next request. */
  budgetNotes(): readonly string[] {
    return this.#guards.notes()
  }

  /**
   * Carries out one batch. A second batch waits for the first.
   *
   * @returns one result for each call, in call order
   * @throws AdjutantError CANCELLED when the session is closed; the store's error when a step could not be kept
   */
  execute(calls: readonly ToolCall[], options: ExecuteOptions = {}): Promise<readonly ToolResult[]> {
    return this.#inTurn(options, async (signal) => {
      // The whole batch is there: it is looked at before anything of it runs.
      const turn = new Turn(this.#wholeBatch, signal)
      try {
        turn.addAll(calls)
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
    return this.#inTurn(options, async (signal) => {
      this.#steps?.hold()
      const turn = new OpenTurn(this.#environment, signal, (results) => this.#told(results))
      try {
        return await work(turn)
      } finally {
        await turn.close()
        this.#steps?.release()
      }
    })
  }

  /** Keeps one step (E9). Without a store this does nothing. */
  async record(step: StepRecord): Promise<void> {
    await this.#steps?.append(step)
  }

  /** Stops what runs, waits for it, and lets its tools let go of what they keep for this session. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException('the session was closed', 'AbortError'))
    await this.#tail
    await this.#used.end(this.id, this.events, this.at)
    await this.#followers.flush()
    await this.#followers.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** One turn after the other; each ends with its steps kept. */
  #inTurn<T>({ signal, continues }: ExecuteOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#tail
    const turn = (async () => {
      await before
      if (this.#closing.signal.aborted) throw new AdjutantError('CANCELLED', 'the session is closed')
      this.#takeTools()
      if (continues !== true) this.#guards.beginMessage()
      try {
        return await work(signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]))
      } finally {
        await this.#steps?.written()
        await this.#followers.flush()
      }
    })()
    this.#tail = turn.catch(() => {})
    return turn
  }

  /** A turn sees one state of the registry from its beginning to its end. */
  #takeTools(): void {
    const version = this.#options.policy?.version
    if (this.#tools === this.#toolsInUse && version === this.#policyVersion) return
    this.#toolsInUse = this.#tools
    this.#policyVersion = version
    this.#catalog.useTools(this.#tools)
  }

  #told(results: readonly ToolResult[]): readonly ToolResult[] {
    for (const result of results) this.#catalog.note(result.name, result.outcome === 'ok')
    this.events?.({ type: 'results', results, at: this.at() })
    return results
  }

  #makeCatalog(): Catalog {
    const { principal = LOCAL_PRINCIPAL, catalog, policy } = this.#options
    const emit = this.events
    const listed = catalog?.mayUse
    return new Catalog(this.#tools, {
      search: sharedSearch,
      ...catalog,
      principal,
      // One decision: what the policy refuses whatever the arguments is not there either.
      mayUse: (who, tool) => (listed?.(who, tool) ?? true) && (policy?.mayUse(who, tool) ?? true),
      loaded: (name, tokens) => emit?.({ type: 'tool-loaded', name, tokens, at: this.at() }),
      unloaded: (name, reason) => emit?.({ type: 'tool-unloaded', name, reason, at: this.at() }),
    })
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
