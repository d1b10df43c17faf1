import type { HrTime, Span } from '@opentelemetry/api'
import type { JsonValue } from '../../contract/json.ts'
import type { Redactor } from '../../contract/redact.ts'
import { type Excerpt, excerptOf, jsonExcerptOf } from '../redacted-json.ts'

/** As much as a backend takes in one attribute. */
const CONTENT_CHARS = 16_000

/**
 * Owns what of words, arguments and results gets into spans: nothing without a redactor. A span whose content is still being looked through ends
 * when that is done, with the time at which it had ended.
 */
export class SpanContent {
  readonly #redactor: Redactor | undefined
  readonly #waiting = new Map<Span, Promise<void>>()

  constructor(redactor: Redactor | undefined) {
    this.#redactor = redactor
  }

  text(span: Span, name: string, text: string): void {
    if (this.#redactor !== undefined)
      this.#put(span, excerptOf(text, CONTENT_CHARS, this.#redactor), (shown) => span.setAttribute(name, shown))
  }

  json(span: Span, name: string, value: JsonValue): void {
    if (this.#redactor !== undefined)
      this.#put(span, jsonExcerptOf(value, CONTENT_CHARS, this.#redactor), (shown) => span.setAttribute(name, shown))
  }

  /** One message in the form of the conventions. */
  message(span: Span, name: string, role: 'user' | 'assistant', text: string): void {
    if (this.#redactor === undefined) return
    this.#put(span, excerptOf(text, CONTENT_CHARS, this.#redactor), (content) =>
      span.setAttribute(name, JSON.stringify([{ role, parts: [{ type: 'text', content }] }])),
    )
  }

  end(span: Span, time: HrTime): void {
    const waiting = this.#waiting.get(span)
    if (waiting === undefined) {
      span.end(time)
      return
    }
    const ended = waiting.then(() => {
      span.end(time)
      if (this.#waiting.get(span) === ended) this.#waiting.delete(span)
    })
    this.#waiting.set(span, ended)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#waiting.values())
  }

  #put(span: Span, excerpt: Excerpt | Promise<Excerpt>, put: (text: string) => void): void {
    if (!(excerpt instanceof Promise)) {
      put(excerpt.text)
      return
    }
    const before = this.#waiting.get(span) ?? Promise.resolve()
    const done = excerpt.then(({ text }) => put(text))
    this.#waiting.set(
      span,
      Promise.all([before, done]).then(() => {}),
    )
  }
}
