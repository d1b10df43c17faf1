/**
 * Owns which part a Gemini signature goes back on. A signed part was kept whole as a provider block; here it finds its call again (by
 * id, else by name and arguments, else the first of its name, else the first there is) or its place in the text.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ToolCall } from '../contract/call.ts'
import { isJsonObject, type JsonObject, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

export interface SignedParts {
  /** Thoughts and what the provider ran itself, unchanged. */
  readonly before: readonly JsonObject[]
  /** The text, cut where a signature belongs to a piece of it. */
  readonly text: readonly JsonObject[]
  readonly calls: ReadonlyMap<ToolCall, string>
}

/** What a provider runs itself, and files it made: no text and no call of ours. */
const OWN_WORK = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'inlineData', 'fileData']

/** @param names those of the request: a block has the name that the provider was told */
export function signaturesOf(message: AssistantMessage, names: WireNames): SignedParts {
  const before: JsonObject[] = []
  const text: JsonObject[] = []
  const behind: JsonObject[] = []
  const calls = new Map<ToolCall, string>()
  let rest = message.text
  for (const block of message.providerBlocks ?? []) {
    const signature = ownValue(block, 'thoughtSignature')
    const called = ownValue(block, 'functionCall')
    const said = ownValue(block, 'text')
    if (isJsonObject(called)) {
      const call = callOf(message.calls, called, calls, names)
      if (call !== undefined && typeof signature === 'string') calls.set(call, signature)
    } else if (ownValue(block, 'thought') === true || OWN_WORK.some((key) => Object.hasOwn(block, key))) {
      before.push(block)
    } else if (typeof signature === 'string') {
      const at = typeof said === 'string' && said !== '' ? rest.indexOf(said) : -1
      if (typeof said !== 'string' || at < 0) {
        behind.push({ text: '', thoughtSignature: signature })
        continue
      }
      text.push(...plain(rest.slice(0, at)), { text: said, thoughtSignature: signature })
      rest = rest.slice(at + said.length)
    }
  }
  return { before, text: [...text, ...plain(rest), ...behind], calls }
}

function callOf(
  calls: readonly ToolCall[],
  called: JsonObject,
  taken: ReadonlyMap<ToolCall, string>,
  names: WireNames,
): ToolCall | undefined {
  const free = calls.filter((call) => !taken.has(call))
  const id = ownValue(called, 'id')
  const byId = typeof id === 'string' && id !== '' ? free.find((call) => call.id === id) : undefined
  if (byId !== undefined) return byId
  const named = free.filter((call) => names.toWire(call.name) === ownValue(called, 'name'))
  const args = ownValue(called, 'args') ?? {}
  return named.find((call) => call.arguments.ok && isDeepStrictEqual(call.arguments.value, args)) ?? named[0] ?? free[0]
}

function plain(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ text }]
}
