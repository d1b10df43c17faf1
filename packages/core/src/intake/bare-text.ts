import type { Dialect, FinishReason } from '../contract/decode.ts'
import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { beginsDecision, DecisionReader, withoutFence } from './decision.ts'
import { parseJson } from './parse-json.ts'
import { beginsPlan, PlanReader } from './plan.ts'
import { dialectOf } from './recognise.ts'
import { TaggedTextReader } from './tagged-text.ts'
import type { TextReader, WireContext } from './wire.ts'

/**
 * Reads text of which nobody said what it is: with tags, or a fenced decision or plan. Refuses what is no text at all. Only a text that begins with a
 * fence is held back until its end.
 */

/** Control characters that no text has; the rest of C0 occurs in the output of terminals. */
const BINARY = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/

/** Bytes of another encoding show themselves at once; a broken character further on is no reason to refuse a text. */
const EARLY = 64

/** Characters of a fenced text that may still be one decision; what is longer is text. */
const FENCE_LIMIT = 1_048_576

export class BareTextReader implements TextReader {
  readonly #cx: WireContext
  #reader: TaggedTextReader | DecisionReader | PlanReader
  #fenced: string | undefined
  #begun = ''
  #length = 0
  #binary = false

  constructor(cx: WireContext) {
    this.#cx = cx
    this.#reader = new TaggedTextReader(cx)
  }

  get dialect(): Dialect {
    if (this.#reader instanceof PlanReader) return 'plan'
    return this.#reader instanceof DecisionReader ? 'decision' : 'tagged-text'
  }

  get format(): string | undefined {
    return this.#reader instanceof TaggedTextReader ? this.#reader.format : undefined
  }

  push(text: string): void {
    if (this.#binary) return
    const place = this.#binaryFrom(text)
    this.#take(place === undefined ? text : text.slice(0, place))
    if (place !== undefined) {
      this.#binary = true
      const message = `the input is no UTF-8 text: it is binary from character ${this.#length + place} on`
      this.#cx.emit({ type: 'problem', code: 'UNKNOWN_DIALECT', message })
    }
    this.#length += text.length
  }

  end(): FinishReason | undefined {
    if (this.#fenced !== undefined) this.#closeFence(this.#fenced)
    else if (this.#begun !== '') this.#reader.push(this.#begun)
    const finish = this.#reader.end()
    return this.#binary ? undefined : finish
  }

  #take(text: string): void {
    if (this.#fenced !== undefined) {
      this.#keepFence(text)
      return
    }
    const so = this.#begun + text
    // Enough to know whether it begins with a fence.
    if (this.#begun !== '' || this.#length === 0) {
      const first = so.trimStart()
      if (first.length < 3 && '```'.startsWith(first) && so.length < 4_096) {
        this.#begun = so
        return
      }
      this.#begun = ''
      if (first.startsWith('```')) {
        this.#fenced = ''
        this.#keepFence(so)
        return
      }
    }
    if (so !== '') this.#reader.push(so)
  }

  #keepFence(text: string): void {
    this.#fenced += text
    if (this.#fenced === undefined || this.#fenced.length <= FENCE_LIMIT) return
    const kept = this.#fenced
    this.#fenced = undefined
    this.#reader.push(kept)
  }

  #closeFence(text: string): void {
    const dialect = dialectInFence(withoutFence(text))
    if (dialect === 'decision') this.#reader = new DecisionReader(this.#cx)
    else if (dialect === 'plan') this.#reader = new PlanReader(this.#cx)
    this.#reader.push(text)
  }

  /** Where the text stops being text; undefined when it does not. */
  #binaryFrom(text: string): number | undefined {
    const control = BINARY.exec(text)?.index
    if (this.#length >= EARLY) return control
    const replaced = text.indexOf('\uFFFD')
    if (replaced === -1 || this.#length + replaced >= EARLY) return control
    return control === undefined ? replaced : Math.min(control, replaced)
  }
}

function dialectInFence(text: string): Dialect | undefined {
  let value: JsonValue
  try {
    value = parseJson(text)
  } catch {
    return beginsPlan(text) ? 'plan' : beginsDecision(text) ? 'decision' : undefined
  }
  return isJsonObject(value) ? dialectOf(value) : undefined
}
