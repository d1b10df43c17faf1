/** What a session tells beside its calls, in a few words for people. All of it is printable. */
import type { SessionEvent, ToolResult } from '@adjutant/core'
import { duration } from './call-summary.ts'
import { printableLine, shorten } from './printable.ts'

export function progressText(progress: { readonly message?: string; readonly current?: number; readonly total?: number }): string {
  const { message, current, total } = progress
  const count =
    current === undefined ? '' : total === undefined ? String(current) : `${Math.round((100 * current) / (total === 0 ? 1 : total))} %`
  return printableLine([count, message ?? ''].filter((part) => part !== '').join(' '))
}

/** Briefly: the result itself is the model's. */
export function factsOf({ cached, redacted, failure }: ToolResult): string {
  const { location } = failure ?? {}
  const place = location === undefined ? '' : ` at ${shorten(printableLine(location.file), 80)}:${location.line}`
  return [
    cached === true ? 'answered from an earlier equal call' : '',
    redacted === undefined || redacted === 0 ? '' : `${redacted} secret${redacted === 1 ? '' : 's'} taken out`,
    failure === undefined ? '' : `${printableLine(failure.code)}${place}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** Millionths of a currency. */
const MICRO = 1_000_000

export function budgetText({ budget, used, limit }: Extract<SessionEvent, { type: 'budget' }>): string {
  switch (budget) {
    case 'wallMs':
      return `budget: ${duration(used)} of ${duration(limit)} are used`
    case 'microPrice':
      return `budget: ${used / MICRO} of ${limit / MICRO} of the money is used`
    default:
      return `budget: ${used} of ${limit} ${budget} are used`
  }
}

/** Ends that the answer does not tell. */
export function endedText(reason: string): string | undefined {
  switch (reason) {
    case 'loop':
      return 'stopped: the task went round in circles'
    case 'budget':
      return 'the budget is used up'
    case 'gave-up':
      return 'the model gave up'
    default:
      return undefined
  }
}
