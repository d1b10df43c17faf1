import type { CallArguments } from '../contract/call.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { argumentsOf, broken, MAX_DEPTH, parseArguments, tooLarge } from './arguments.ts'
import type { CallBook, OpenCall } from './call-book.ts'
import { JsonScanner, skipJsonSpace } from './json-scanner.ts'
import { MemberReader } from './member-reader.ts'
import type { WireContext } from './wire.ts'

/** How the arguments came to their end: `closed` says nothing but that no more will come; `ended`: by the sender's own word that it had finished. */
export type ArgumentsEnd = 'closed' | 'ended' | 'cut'

/**
 * Owns the text of one call's arguments while it arrives: keeps it, finds its end, tells of members and growth (with signals), and reads
 * it once when asked. Every character is looked at once; nothing is copied for a piece.
 */
export class ArgumentText {
  readonly #book: CallBook
  readonly #limit: number
  readonly #signals: boolean
  /** Without what a reader keeps. */
  #text = ''
  /** What came after the closing brace. */
  #after = ''
  #value: JsonObject | undefined
  #reader: MemberReader | undefined
  #scanner: JsonScanner
  #length = 0
  #toldLength = 0
  #growthNoted = false
  #spoilt = false
  #overfull = false
  #told = false
  #call: OpenCall | undefined
  /** Members found before the call had a name. */
  #untold: { readonly name: string; readonly value: JsonValue }[] = []

  constructor(cx: WireContext) {
    this.#book = cx.book
    this.#limit = cx.limits.argumentChars
    this.#signals = cx.signals
    this.#scanner = this.#newScanner()
  }

  #newScanner(): JsonScanner {
    // What was told of a text that turned out not to be the arguments cannot be taken back; it is not told anew.
    this.#reader = this.#signals && !this.#told ? new MemberReader((name, value) => this.#member(name, value)) : undefined
    return new JsonScanner(this.#reader)
  }

  /** From now on members and growth are told for this call. */
  tellFor(call: OpenCall): void {
    this.#call = call
    for (const { name, value } of this.#untold) this.#book.field(call, name, value)
    this.#untold = []
  }

  /** All that came. */
  get text(): string {
    return this.#text + (this.#reader?.raw ?? '') + this.#after
  }

  /** More text came than is kept. Reading gives the refusal. */
  get overfull(): boolean {
    return this.#overfull
  }

  /** They are a finished object. Nothing but white space may follow. */
  get complete(): boolean {
    return this.#value !== undefined || this.#scanner.state === 'closed'
  }

  /** No character has come. */
  get blank(): boolean {
    return this.#value === undefined && this.#scanner.state === 'empty'
  }

  /** Something followed the closing brace that begins no object. */
  get spoilt(): boolean {
    return this.#spoilt
  }

  /** An object has begun and is not closed, or nothing has come. */
  get unfinished(): boolean {
    return this.blank || (this.#value === undefined && this.#scanner.state === 'open')
  }

  /** Exactly `{}`: the end of the arguments, or what some servers send before the real ones. */
  get placeholder(): boolean {
    return this.#value === undefined
      ? this.complete && this.#length < 32 && /^\s*\{\s*\}\s*$/.test(this.text)
      : Object.keys(this.#value).length === 0
  }

  /** Forgets all that came. */
  restart(): void {
    this.#text = ''
    this.#after = ''
    this.#length = 0
    this.#value = undefined
    this.#spoilt = false
    this.#untold = []
    this.#scanner = this.#newScanner()
  }

  /** Takes arguments that came as a value. */
  take(value: JsonObject): void {
    this.#value = value
    if (this.#signals && !this.#told) for (const [name, member] of Object.entries(value)) this.#member(name, member)
  }

  /** Appends text; gives what follows the closing brace (white space left out), `''` when nothing does. */
  append(text: string): string {
    if (this.#overfull || text === '') return ''
    const closed = this.#scanner.state === 'closed'
    const end = closed ? 0 : this.#scanner.scan(text)
    this.#length += end
    // White space before the object, and what is no object, does not reach the reader.
    if (this.#reader === undefined || this.#scanner.state === 'empty' || this.#scanner.state === 'other') {
      this.#text += end === text.length ? text : text.slice(0, end)
    }
    if (end < text.length) {
      const next = skipJsonSpace(text, end)
      if (next < text.length) return text.slice(next)
    }
    this.#grown()
    return ''
  }

  /** Appends text after the closing brace that begins no further object: then it never was a JSON object. */
  spoil(text: string): void {
    if (this.#overfull) return
    this.#after += text
    this.#length += text.length
    this.#spoilt = true
    this.#grown()
  }

  /** Reads what there is. Called once. `why`: what is said of a cut. */
  read(end: ArgumentsEnd, why = 'the stream was cut off'): CallArguments {
    if (this.#overfull) return tooLarge(this.text, this.#limit)
    if (this.#value !== undefined) return argumentsOf(this.#value)
    if (end === 'cut' && this.unfinished) {
      const problem = this.blank ? `${why} before the arguments` : `${why} inside the arguments, after ${this.#length} characters`
      return broken(this.text, problem, 'STREAM_BROKEN')
    }
    const ended = end === 'ended'
    if (this.#spoilt) return parseArguments(this.text, { ended })
    const { deepest, members } = this.#scanner
    const object = deepest > MAX_DEPTH ? undefined : this.#reader?.objectOf(members)
    if (object !== undefined) return { ok: true, value: object }
    return parseArguments(this.text, { deepest, members, ended })
  }

  #grown(): void {
    if (this.#length > this.#limit) this.#overfull = true
    else if (this.#signals && !this.#growthNoted && this.#call !== undefined) {
      this.#growthNoted = true
      this.#book.grew(this.#call, this)
    }
  }

  /** Characters so far; undefined when as many have been told before, of a text that turned out not to be the arguments. */
  tellLength(): number | undefined {
    this.#growthNoted = false
    if (this.#length <= this.#toldLength) return undefined
    this.#toldLength = this.#length
    return this.#length
  }

  #member(name: string, value: JsonValue): void {
    this.#told = true
    if (this.#call === undefined) this.#untold.push({ name, value })
    else this.#book.field(this.#call, name, value)
  }
}
