import type { ToolCall } from '../contract/call.ts'
import type { DecodeEvent, FinishReason, Usage } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'

/** One answer of a model, whole. */
export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly providerBlocks: readonly JsonObject[]
  readonly usage: Usage
  readonly finish: FinishReason | undefined
  readonly gaveUp: boolean
}

/** Gathers the events of one answer. A provider that ends without saying so has broken off. */
export class AnswerCollector {
  #begun = false
  #text = ''
  #finish: FinishReason | undefined
  #ended = false
  #gaveUp = false
  #usage: Usage = { inputTokens: 0, outputTokens: 0 }
  readonly #calls: ToolCall[] = []
  readonly #blocks: JsonObject[] = []

  /** Something of the answer has come. */
  get begun(): boolean {
    return this.#begun
  }

  take(event: DecodeEvent): void {
    this.#begun = true
    switch (event.type) {
      case 'text':
        this.#text += event.text
        return
      case 'call':
        this.#calls.push(event.call)
        return
      case 'provider-block':
        this.#blocks.push(event.block)
        return
      case 'usage':
        // Providers repeat the running totals; the last one counts.
        this.#usage = event.usage
        return
      case 'decision':
        this.#gaveUp ||= event.decision.action === 'give_up'
        return
      case 'end':
        this.#ended = true
        this.#finish = event.finish
        return
      case 'reasoning':
      case 'call-start':
      case 'call-field':
      case 'call-growing':
      case 'plan':
      case 'problem':
        return
      default:
        event satisfies never
    }
  }

  answer(model: string): ModelAnswer {
    if (!this.#ended) throw new AdjutantError('STREAM_BROKEN', `the answer of ${model} was cut off`)
    // Calls come as they complete; the model's order is their index.
    const calls = this.#calls.toSorted((a, b) => a.index - b.index)
    return {
      text: this.#text,
      calls,
      providerBlocks: this.#blocks,
      usage: this.#usage,
      finish: this.#finish,
      gaveUp: this.#gaveUp,
    }
  }
}
