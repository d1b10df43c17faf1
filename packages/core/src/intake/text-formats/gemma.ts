import type { CallArguments } from '../../contract/call.ts'
import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import { argumentsOf, broken } from '../arguments.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'

/**
 * Owns calls of the form `call:name{key:value,…}` between marks, where strings stand between marks of their own and nothing in them is
 * escaped. A closing mark inside a string is text.
 */

export interface GemmaForm {
  readonly opener: string
  readonly quote: string
  readonly closing: string
  readonly trailing: readonly string[]
}

export class Gemma implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #form: GemmaForm
  readonly #marks: readonly string[]
  #body = ''
  #inString = false
  #overflowed = false
  /** Where in the body the first closing mark inside a string is. */
  #passed = -1
  #announced = false
  #name = ''

  constructor(cx: ReaderContext, form: GemmaForm) {
    this.#cx = cx
    this.#form = form
    this.trailing = form.trailing
    this.#marks = [form.quote, form.closing, form.opener]
  }

  read(text: string, final: boolean): BodyStep {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x7b && !this.#announced) this.#announce(text.slice(0, at))
      if (code !== 0x3c) continue
      const mark = markAt(text, at, this.#marks, final)
      if (mark === 'wait') return this.#more(text, at)
      if (mark === undefined) continue
      if (mark === this.#form.quote) {
        this.#inString = !this.#inString
        at += mark.length - 1
      } else if (!this.#inString) {
        this.#keep(text.slice(0, at))
        this.#close(false)
        return { type: 'done', rest: text.slice(mark === this.#form.opener ? at : at + mark.length) }
      } else if (mark === this.#form.closing) {
        if (this.#passed === -1) this.#passed = this.#body.length + at
      } else if (this.#passed !== -1) return this.#backTo(text)
    }
    if (!final) return this.#more(text, text.length)
    if (this.#passed !== -1) return this.#backTo(text)
    this.#keep(text)
    this.#close(true)
    return { type: 'done', rest: '' }
  }

  #announce(piece: string): void {
    this.#announced = true
    this.#name = /^\s*(?:call:)?\s*([^\s{}]{1,256})\s*$/.exec(this.#body + piece)?.[1] ?? ''
    if (this.#name !== '') this.#cx.calls.open('gemma', this.#name)
  }

  #more(text: string, at: number): BodyStep {
    this.#keep(at === text.length ? text : text.slice(0, at))
    return at === text.length ? MORE : { type: 'more', rest: text.slice(at) }
  }

  #keep(text: string): void {
    if (this.#overflowed) return
    this.#body += text
    if (this.#body.length <= this.#cx.calls.limit) return
    this.#overflowed = true
    this.#passed = -1
  }

  #backTo(text: string): BodyStep {
    const body = this.#body
    const inText = this.#passed - body.length
    const after = this.#passed + this.#form.closing.length
    // Without joining what need not be: the text may be long, and hold many calls.
    this.#body = inText >= 0 ? body + text.slice(0, inText) : body.slice(0, this.#passed)
    this.#close(false)
    return { type: 'done', rest: after >= body.length ? text.slice(after - body.length) : body.slice(after) + text }
  }

  #close(unclosed: boolean): void {
    const { calls } = this.#cx
    if (this.#overflowed) {
      calls.overflow('gemma', this.#name, this.#body)
      return
    }
    const brace = this.#body.indexOf('{')
    const args =
      brace === -1 || this.#name === ''
        ? broken(this.#body, 'the call is not of the form call:name{…}')
        : parse(this.#body.slice(brace), this.#form.quote)
    if (unclosed && !args.ok) calls.cut('gemma', this.#name, this.#body)
    else calls.close('gemma', this.#name, args)
  }
}

function parse(text: string, quote: string): CallArguments {
  const json = toJson(text, quote)
  try {
    const value: JsonValue = JSON.parse(json)
    return isJsonObject(value) ? argumentsOf(value) : broken(text, 'the arguments are no object')
  } catch {
    return broken(text, `the arguments cannot be read; a string stands between ${quote} marks, a key without quotes before a colon`)
  }
}

/** JSON strings, left alone, or keys without quotes. */
const OUTSIDE = /"(?:[^"\\]|\\.)*(?:"|$)|([{,]\s*)([A-Za-z_$][\w$.-]*)(?=\s*:)/g

/** The same as JSON: marked strings are quoted, and so are the keys. */
function toJson(text: string, quote: string): string {
  const parts = text.split(quote)
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return JSON.stringify(part)
      return part.replace(OUTSIDE, (whole: string, before: string | undefined, key: string | undefined) =>
        key === undefined ? whole : `${before ?? ''}${JSON.stringify(key)}`,
      )
    })
    .join('')
}
