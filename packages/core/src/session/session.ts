import type { Catalog } from '../catalog/catalog.ts'
import type { ToolOverview } from '../catalog/system-prompt.ts'
import type { ToolCall } from '../contract/call.ts'
import type { Usage } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink, StepRecord } from '../contract/events.ts'
import type { SessionId, TraceId } from '../contract/ids.ts'
import type { ToolDefinition } from '../contract/messages.ts'
import type { Clock, IdSource, Namespace } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'
import type { ToolResult } from '../contract/result.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'
import type { ToolSnapshot } from '../registry/snapshot.ts'
import type { SharedResults } from '../response/shared-results.ts'
import { definitionsOf } from './definitions-of.ts'
import type { DurableSide } from './durable/durable-side.ts'
import type { OpenBatch } from './durable/open-batch.ts'
import { SessionPaused } from './durable/session-paused.ts'
import type { OpenJob, SessionState } from './durable/session-state.ts'
import type { Followers } from './followers.ts'
import type { EndedJob, SessionJobs } from './jobs/session-jobs.ts'
import type { StepKeeper } from './kept-steps.ts'
import { OpenTurn } from './open-turn.ts'
import type { RunGuards } from './run-guards.ts'
import { turnEnvironment } from './session-environment.ts'
import type { SessionOptions } from './session-options.ts'
import { sessionParts } from './session-parts.ts'
import { Turn, type TurnEnvironment } from './turn.ts'
import type { UsedTools } from './used-tools.ts'

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
  readonly #closing = new AbortController()
  readonly #environment: TurnEnvironment
  readonly #wholeBatch: TurnEnvironment
  readonly #catalog: Catalog
  #tools: ToolSnapshot
  #toolsInUse: ToolSnapshot
  readonly #guards: RunGuards
  readonly #steps: StepKeeper | undefined
  readonly #durable: DurableSide | undefined
  readonly #jobs: SessionJobs | undefined
  #batch = 0
  readonly #used: UsedTools
  readonly #shared: SharedResults | undefined
  readonly #followers: Followers
  #policyVersion: number | undefined
  #tail: Promise<unknown> = Promise.resolve()

  constructor(options: SessionOptions) {
    const parts = sessionParts(options)
    this.#options = options
    this.#tools = options.tools
    this.#toolsInUse = options.tools
    this.#policyVersion = options.policy?.version
    this.clock = parts.clock
    this.ids = parts.ids
    this.id = parts.id
    this.traceId = parts.traceId
    this.interaction = parts.interaction
    this.namespace = parts.namespace
    this.at = parts.at
    this.#followers = parts.followers
    this.#durable = options.durable
    this.#steps = parts.steps
    this.#jobs = parts.jobs
    this.#guards = parts.guards
    this.#catalog = parts.catalog
    this.#used = parts.used
    this.#shared = parts.shared
    const batch = (): number => this.#durable?.batch ?? this.#batch
    this.#environment = turnEnvironment(options, { ...parts, durable: this.#durable, emit: this.#followers.emit, batch })
    this.#wholeBatch = { ...this.#environment, earlyStart: false }
  }

  get principal(): Principal {
    return this.#options.principal ?? LOCAL_PRINCIPAL
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
  readonly at: () => number

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

  /** What the session is, where it outlives the process; else undefined. */
  get state(): SessionState | undefined {
    return this.#durable?.state
  }

  /**
   * Carries out one batch. A second batch waits for the first.
   *
   * @returns one result for each call, in call order
   * @throws AdjutantError CANCELLED when the session is closed; SessionPaused when a person must decide and nobody waits for it; CONFLICT while
   * another batch is open; the store's error when a step could not be kept
   */
  execute(calls: readonly ToolCall[], options: ExecuteOptions = {}): Promise<readonly ToolResult[]> {
    return this.#inTurn(options, async (signal) => {
      if (this.#durable?.state.open !== undefined) throw unfinished()
      this.#begin()
      await this.#durable?.journal.append({ version: 1, type: 'batch', time: this.clock.now(), calls })
      return this.#carryOut(calls, signal)
    })
  }

  /**
   * Goes on with the batch that another process left open.
   *
   * @returns one result for each call of it, in call order, those that had been there included
   * @throws like execute; CONFLICT when no batch is open
   */
  resume(options: ExecuteOptions = {}): Promise<readonly ToolResult[]> {
    return this.#inTurn(options, async (signal) => {
      const open = this.#durable?.state.open
      if (open === undefined) {
        throw new AdjutantError('CONFLICT', 'there is no open batch to go on with', { outcome: 'not-run', hint: 'Hand in the next one.' })
      }
      this.#begin(open)
      return this.#carryOut(open.calls, signal, open)
    })
  }

  /** Jobs of this session that have ended since this was asked: their results are told once. */
  async endedJobs(): Promise<readonly EndedJob[]> {
    return (await this.#jobs?.ended()) ?? []
  }

  /** What goes on behind the session. */
  get openJobs(): readonly OpenJob[] {
    return this.#jobs?.open ?? []
  }

  /** Resolves when one of the open jobs has ended, or the signal aborts. */
  async nextJob(signal: AbortSignal): Promise<void> {
    await this.#jobs?.next(AbortSignal.any([signal, this.signal]))
  }

  /** The process goes away: calls that wait for a person are left to whoever carries the session on. */
  leave(): void {
    this.#durable?.desk.leave()
  }

  /** The whole batch is there: it is looked at before anything of it runs. */
  async #carryOut(calls: readonly ToolCall[], signal: AbortSignal, open?: OpenBatch): Promise<readonly ToolResult[]> {
    const turn = new Turn(this.#wholeBatch, signal, undefined, open)
    try {
      turn.addAll(calls)
      return this.#told(await turn.complete())
    } finally {
      await turn.close()
    }
  }

  /**
   * Lends a turn to whoever reads a model's answer: calls are added as they are complete, and reads among them start at once. When `work` is
   * done, what still runs is stopped. A second turn waits for the first.
   *
   * @throws AdjutantError CANCELLED when the session is closed; whatever `work` throws; the store's error when a step could not be kept
   */
  turn<T>(work: (turn: OpenTurn) => Promise<T>, options: { readonly signal?: AbortSignal } = {}): Promise<T> {
    return this.#inTurn(options, async (signal) => {
      if (this.#durable?.state.open !== undefined) throw unfinished()
      this.#begin()
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
    await this.#shared?.sent()
    await this.#durable?.journal.close()
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
        return await work(this.#stopSignal(signal))
      } catch (error) {
        if (error instanceof SessionPaused) {
          this.#durable?.keepLoaded(this.#catalog.loadedNames())
          // Whoever carries it on elsewhere finds what the model was told of.
          await this.#shared?.sent()
          await this.#durable?.pause(error.waiting, this.#guards.snapshot())
        }
        throw error
      } finally {
        this.#durable?.keepLoaded(this.#catalog.loadedNames())
        await this.#shared?.sent()
        await this.#steps?.written()
        await this.#followers.flush()
      }
    })()
    this.#tail = turn.catch(() => {})
    return turn
  }

  #stopSignal(signal: AbortSignal | undefined): AbortSignal {
    const stops = [this.#closing.signal]
    if (signal !== undefined) stops.push(signal)
    if (this.#durable !== undefined) stops.push(this.#durable.journal.lost)
    return stops.length === 1 ? this.#closing.signal : AbortSignal.any(stops)
  }

  #begin(open?: OpenBatch): void {
    this.#batch += 1
    this.#durable?.begin(open)
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
}

function unfinished(): AdjutantError {
  return new AdjutantError('CONFLICT', 'the session has a batch that is not finished', {
    outcome: 'not-run',
    hint: 'Go on with it first: session.resume().',
  })
}
