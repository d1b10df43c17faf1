/**
 * Owns the call ids of one request: what a provider accepts, and the same for a call and its result. The provider's own id goes
 * back unchanged wherever that is legal; another is made where it is too long, has other letters, or was used before in the same
 * history (some servers start at `call_0` again in each answer, and others refuse an id they have seen).
 */
import { hash } from 'node:crypto'

export interface WireIdRule {
  readonly legal: RegExp
}

/** Chat Completions: any letters, at most 40 of them. */
export const OPENAI_IDS: WireIdRule = { legal: /^[\x21-\x7e]{1,40}$/ }
/** Responses: `call_id` of at most 64 letters. */
export const RESPONSES_IDS: WireIdRule = { legal: /^[\x21-\x7e]{1,64}$/ }
/** Gemini: free text; bounded like the others, so that a history can go on elsewhere. */
export const GEMINI_IDS: WireIdRule = { legal: /^[\x21-\x7e]{1,64}$/ }
/** Messages: `^[a-zA-Z0-9_-]+$`; 64 is the longest that has been seen accepted everywhere. */
export const ANTHROPIC_IDS: WireIdRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/ }

/**
 * Ids for one history, given out in its order. The same history gives the same ids, so that a provider's prompt cache holds.
 *
 * @example
 * ```ts
 * const ids = new WireIds(ANTHROPIC_IDS)
 * ids.take('toolu_1') // 'toolu_1'
 * ids.take('call:2') // 'call_' and 20 hex digits
 * ids.take('toolu_1') // another one: it was taken
 * ```
 */
export class WireIds {
  readonly #rule: WireIdRule
  readonly #original = new Map<string, string>()

  constructor(rule: WireIdRule) {
    this.#rule = rule
  }

  /** The wire id for the next call of this id. */
  take(id: string): string {
    let wire = id
    for (let turn = 0; !this.#rule.legal.test(wire) || this.#original.has(wire); turn++) wire = made(id, turn)
    this.#original.set(wire, id)
    return wire
  }

  /** The way back: the id that `wire` was given out for. */
  originalOf(wire: string): string | undefined {
    return this.#original.get(wire)
  }
}

function made(id: string, turn: number): string {
  return `call_${hash('sha256', `${turn}:${id}`).slice(0, 20)}`
}
