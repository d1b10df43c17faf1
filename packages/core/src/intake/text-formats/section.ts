import { isJsonSpace } from '../json-scanner.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'

/**
 * Owns a part of the text that holds nothing but calls: `BEGIN call call … END`. White space between them is layout and dropped. A part
 * in which no call begins was no such part: its opener is given back as text.
 */

export interface SectionForm {
  readonly opener: string
  readonly closing: string
  /** Marks at which a call begins, and what reads it. The mark itself is not given to the reader. */
  readonly items: Readonly<Record<string, (cx: ReaderContext) => BodyReader>>
  /** Reads calls that have no mark of their own. */
  readonly bare?: (cx: ReaderContext) => BodyReader
}

/** Characters that the name of a call without a mark may have. */
const NAME_LIMIT = 256

export class Section implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #form: SectionForm
  readonly #marks: readonly string[]
  #item: BodyReader | undefined
  /** White space before the first call; undefined once there was one. */
  #before: string | undefined = ''

  constructor(cx: ReaderContext, form: SectionForm) {
    this.#cx = cx
    this.#form = form
    this.#marks = [...Object.keys(form.items), form.closing]
    this.trailing = [form.closing]
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    for (;;) {
      if (this.#item !== undefined) {
        const step = this.#item.read(rest, final)
        if (step.type === 'more') return step
        this.#item = undefined
        rest = step.rest
      }
      const step = this.#between(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
  }

  #between(text: string, final: boolean): BodyStep | string {
    let at = 0
    while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
    if (at === text.length) {
      if (this.#before !== undefined) this.#before += text
      if (!final) return MORE
      if (this.#before !== undefined) this.#cx.text(this.#form.opener + this.#before)
      return { type: 'done', rest: '' }
    }
    const mark = markAt(text, at, this.#marks, final)
    if (mark === 'wait') {
      if (this.#before !== undefined) this.#before += text.slice(0, at)
      return { type: 'more', rest: text.slice(at) }
    }
    const bare = mark === undefined ? this.#bareAt(text, at, final) : undefined
    if (bare === 'wait') {
      if (this.#before !== undefined) this.#before += text.slice(0, at)
      return { type: 'more', rest: text.slice(at) }
    }
    const make = mark === undefined ? bare : this.#form.items[mark]
    if (make !== undefined) {
      this.#before = undefined
      this.#item = make(this.#cx)
      return text.slice(at + (mark?.length ?? 0))
    }
    if (mark !== undefined) return { type: 'done', rest: text.slice(at + mark.length) }
    if (this.#before !== undefined) this.#cx.text(this.#form.opener + this.#before + text.slice(0, at))
    return { type: 'done', rest: text.slice(at) }
  }

  /** Whether a name and a parenthesis stand at `at`. */
  #bareAt(text: string, at: number, final: boolean): ((cx: ReaderContext) => BodyReader) | 'wait' | undefined {
    if (this.#form.bare === undefined) return undefined
    const head = text.slice(at, at + NAME_LIMIT)
    if (/^\[?\s*[A-Za-z_][\w.-]*\(/.test(head)) return this.#form.bare
    const open = head.length < NAME_LIMIT && /^\[?\s*(?:[A-Za-z_][\w.-]*)?$/.test(head)
    return open && !final ? 'wait' : undefined
  }
}
