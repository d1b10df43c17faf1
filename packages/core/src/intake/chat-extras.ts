import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import type { CallSlot } from './call-slot.ts'
import { numberOf, objectOf, stringOf, type WireContext } from './wire.ts'

/**
 * Owns what servers of the Chat Completions family want back in the history beside text and calls: `reasoning_details` (put together
 * again from their pieces), `extra_content` of a call (a signature), and `reasoning_content` of an answer that calls tools. Each
 * becomes a `provider-block` at the end of a whole answer; of an answer that was cut off nothing goes back.
 *
 * The blocks are `{ reasoning_details: […] }`, `{ tool_call_index, extra_content }` and `{ reasoning_content }`: members of the
 * assistant message, or of the call with that index.
 */
export class ChatExtras {
  readonly #cx: WireContext
  readonly #details: Record<string, JsonValue>[] = []
  readonly #calls = new Map<CallSlot, JsonObject>()
  #reasoning: string[] = []
  #chars = 0

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  read(delta: JsonObject, whole: boolean): void {
    const reasoning = delta.reasoning_content
    if (typeof reasoning === 'string' && reasoning !== '' && this.#holds(reasoning.length)) this.#reasoning.push(reasoning)
    const details = delta.reasoning_details
    if (!Array.isArray(details)) return
    for (const detail of details) if (isJsonObject(detail)) this.#detail(detail, whole)
  }

  readCall(slot: CallSlot, entry: JsonObject): void {
    const extra = objectOf(entry.extra_content)
    if (extra !== undefined) this.#calls.set(slot, extra)
  }

  /** Gives on what belongs to an answer that is whole. */
  finish(calls: number): void {
    // What outgrew the limit is not whole, and half of it would be refused.
    if (this.#chars <= this.#cx.limits.argumentChars) {
      if (this.#details.length > 0) this.#emit({ reasoning_details: this.#details })
      if (this.#reasoning.length > 0 && calls > 0) this.#emit({ reasoning_content: this.#reasoning.join('') })
    }
    for (const [slot, extra] of this.#calls) if (slot.index !== undefined) this.#emit({ tool_call_index: slot.index, extra_content: extra })
  }

  #emit(block: JsonObject): void {
    this.#cx.emit({ type: 'provider-block', block })
  }

  #holds(chars: number): boolean {
    this.#chars += chars
    return this.#chars <= this.#cx.limits.argumentChars
  }

  #detail(detail: JsonObject, whole: boolean): void {
    const words = [detail.text, detail.summary, detail.data].map((word) => stringOf(word)?.length ?? 0)
    if (!this.#holds(words.reduce((sum, length) => sum + length, 0))) return
    const before = whole ? undefined : this.#details.find((known) => isSame(known, detail))
    if (before === undefined) {
      this.#details.push({ ...detail })
      return
    }
    for (const [key, value] of Object.entries(detail)) {
      const known = before[key]
      if (GROWING.has(key) && typeof value === 'string') before[key] = (stringOf(known) ?? '') + value
      else if (value !== null && value !== '') before[key] = value
    }
  }
}

/** Members that come in pieces; the others come whole, once or each time. */
const GROWING = new Set(['text', 'summary', 'data'])

/** A piece of a detail that has begun: of its kind and place, and not another thing by its id. */
function isSame(known: JsonObject, detail: JsonObject): boolean {
  if (known.type !== detail.type || numberOf(known.index) !== numberOf(detail.index)) return false
  const id = stringOf(detail.id)
  return id === undefined || stringOf(known.id) === undefined || id === known.id
}
