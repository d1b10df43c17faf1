import type { JsonValue } from '../../contract/json.ts'
import { argumentsOf, broken } from '../arguments.ts'
import { isJsonSpace } from '../json-scanner.ts'
import { parseJson } from '../parse-json.ts'
import { type BodyReader, type BodyStep, MORE, markAt, mayBegin, type ReaderContext, type TextFormat } from './format.ts'

/**
 * Owns calls whose parameters are elements: a name, then for each parameter its key and its value between marks. A value is text and stays a
 * string, whatever it looks like: only the tool's schema can say that `007` was meant as a number, and admission converts by it. Where the
 * form says that a value is JSON, it is read as JSON.
 *
 * A mark that would end the value counts only where the form can go on behind it; else it belongs to the value, which may be about
 * such marks itself. Where a value was never closed, the call ends at the first mark that would have ended it.
 */

export interface ElementForm {
  readonly format: TextFormat
  readonly opener: string
  /** Ends the name. Several: the first that comes. */
  readonly nameEnd: readonly string[]
  /** Whether the mark at the end of the name is read again as what follows it. */
  readonly nameEndStays: boolean
  readonly keyOpen: readonly string[]
  /** Ends the key; what follows is the value, behind `valueOpen` where there is one. */
  readonly keyEnd: readonly string[]
  readonly valueOpen?: string
  readonly valueEnd: string
  readonly closing: string
  /** What may stand behind `closing`; where it does, an unclosed value ends too. */
  readonly outer: readonly string[]
  /** Takes off one line break at each end of a value: this form's layout. */
  readonly trims: boolean
  readonly trailing?: readonly string[]
}

type Part = 'name' | 'between' | 'key' | 'valueOpen' | 'value'

const NAME_LIMIT = 512
/** White space behind a mark that is looked over: what is held back stays short. */
const SPACE_LIMIT = 1_024
const LESS_THAN = 0x3c

