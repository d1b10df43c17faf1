import { LRUCache } from 'lru-cache'
import { ERROR_CODES } from '../../contract/errors.ts'
import type { CallId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Clock } from '../../contract/ports.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { CallWindow } from './call-window.ts'
import { Fingerprinter } from './fingerprint.ts'
import { type LoopGuardOptions, limitsOf, type ResolvedLimits, type ResolvedToolLimits, resolveLimits } from './limits.ts'
import { errorDigest, outcomeDigest } from './outcome-digest.ts'
import { type GuardState, readSnapshot, writeSnapshot } from './snapshot.ts'
import { addDigests, TextDigest } from './text-digest.ts'
import { extend, lengthOf, type Streak, ToolMemory } from './tool-memory.ts'
import { type Loop, type Ruling, Warnings } from './warnings.ts'
import { effectOf, isRead, type LoopVerdict, type WatchedCall, type WatchedOutcome } from './watched-call.ts'

interface Entry {
  readonly step: number
  readonly key: number
  readonly things: number
  readonly message: number
  readonly fresh: boolean
  /** Of the first of several equal calls of a message that settled. */
  result: number | undefined
}

interface Watched {
  readonly memory: ToolMemory
  readonly tool: AgentTool | undefined
  readonly limits: ResolvedToolLimits
}

const PASS: LoopVerdict = Object.freeze({ type: 'pass' })
const ROUNDS = 3
/** A cycle's calls may all be in one message; the model must have seen what came of them a few times. */
const STANDSTILL_MESSAGES = 4
const MOST_PENDING = 4_096
const MOST_TOOLS = 128
/** A result shorter than this (`ok`, `[]`, `true`, `0`) is the honest answer to many questions. */
const TRIVIAL = 6
/** From here on a result is more than a word about each of many things. */
const LONG_ANSWER = 40

/**
 * Stops a model that goes round in circles (B6–B8), and never one that works. What counts is not how often a tool is called but that a call was made
 * before *and came to the same*. Two steps: the first time the call is not run and the model is told; when it does the same again, the task ends.
 * docs/reference/loop-guard.md says at which call each kind of loop is caught.
 *
 * Refuses nothing that waits: a call that failed with an error that may pass by itself and is made again after ever longer waits is new each time.
 * One guard for one run; it is not reset by anything, and knows nothing of approvals: a denied or refused call made again is a loop like any other.
 * Synchronous; memory is bounded by the window, 128 tools and 4 096 calls under way, all as digests. A crash loses what was not in a {@link snapshot}.
 *
 * @example
 * ```ts
 * const guard = new LoopGuard({ clock: systemClock })
 * guard.beginMessage()
 * const verdict = guard.judge({ id: callId('call_1'), name: 'search', input: { query: 'cats' } })
 * if (verdict.type === 'pass') guard.settled({ id: callId('call_1'), name: 'search', input: { query: 'cats' } }, { outcome: 'ok', text: '3 found' })
 * ```
 */
export class LoopGuard {
  readonly #limits: ResolvedLimits
  readonly #clock: Clock | undefined
  readonly #fingerprints = new Fingerprinter()
  readonly #digest = new TextDigest()
  readonly #window: CallWindow
  readonly #entries: (Entry | undefined)[]
  readonly #pending = new Map<CallId, Entry>()
  readonly #tools = new LRUCache<string, Watched>({ max: MOST_TOOLS })
  #warnings: Warnings
  #message = 0
  #progress = 0
  #stale = 0
  #staleMessages = 0
  #staleMessage = -1
  #stopped: string | undefined

  /** @throws AdjutantError CONFIG_INVALID that names the option that is out of range */
  constructor(options: LoopGuardOptions = {}) {
    this.#limits = resolveLimits(options)
    this.#clock = options.clock
    this.#window = new CallWindow(this.#limits.window)
    this.#warnings = new Warnings(this.#limits.forgetAfter)
    this.#entries = new Array<Entry | undefined>(this.#limits.window).fill(undefined)
  }

  /** Why the run was stopped. From then on every verdict is `stop`. */
  get stopped(): string | undefined {
    return this.#stopped
  }

  /** A new answer of the model begins. Equal calls of one answer count once: the model could not know yet what came of the first. */
  beginMessage(): void {
    this.#message++
  }

