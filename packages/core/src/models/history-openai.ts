/**
 * Owns the history in Chat Completions form. Calls whose arguments were no JSON go back as a valid object, ids and names are made
 * legal, each result directly after its call. What is not whole is mended (see mend-history.ts).
 */
import type { ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'
import { sendableArguments } from './broken-arguments.ts'
import { sendableHistory } from './sendable-history.ts'
import { OPENAI_IDS, WireIds } from './wire-ids.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** The `messages` of a Chat Completions request. */
export function toOpenAiMessages(messages: readonly Message[], system: string | undefined, names: WireNames): readonly JsonValue[] {
  const ids = new WireIds(OPENAI_IDS)
  const wire: JsonValue[] = system === undefined || system === '' ? [] : [{ role: 'system', content: system }]
  let asked: readonly string[] = []
  for (const message of sendableHistory(messages)) {
    switch (message.role) {
      case 'user':
        wire.push({ role: 'user', content: message.text })
        break
      case 'assistant':
        asked = message.calls.map((call) => ids.take(call.id))
        wire.push(assistant(message, asked, names))
        break
      case 'tool':
        wire.push(
          ...listOf(
            toToolMessages(
              'openai-chat',
              message.results.map((result, at) => ({ ...result, id: callId(asked[at] ?? result.id) })),
            ),
          ),
        )
        break
      default:
        message satisfies never
    }
  }
  return wire
}

function assistant(message: AssistantMessage, ids: readonly string[], names: WireNames): JsonObject {
  if (message.calls.length === 0) return { role: 'assistant', content: message.text, ...reasoningOf(message) }
  const calls = message.calls.map((call, at) => ({
    id: ids[at] ?? call.id,
    type: 'function',
    function: { name: names.toWire(call.name), arguments: JSON.stringify(sendableArguments(call.arguments)) },
    ...signatureOf(message, call),
  }))
  return { role: 'assistant', content: message.text === '' ? null : message.text, tool_calls: calls, ...reasoningOf(message) }
}

/** What some servers refuse to go on without, in the members in which they sent it. Others never send it. */
function reasoningOf(message: AssistantMessage): JsonObject {
  const members: Record<string, JsonValue> = {}
  for (const block of message.providerBlocks ?? []) {
    const details = ownValue(block, 'reasoning_details')
    const content = ownValue(block, 'reasoning_content')
    if (Array.isArray(details)) members.reasoning_details = details
    if (typeof content === 'string') members.reasoning_content = content
  }
  return members
}

/** The signature that a server put on this call. */
function signatureOf(message: AssistantMessage, call: ToolCall): JsonObject {
  for (const block of message.providerBlocks ?? []) {
    const extra = ownValue(block, 'extra_content')
    if (ownValue(block, 'tool_call_index') === call.index && isJsonObject(extra)) return { extra_content: extra }
  }
  return {}
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value]
}