export class Elements implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #form: ElementForm
  /** Marks that may stand behind a value. */
  readonly #follow: readonly string[]
  readonly #valueMarks: readonly string[]
  readonly #entries: [string, JsonValue][] = []
  #part: Part = 'name'
  #name = ''
  #key = ''
  /** What was read of the current part. */
  #kept = ''
  /** Where in the value the call may have ended, if the value turns out to have no end. */
  #passed = -1
  #total = 0
  #problem: string | undefined
  /** What follows what `#until` has read. */
  #rest = ''

  constructor(cx: ReaderContext, form: ElementForm) {
    this.#cx = cx
    this.#form = form
    this.trailing = form.trailing ?? []
    this.#follow = [...form.keyOpen, form.closing, ...form.outer]
    this.#valueMarks = [form.valueEnd, form.closing]
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    for (;;) {
      const step = this.#step(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
  }

  #step(text: string, final: boolean): BodyStep | string {
    switch (this.#part) {
      case 'name':
        return this.#readName(text, final)
      case 'between':
        return this.#readBetween(text, final)
      case 'key':
        return this.#readKey(text, final)
      case 'valueOpen':
        return this.#readValueOpen(text, final)
      case 'value':
        return this.#readValue(text, final)
      default:
        return this.#part satisfies never
    }
  }

  #readName(text: string, final: boolean): BodyStep | string {
    const found = this.#until(text, this.#form.nameEnd, final, this.#form.nameEndStays)
    if (found === 'more') return { type: 'more', rest: this.#rest }
    const name = nameOf(this.#kept)
    if (found === 'none' || name === '') {
      // Without a name it never was a call.
      this.#cx.text(this.#form.opener + this.#kept + (found === 'none' || this.#form.nameEndStays ? '' : found))
      return { type: 'done', rest: this.#rest }
    }
    this.#name = name
    this.#kept = ''
    this.#cx.calls.open(this.#form.format, name)
    this.#part = 'between'
    return this.#rest
  }

  #readBetween(text: string, final: boolean): BodyStep | string {
    let at = 0
    while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
    if (at === text.length) return final ? this.#unclosed('') : MORE
    const mark = markAt(text, at, this.#follow, final)
    if (mark === 'wait') return { type: 'more', rest: text.slice(at) }
    if (mark === undefined) {
      // Something else between the parameters: left out, but said.
      this.#problem ??= 'there is text between the parameters'
      const next = nextLess(text, at + 1)
      this.#total += next - at
      return next === text.length && !final ? MORE : text.slice(next)
    }
    const rest = text.slice(at + mark.length)
    if (mark === this.#form.closing) return this.#close(rest)
    // The tag around this call ends: so does this call.
    if (this.#form.outer.includes(mark)) return this.#close(text.slice(at))
    this.#part = 'key'
    this.#kept = ''
    return rest
  }

  #readKey(text: string, final: boolean): BodyStep | string {
    const { valueOpen } = this.#form
    const ends = valueOpen === undefined ? this.#form.keyEnd : [...this.#form.keyEnd, valueOpen]
    const found = this.#until(text, ends, final, false)
    if (found === 'more') return { type: 'more', rest: this.#rest }
    if (found === 'none') {
      if (final) return this.#unclosed(this.#kept)
      this.#problem ??= 'the key of a parameter does not end'
      this.#part = 'between'
      return this.#rest
    }
    this.#key = this.#kept
    this.#kept = ''
    this.#part = valueOpen === undefined || found === valueOpen ? 'value' : 'valueOpen'
    return this.#rest
  }

  #readValueOpen(text: string, final: boolean): BodyStep | string {
    let at = 0
    while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
    if (at === text.length) return final ? this.#unclosed(this.#key) : MORE
    const { valueOpen = '' } = this.#form
    const mark = markAt(text, at, [valueOpen], final)
    if (mark === 'wait') return { type: 'more', rest: text.slice(at) }
    // A value without its opening mark.
    this.#part = 'value'
    return text.slice(mark === undefined ? at : at + mark.length)
  }

  #readValue(text: string, final: boolean): BodyStep | string {
    for (let at = nextLess(text, 0); at < text.length; at = nextLess(text, at + 1)) {
      const mark = markAt(text, at, this.#valueMarks, final)
      if (mark === undefined) {
        if (this.#passed !== -1 && this.#cx.opens(text, at, final) !== false) {
          // Another call begins behind what may have been the end of this one.
          if (!final && this.#cx.opens(text, at, final) === 'wait') return this.#keep(text, at)
          return this.#backTo(text)
        }
        continue
      }
      if (mark === 'wait') return this.#keep(text, at)
      const behind = skipSpace(text, at + mark.length)
      const goesOn = mark === this.#form.valueEnd ? this.#follow : this.#form.outer
      if (behind === text.length && behind - at < SPACE_LIMIT) {
        if (!final) return this.#keep(text, at)
      } else if (behind - at >= SPACE_LIMIT || markAt(text, behind, goesOn, final) === undefined) {
        if (mark !== this.#form.valueEnd && this.#passed === -1) this.#passed = this.#kept.length + at
        continue
      } else if (!final && markAt(text, behind, goesOn, false) === 'wait') return this.#keep(text, at)
      this.#endValue(this.#kept + text.slice(0, at))
      this.#part = 'between'
      return mark === this.#form.valueEnd ? text.slice(at + mark.length) : text.slice(at)
    }
    if (!final) return this.#keep(text, text.length)
    if (this.#passed !== -1) return this.#backTo(text)
    return this.#unclosed(this.#kept + text)
  }

  /** To the mark that was passed inside what seemed to be a value. */
  #backTo(text: string): BodyStep | string {
    const kept = this.#kept
    const inText = this.#passed - kept.length
    this.#part = 'between'
    // Without joining what need not be: the text may be long, and hold many calls.
    if (inText >= 0) {
      this.#endValue(kept + text.slice(0, inText))
      return text.slice(inText)
    }
    const passed = this.#passed
    this.#endValue(kept.slice(0, passed))
    return kept.slice(passed) + text
  }

  #keep(text: string, at: number): BodyStep {
    if (this.#total + this.#kept.length + at > this.#cx.calls.limit) {
      this.#problem = 'too large'
      this.#total += at
    } else this.#kept += text.slice(0, at)
    return at === text.length ? MORE : { type: 'more', rest: text.slice(at) }
  }

  #endValue(raw: string): void {
    this.#passed = -1
    this.#kept = ''
    this.#total += raw.length
    const value = this.#form.trims ? raw.replace(/^\r?\n/, '').replace(/\r?\n$/, '') : raw
    this.#entries.push([keyOf(this.#key), / string\s*=\s*"?false/.test(this.#key) ? jsonOr(value) : value])
  }

  #close(rest: string): BodyStep {
    const { format } = this.#form
    if (this.#problem === 'too large') this.#cx.calls.overflow(format, this.#name, JSON.stringify(Object.fromEntries(this.#entries)))
    else if (this.#problem === undefined) this.#cx.calls.close(format, this.#name, argumentsOf(Object.fromEntries(this.#entries)))
    else {
      const raw = JSON.stringify(Object.fromEntries(this.#entries))
      this.#cx.calls.close(format, this.#name, broken(raw, `the call is not in its form: ${this.#problem}`))
    }
    return { type: 'done', rest }
  }

  #unclosed(open: string): BodyStep {
    const complete = this.#part === 'between' && this.#problem === undefined && this.#entries.length > 0
    if (complete) return this.#close('')
    const read = this.#entries.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')
    this.#cx.calls.cut(this.#form.format, this.#name, read + open)
    return { type: 'done', rest: '' }
  }

  /** Collects text up to one of `marks`. `none`: it does not come within the limit, or not at all; `#rest` is what follows. */
  #until(text: string, marks: readonly string[], final: boolean, stays: boolean): string {
    for (let at = 0; at < text.length; at++) {
      for (const mark of marks) {
        if (!text.startsWith(mark, at)) continue
        this.#kept += text.slice(0, at)
        this.#rest = text.slice(stays ? at : at + mark.length)
        return mark
      }
      if (!final && text.length - at < 32 && mayBegin(text, at, marks)) {
        this.#kept += text.slice(0, at)
        this.#rest = text.slice(at)
        return 'more'
      }
      if (this.#kept.length + at < NAME_LIMIT) continue
      this.#kept += text.slice(0, at)
      this.#rest = text.slice(at)
      return 'none'
    }
    this.#kept += text
    this.#rest = ''
    return final ? 'none' : 'more'
  }
}

function nextLess(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text.charCodeAt(at) === LESS_THAN) return at
  return text.length
}

function skipSpace(text: string, from: number): number {
  const end = Math.min(text.length, from + SPACE_LIMIT)
  let at = from
  while (at < end && isJsonSpace(text.charCodeAt(at))) at++
  return at
}

/** `name`, `"name"`, ` name="name"` or `name="name" string="true"`. */
function keyOf(text: string): string {
  const attribute = /^\s*name\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))/.exec(text)
  return attribute?.[1] ?? attribute?.[2] ?? attribute?.[3] ?? text.trim().replace(/^(["'])(.*)\1$/, '$2')
}

/** White space in a name has to be quoted; else this was no call. */
function nameOf(text: string): string {
  const name = keyOf(text)
  return /\s/.test(name) && name === text.trim() ? '' : name
}

function jsonOr(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
