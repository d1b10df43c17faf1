import type { Message } from '../contract/messages.ts'
import { checkHistory } from './check-history.ts'
import { mendHistory } from './mend-history.ts'

/** Said in the user's place where a history begins with an answer and the provider wants a question first. */
export const CUT_BEGINNING = '(The beginning of this conversation is not shown.)'

/** What every adapter sends: mended where it was not whole, and checked. */
export function sendableHistory(messages: readonly Message[]): readonly Message[] {
  const { messages: whole } = mendHistory(messages)
  checkHistory(whole)
  return whole
}
