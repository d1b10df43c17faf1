import { isJsonSpace } from '../json-scanner.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'
import { parsePythonArguments } from './python-call.ts'
import { SpanScanner } from './span-scanner.ts'

/**
 * Owns calls in Python's notation behind a mark: `[f(x=1), g(y="…")]`, also without the brackets and with line breaks between the calls.
 * Each is handed over at its closing parenthesis.
 */

const NAME_LIMIT = 256

export class Pythonic implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #opener: string
  readonly #openings: readonly string[]
  #scanner: SpanScanner | undefined
  /** All that was read before the first call; undefined once there was one. */
  #before: string | undefined = ''
  #name = ''
  #listed = false

  /**
   * @param opener given back as text where no call follows
   * @param closings marks that end the list
   */
  constructor(cx: ReaderContext, opener: string, closings: readonly string[]) {
    this.#cx = cx
    this.#opener = opener
    this.trailing = closings
    this.#openings = opener === '' ? [] : [opener]
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    for (;;) {
      if (this.#scanner !== undefined) {
        const closed = this.#call(this.#scanner, rest, final)
        if (closed !== undefined) return closed
        rest = this.#scanner.rest
        this.#scanner = undefined
      }
      const step = this.#between(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
  }

  #call(scanner: SpanScanner, text: string, final: boolean): BodyStep | undefined {
    const step = scanner.read(text, final)
    if (step === 'more') return scanner.rest === '' ? MORE : { type: 'more', rest: scanner.rest }
    const { calls } = this.#cx
    const args = parsePythonArguments(scanner.body)
    if (step === 'overflow') calls.overflow('pythonic', this.#name, scanner.body)
    else if (step === 'unclosed' && !args.ok) calls.cut('pythonic', this.#name, scanner.body)
    else calls.close('pythonic', this.#name, args)
    this.#name = ''
    // At a closing mark inside the call the list ends too.
    return scanner.body.trimEnd().endsWith(')') ? undefined : { type: 'done', rest: scanner.rest }
  }

  #between(text: string, final: boolean): BodyStep | string {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#name === '' && (isJsonSpace(code) || (this.#before === undefined && (code === 0x2c || code === 0x3b)))) continue
      if (code === 0x5b && this.#name === '' && this.#before !== undefined && !this.#listed) {
        this.#listed = true
        continue
      }
      if (isNameCharacter(code) && this.#name.length < NAME_LIMIT) {
        this.#name += text.charAt(at)
        continue
      }
      if (code === 0x28 && this.#name !== '') return this.#begin(text, at)
      if (this.#name !== '' && this.#before === undefined) this.#cx.text(this.#name)
      const ends = code === 0x5d && this.#listed && this.#name === '' && this.#before === undefined
      if (ends) return { type: 'done', rest: text.slice(at + 1) }
      const mark = this.#name === '' ? markAt(text, at, this.trailing, final) : undefined
      if (mark === 'wait') {
        if (this.#before !== undefined) this.#before += text.slice(0, at)
        return { type: 'more', rest: text.slice(at) }
      }
      if (this.#before !== undefined) this.#cx.text(this.#opener + this.#before + text.slice(0, at))
      return { type: 'done', rest: text.slice(at) }
    }
    if (this.#before !== undefined) this.#before += text
    if (!final) return MORE
    this.#cx.text(this.#before === undefined ? this.#name : this.#opener + this.#before)
    return { type: 'done', rest: '' }
  }

  #begin(text: string, at: number): string {
    this.#before = undefined
    // Built-in tools of one family are called by a method.
    this.#name = this.#name.replace(/\.call$/, '')
    this.#cx.calls.open('pythonic', this.#name)
    const options = { closings: this.trailing, openings: this.#openings, endsWithBrackets: true, python: true }
    this.#scanner = new SpanScanner(options, this.#cx.calls.limit)
    return text.slice(at)
  }
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2e ||
    code === 0x2d
  )
}
