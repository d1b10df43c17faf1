import type { FinishReason } from '../contract/decode.ts'
import { broken, tooLarge } from './arguments.ts'
import type { OpenCall } from './call-book.ts'
import { parseTaggedBody } from './tagged-body.ts'
import { TaggedBodyScanner } from './tagged-body-scanner.ts'
import { clipped, type TextReader, type WireContext } from './wire.ts'

/**
 * Reads text in which calls are written between `<tool_use>` or `<tool_call>` tags. Everything else comes out unchanged and at once: held
 * back is only what may be the beginning of a tag. Each character is looked at once; a closing tag inside a JSON string
 * does not close, unless the JSON turns out to be broken.
 */

const TAGS = ['tool_use', 'tool_call'] as const
type Tag = (typeof TAGS)[number]
const OPENING = TAGS.map((tag) => ({ tag, text: `<${tag}>` }))

/** The opening tag at `at`; `wait` when the text ends inside what may be one. */
function openingAt(text: string, at: number): Tag | 'wait' | undefined {
  for (const { tag, text: opening } of OPENING) if (text.startsWith(opening, at)) return tag
  const rest = text.length - at
  if (rest < 11 && OPENING.some(({ text: opening }) => rest < opening.length && text.endsWith(opening.slice(0, rest)))) return 'wait'
  return undefined
}

export class TaggedTextReader implements TextReader {
  readonly #cx: WireContext
  #held = ''
  #body: TaggedBodyScanner | undefined
  #call: OpenCall | undefined

  constructor(cx: WireContext) {
    this.#cx = cx
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
      if (body.name !== undefined && this.#call === undefined) this.#call = this.#cx.book.start(body.name, body.id)
      if (step.type === 'more') {
        this.#held = step.rest
        return
      }
      this.#body = undefined
      if (step.type === 'unclosed') this.#unclosed(body, step.body)
      else if (step.type === 'overflow') this.#overflow(step.body)
      else this.#close(step.body, body)
      text = step.rest
    }
  }

  /** Emits text up to the next opening tag; gives what follows it. */
  #outside(text: string, final: boolean): string {
    for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
      const tag = openingAt(text, at)
      if (tag === undefined) continue
      if (tag === 'wait' && final) continue
      this.#text(text.slice(0, at))
      if (tag === 'wait') {
        this.#held = text.slice(at)
        return ''
      }
      this.#body = new TaggedBodyScanner(`</${tag}>`, this.#cx.limits.argumentChars)
      return text.slice(at + tag.length + 2)
    }
    this.#text(text)
    return ''
  }

  #text(text: string): void {
    if (text !== '') this.#cx.emit({ type: 'text', text })
  }

  #close(text: string, body: TaggedBodyScanner): void {
    for (const read of parseTaggedBody(text, body.deepest)) {
      const call = this.#call ?? this.#cx.book.start(read.name, body.id ?? read.id)
      this.#call = undefined
      this.#cx.book.finish(call, read.arguments)
    }
  }

  /** The text ended without a closing tag: what is complete counts. */
  #unclosed(body: TaggedBodyScanner, text: string): void {
    const calls = parseTaggedBody(text, body.deepest)
    if (calls.every((call) => call.arguments.ok)) {
      this.#close(text, body)
      return
    }
    const call = this.#call ?? this.#cx.book.start(calls[0]?.name ?? '', body.id)
    this.#call = undefined
    const problem = `the text was cut off inside a call, after ${text.length} characters`
    this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message: `${problem}: ${clipped(text.trim(), 80)}`, index: call.index })
    this.#cx.book.finish(call, broken(text, problem, 'STREAM_BROKEN'))
  }

  #overflow(text: string): void {
    const call = this.#call ?? this.#cx.book.start('')
    this.#call = undefined
    this.#cx.book.finish(call, tooLarge(text, this.#cx.limits.argumentChars))
  }
}
