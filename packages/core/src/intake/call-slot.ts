import type { JsonObject, JsonValue } from '../contract/json.ts'
import { argumentsOf, broken, parseArguments, tooLarge } from './arguments.ts'
import type { CallBook, OpenCall } from './call-book.ts'
import { JsonScanner, skipJsonSpace } from './json-scanner.ts'
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
  #text = ''
  #value: JsonObject | undefined
  #scanner = new JsonScanner()
  #open: OpenCall | undefined
  #spoilt = false
  readonly #book: CallBook
  readonly #limit: number

  constructor(key: JsonValue | undefined, serial: number, cx: WireContext) {
    this.key = key
    this.began = serial
    this.#book = cx.book
    this.#limit = cx.limits.argumentChars
  }

  /** The index of the announced call; undefined before its name is known. */
  get index(): number | undefined {
    return this.#open?.index
  }

  /** The arguments are a finished object. Nothing but white space may follow. */
  get complete(): boolean {
    return this.#value !== undefined || this.#scanner.state === 'closed'
  }

  /** No character of the arguments has come. */
  get blank(): boolean {
    return this.#value === undefined && this.#scanner.state === 'empty'
  }

  /** Exactly `{}`: the end of the arguments, or what some servers send before the real ones. */
  get placeholder(): boolean {
    if (this.settled) return false
    return this.#value === undefined
      ? this.complete && this.#text.length < 32 && /^\s*\{\s*\}\s*$/.test(this.#text)
      : Object.keys(this.#value).length === 0
  }

  announce(): void {
    if (this.#open === undefined && this.name !== '') this.#open = this.#book.start(this.name, this.id)
  }

  /** Forgets a placeholder. */
  restart(): void {
    this.#text = ''
    this.#value = undefined
    this.#scanner = new JsonScanner()
  }

  take(value: JsonObject): void {
    this.#value = value
  }

  /** Appends text; gives what follows the closing brace (white space left out), `''` when nothing does. */
  append(text: string): string {
    const end = this.#scanner.scan(text)
    if (end === text.length) {
      this.#text += text
    } else {
      this.#text += text.slice(0, end)
      const next = skipJsonSpace(text, end)
      if (next < text.length) return text.slice(next)
    }
    if (this.#text.length > this.#limit) this.#settle(tooLarge(this.#text, this.#limit))
    return ''
  }

  /** Text after the closing brace that begins no further object: then it never was a JSON object. */
  spoil(text: string): void {
    this.#text += text
    this.#spoilt = true
    if (this.#text.length > this.#limit) this.#settle(tooLarge(this.#text, this.#limit))
  }

  get spoilt(): boolean {
    return this.#spoilt
  }

  /** Hands the call over with the arguments it has. `cut`: the stream ended before it was said to be finished. */
  settle(cut: boolean): void {
    if (this.settled) return
    if (this.#value !== undefined) {
      this.#settle(argumentsOf(this.#value))
      return
    }
    const unfinished = this.blank || this.#scanner.state === 'open'
    if (cut && unfinished) {
      const problem = this.blank
        ? 'the stream was cut off before the arguments'
        : `the stream was cut off inside the arguments, after ${this.#text.length} characters`
      this.#settle(broken(this.#text, problem, 'STREAM_BROKEN'))
      return
    }
    this.#settle(parseArguments(this.#text, this.#spoilt ? undefined : this.#scanner.deepest))
  }

  #settle(args: ReturnType<typeof parseArguments>): void {
    this.settled = true
    this.#open ??= this.#book.start(this.name, this.id)
    this.#book.finish(this.#open, args)
    this.#text = ''
    this.#value = undefined
  }
}