  /** Before the call is validated, in the model's order. Never throws. */
  judge(call: WatchedCall): LoopVerdict {
    if (this.#stopped !== undefined) return { type: 'stop', reason: this.#stopped }
    const { memory, limits } = this.#watched(call)
    if (!limits.watched) return PASS
    const reads = effectOf(call) === 'read'
    const key = this.#fingerprints.of(call.name, call.input, call.tool, reads, this.#clock?.now() ?? Number.NaN)
    const things = this.#fingerprints.things
    const twin = this.#window.inMessage(key, this.#message)
    if (twin !== -1) {
      const entry = this.#entries[twin % this.#limits.window]
      if (entry !== undefined) this.#await(call.id, entry)
      return PASS
    }
    const fresh = this.#clock !== undefined && memory.hasWaited(key, this.#clock.monotonic())
    const ruling = this.#warnings.repeated(key, this.#message) ?? this.#pattern(call, key, things, memory, limits, fresh)
    if (ruling !== undefined) return this.#said(ruling)
    const step = this.#window.add(key, this.#message, fresh)
    const entry: Entry = { step, key, things, message: this.#message, fresh, result: undefined }
    this.#entries[step % this.#limits.window] = entry
    this.#await(call.id, entry)
    return PASS
  }

  /** What came of a call that passed, in any order. A call that is not known, or was cancelled, says nothing. Never throws. */
  settled(call: WatchedCall, outcome: WatchedOutcome): void {
    const entry = this.#pending.get(call.id)
    if (entry === undefined) return
    this.#pending.delete(call.id)
    if (outcome.code === 'CANCELLED') return
    const result = outcomeDigest(this.#digest, outcome)
    if (entry.result !== undefined) {
      if (entry.result !== result) this.#window.setResult(entry.step, Number.NaN)
      return
    }
    entry.result = result
    this.#window.setResult(entry.step, result)
    const { memory } = this.#watched(call)
    const known = this.#window.knows(entry.key, result, entry.step)
    this.#countStale(known, entry.message)
    if (outcome.outcome === 'ok') this.#succeeded(call, outcome.text, entry, result, known, memory)
    else this.#failed(call, outcome, entry, memory)
  }

  /** All that is needed to go on after a restart, as digests; calls under way are not in it. At most some 20 KB. */
  snapshot(): JsonObject {
    const tools: [string, ToolMemory][] = []
    for (const name of this.#tools.rkeys()) {
      const watched = this.#tools.peek(name)
      if (watched !== undefined) tools.push([name, watched.memory])
    }
    return writeSnapshot({
      message: this.#message,
      progress: this.#progress,
      stale: this.#stale,
      staleMessages: this.#staleMessages,
      staleMessage: this.#staleMessage,
      stopped: this.#stopped,
      steps: this.#window.rows(),
      warnings: this.#warnings.list,
      tools,
    })
  }

  /** @throws AdjutantError CONFIG_INVALID when it is no snapshot of a guard, or one of another version */
  static restore(snapshot: JsonObject, options: LoopGuardOptions = {}): LoopGuard {
    const guard = new LoopGuard(options)
    guard.#take(readSnapshot(snapshot))
    return guard
  }

  #take(state: GuardState): void {
    this.#message = state.message
    this.#progress = state.progress
    this.#stale = state.stale
    this.#staleMessages = state.staleMessages
    this.#staleMessage = state.staleMessage
    this.#stopped = state.stopped
    this.#warnings = new Warnings(this.#limits.forgetAfter, state.warnings)
    for (const [key, result, message, fresh, run] of state.steps) {
      const step = this.#window.add(key, message, fresh === 1)
      if (result === null) continue
      this.#window.setResult(step, result)
      // The run may have begun before the window.
      this.#window.setRun(step, run)
    }
    for (const [name, memory] of state.tools)
      this.#tools.set(name, { memory, tool: undefined, limits: limitsOf(this.#limits, name, undefined) })
  }

  #watched(call: WatchedCall): Watched {
    const name = call.tool === undefined ? '' : call.tool.name
    const known = this.#tools.get(name)
    if (known !== undefined && known.tool === call.tool) return known
    const watched = { memory: known?.memory ?? new ToolMemory(), tool: call.tool, limits: limitsOf(this.#limits, name, call.tool) }
    this.#tools.set(name, watched)
    return watched
  }

  #await(id: CallId, entry: Entry): void {
    this.#pending.set(id, entry)
    if (this.#pending.size <= MOST_PENDING) return
    const oldest = this.#pending.keys().next()
    if (oldest.done !== true) this.#pending.delete(oldest.value)
  }

  /** The first loop that the call would go on with, and what is to be done about it. */
  #pattern(call: WatchedCall, key: number, things: number, memory: ToolMemory, limits: ResolvedToolLimits, fresh: boolean): Ruling {
    const window = this.#window
    const message = this.#message
    if (!fresh) {
      const run = window.run(key)
      if (run > 0 && run + 1 >= limits.identical) {
        const reason = `${shown(call)} was called ${run} times in a row with equal arguments and came to the same each time`
        return this.#warnings.rule({ kind: 'identical', sign: key, keys: [key], reason }, message)
      }
      const length = window.cycle(key, this.#limits.shortestCycle, this.#limits.longestCycle, ROUNDS)
      if (length > 0) {
        const keys: number[] = []
        for (let step = window.count - length; step < window.count; step++) keys.push(window.keyAt(step))
        const reason = `the same ${length} calls were made ${ROUNDS} times over and came to the same each time; ${shown(call)} would begin them again`
        return this.#warnings.rule({ kind: 'cycle', sign: keys.reduce(addDigests, 0), keys, reason }, message)
      }
      const loop = this.#streak('error', memory.errors, limits.sameError, key, `${shown(call)} failed`, 'with the same error')
      const ruling = loop === undefined ? undefined : this.#warnings.rule(loop, message)
      if (ruling !== undefined) return ruling
    }
    const loop =
      (memory.results.things === things
        ? this.#streak('result', memory.results, limits.sameResult, key, `${shown(call)} was called`, 'and gave the same result')
        : undefined) ??
      this.#streak('answer', memory.answers, limits.sameResult * 2, key, `${shown(call)} was called`, 'and gave the same result')
    const ruling = loop === undefined || !isRead(call) ? undefined : this.#warnings.rule(loop, message)
    if (ruling !== undefined) return ruling
    if (fresh || this.#stale < this.#limits.standstill || this.#staleMessages < STANDSTILL_MESSAGES) return undefined
    if (!window.hasSettled(key, message) || window.isNewest(key)) return undefined
    const reason = `the last ${this.#stale} calls brought nothing that was not known before`
    return this.#warnings.rule({ kind: 'standstill', sign: 0, keys: [key], reason }, message)
  }

  #streak(kind: 'error' | 'result' | 'answer', streak: Streak, limit: number, key: number, what: string, how: string): Loop | undefined {
    const length = lengthOf(streak, this.#message, this.#progress)
    if (length + 1 < limit) return undefined
    const reason = `${what} ${length} times in a row ${how}, whatever its arguments`
    // Whether other arguments come to the same is not known before they are tried: that much is due to a model that was told to try another way.
    return { kind, sign: streak.digest, keys: [key], reason, total: streak.total, untried: !this.#window.hasSettled(key, this.#message) }
  }

  #said(ruling: Exclude<Ruling, undefined>): LoopVerdict {
    if (ruling.type === 'warn') return { type: 'warn', reason: ruling.reason }
    this.#stopped = `after a warning, again: ${ruling.reason}`
    return { type: 'stop', reason: this.#stopped }
  }

  #countStale(known: boolean, message: number): void {
    if (!known) {
      this.#stale = 0
      this.#staleMessages = 0
      this.#staleMessage = -1
      return
    }
    this.#stale++
    if (message === this.#staleMessage) return
    this.#staleMessage = message
    this.#staleMessages++
  }

  #succeeded(call: WatchedCall, text: string, entry: Entry, result: number, known: boolean, memory: ToolMemory): void {
    const reads = effectOf(call) === 'read'
    const { results, answers } = memory
    const { key, message, things } = entry
    let goesOn = false
    const telling = reads && !isTrivial(text)
    if (telling) {
      goesOn = extend(results, this.#digest.start().digest(result).digest(things).value(), key, message, this.#progress)
      results.things = things
      // Not `||`: both must count.
      if (text.length >= LONG_ANSWER && extend(answers, result, key, message, this.#progress)) goesOn = true
    }
    if (known || goesOn) return
    this.#progress++
    // The result that is new begins its streaks; it does not end them.
    if (telling) {
      results.progress = this.#progress
      answers.progress = this.#progress
    }
    this.#warnings.progressed(!reads)
  }

  #failed(call: WatchedCall, outcome: WatchedOutcome, entry: Entry, memory: ToolMemory): void {
    const digest = errorDigest(this.#digest, outcome, call.name, call.input)
    if (entry.fresh) memory.errors.count = 0
    extend(memory.errors, digest, entry.key, entry.message, this.#progress)
    if (this.#clock !== undefined && mayPass(outcome.code)) memory.waitsAfter(entry.key, this.#clock.monotonic())
  }
}

function isTrivial(text: string): boolean {
  return text.length < TRIVIAL || (text.length < 64 && text.trim().length < TRIVIAL)
}

function mayPass(code: string | undefined): boolean {
  if (code === undefined || !Object.hasOwn(ERROR_CODES, code)) return false
  const entry: { readonly grade: string } | undefined = Object.getOwnPropertyDescriptor(ERROR_CODES, code)?.value
  return entry?.grade === 'retry'
}

function shown(call: WatchedCall): string {
  return call.name.length > 64 ? `${call.name.slice(0, 63)}…` : call.name
}
