import { parseTaggedBody } from '../tagged-body.ts'
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

  constructor(cx: ReaderContext, format: TextFormat, closings: readonly string[], openings: readonly string[]) {
    this.#cx = cx
    this.#format = format
    this.#scanner = new SpanScanner({ closings, openings, named: true }, cx.calls.limit)
  }

  read(text: string, final: boolean): BodyStep {
    const scanner = this.#scanner
    const step = scanner.read(text, final)
    if (scanner.name !== undefined) this.#cx.calls.open(this.#format, scanner.name, scanner.id)
    if (step === 'more') return scanner.rest === '' ? MORE : { type: 'more', rest: scanner.rest }
    if (step === 'overflow') this.#cx.calls.overflow(this.#format, scanner.name ?? '', scanner.body)
    else finishJson(this.#cx, this.#format, scanner, step === 'unclosed')
    return { type: 'done', rest: scanner.rest }
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
