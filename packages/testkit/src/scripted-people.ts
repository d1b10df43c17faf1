import { AdjutantError, type ApprovalDecision, type ApprovalRequest, type Approver, type Asker } from '@adjutant/core/contract'

/** An approver that answers by a function and remembers what it was asked. */
export function scriptedApprover(
  answer: (request: ApprovalRequest, signal: AbortSignal) => ApprovalDecision | Promise<ApprovalDecision>,
): Approver & { readonly asked: readonly ApprovalRequest[] } {
  const asked: ApprovalRequest[] = []
  return {
    asked,
    async decide(request, { signal }) {
      asked.push(request)
      return answer(request, signal)
    },
  }
}

/** An asker that answers from a list, in order, then says that nobody is there. */
export function scriptedAsker(answers: readonly string[] = []): Asker & { readonly asked: readonly string[] } {
  const asked: string[] = []
  const left = [...answers]
  return {
    asked,
    async ask(question) {
      asked.push(question.text)
      const answer = left.shift()
      if (answer === undefined) throw new AdjutantError('QUESTION_UNANSWERED', 'nobody is there')
      return answer
    },
  }
}
