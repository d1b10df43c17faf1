/**
 * Owns judging a request as the real provider would: a conversation that a provider would refuse must not pass in a replay. Each
 * check gives the fault in words; replay.ts answers with it in the provider's own form.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { RecordingDialect } from './recording.ts'
import { geminiFault } from './replay-check-gemini.ts'
import { responsesFault } from './replay-check-responses.ts'
import { isJsonText, NAME } from './replay-check-shared.ts'

const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/
const OPENAI_ID_LENGTH = 40

/** What the provider would refuse in this request body, or `undefined`. @param model of the recording */
export function faultInRequest(dialect: RecordingDialect, body: JsonObject, model = ''): string | undefined {
  // Gemini is asked for a stream by the path.
  if (dialect !== 'gemini' && ownValue(body, 'stream') !== true)
    return 'stream: this recording was streamed, so the request must ask for a stream'
  return faultInTools(dialect, ownValue(body, 'tools')) ?? faultInTalk(dialect, body, model)
}

function faultInTalk(dialect: RecordingDialect, body: JsonObject, model: string): string | undefined {
  if (dialect === 'gemini') return geminiFault(body, model)
  if (dialect === 'openai-responses') return responsesFault(body)
  const messages = ownValue(body, 'messages')
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required'
  const turns = messages.filter(isJsonObject)
  if (turns.length !== messages.length) return 'messages: each must be an object'
  return dialect === 'anthropic' ? anthropicFault(body, turns) : openAiFault(turns)
}

function faultInTools(dialect: RecordingDialect, tools: JsonValue | undefined): string | undefined {
  if (tools === undefined) return undefined
  if (!Array.isArray(tools) || tools.length === 0) return 'tools: must be a list with at least one tool'
  const definitions = dialect === 'gemini' ? tools.flatMap(declarationsIn) : tools
  const seen = new Set<string>()
  for (const [at, tool] of definitions.entries()) {
    const definition = isJsonObject(tool) ? (dialect === 'openai-chat' ? ownValue(tool, 'function') : tool) : undefined
    const name = isJsonObject(definition) ? ownValue(definition, 'name') : undefined
    if (typeof name !== 'string' || !NAME.test(name)) return `tools.${at}.name: must match ${NAME.source}`
    if (seen.has(name)) return `tools.${at}.name: "${name}" is there twice; tool names must be unique`
    seen.add(name)
  }
  return undefined
}

function declarationsIn(tool: JsonValue): readonly JsonValue[] {
  const list = isJsonObject(tool) ? ownValue(tool, 'functionDeclarations') : undefined
  return Array.isArray(list) ? list : [tool]
}

/** A call that waits for its result. */
interface Asked {
  readonly id: string
  readonly at: number
}

function openAiFault(messages: readonly JsonObject[]): string | undefined {
  let waiting: Asked[] = []
  for (const [at, message] of messages.entries()) {
    const role = ownValue(message, 'role')
    if (role === 'tool') {
      const id = ownValue(message, 'tool_call_id')
      const next = waiting.shift()
      if (next === undefined) return `messages.${at}: a message with role "tool" must answer a call of the assistant message before it`
      if (id !== next.id) return `messages.${at}.tool_call_id: ${JSON.stringify(id ?? null)} answers no open call; the next is "${next.id}"`
      if (!isContent(ownValue(message, 'content'))) return `messages.${at}.content: a tool message needs content`
      continue
    }
    if (waiting.length > 0) return unanswered(waiting)
    if (role !== 'assistant') {
      if (role !== 'user' && role !== 'system' && role !== 'developer')
        return `messages.${at}.role: ${JSON.stringify(role ?? null)} is no role`
      if (!isContent(ownValue(message, 'content'))) return `messages.${at}.content: must be text`
      continue
    }
    const calls = callsIn(message, at)
    if (typeof calls === 'string') return calls
    if (calls.length === 0 && !isContent(ownValue(message, 'content')))
      return `messages.${at}: an assistant message has content or tool_calls`
    waiting = calls
  }
  return waiting.length > 0 ? unanswered(waiting) : undefined
}

