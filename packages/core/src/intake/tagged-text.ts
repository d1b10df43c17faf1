import type { FinishReason } from '../contract/decode.ts'
import { isJsonSpace } from './json-scanner.ts'
import { CallWriter } from './text-formats/call-writer.ts'
import { FENCE, FencedJson } from './text-formats/fenced-json.ts'
import { type BodyReader, markAt, type ReaderContext, type TextFormat } from './text-formats/format.ts'
import { MarkPlaces } from './text-formats/mark-places.ts'
import { openerAt, opensCall, THINKING_ENDS } from './text-formats/openers.ts'
import { Thinking } from './text-formats/thinking.ts'
import { WholeMessage } from './text-formats/whole-message.ts'
import type { TextReader, WireContext } from './wire.ts'

/**
 * Reads text in which calls are written in any of the forms of `text-formats/`. Everything else comes out unchanged and at once: held back
 * is only what may be the beginning of a mark, and the two forms without marks while they may still be such. Each character is looked at once,
 * and once more where a call turns out to be broken. In a JSON string a closing mark does not close, unless the JSON is broken.
 */

const LESS_THAN = 0x3c
const BRACKET = 0x5b
const BACKTICK = 0x60
/** Pieces of this length are searched for each character by itself: that is the machine's own search, and far faster. */
const LONG = 64
/** White space between a call and a mark that belongs to it; more is text. */
const SPACE_LIMIT = 256

export class TaggedTextReader implements TextReader {
  readonly #cx: WireContext
  readonly #calls: CallWriter
  readonly #reader: ReaderContext
  readonly #marks = new MarkPlaces()
  #held = ''
  #body: BodyReader | undefined
  /** Marks that are dropped where they follow the call that was just read. */
  #trailing: readonly string[] = []
  /** Nothing has come yet but white space and thinking. */
  #start = true
  /** The last character of text, to know where a line begins. */
  #last = '\n'
  #inFence = false
  /** Thinking never ended, and is read again for the calls in it. */
  #thoughtOver = false

  constructor(cx: WireContext) {
    this.#cx = cx
    this.#calls = new CallWriter(cx)
    this.#reader = {
      calls: this.#calls,
      opens: opensCall,
      text: (text) => this.#text(text),
      reasoning: (text) => {
        if (text !== '') cx.emit({ type: 'reasoning', text })
      },
      thoughtOver: () => {
        this.#thoughtOver = true
      },
    }
    if (cx.thinking === true) this.#body = new Thinking(this.#reader, THINKING_ENDS, '<think>')
  }

  /** The form of the first call; undefined while there was none. */
  get format(): TextFormat | undefined {
    return this.#calls.format
  }

  push(text: string): void {
    this.#read(this.#held === '' ? text : this.#held + text, false)
  }

  end(): FinishReason | undefined {
    this.#read(this.#held, true)
    return this.#cx.book.size > 0 ? 'tool-calls' : 'stop'
  }

  #read(input: string, final: boolean): void {
    this.#held = ''
    let text = input
    while (text !== '' || (final && this.#body !== undefined)) {
      const body = this.#body
      if (body === undefined) {
        text = this.#outside(text, final)
        continue
      }
      const step = body.read(text, final)
      if (step.type === 'more') {
        this.#held = step.rest
        this.#calls.grew(text.length - step.rest.length)
        return
      }
      this.#body = undefined
      this.#ended(body)
      text = step.rest
    }
  }

  #ended(body: BodyReader): void {
    this.#trailing = body.trailing ?? []
    if (body instanceof Thinking) return
    this.#start = false
    if (body instanceof FencedJson) this.#inFence = body.inside
  }

  /** Emits text up to where something else begins; gives what follows. */
  #outside(text: string, final: boolean): string {
    let from = 0
    if (text.length >= LONG) this.#marks.restart()
    if (this.#trailing.length > 0) {
      const next = this.#behindCall(text, final)
      if (next === -1) return ''
      from = next
    }
    for (let at = this.#next(text, from); at < text.length; at = this.#next(text, at + 1)) {
      const wait = this.#begins(text, from, at, text.charCodeAt(at), final)
      if (wait === 'wait') {
        this.#text(text.slice(from, at))
        this.#held = text.slice(at)
        return ''
      }
      if (wait !== undefined) return wait
      this.#start = false
    }
    this.#text(text.slice(from))
    return ''
  }

  /** The next place where something may begin. */
  #next(text: string, from: number): number {
    if (this.#start) {
      let at = from
      while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
      return at
    }
    if (text.length >= LONG) return this.#marks.next(text, from)
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LESS_THAN || code === BRACKET || code === BACKTICK) return at
    }
    return text.length
  }

  /** What begins at `at`: gives what follows its mark, or `wait`; undefined when it is but text. */
  #begins(text: string, from: number, at: number, code: number, final: boolean): string | undefined {
    if (code === BACKTICK) {
      if ((at === from ? this.#last : text.charAt(at - 1)) !== '\n') return undefined
      const fence = markAt(text, at, [FENCE], final)
      if (fence === 'wait') return 'wait'
      if (fence === undefined) return undefined
      if (this.#inFence) {
        this.#inFence = false
        return undefined
      }
      return this.#enter(new FencedJson(this.#reader), text, from, at, FENCE.length)
    }
    const opener = openerAt(text, at, this.#start && !this.#thoughtOver, final)
    if (opener === 'wait') return 'wait'
    if (opener !== undefined) {
      if (!opener.call && this.#thoughtOver) return undefined
      return this.#enter(opener.make(this.#reader), text, from, at, opener.mark.length)
    }
    if (this.#start && (code === 0x7b || code === BRACKET)) return this.#enter(new WholeMessage(this.#reader), text, from, at, 0)
    return undefined
  }

  #enter(body: BodyReader, text: string, from: number, at: number, length: number): string {
    this.#text(text.slice(from, at))
    this.#body = body
    // Whether it is the first thing of the message was of use until here, but for thinking, behind which the message begins.
    if (!(body instanceof Thinking)) this.#start = false
    return text.slice(at + length)
  }

  /** Drops marks that belong to the call before. Gives where the text goes on; -1 when more has to come first. */
  #behindCall(text: string, final: boolean): number {
    let from = 0
    for (;;) {
      let at = from
      while (at < text.length && at - from < SPACE_LIMIT && isJsonSpace(text.charCodeAt(at))) at++
      if (at - from >= SPACE_LIMIT) break
      if (at === text.length) {
        if (final) break
        this.#held = text.slice(from)
        return -1
      }
      const mark = markAt(text, at, this.#trailing, final)
      if (mark === undefined) break
      if (mark === 'wait') {
        this.#held = text.slice(from)
        return -1
      }
      from = at + mark.length
    }
    this.#trailing = []
    return from
  }

  #text(text: string): void {
    if (text === '') return
    this.#last = text.charAt(text.length - 1)
    this.#cx.emit({ type: 'text', text })
  }
}
