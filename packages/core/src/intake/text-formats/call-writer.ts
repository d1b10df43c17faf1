import type { CallArguments } from '../../contract/call.ts'
import { broken, tooLarge } from '../arguments.ts'
import type { OpenCall } from '../call-book.ts'
import { clipped, type WireContext } from '../wire.ts'
import type { TextFormat } from './format.ts'

/**
 * Owns the way of a call from text into the book: announced once, handed over once. One call is open at a time, because text has one
 * order. Remembers the form of the first call, for the `end` event.
 */
export class CallWriter {
  readonly #cx: WireContext
  #open: OpenCall | undefined
  #format: TextFormat | undefined

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
    this.#open ??= this.#cx.book.start(name, id)
    return this.#open
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
