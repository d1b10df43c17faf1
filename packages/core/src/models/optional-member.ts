/**
 * Owns a member of the request that some servers refuse: sent until it is refused once, then left out for the life of the model.
 */
import type { DecodeEvent } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'

type Answer = AsyncGenerator<DecodeEvent, void, void>

export class OptionalMember {
  /** What the refusal speaks of. */
  readonly #named: RegExp
  #isSent = true

  constructor(named: RegExp) {
    this.#named = named
  }

  /** Gives the answer of `ask(true)`; where the member is refused, that of `ask(false)`, now and from now on. */
  async *stream(ask: (withMember: boolean) => Answer): Answer {
    if (!this.#isSent) return yield* ask(false)
    try {
      yield* ask(true)
    } catch (error) {
      // Refused before anything of an answer came: only the request as a whole is judged with MODEL_FAILED.
      if (!this.#isRefusal(error)) throw error
      this.#isSent = false
      yield* ask(false)
    }
  }

  #isRefusal(error: unknown): boolean {
    return AdjutantError.isInstance(error) && error.code === 'MODEL_FAILED' && this.#named.test(error.message)
  }
}
