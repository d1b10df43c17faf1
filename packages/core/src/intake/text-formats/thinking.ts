import { isJsonSpace } from '../json-scanner.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'

const LESS_THAN = 0x3c
const BRACKET = 0x5b

/**
 * Owns thinking that is written between marks: it becomes reasoning, at once. A call inside it is a draft and no decision: it stays
 * reasoning, unless the thinking never ends; then the model forgot to end it, and what follows from the call on is read as text.
 */
export class Thinking implements BodyReader {
  readonly #cx: ReaderContext
  readonly #closings: readonly string[]
  /** A word that some forms put before the thinking. */
  readonly #label: string
  #begun = false
  /** From the first call's opener on. */
  #draft: string[] | undefined
  #drafted = 0
  #over = false

  constructor(cx: ReaderContext, closings: readonly string[], label = '') {
    this.#cx = cx
    this.#closings = closings
    this.#label = label
  }

  read(text: string, final: boolean): BodyStep {
    if (this.#over) return this.#after(text, final)
    let from = 0
    if (!this.#begun) {
      while (from < text.length && isJsonSpace(text.charCodeAt(from))) from++
      if (from === text.length && !final) return MORE
      const label = this.#label === '' ? undefined : markAt(text, from, [this.#label], final)
      if (label === 'wait') return { type: 'more', rest: text.slice(from) }
      this.#begun = true
      if (label !== undefined) from += label.length
    }
    for (let at = next(text, from); at !== -1; at = next(text, at + 1)) {
      const mark = markAt(text, at, this.#closings, final)
      const opens = mark === undefined && this.#draft === undefined ? this.#cx.opens(text, at, final) : false
      if (mark === undefined && opens === false) continue
      this.#say(text.slice(from, at))
      if (mark === 'wait' || opens === 'wait') return { type: 'more', rest: text.slice(at) }
      from = at
      if (opens === true) {
        this.#draft = []
        continue
      }
      if (this.#draft !== undefined) this.#cx.reasoning(this.#draft.join(''))
      this.#over = true
      return this.#after(text.slice(at + (mark?.length ?? 0)), final)
    }
    this.#say(text.slice(from))
    if (!final) return MORE
    this.#cx.thoughtOver()
    return { type: 'done', rest: this.#draft?.join('') ?? '' }
  }

  #say(text: string): void {
    if (text === '') return
    if (this.#draft === undefined) {
      this.#cx.reasoning(text)
      return
    }
    this.#draft.push(text)
    this.#drafted += text.length
    if (this.#drafted <= this.#cx.calls.limit) return
    this.#cx.reasoning(this.#draft.join(''))
    this.#draft = []
    this.#drafted = 0
  }

  /** White space behind the thinking is layout. */
  #after(text: string, final: boolean): BodyStep {
    let at = 0
    while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
    return at === text.length && !final ? MORE : { type: 'done', rest: text.slice(at) }
  }
}

/** The next place where something may stand: a closing mark or a call's opener. */
function next(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LESS_THAN || code === BRACKET) return at
  }
  return -1
}