function callsIn(message: JsonObject, at: number): Asked[] | string {
  const calls = ownValue(message, 'tool_calls')
  if (calls === undefined) return []
  if (!Array.isArray(calls) || calls.length === 0) return `messages.${at}.tool_calls: must be a list with at least one call`
  const found: Asked[] = []
  for (const [index, call] of calls.entries()) {
    const place = `messages.${at}.tool_calls.${index}`
    const id = isJsonObject(call) ? ownValue(call, 'id') : undefined
    if (typeof id !== 'string' || id === '' || id.length > OPENAI_ID_LENGTH)
      return `${place}.id: text of 1 to ${OPENAI_ID_LENGTH} letters is required`
    if (found.some((other) => other.id === id)) return `${place}.id: "${id}" is there twice`
    const called = isJsonObject(call) ? ownValue(call, 'function') : undefined
    const name = isJsonObject(called) ? ownValue(called, 'name') : undefined
    if (typeof name !== 'string' || !NAME.test(name)) return `${place}.function.name: must match ${NAME.source}`
    if (!isJsonText(isJsonObject(called) ? ownValue(called, 'arguments') : undefined))
      return `${place}.function.arguments: must be a JSON object as text`
    found.push({ id, at })
  }
  return found
}

function unanswered(waiting: readonly Asked[]): string {
  const ids = waiting.map((call) => call.id).join(', ')
  return `messages.${waiting[0]?.at}: each call must be answered by a tool message right after it; these have none: ${ids}`
}

function isContent(content: JsonValue | undefined): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0)
}

function anthropicFault(body: JsonObject, messages: readonly JsonObject[]): string | undefined {
  const limit = ownValue(body, 'max_tokens')
  if (typeof limit !== 'number' || limit < 1) return 'max_tokens: Field required'
  const seen = new Set<string>()
  let waiting: readonly string[] = []
  for (const [at, message] of messages.entries()) {
    const role = ownValue(message, 'role')
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return `messages.${at}.role: roles must alternate, beginning with "user"`
    const content = ownValue(message, 'content')
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(blocks) || blocks.length === 0) return `messages.${at}.content: must not be empty`
    const fault = role === 'user' ? resultFault(blocks, waiting, at) : undefined
    if (fault !== undefined) return fault
    const asked = role === 'assistant' ? toolUses(blocks, at, seen) : []
    if (typeof asked === 'string') return asked
    waiting = asked
  }
  return waiting.length > 0
    ? `messages.${messages.length - 1}: tool_use ids without tool_result blocks right after: ${waiting.join(', ')}`
    : undefined
}

function toolUses(blocks: readonly JsonValue[], at: number, seen: Set<string>): readonly string[] | string {
  const asked: string[] = []
  for (const [index, block] of blocks.entries()) {
    const place = `messages.${at}.content.${index}`
    const empty = emptyText(block, place)
    if (empty !== undefined) return empty
    if (!isJsonObject(block) || ownValue(block, 'type') !== 'tool_use') continue
    const id = ownValue(block, 'id')
    const name = ownValue(block, 'name')
    if (typeof id !== 'string' || !ANTHROPIC_ID.test(id)) return `${place}.tool_use.id: must match ${ANTHROPIC_ID.source}`
    if (seen.has(id)) return `${place}.tool_use.id: ids must be unique; "${id}" was used before`
    if (typeof name !== 'string' || !NAME.test(name)) return `${place}.tool_use.name: must match ${NAME.source}`
    if (!isJsonObject(ownValue(block, 'input'))) return `${place}.tool_use.input: must be an object`
    seen.add(id)
    asked.push(id)
  }
  return asked
}

function resultFault(blocks: readonly JsonValue[], waiting: readonly string[], at: number): string | undefined {
  const answered: JsonValue[] = []
  let other = false
  for (const [index, block] of blocks.entries()) {
    const empty = emptyText(block, `messages.${at}.content.${index}`)
    if (empty !== undefined) return empty
    if (!isJsonObject(block) || ownValue(block, 'type') !== 'tool_result') {
      other = true
      continue
    }
    if (other) return `messages.${at}.content.${index}: tool_result blocks come first`
    answered.push(ownValue(block, 'tool_use_id') ?? null)
  }
  for (const [index, id] of answered.entries()) {
    if (id !== waiting[index]) return `messages.${at}.content.${index}: unexpected tool_use_id ${JSON.stringify(id)} in a tool_result block`
  }
  const missing = waiting.slice(answered.length)
  return missing.length > 0 ? `messages.${at - 1}: tool_use ids without tool_result blocks right after: ${missing.join(', ')}` : undefined
}

function emptyText(block: JsonValue, place: string): string | undefined {
  if (!isJsonObject(block) || ownValue(block, 'type') !== 'text') return undefined
  const text = ownValue(block, 'text')
  return typeof text === 'string' && text.trim() !== '' ? undefined : `${place}: text blocks must not be empty`
}
