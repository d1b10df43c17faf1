/**
 * Owns the history as input items of a Responses request: reasoning back where it stood (it must come right before what it led
 * to), calls and results as items of their own, ids and names made legal. What is not whole is mended (see mend-history.ts).
 */
import { callId } from '../contract/ids.ts'
import { type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'
import { sendableArguments } from './broken-arguments.ts'
import { sendableHistory } from './sendable-history.ts'
import { RESPONSES_IDS, WireIds } from './wire-ids.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** The `input` of a Responses request. */
export function toResponsesInput(messages: readonly Message[], names: WireNames): readonly JsonValue[] {
  const ids = new WireIds(RESPONSES_IDS)
  const items: JsonValue[] = []
  let asked: readonly string[] = []
  let customIds: ReadonlySet<string> = new Set()
  for (const message of sendableHistory(messages)) {
    switch (message.role) {
      case 'user':
        items.push({ type: 'message', role: 'user', content: message.text })
        break
      case 'assistant':
        asked = message.calls.map((call) => ids.take(call.id))
        customIds = new Set(asked.filter((_, at) => message.calls[at]?.form === 'text'))
        items.push(...assistantItems(message, asked, names))
        break
      case 'tool': {
        const results = message.results.map((result, at) => ({ ...result, id: callId(asked[at] ?? result.id) }))
        const outputs = toToolMessages('openai-responses', results, { customIds })
        items.push(...(Array.isArray(outputs) ? outputs : [outputs]))
        break
      }
      default:
        message satisfies never
    }
  }
  return items
}

function assistantItems(message: AssistantMessage, ids: readonly string[], names: WireNames): readonly JsonObject[] {
  const calls = message.calls.map((call, at) => {
    const head = { call_id: ids[at] ?? call.id, name: names.toWire(call.name) }
    const args = sendableArguments(call.arguments)
    if (call.form === 'text') return { type: 'custom_tool_call', ...head, input: args.input ?? '' }
    return { type: 'function_call', ...head, arguments: JSON.stringify(args) }
  })
  const blocks = message.providerBlocks ?? []
  const spoken = blocks.filter((block) => ownValue(block, 'type') === 'message')
  // Messages as they were written count only while they are the text that this message has.
  const asWritten = spoken.length > 0 && spoken.map(textOf).join('') === message.text
  const text = asWritten || message.text.trim() === '' ? [] : [{ type: 'message', role: 'assistant', content: message.text }]
  const items: JsonObject[] = []
  const placed = new Set<number>()
  for (const block of blocks) {
    const type = ownValue(block, 'type')
    if (type === 'message') {
      if (asWritten && textOf(block).trim() !== '') items.push(spokenItem(block))
    } else if (type === 'function_call') {
      const at = message.calls.findIndex((call, index) => call.id === ownValue(block, 'call_id') && !placed.has(index))
      const call = calls[at]
      if (call === undefined) continue
      // What was said was said before what was called.
      items.push(...text.splice(0), call)
      placed.add(at)
    } else if (isItem(type)) items.push(itemToSend(block))
  }
  return [...items, ...text, ...calls.filter((_, at) => !placed.has(at))]
}

/** The text of a message in its own form: a list of parts. */
function textOf(block: JsonObject): string {
  const content = ownValue(block, 'content')
  if (!Array.isArray(content)) return ''
  return content
    .map((part: JsonValue) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
    )
    .join('')
}

/** `phase` tells a remark from an answer; models that write it want it back. */
function spokenItem(block: JsonObject): JsonObject {
  const phase = ownValue(block, 'phase')
  return { type: 'message', role: 'assistant', content: textOf(block), ...(typeof phase === 'string' ? { phase } : {}) }
}

/** Blocks of another provider are not for this one. */
function isItem(type: JsonValue | undefined): boolean {
  return (
    typeof type === 'string' &&
    (type === 'reasoning' || type === 'compaction' || /_call(?:_output)?$/.test(type) || type.startsWith('mcp_'))
  )
}

/** Reasoning comes with a `status` that is refused when it comes back. */
function itemToSend(block: JsonObject): JsonObject {
  if (ownValue(block, 'type') !== 'reasoning') return block
  const { status: _, ...item } = block
  return item
}
