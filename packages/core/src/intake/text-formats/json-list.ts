import { isJsonSpace } from '../json-scanner.ts'
import { type BodyReader, type BodyStep, MORE, type ReaderContext, type TextFormat } from './format.ts'
import { finishJson } from './json-body.ts'
import { SpanScanner } from './span-scanner.ts'

/**
 * Owns calls in a JSON list, `[{"name": …, "arguments": …}, …]`, or one such object without the list. Each call is handed over as soon
 * as its object ends. What follows the list is given back.
 */
export class JsonList implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #format: TextFormat
  readonly #opener: string
  #scanner: SpanScanner | undefined
  /** Nothing has come yet but white space, kept in case this is no list. */
  #before: string | undefined = ''
  #listed = false

  /**
   * @param opener given back as text where no list follows
   * @param closings marks that end the list where its JSON is broken, and are dropped behind it
   */
  constructor(cx: ReaderContext, format: TextFormat, opener: string, closings: readonly string[]) {
    this.#cx = cx
    this.#format = format
    this.#opener = opener
    this.trailing = closings
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    for (;;) {
      if (this.#scanner !== undefined) {
        const step = this.#scanner.read(rest, final)
        if (this.#scanner.name !== undefined) this.#cx.calls.open(this.#format, this.#scanner.name, this.#scanner.id)
        if (step === 'more') return this.#scanner.rest === '' ? MORE : { type: 'more', rest: this.#scanner.rest }
        rest = this.#scanner.rest
        if (step === 'overflow') this.#cx.calls.overflow(this.#format, this.#scanner.name ?? '', this.#scanner.body)
        else finishJson(this.#cx, this.#format, this.#scanner, step === 'unclosed')
        this.#scanner = undefined
        if (!this.#listed) return { type: 'done', rest }
      }
      const step = this.#between(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
  }

  /** Goes on to the next object: gives the text from it on. */
  #between(text: string, final: boolean): BodyStep | string {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (isJsonSpace(code)) continue
      const first = this.#before !== undefined
      if (code === 0x7b) {
        this.#before = undefined
        const options = { closings: this.trailing, openings: [], endsWithBrackets: true, named: true }
        this.#scanner = new SpanScanner(options, this.#cx.calls.limit)
        return text.slice(at)
      }
      if (code === 0x5b && first && !this.#listed) {
        this.#listed = true
        continue
      }
      if (code === 0x5d && this.#listed) return { type: 'done', rest: text.slice(at + 1) }
      if (code === 0x2c && this.#listed && !first) continue
      // Neither a list nor an object: then the opener was but text.
      if (this.#before !== undefined) this.#cx.text(this.#opener + this.#before + text.slice(0, at))
      return { type: 'done', rest: text.slice(at) }
    }
    if (this.#before !== undefined) this.#before += text
    if (!final) return MORE
    if (this.#before !== undefined) this.#cx.text(this.#opener + this.#before)
    return { type: 'done', rest: '' }
  }
}
