/**
 * Owns mending a history that is not whole: cut between a call and its result, stopped in the middle of a batch, written twice on
 * a resume, put together by hand. What comes out is what every provider takes; what is not known is said to be unknown, never
 * made up. Refuses to guess: a result is given to a call only when the two surely belong together.
 *
 * A whole history is given back as it is, the same reference.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Message } from '../contract/messages.ts'
import type { ToolResult } from '../contract/result.ts'
import { quote } from './check-history.ts'
import { matchResults, type Step } from './match-results.ts'

export interface MendedHistory {
  readonly messages: readonly Message[]
  /** One line for each change, naming the message (0-based, in the history that was given). Empty: nothing had to be changed. */
  readonly mended: readonly string[]
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

const UNCHANGED: readonly string[] = Object.freeze([])

/**
 * Makes a history whole: each call gets exactly one result, right after it, in call order; results without a call, doubled
 * messages' calls and empty assistant messages are left out; consecutive messages of one role become one.
 *
 * A call without a result gets one: `not-run` when its arguments were unreadable, else `unknown` (it may have taken effect).
 *
 * @example
 * ```ts
 * const { messages, mended } = mendHistory(restored)
 * for (const line of mended) log.warn(line)
 * ```
 */
export function mendHistory(messages: readonly Message[]): MendedHistory {
  if (isWhole(messages)) return { messages, mended: UNCHANGED }
  const mended: string[] = []
  const steps = joinSplitBatches(withoutEmpty(messages, mended), mended)
  const resultsOf = matchResults(steps, mended)
  const whole: Message[] = []
  for (const { message, at } of steps) {
    if (message.role === 'tool') continue
    push(whole, message, at, mended)
    if (message.role !== 'assistant' || message.calls.length === 0) continue
    const found = resultsOf.get(message)
    const results = message.calls.map((call, index) => found?.[index] ?? lost(call, at, mended))
    whole.push({ role: 'tool', results })
  }
  return { messages: whole, mended }
}

/** True when there is nothing to mend. */
function isWhole(messages: readonly Message[]): boolean {
  return messages.every((message, at) => {
    const before = messages[at - 1]
    switch (message.role) {
      case 'user':
        return before?.role !== 'user'
      case 'assistant':
        return !isEmpty(message) && !(before?.role === 'assistant' && mayJoin(message)) && isAnswered(message, messages[at + 1])
      case 'tool':
        return before?.role === 'assistant' && before.calls.length > 0
      default:
        return message satisfies never
    }
  })
}

function isAnswered(message: AssistantMessage, next: Message | undefined): boolean {
  if (message.calls.length === 0) return true
  if (next?.role !== 'tool' || next.results.length !== message.calls.length) return false
  return message.calls.every((call, index) => next.results[index]?.id === call.id)
}

/** Blocks alone are no message: a provider wants what followed them. */
function isEmpty(message: AssistantMessage): boolean {
  return message.calls.length === 0 && message.text.trim() === ''
}

/** Signed blocks stay in the message they were signed in. */
function mayJoin(later: AssistantMessage): boolean {
  return later.providerBlocks === undefined || later.providerBlocks.length === 0
}

function withoutEmpty(messages: readonly Message[], mended: string[]): readonly Step[] {
  const kept: Step[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant' && isEmpty(message)) mended.push(`message ${at}: an empty assistant message was left out`)
    else kept.push({ message, at })
  }
  return kept
}

/** Calls of one answer that were written as several messages, one after the other, are one batch again. */
function joinSplitBatches(steps: readonly Step[], mended: string[]): readonly Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    const { message } = step
    if (last?.message.role !== 'assistant' || message.role !== 'assistant' || last.message.calls.length === 0 || !mayJoin(message)) {
      joined.push(step)
      continue
    }
    mended.push(`message ${step.at}: joined with the assistant message before it`)
    joined[joined.length - 1] = { message: join(last.message, message, step.at, mended), at: last.at }
  }
  return joined
}

function push(whole: Message[], message: Message, at: number, mended: string[]): void {
  const last = whole.at(-1)
  if (last?.role === 'user' && message.role === 'user') {
    mended.push(`message ${at}: joined with the user message before it`)
    whole[whole.length - 1] = { role: 'user', text: joinText(last.text, message.text) }
    return
  }
  if (last?.role === 'assistant' && message.role === 'assistant' && mayJoin(message)) {
    mended.push(`message ${at}: joined with the assistant message before it`)
    whole[whole.length - 1] = join(last, message, at, mended)
    return
  }
  whole.push(message)
}

function join(first: AssistantMessage, later: AssistantMessage, at: number, mended: string[]): AssistantMessage {
  const calls = later.calls.filter((call) => {
    const known = first.calls.some((other) => other.id === call.id && isSameCall(other, call))
    if (known) mended.push(`message ${at}: call ${quote(call.id)} (${quote(call.name)}) was there twice`)
    return !known
  })
  const text = first.text === later.text ? first.text : joinText(first.text, later.text)
  // A call's index is its place in its batch: signatures are found by it.
  const batch = [...first.calls, ...calls].map((call, index) => (call.index === index ? call : { ...call, index }))
  return { ...first, text, calls: batch }
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
  if (a.name !== b.name || a.arguments.ok !== b.arguments.ok) return false
  if (a.arguments.ok) return b.arguments.ok && isDeepStrictEqual(a.arguments.value, b.arguments.value)
  return !b.arguments.ok && a.arguments.raw === b.arguments.raw
}

function joinText(first: string, later: string): string {
  if (first.trim() === '') return later
  return later.trim() === '' ? first : `${first}\n\n${later}`
}

/** The result of a call of which none was kept. */
function lost(call: ToolCall, at: number, mended: string[]): ToolResult {
  const { arguments: args } = call
  const error = args.ok
    ? new AdjutantError('OUTCOME_UNKNOWN', 'No result of this call was kept: it was interrupted, and may or may not have taken effect.')
    : new AdjutantError(args.code, `The call was not run: ${args.problem}.`, { outcome: 'not-run' })
  const outcome = args.ok ? 'unknown' : 'not-run'
  mended.push(`message ${at}: call ${quote(call.id)} (${quote(call.name)}) had no result; it got one that says "${outcome}"`)
  return {
    id: call.id,
    name: call.name,
    outcome,
    isError: true,
    text: `${error.message}\n${error.hint}`,
    parts: [],
    code: error.code,
    hint: error.hint,
  }
}
