import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'
import { NamedJson } from './named-json.ts'

/**
 * Owns messages of the harmony form: a header that says for whom the message is, `<|message|>`, and the message. `analysis` is reasoning, a
 * message to a tool is a call, everything else is what the person reads. What only looks like a header is given back as text at the
 * first character that no header has.
 */

const MESSAGE = '<|message|>'
const IN_HEADER = [MESSAGE, '<|channel|>', '<|constrain|>'] as const
const ENDS = ['<|end|>', '<|return|>', '<|call|>'] as const
const BEGINS = ['<|start|>', '<|channel|>'] as const
const MARKS = [...ENDS, ...BEGINS]
/** Characters of a header. Real ones have fewer than a hundred. */
const HEADER_LIMIT = 512
const HEADER_TEXT = /[\w .:=/-]/

export class Harmony implements BodyReader {
  readonly #cx: ReaderContext
  #header: string
  /** What the person's or the model's own words go to, once the header was read. */
  #say: ((text: string) => void) | undefined
  #call: BodyReader | undefined

  /** @param opener `<|start|>` or `<|channel|>` */
  constructor(cx: ReaderContext, opener: string) {
    this.#cx = cx
    this.#header = opener
  }

  get trailing(): readonly string[] {
    return this.#call === undefined ? [] : ENDS
  }

  read(text: string, final: boolean): BodyStep {
    if (this.#call !== undefined) return this.#call.read(text, final)
    if (this.#say !== undefined) return this.#message(text, final, this.#say)
    for (let at = 0; at < text.length; at++) {
      if (this.#header.length + at > HEADER_LIMIT) return this.#noHeader(text, at)
      if (text.charCodeAt(at) !== 0x3c) {
        if (HEADER_TEXT.test(text.charAt(at))) continue
        return this.#noHeader(text, at)
      }
      const mark = markAt(text, at, IN_HEADER, final)
      if (mark === 'wait') {
        this.#header += text.slice(0, at)
        return { type: 'more', rest: text.slice(at) }
      }
      if (mark === undefined) return this.#noHeader(text, at)
      if (mark !== MESSAGE) {
        at += mark.length - 1
        continue
      }
      this.#header += text.slice(0, at)
      if (!this.#begin(this.#header)) return this.#noHeader(text.slice(at), MESSAGE.length)
      return this.read(text.slice(at + MESSAGE.length), final)
    }
    this.#header += text
    return final ? this.#noHeader('', 0) : MORE
  }

  #noHeader(text: string, at: number): BodyStep {
    this.#cx.text(this.#header + text.slice(0, at))
    return { type: 'done', rest: text.slice(at) }
  }

  #begin(header: string): boolean {
    const recipient = /\bto=([\w.:/-]+)/.exec(header)?.[1]
    const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1]
    if (recipient === undefined && channel === undefined && header !== '<|start|>assistant') return false
    if (recipient !== undefined && recipient !== 'user' && recipient !== 'assistant' && recipient !== 'all') {
      const form = {
        format: 'harmony',
        opener: '',
        separators: [],
        closings: [...ENDS],
        openings: [...BEGINS],
        named: () => undefined,
      } as const
      this.#call = new NamedJson(this.#cx, form, { name: recipient.replace(/^functions\./, '') })
    } else this.#say = channel === 'analysis' || channel === 'thinking' ? this.#cx.reasoning : this.#cx.text
    return true
  }

  #message(text: string, final: boolean, say: (text: string) => void): BodyStep {
    for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
      const mark = markAt(text, at, MARKS, final)
      if (mark === undefined) continue
      say(text.slice(0, at))
      if (mark === 'wait') return { type: 'more', rest: text.slice(at) }
      const begins = BEGINS.some((begin) => begin === mark)
      return { type: 'done', rest: text.slice(begins ? at : at + mark.length) }
    }
    say(text)
    return final ? { type: 'done', rest: '' } : MORE
  }
}
