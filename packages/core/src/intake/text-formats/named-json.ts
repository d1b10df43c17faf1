import type { CallArguments } from '../../contract/call.ts'
import { broken, parseArguments } from '../arguments.ts'
import { skipJsonSpace } from '../json-scanner.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext, type TextFormat } from './format.ts'
import { SpanScanner } from './span-scanner.ts'

/**
 * Owns calls whose name stands before their arguments: `name MARK {…} END`. The name is announced at the mark. Behind the mark a fence and,
 * in one older form, the name itself may stand before the arguments.
 */

export interface NamedForm {
  readonly format: TextFormat
  /** Given back as text where what follows is no call. */
  readonly opener: string
  /** Marks between the name and the arguments. */
  readonly separators: readonly string[]
  /** Marks that end the call. Empty: it ends with its arguments. */
  readonly closings: readonly string[]
  readonly openings: readonly string[]
  /** Marks that may stand before the separator. */
  readonly within?: readonly string[]
  /** Name and id from what stands before the separator; undefined when that names nothing. */
  readonly named: (header: string) => NamedHeader | undefined
  readonly trailing?: readonly string[]
}

export interface NamedHeader {
  /** Undefined: the name stands behind the separator. */
  readonly name: string | undefined
  readonly id?: string
}

/** Characters that a name, or what stands between it and the arguments, may have. No form comes near. */
const HEADER_LIMIT = 512

type Part = 'header' | 'lead' | 'arguments'

export class NamedJson implements BodyReader {
  readonly trailing: readonly string[]
  readonly #cx: ReaderContext
  readonly #form: NamedForm
  readonly #stops: readonly string[]
  #part: Part
  #kept = ''
  #name: string | undefined
  #id: string | undefined
  readonly #scanner: SpanScanner
  #whole: CallArguments | undefined

  /** @param header what was already read of it: then reading begins behind the separator */
  constructor(cx: ReaderContext, form: NamedForm, header?: NamedHeader) {
    this.#cx = cx
    this.#form = form
    this.trailing = form.trailing ?? []
    this.#stops = [...form.separators, ...(form.within ?? []), ...form.closings, ...form.openings]
    this.#scanner = new SpanScanner(
      {
        closings: form.closings,
        openings: form.openings,
        ...(form.closings.length > 0 && { accepts: (body: string) => this.#accepts(body) }),
      },
      cx.calls.limit,
    )
    this.#part = header === undefined ? 'header' : 'lead'
    if (header !== undefined) this.#take(header)
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    if (this.#part === 'header') {
      const step = this.#header(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
    if (this.#part === 'lead') {
      const step = this.#lead(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
    return this.#arguments(rest, final)
  }

  #take(header: NamedHeader): void {
    this.#name = header.name
    this.#id = header.id
    if (header.name !== undefined) this.#cx.calls.open(this.#form.format, header.name, header.id)
  }

  #header(text: string, final: boolean): BodyStep | string {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 0x3c && code !== 0x5b) {
        if (this.#kept.length + at < HEADER_LIMIT) continue
        return this.#noCall(text, at)
      }
      const mark = markAt(text, at, this.#stops, final)
      if (mark === 'wait') {
        this.#kept += text.slice(0, at)
        return { type: 'more', rest: text.slice(at) }
      }
      if (mark !== undefined && this.#form.within?.includes(mark) === true) {
        at += mark.length - 1
        continue
      }
      if (mark === undefined || !this.#form.separators.includes(mark)) return this.#noCall(text, at)
      const header = this.#form.named(this.#kept + text.slice(0, at))
      if (header === undefined) return this.#noCall(text, at)
      this.#take(header)
      this.#kept = ''
      this.#part = 'lead'
      return text.slice(at + mark.length)
    }
    this.#kept += text
    return final ? this.#noCall('', 0) : MORE
  }

  /** What looked like a call is text; or, where it was closed as one, a call that cannot be read. */
  #noCall(text: string, at: number): BodyStep {
    const read = this.#kept + text.slice(0, at)
    const closing = this.#form.closings.find((mark) => text.startsWith(mark, at))
    if (closing === undefined) {
      this.#cx.text(this.#form.opener + read)
      return { type: 'done', rest: text.slice(at) }
    }
    this.#cx.calls.close(this.#form.format, '', broken(read, `the call has no ${this.#form.separators[0] ?? 'mark'} behind its name`))
    return { type: 'done', rest: text.slice(at + closing.length) }
  }

  /** Between the separator and the arguments. */
  #lead(text: string, final: boolean): BodyStep | string {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x7b) {
        this.#leadRead(text.slice(0, at))
        return text.slice(at)
      }
      const mark = code === 0x3c || code === 0x5b ? markAt(text, at, this.#stops, final) : undefined
      if (mark === 'wait') {
        this.#kept += text.slice(0, at)
        return { type: 'more', rest: text.slice(at) }
      }
      if (mark !== undefined || this.#kept.length + at >= HEADER_LIMIT) {
        // No object: whatever there is, is the whole of the arguments.
        this.#part = 'arguments'
        this.#scanner.read(this.#kept, false)
        this.#kept = ''
        return this.#scanner.rest === '' ? text : this.#scanner.rest + text
      }
    }
    this.#kept += text
    if (!final) return MORE
    this.#part = 'arguments'
    const rest = this.#kept
    this.#kept = ''
    return rest
  }

  #leadRead(piece: string): void {
    this.#part = 'arguments'
    const lead = (this.#kept + piece).replace(/```\w*\s*$/, '').trim()
    this.#kept = ''
    if (this.#name === undefined) this.#take({ name: lead })
  }

  #arguments(text: string, final: boolean): BodyStep {
    const scanner = this.#scanner
    const step = scanner.read(text, final)
    if (step === 'more') return scanner.rest === '' ? MORE : { type: 'more', rest: scanner.rest }
    const { format } = this.#form
    const name = this.#name ?? ''
    if (step === 'overflow') this.#cx.calls.overflow(format, name, scanner.body)
    else if (this.#whole?.ok === true) this.#cx.calls.close(format, name, this.#whole, this.#id)
    else {
      const raw = withoutFence(scanner.body)
      const args = parseArguments(raw, { ...scanner.measure, ended: step === 'closed' })
      const unfinished = step === 'unclosed' && (!args.ok || skipJsonSpace(raw) === raw.length)
      if (unfinished) this.#cx.calls.cut(format, name, scanner.body, this.#id)
      else this.#cx.calls.close(format, name, args, this.#id)
    }
    return { type: 'done', rest: scanner.rest }
  }

  #accepts(body: string): boolean {
    this.#whole = parseArguments(withoutFence(body), { strict: true })
    return this.#whole.ok
  }
}

/** Without the fence behind the arguments; the one before them was taken with what stands there. */
function withoutFence(body: string): string {
  const trimmed = body.trimEnd()
  return trimmed.endsWith('```') ? trimmed.slice(0, -3) : body
}
