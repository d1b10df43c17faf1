/**
 * Owns finding the call that a result belongs to, in a history whose order cannot be trusted. Servers use the same id again in a
 * later answer, so the id alone says too little: a result belongs to the latest call of its id and its tool before it. Only an id
 * that is there once may also have its result before the call.
 */
import type { Message } from '../contract/messages.ts'
import type { ToolResult } from '../contract/result.ts'
import { quote } from './check-history.ts'

/** A message and where it stood in the history that was given. */
export interface Step {
  readonly message: Message
  readonly at: number
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** Results by message, each at its call's place; a hole where none was found. Says in `mended` what was moved or left out. */
export function matchResults(steps: readonly Step[], mended: string[]): ReadonlyMap<Message, readonly (ToolResult | undefined)[]> {
  const found = new Map<Message, (ToolResult | undefined)[]>()
  /** The latest message before that has a call of the id and the tool. */
  const latest = new Map<string, AssistantMessage>()
  const early: { readonly result: ToolResult; readonly at: number }[] = []
  for (const [place, { message, at }] of steps.entries()) {
    if (message.role === 'assistant') {
      for (const call of message.calls) latest.set(keyOf(call), message)
    }
    if (message.role !== 'tool') continue
    const before = steps[place - 1]?.message
    for (const [index, result] of message.results.entries()) {
      const inPlace = before?.role === 'assistant' && before.calls[index]?.id === result.id
      const asker = inPlace ? before : latest.get(keyOf(result))
      if (asker === undefined) early.push({ result, at })
      else take(found, asker, result, { at, inPlace }, mended)
    }
  }
  const calls = counted(steps.flatMap(({ message }) => (message.role === 'assistant' ? message.calls : [])))
  const results = counted(early.map(({ result }) => result))
  for (const { result, at } of early) {
    const asker = latest.get(keyOf(result))
    const isSure = calls.get(result.id) === 1 && results.get(result.id) === 1
    if (asker !== undefined && isSure) take(found, asker, result, { at, inPlace: false }, mended)
    else mended.push(`message ${at}: result ${quote(result.id)} (${quote(result.name)}) belongs to no call and was left out`)
  }
  return found
}

function keyOf(entry: { readonly id: string; readonly name: string }): string {
  return `${entry.id}\n${entry.name}`
}

function take(
  found: Map<Message, (ToolResult | undefined)[]>,
  asker: AssistantMessage,
  result: ToolResult,
  place: { readonly at: number; readonly inPlace: boolean },
  mended: string[],
): void {
  const results = found.get(asker) ?? asker.calls.map(() => undefined)
  found.set(asker, results)
  const named = `message ${place.at}: result ${quote(result.id)} (${quote(result.name)})`
  const open = asker.calls.findIndex((call, index) => call.id === result.id && results[index] === undefined)
  if (open >= 0) {
    results[open] = result
    if (!place.inPlace) mended.push(`${named} was moved to its call`)
    return
  }
  // What is known is worth more than that nothing was known when the first was written.
  const unsure = asker.calls.findIndex((call, index) => call.id === result.id && results[index]?.outcome === 'unknown')
  if (unsure >= 0 && result.outcome !== 'unknown') {
    results[unsure] = result
    mended.push(`${named} replaced one that did not know the outcome`)
    return
  }
  mended.push(`${named} was there twice`)
}

function counted(entries: readonly { readonly id: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { id } of entries) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
