/**
 * Owns the history in Messages form: consecutive messages of one role merged into one (tool results first, as the API wants them),
 * signed thinking blocks back unchanged and first, empty text left out (the API refuses it), ids and names made legal.
 * What is not whole is mended (see mend-history.ts).
 */
import { callId } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'
import { sendableArguments } from './broken-arguments.ts'
import { CUT_BEGINNING, sendableHistory } from './sendable-history.ts'
import { ANTHROPIC_IDS, WireIds } from './wire-ids.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonValue[]
}

/** The `messages` of a Messages request. */
export function toAnthropicMessages(messages: readonly Message[], names: WireNames): readonly JsonObject[] {
  const ids = new WireIds(ANTHROPIC_IDS)
  const turns: Turn[] = []
  let asked: readonly string[] = []
  for (const message of sendableHistory(messages)) {
    switch (message.role) {
      case 'user':
        add(turns, 'user', textBlocks(message.text))
        break
      case 'assistant':
        asked = message.calls.map((call) => ids.take(call.id))
        if (turns.length === 0) add(turns, 'user', textBlocks(CUT_BEGINNING))
        add(turns, 'assistant', assistant(message, asked, names))
        break
      case 'tool': {
        const results = message.results.map((result, at) => ({ ...result, id: callId(asked[at] ?? result.id) }))
        add(turns, 'user', contentOf(toToolMessages('anthropic', results)))
        break
      }
      default:
        message satisfies never
    }
  }
  return turns.map((turn) => ({ role: turn.role, content: turn.content }))
}

function add(turns: Turn[], role: Turn['role'], blocks: readonly JsonValue[]): void {
  if (blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

function assistant(message: Extract<Message, { role: 'assistant' }>, ids: readonly string[], names: WireNames): readonly JsonValue[] {
  const text = textBlocks(message.text)
  // A turn may not end with thinking, so thinking alone is not sent at all.
  if (text.length === 0 && message.calls.length === 0) return []
  const calls = message.calls.map((call, at) => ({
    type: 'tool_use',
    id: ids[at] ?? call.id,
    name: names.toWire(call.name),
    input: sendableArguments(call.arguments),
  }))
  return [...ownBlocks(message.providerBlocks ?? []), ...text, ...calls]
}

/** What this provider wants back, in its order. Blocks of another one, and calls (written above), are not for it. */
function ownBlocks(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const used = new Set(blocks.map((block) => (isOwnUse(block) ? ownValue(block, 'id') : undefined)))
  const answered = new Set(blocks.map((block) => ownValue(block, 'tool_use_id')))
  return blocks.filter((block) => {
    const type = ownValue(block, 'type')
    if (type === 'thinking' || type === 'redacted_thinking' || type === 'compaction') return true
    // What the provider ran itself goes back only together with what came of it.
    if (isOwnUse(block)) return answered.has(ownValue(block, 'id'))
    const asked = ownValue(block, 'tool_use_id')
    return typeof type === 'string' && type.endsWith('_tool_result') && asked !== undefined && used.has(asked)
  })
}

function isOwnUse(block: JsonObject): boolean {
  const type = ownValue(block, 'type')
  return (type === 'server_tool_use' || type === 'mcp_tool_use') && typeof ownValue(block, 'id') === 'string'
}

function textBlocks(text: string): readonly JsonValue[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function contentOf(message: JsonValue): readonly JsonValue[] {
  const whole = Array.isArray(message) ? message[0] : message
  const content = isJsonObject(whole) ? ownValue(whole, 'content') : undefined
  return Array.isArray(content) ? content : []
}
