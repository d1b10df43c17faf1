import type { ErrorCode } from '../contract/errors.ts'
import type { Emit } from './call-book.ts'

/** Problems that are told one by one; the rest is counted. */
const TOLD = 20

/** So many, and it is no stream: each costs far more time than a good one. */
const ENDURED = 10_000

/** Owns how much is said of a framing that cannot be read, and when to stop trying. */
export class FramingProblems {
  readonly #emit: Emit
  #count = 0
  #gaveUp = false

  constructor(emit: Emit) {
    this.#emit = emit
  }

  get any(): boolean {
    return this.#count > 0
  }

  /** There were so many that nothing more is read. */
  get gaveUp(): boolean {
    return this.#gaveUp
  }

  tell(code: ErrorCode, message: () => string): void {
    if (this.#gaveUp) return
    this.#count++
    if (this.#count <= TOLD) this.#emit({ type: 'problem', code, message: message() })
    if (this.#count < ENDURED) return
    this.#gaveUp = true
    this.#emit({ type: 'problem', code: 'STREAM_BROKEN', message: `${ENDURED} parts could not be read; the rest was left out` })
  }

  /** Says how many were not told. */
  close(): void {
    if (this.#count > TOLD && !this.#gaveUp)
      this.#emit({ type: 'problem', code: 'INVALID_JSON', message: `${this.#count - TOLD} more parts could not be read` })
  }
}
