import { AdjutantError } from '../contract/errors.ts'
import type { UnloadReason } from '../contract/events.ts'
import type { AgentTool } from '../contract/tool.ts'

export interface ActiveLimits {
  /** Extended tools in the model's context at once. Default 20. */
  readonly maxTools: number
  /** Their definitions together, in estimated tokens. Default 8 000. */
  readonly maxTokens: number
}

const DEFAULT_ACTIVE_LIMITS: ActiveLimits = { maxTools: 20, maxTokens: 8_000 }

interface Entry {
  readonly tool: AgentTool
  readonly tokens: number
  /** Grows with each load and each call: the smallest was called least recently. */
  lastCalled: number
  /** Requests the tool was in. */
  requests: number
  pinned: boolean
}

export interface Unloaded {
  readonly name: string
  readonly reason: UnloadReason
}

/**
 * Owns which extended tools of a session are in the model's context. Bounded by count and by tokens: when a load goes over, the least
 * recently called one leaves; pinned ones never do. In memory, one session's.
 */
export class ActiveSet {
  readonly #limits: ActiveLimits
  readonly #entries = new Map<string, Entry>()
  #clock = 0
  #tokens = 0

  constructor(limits: Partial<ActiveLimits> = {}) {
    this.#limits = { ...DEFAULT_ACTIVE_LIMITS, ...limits }
  }

  get tokens(): number {
    return this.#tokens
  }

  get size(): number {
    return this.#entries.size
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** In the order in which they were loaded. */
  tools(): readonly AgentTool[] {
    return [...this.#entries.values()].map((entry) => entry.tool)
  }

  /**
   * Takes a tool in; one that is there counts as called.
   *
   * @returns what had to leave for it
   * @throws AdjutantError TOO_LARGE when it does not fit beside what is pinned; nothing is changed then
   */
  load(tool: AgentTool, tokens: number): readonly Unloaded[] {
    const known = this.#entries.get(tool.name)
    if (known !== undefined) {
      known.lastCalled = ++this.#clock
      return []
    }
    const leaving = this.#makeRoom(tool.name, tokens)
    for (const { name } of leaving) this.#remove(name)
    this.#entries.set(tool.name, { tool, tokens, lastCalled: ++this.#clock, requests: 0, pinned: false })
    this.#tokens += tokens
    return leaving
  }

  /** The tool was called. */
  touch(name: string): void {
    const entry = this.#entries.get(name)
    if (entry !== undefined) entry.lastCalled = ++this.#clock
  }

  pin(name: string, pinned: boolean): void {
    const entry = this.#entries.get(name)
    if (entry !== undefined) entry.pinned = pinned
  }

  /** @returns whether it was there */
  unload(name: string): boolean {
    return this.#remove(name)
  }

  /** The loaded tools go into a request of the model. */
  requested(): void {
    for (const entry of this.#entries.values()) entry.requests += 1
  }

  /** A round is over: what was loaded for one turn leaves, once the model has had it in a request. */
  endRound(): readonly Unloaded[] {
    return this.#removeAll('turn-ended', (entry) => entry.tool.lifetime === 'turn' && entry.requests > 0)
  }

  endTask(): readonly Unloaded[] {
    return this.#removeAll('task-ended', (entry) => entry.tool.lifetime !== 'session')
  }

  /** The registry has changed: a tool that is gone or has another definition leaves. */
  keep(stillThere: (tool: AgentTool) => boolean): readonly Unloaded[] {
    return this.#removeAll('gone', (entry) => !stillThere(entry.tool))
  }

  /** What must leave, least recently called first. */
  #makeRoom(name: string, tokens: number): readonly Unloaded[] {
    const { maxTools, maxTokens } = this.#limits
    const candidates = [...this.#entries].filter(([, entry]) => !entry.pinned).sort(([, a], [, b]) => a.lastCalled - b.lastCalled)
    const leaving: Unloaded[] = []
    let count = this.#entries.size
    let used = this.#tokens
    while (count + 1 > maxTools || used + tokens > maxTokens) {
      const next = candidates.shift()
      if (next === undefined) {
        throw new AdjutantError('TOO_LARGE', `${name} does not fit into the context: ${count} tools with ${used} tokens are pinned there`, {
          outcome: 'not-run',
          hint: 'Use it without loading it, or unload another one.',
        })
      }
      leaving.push({ name: next[0], reason: count + 1 > maxTools ? 'too-many-tools' : 'too-many-tokens' })
      count -= 1
      used -= next[1].tokens
    }
    return leaving
  }

  #remove(name: string): boolean {
    const entry = this.#entries.get(name)
    if (entry === undefined) return false
    this.#tokens -= entry.tokens
    return this.#entries.delete(name)
  }

  #removeAll(reason: UnloadReason, leaves: (entry: Entry) => boolean): readonly Unloaded[] {
    const leaving = [...this.#entries].filter(([, entry]) => leaves(entry)).map(([name]) => ({ name, reason }))
    for (const { name } of leaving) this.#remove(name)
    return leaving
  }
}
