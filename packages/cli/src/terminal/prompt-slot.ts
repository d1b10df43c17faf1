/**
 * The one question that is open. The session's interaction lock lets in one at a time; the slot only holds it for whoever draws it
 * and takes it away when it is answered or the run is stopped.
 */
import type { ApprovalDecision, ApprovalRequest, Question } from '@adjutant/core'
import type { ApprovalView } from './approval-view.ts'

export type Prompt =
  | {
      readonly kind: 'approval'
      readonly key: number
      readonly request: ApprovalRequest
      readonly view: ApprovalView
      answer(decision: ApprovalDecision): void
    }
  | { readonly kind: 'question'; readonly key: number; readonly question: Question; answer(text: string): void }

type NewPrompt =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest; readonly view: ApprovalView }
  | { readonly kind: 'question'; readonly question: Question }

export class PromptSlot {
  #prompt: Prompt | undefined
  #keys = 0
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly current = (): Prompt | undefined => this.#prompt

  approval(prompt: Extract<NewPrompt, { kind: 'approval' }>, signal: AbortSignal): Promise<ApprovalDecision> {
    return this.#open((answer: (decision: ApprovalDecision) => void, key) => ({ ...prompt, key, answer }), signal)
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
          leave()
          resolve(value)
        }, this.#keys),
      )
    })
  }

  #set(prompt: Prompt | undefined): void {
    this.#prompt = prompt
    for (const listener of this.#listeners) listener()
  }
}
