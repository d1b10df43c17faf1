/**
 * Owns the one rule that every provider holds against a history: each call has exactly one result, in the message right after
 * it, in call order. Refuses to send anything else: the provider would answer 400 a turn later, far from the fault.
 */
import { AdjutantError } from '../contract/errors.ts'
import type { Message } from '../contract/messages.ts'

/**
 * Checks a history before it is sent.
 *
 * @throws AdjutantError INTERNAL, naming the message and the call that has no result (or the result that has no call)
 *
 * @example
 * ```ts
 * checkHistory([{ role: 'user', text: 'Hello' }]) // fine: no calls, no results
 * ```
 */
export function checkHistory(messages: readonly Message[]): void {
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === 'assistant') checkCalls(message, messages[at + 1], at)
    if (message?.role === 'tool') checkPlace(message, messages[at - 1], at)
  }
}

function checkCalls(message: Extract<Message, { role: 'assistant' }>, next: Message | undefined, at: number): void {
  if (message.calls.length === 0) return
  const results = next?.role === 'tool' ? next.results : []
  for (const [index, call] of message.calls.entries()) {
    const result = results[index]
    if (result?.id === call.id) continue
    const elsewhere = results.findIndex((other) => other.id === call.id)
    if (elsewhere >= 0) {
      throw orphan(`message ${at}: the result of call ${quote(call.id)} (${quote(call.name)}) is at place ${elsewhere}, not ${index}`)
    }
    throw orphan(`message ${at}: call ${quote(call.id)} (${quote(call.name)}) has no result`)
  }
  const extra = results[message.calls.length]
  if (extra !== undefined) throw orphan(`message ${at + 1}: result ${quote(extra.id)} (${quote(extra.name)}) belongs to no call before it`)
}

function checkPlace(message: Extract<Message, { role: 'tool' }>, before: Message | undefined, at: number): void {
  const calls = before?.role === 'assistant' ? before.calls.length : 0
  if (calls > 0) return
  const first = message.results[0]
  if (first === undefined) throw orphan(`message ${at}: a tool message without results`)
  throw orphan(`message ${at}: result ${quote(first.id)} (${quote(first.name)}) follows no call`)
}

function orphan(message: string): AdjutantError {
  return new AdjutantError('INTERNAL', `the history cannot be sent: ${message}`)
}

/** For messages: bounded, on one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
