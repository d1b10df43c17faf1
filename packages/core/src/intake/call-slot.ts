import type { CallArguments } from '../contract/call.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { type ArgumentsEnd, ArgumentText } from './argument-text.ts'
import type { CallBook, OpenCall } from './call-book.ts'
import type { WireContext } from './wire.ts'

/**
 * Owns one call while its pieces arrive: name, id, the text of its arguments. Knows when the arguments are complete
 * (their closing brace) and what a further piece would mean. `settled` is final: the call was handed over, once.
 */
export class CallSlot {
  /** What the provider uses to say which call a piece belongs to; undefined when it gives no index. */
  readonly key: JsonValue | undefined
  /** Serial number of the event that began it. */
  readonly began: number
  /** As the provider sent it, for recognising the next piece; may be the same for several calls. */
  id: string | undefined
  name = ''
  /** Serial number of the last event that had a piece for this call. */
  touched = 0
  settled = false
  /** Free text for a tool that takes no JSON. */
  form: 'text' | undefined
  /** Where its arguments are only compared with those of the call before it, until they differ: see {@link follow}. */
  #twin: Twin | undefined
  #open: OpenCall | undefined
  readonly #arguments: ArgumentText
  readonly #book: CallBook

  constructor(key: JsonValue | undefined, serial: number, cx: WireContext) {
    this.key = key
    this.began = serial
    this.#book = cx.book
    this.#arguments = new ArgumentText(cx)
  }

  /** The index of the announced call; undefined before its name is known. */
  get index(): number | undefined {
    return this.#open?.index
  }

  /** The arguments are a finished object. Nothing but white space may follow. */
  get complete(): boolean {
    return this.#arguments.complete
  }

  /** No character of the arguments has come. */
  get blank(): boolean {
    return this.#arguments.blank
  }

  /** Exactly `{}`: the end of the arguments, or what some servers send before the real ones. */
  get placeholder(): boolean {
    return !this.settled && this.#arguments.placeholder
  }

  get spoilt(): boolean {
    return this.#arguments.spoilt
  }

  announce(): void {
    if (this.#open !== undefined || this.name === '' || this.#twin !== undefined) return
    this.#begin()
  }

  /**
   * This call began where the arguments of `before` ended, with no id and no name of its own. It may be the same object sent
   * twice: until its text differs it is not announced, and if it never does, it is no call.
   */
  follow(before: CallSlot): void {
    this.name = before.name
    const text = before.#arguments.text
    if (text !== '') this.#twin = { text: text.trim(), matched: 0 }
  }

  /** It was the arguments of the call before it once more, and is left out. */
  get doubled(): boolean {
    return this.#twin !== undefined && this.complete && this.#twin.matched === this.#twin.text.length
  }

  /** Forgets what came. */
  restart(): void {
    this.#arguments.restart()
  }

  take(value: JsonObject): void {
    this.#arguments.take(value)
  }

  /** Appends text; gives what follows the closing brace (white space left out), `''` when nothing does. */
  append(text: string): string {
    const rest = this.#arguments.append(text)
    if (this.#twin !== undefined) this.#compare(rest === '' ? text : text.slice(0, text.length - rest.length))
    this.#refuseOverfull()
    return rest
  }

  /** Text after the closing brace that begins no further object: then it never was a JSON object. */
  spoil(text: string): void {
    this.#differs()
    this.#arguments.spoil(text)
    this.#refuseOverfull()
  }

  /** Hands the call over with the arguments it has; a doubled one is only dropped. */
  settle(end: ArgumentsEnd): void {
    if (this.settled) return
    if (this.doubled) this.settled = true
    else this.#finish(this.#arguments.read(end))
  }

  #compare(text: string): void {
    const twin = this.#twin
    if (twin === undefined) return
    const piece = twin.matched === 0 ? text.trimStart() : text
    if (twin.text.startsWith(piece, twin.matched)) twin.matched += piece.length
    else if (!(this.complete && twin.text.startsWith(piece.trimEnd(), twin.matched))) this.#differs()
    else twin.matched += piece.trimEnd().length
  }

  #differs(): void {
    if (this.#twin === undefined) return
    this.#twin = undefined
    this.announce()
  }

  #begin(): OpenCall {
    const open = this.#book.start(this.name, this.id)
    this.#open = open
    this.#arguments.tellFor(open)
    return open
  }

  #refuseOverfull(): void {
    if (this.#arguments.overfull && !this.settled) this.#finish(this.#arguments.read('cut'))
  }

  #finish(args: CallArguments): void {
    this.settled = true
    this.#book.finish(this.#open ?? this.#begin(), args, this.form)
    this.#arguments.restart()
  }
}

/** The arguments of the call before, and how much of them came again. */
interface Twin {
  readonly text: string
  matched: number
}
