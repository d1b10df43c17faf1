import { isJsonSpace } from '../json-scanner.ts'
import type { TaggedCall } from '../tagged-body.ts'
import { exactCalls, mayBeCall } from './exact-call.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'

/**
 * Owns calls in fenced blocks at the end of a message. A block counts only when its whole content is a call and nothing but white
 * space and further such blocks follow it: an answer that shows JSON and goes on is an answer. What does not fit is given back as
 * text, unchanged; it is held back no longer than it may still fit.
 */

export const FENCE = '```'
const CLOSE = `\n${FENCE}`
const INFO = /^(?:json|jsonc|tool|tools|tool_call|tool_calls|tool_use|function_call)?[ \t\r]*$/
const INFO_CHARACTER = /[a-z_ \t\r]/
const INFO_LIMIT = 32
/** As much as shows whether a block may be a call. */
const HEAD_LIMIT = 256
/** Characters held back; what is longer is text. */
const LIMIT = 1_048_576

export class FencedJson implements BodyReader {
  readonly #cx: ReaderContext
  #part: 'info' | 'content' | 'behind' = 'info'
  /** Everything that is held back. */
  readonly #kept: string[] = [FENCE]
  #length = 0
  #info = ''
  #content: string[] = []
  /** The beginning of the content while it is not decided what it is. */
  #head: string | undefined
  /** The last characters of the content: the closing fence may be cut. */
  #tail = ''
  readonly #calls: TaggedCall[] = []

  /** Begins behind the three marks of the first fence. */
  constructor(cx: ReaderContext) {
    this.#cx = cx
  }

  /** When it was text: whether what follows is still inside a fence. */
  get inside(): boolean {
    return this.#part !== 'behind'
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    while (rest !== '') {
      const step = this.#step(rest, final)
      if (typeof step !== 'string') return step
      rest = step
    }
    if (this.#length > LIMIT) return this.#text(this.#head ?? '')
    if (!final) return MORE
    if (this.#part !== 'behind') return this.#text(this.#head ?? '')
    for (const call of this.#calls) this.#cx.calls.close('fenced-json', call.name, call.arguments, call.id)
    return { type: 'done', rest: '' }
  }

  #step(text: string, final: boolean): BodyStep | string {
    switch (this.#part) {
      case 'info':
        return this.#readInfo(text)
      case 'content':
        return this.#readContent(text)
      case 'behind':
        return this.#readBehind(text, final)
      default:
        return this.#part satisfies never
    }
  }

  #keep(text: string): void {
    this.#kept.push(text)
    this.#length += text.length
  }

  /** No calls: what was kept is text, and `rest` is read on as usual. */
  #text(rest: string): BodyStep {
    this.#cx.text(this.#kept.join(''))
    return { type: 'done', rest }
  }

  #readInfo(text: string): BodyStep | string {
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at)
      if (character !== '\n' && INFO_CHARACTER.test(character) && this.#info.length < INFO_LIMIT) {
        this.#info += character
        continue
      }
      this.#keep(text.slice(0, at))
      if (character !== '\n' || !INFO.test(this.#info)) return this.#text(text.slice(at))
      this.#keep('\n')
      this.#part = 'content'
      this.#info = ''
      this.#content = []
      this.#head = ''
      // A fence may close at once.
      this.#tail = '\n'
      return text.slice(at + 1)
    }
    this.#keep(text)
    return ''
  }

  #readContent(text: string): BodyStep | string {
    let piece = text
    if (this.#head !== undefined) {
      this.#head += text
      piece = this.#head
      const may = mayBeCall(piece, 0)
      if (may === false || (may === 'wait' && piece.length >= HEAD_LIMIT)) return this.#text(piece)
      if (may === 'wait') return ''
      this.#head = undefined
    }
    // A closing fence that is cut, first; then one that is not.
    const cut = (this.#tail + piece.slice(0, FENCE.length)).indexOf(CLOSE)
    const whole = cut === -1 ? piece.indexOf(CLOSE) : -1
    if (cut === -1 && whole === -1) {
      this.#content.push(piece)
      this.#keep(piece)
      this.#tail = (this.#tail + piece.slice(1 - CLOSE.length)).slice(1 - CLOSE.length)
      return ''
    }
    const stop = (cut === -1 ? whole : cut - this.#tail.length) + CLOSE.length
    this.#content.push(piece.slice(0, stop))
    this.#keep(piece.slice(0, stop))
    const calls = exactCalls(this.#content.join('').slice(0, -FENCE.length))
    this.#part = 'behind'
    if (calls === undefined) return this.#text(piece.slice(stop))
    this.#calls.push(...calls)
    return piece.slice(stop)
  }

  #readBehind(text: string, final: boolean): BodyStep | string {
    let at = 0
    while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
    this.#keep(text.slice(0, at))
    if (at === text.length) return ''
    const fence = markAt(text, at, [FENCE], final)
    if (fence === 'wait') return { type: 'more', rest: text.slice(at) }
    if (fence === undefined) return this.#text(text.slice(at))
    this.#keep(FENCE)
    this.#part = 'info'
    return text.slice(at + FENCE.length)
  }
}
