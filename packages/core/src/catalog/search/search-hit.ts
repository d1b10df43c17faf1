import type { ReportedField } from './ranking.ts'

/** One word of the request, and where it was found. */
export interface SearchReason {
  /** As it stands in the request. */
  readonly word: string
  readonly fields: readonly ReportedField[]
  /** The word found, where it is another one for the same thing. */
  readonly as?: string
}

export interface SearchHit {
  readonly id: string
  readonly name: string
  /** Above 0; only its order within one answer means something. */
  readonly score: number
  /** What spoke for it, strongest first. Empty for one asked for by name, or found by meaning alone. */
  readonly why: readonly SearchReason[]
}

export interface SearchOptions {
  /** Most hits. Default 5; never more than 1 000. */
  readonly limit?: number
  /**
   * What may be found, by id. What it leaves out does not count at all: neither order nor scores differ from an index without it. It
   * must be a pure function; the same function again is answered from what was worked out before, until the index changes.
   */
  readonly filter?: (id: string) => boolean
  /** How well a tool did so far, 0 … 1: decides between tools that fit about equally. */
  readonly prior?: (id: string) => number
}
