/**
 * Owns the history in Chat Completions form. Calls whose arguments were no JSON go back as a valid object, ids and names are made
 * legal, each result directly after its call. What is not whole is mended (see mend-history.ts).
 */
import { callId } from '../contract/ids.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'
import { sendableArguments } from './broken-arguments.ts'
import { sendableHistory } from './sendable-history.ts'
import { OPENAI_IDS, WireIds } from './wire-ids.ts'

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

function assistant(message: Extract<Message, { role: 'assistant' }>, ids: readonly string[], names: WireNames): JsonObject {
  if (message.calls.length === 0) return { role: 'assistant', content: message.text }
  const calls = message.calls.map((call, at) => ({
    id: ids[at] ?? call.id,
    type: 'function',
    function: { name: names.toWire(call.name), arguments: JSON.stringify(sendableArguments(call.arguments)) },
  }))
  return { role: 'assistant', content: message.text === '' ? null : message.text, tool_calls: calls }
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value]
}
