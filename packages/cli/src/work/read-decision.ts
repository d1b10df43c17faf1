/** Reads a model's decision from bytes: decodes them, keeps what was wrong, and refuses what cannot be a decision at all. */
import {
  AdjutantError,
  createDecoder,
  type DecisionNote,
  type DecodeEvent,
  type Dialect,
  type Plan,
  randomIds,
  type ToolCall,
} from '@adjutant/core'

export type ProblemEvent = Extract<DecodeEvent, { type: 'problem' }>

export interface Decision {
  /** In the model's order. */
  readonly calls: readonly ToolCall[]
  readonly problems: readonly ProblemEvent[]
  readonly dialect: Dialect
  readonly text: string
  readonly note?: DecisionNote
  /** Steps to carry out, where the decision is a plan. */
  readonly plan?: Plan
}

/** A decision is written by a model: what is larger than this was not. */
export const MAX_DECISION_BYTES = 64 * 1024 * 1024

/** Takes bytes as they come. One reader for one decision. */
export class DecisionReader {
  readonly #calls: ToolCall[] = []
  readonly #problems: ProblemEvent[] = []
  readonly #decoder
  #text = ''
  #note: DecisionNote | undefined
  #plan: Plan | undefined
  #dialect: Dialect = 'decision'
  #bytes = 0

  constructor(dialect: Dialect | 'auto') {
    this.#decoder = createDecoder(dialect, (event) => this.#take(event), { ids: randomIds })
  }

  /** @throws AdjutantError TOO_LARGE */
  push(chunk: Uint8Array | string): void {
    this.#bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
    if (this.#bytes > MAX_DECISION_BYTES) {
      throw new AdjutantError('TOO_LARGE', `the decision is larger than ${MAX_DECISION_BYTES / 1024 / 1024} MiB`, {
        hint: 'Give one model answer; for many, give JSON lines with --many.',
      })
    }
    this.#decoder.push(chunk)
  }

  get bytes(): number {
    return this.#bytes
  }

  end(): Decision {
    this.#decoder.end()
    return {
      // They come as they complete.
      calls: this.#calls.toSorted((a, b) => a.index - b.index),
      problems: this.#problems,
      dialect: this.#dialect,
      text: this.#text,
      ...(this.#note === undefined ? {} : { note: this.#note }),
      ...(this.#plan === undefined ? {} : { plan: this.#plan }),
    }
  }

  #take(event: DecodeEvent): void {
    switch (event.type) {
      case 'text':
        this.#text += event.text
        return
      case 'call':
        this.#calls.push(event.call)
        return
      case 'problem':
        this.#problems.push(event)
        return
      case 'decision':
        this.#note = event.decision
        return
      case 'plan':
        this.#plan = event.plan
        return
      case 'end':
        this.#dialect = event.dialect
        return
      case 'reasoning':
      case 'call-start':
      case 'call-field':
      case 'call-growing':
      case 'usage':
      case 'provider-block':
        return
      default:
        event satisfies never
    }
  }
}
