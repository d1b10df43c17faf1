import { parseTaggedBody, parseWholeBody, type TaggedCall } from '../tagged-body.ts'
import type { BodyReader, BodyStep, ReaderContext, TextFormat } from './format.ts'
import { MORE } from './format.ts'
import { SpanScanner } from './span-scanner.ts'

/**
 * Owns the calls between a pair of tags that say their own name: `{"name": …, "arguments": …}`, several such objects, or the elements
 * `<name>` and `<arguments>`.
 */
export class JsonBody implements BodyReader {
  readonly #cx: ReaderContext
  readonly #format: TextFormat
  readonly #scanner: SpanScanner
  #whole: TaggedCall | undefined

  constructor(cx: ReaderContext, format: TextFormat, closings: readonly string[], openings: readonly string[]) {
    this.#cx = cx
    this.#format = format
    this.#scanner = new SpanScanner({ closings, openings, named: true, accepts: (body) => this.#accepts(body) }, cx.calls.limit)
  }

  read(text: string, final: boolean): BodyStep {
    const scanner = this.#scanner
    const step = scanner.read(text, final)
    if (scanner.name !== undefined) this.#cx.calls.open(this.#format, scanner.name, scanner.id)
    if (step === 'more') return scanner.rest === '' ? MORE : { type: 'more', rest: scanner.rest }
    if (step === 'overflow') this.#cx.calls.overflow(this.#format, scanner.name ?? '', scanner.body)
    else if (this.#whole !== undefined) this.#cx.calls.close(this.#format, this.#whole.name, this.#whole.arguments)
    else finishJson(this.#cx, this.#format, scanner, step === 'unclosed')
    return { type: 'done', rest: scanner.rest }
  }

  #accepts(body: string): boolean {
    this.#whole = parseWholeBody(body)
    return this.#whole !== undefined
  }
}

/** Hands over what a named scanner has read. `unclosed`: the text ended; what is complete counts. */
export function finishJson(cx: ReaderContext, format: TextFormat, scanner: SpanScanner, unclosed: boolean): void {
  const calls = parseTaggedBody(scanner.body, { ...scanner.measure, ended: !unclosed })
  if (unclosed && !calls.every((call) => call.arguments.ok)) {
    cx.calls.cut(format, scanner.name ?? calls[0]?.name ?? '', scanner.body, scanner.id)
    return
  }
  for (const call of calls) cx.calls.close(format, call.name, call.arguments, scanner.id ?? call.id)
}
