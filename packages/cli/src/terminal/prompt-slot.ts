/**
 * The one question that is open. The session's interaction lock lets in one at a time; the slot only holds it for whoever draws it
 * and takes it away when it is answered or the run is stopped.
 */
import type { ApprovalDecision, ApprovalRequest, Clock, Question } from '@adjutant/core'
import type { ApprovalView } from './approval-view.ts'

export type Prompt =
  | {
      readonly kind: 'approval'
      readonly key: number
      readonly request: ApprovalRequest
      readonly view: ApprovalView
      /** False for a moment after an answer to the question before: the second of two quick keys was not meant for this one. */
      readonly settled: boolean
      answer(decision: ApprovalDecision): void
    }
  | { readonly kind: 'question'; readonly key: number; readonly question: Question; answer(text: string): void }

type NewPrompt =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest; readonly view: ApprovalView }
  | { readonly kind: 'question'; readonly question: Question }

/** How soon after an answer nobody can have read the next question. Milliseconds. */
const SETTLE_MS = 400

export class PromptSlot {
  readonly #clock: Clock
  #answeredAt = Number.NEGATIVE_INFINITY
  #prompt: Prompt | undefined
  #keys = 0
  readonly #listeners = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly current = (): Prompt | undefined => this.#prompt

  approval(prompt: Extract<NewPrompt, { kind: 'approval' }>, signal: AbortSignal): Promise<ApprovalDecision> {
    const wait = SETTLE_MS - (this.#clock.monotonic() - this.#answeredAt)
    const decided = this.#open(
      (answer: (decision: ApprovalDecision) => void, key) => ({ ...prompt, key, answer, settled: wait <= 0 }),
      signal,
    )
    const { key } = this.#prompt ?? {}
    if (wait > 0) {
      const disarm = this.#clock.after(wait, () => this.#settle(key))
      decided.then(disarm, disarm)
    }
    return decided
  }

  question(prompt: Extract<NewPrompt, { kind: 'question' }>, signal: AbortSignal): Promise<string> {
    return this.#open((answer: (text: string) => void, key) => ({ ...prompt, key, answer }), signal)
  }

  #open<T>(make: (answer: (value: T) => void, key: number) => Prompt, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason)
        return
      }
      let over = false
      const leave = (): void => {
        over = true
        signal.removeEventListener('abort', stopped)
        this.#set(undefined)
      }
      const stopped = (): void => {
        leave()
        reject(signal.reason)
      }
      signal.addEventListener('abort', stopped, { once: true })
      this.#keys += 1
      this.#set(
        make((value) => {
          // An editor that ends after its question was taken away: another question may be open by now, and this is no answer to it.
          if (over) return
          this.#answeredAt = this.#clock.monotonic()
          leave()
          resolve(value)
        }, this.#keys),
      )
    })
  }

  #settle(key: number | undefined): void {
    const prompt = this.#prompt
    if (prompt?.kind === 'approval' && prompt.key === key) this.#set({ ...prompt, settled: true })
  }

  #set(prompt: Prompt | undefined): void {
    this.#prompt = prompt
    for (const listener of this.#listeners) listener()
  }
}
