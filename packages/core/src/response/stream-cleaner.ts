import type { Redactor } from '../contract/redact.ts'
import { scanBytes } from './byte-scan.ts'
import { createStreamRedactor, type StreamRedactor } from './redact/create-redactor.ts'
import type { ResolvedSink } from './terminal-bytes.ts'

/**
 * Owns taking secrets out of a resolved stream on its way to be cut: before, because no half of a secret is recognised. Holds back what a
 * secret may still span, a few thousand characters. What is added while a piece is looked at waits for its turn. Never throws.
 */
export class StreamCleaner {
  readonly #redactor: StreamRedactor
  readonly #sink: ResolvedSink
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #text = ''
  #working: Promise<void> | undefined

  constructor(redactor: Redactor, sink: ResolvedSink) {
    this.#redactor = createStreamRedactor(redactor)
    this.#sink = sink
  }

  /** Resolved bytes; they may be changed afterwards. */
  add(bytes: Uint8Array): void {
    this.#text += this.#decoder.decode(bytes, { stream: true })
  }

  /** Hands on what is safe of all that was added; a promise where that is not done at once. */
  give(): Promise<void> | undefined {
    if (this.#working !== undefined || this.#text === '') return this.#working
    const clean = this.#push()
    if (typeof clean === 'string') {
      this.#tell(clean)
      return undefined
    }
    this.#working = this.#workOff(clean).finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /** Hands on the rest. */
  async end(): Promise<void> {
    await this.#working
    this.#text += this.#decoder.decode()
    await this.give()
    this.#tell(await this.#redactor.end())
  }

  async #workOff(first: Promise<string>): Promise<void> {
    this.#tell(await first)
    while (this.#text !== '') this.#tell(await this.#push())
  }

  #push(): string | Promise<string> {
    const text = this.#text
    this.#text = ''
    return this.#redactor.push(text)
  }

  #tell(text: string): void {
    if (text === '') return
    const bytes = Buffer.from(text)
    this.#sink(bytes, text.length, scanBytes(bytes).newlines)
  }
}
