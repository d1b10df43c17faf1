import type { CallArguments } from '../../contract/call.ts'
import { broken, tooLarge } from '../arguments.ts'
import type { Growing, OpenCall } from '../call-book.ts'
import { clipped, type WireContext } from '../wire.ts'
import type { TextFormat } from './format.ts'

/**
 * Owns the way of a call from text into the book: announced once, handed over once. One call is open at a time, because text has one
 * order. Remembers the form of the first call, for the `end` event.
 */
export class CallWriter implements Growing {
  readonly #cx: WireContext
  #open: OpenCall | undefined
  #format: TextFormat | undefined
  #grown = 0
  #told = 0

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  /** The form of the first call that was met. */
  get format(): TextFormat | undefined {
    return this.#format
  }

  /** Characters that the body of one call may have. */
  get limit(): number {
    return this.#cx.limits.argumentChars
  }

  /** Announces the call that is being read; a second time it does nothing. */
  open(format: TextFormat, name: string, id?: string): OpenCall {
    this.#format ??= format
    if (this.#open === undefined) {
      this.#open = this.#cx.book.start(name, id)
      this.#grown = 0
      this.#told = 0
    }
    return this.#open
  }

  /** More text of the open call was read; told where growth is asked for. */
  grew(chars: number): void {
    if (this.#open === undefined || !this.#cx.signals) return
    this.#grown += chars
    this.#cx.book.grew(this.#open, this)
  }

  /** Characters of the open call's text, its marks and layout too; undefined when they were told before. */
  tellLength(): number | undefined {
    if (this.#grown === this.#told) return undefined
    this.#told = this.#grown
    return this.#grown
  }

  /** Hands the open call over, or one that was not announced yet. */
  close(format: TextFormat, name: string, args: CallArguments, id?: string): void {
    const call = this.open(format, name, id)
    this.#open = undefined
    this.#cx.book.finish(call, name === '' && args.ok ? broken(JSON.stringify(args.value), 'the call has no tool name') : args)
  }

  /** The text ended inside the call. */
  cut(format: TextFormat, name: string, raw: string, id?: string): void {
    const call = this.open(format, name, id)
    const problem = `the text was cut off inside a call, after ${raw.length} characters`
    this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message: `${problem}: ${clipped(raw.trim(), 80)}`, index: call.index })
    this.close(format, name, broken(raw, problem, 'STREAM_BROKEN'))
  }

  overflow(format: TextFormat, name: string, raw: string): void {
    this.close(format, name, tooLarge(raw, this.limit))
  }
}
