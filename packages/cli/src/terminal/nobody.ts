/** Who answers where no person can be asked: nobody, or a recording. */
import { AdjutantError, type Approver, type Asker } from '@adjutant/core'

/** Says no to every held call, and why, so that the model and the exit code can tell it. */
export function denyingApprover(reason: string): Approver {
  return { decide: async () => ({ type: 'deny', by: 'policy', reason }) }
}

/** Takes a question's fallback; a question without one is an error that the model reads. */
export const noAsker: Asker = {
  async ask(question) {
    if (question.fallback !== undefined) return question.fallback
    throw new AdjutantError('QUESTION_UNANSWERED', `nobody is there to answer: ${question.text}`)
  },
}
