import type { Dialect } from '../contract/decode.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import { isBedrock } from './bedrock.ts'
import { isCohere } from './cohere.ts'
import { looksLikeDecision } from './decision.ts'
import { isGemini } from './gemini.ts'
import { isGeminiInteractions } from './gemini-interactions.ts'
import { isOllama } from './ollama.ts'
import { parseJson } from './parse-json.ts'
import { looksLikePlan } from './plan/check-plan.ts'

/**
 * Owns the two guesses: from the first characters, how a stream is framed; from a parsed event, which dialect it speaks. Both depend on the
 * text alone, never on how it was cut: where too little is there, the answer is `wait`.
 */

/** `json`: JSON lines, or one body; `array`: objects in one JSON array. */
export type Framing = 'sse' | 'json' | 'array' | 'plain'

/** Characters looked at before text counts as plain. */
const ENOUGH = 4_096

const SSE_FIELDS = ['data:', 'event:', 'id:', 'retry:', ':'] as const

/** First keys of the bodies and events of the wires; not those of a decision or a tool call. */
const WIRE_KEYS = new Set([
  'id',
  'object',
  'choices',
  'created',
  'model',
  'type',
  'role',
  'content',
  'usage',
  'message',
  'error',
  'provider',
  'background',
  'candidates',
  'completed_at',
  'contentBlockDelta',
  'contentBlockStart',
  'created_at',
  'done',
  'event_id',
  'event_type',
  'finish_reason',
  'index',
  'interaction',
  'status',
  'item',
  'messageStart',
  'metrics',
  'modelVersion',
  'output',
  'promptFeedback',
  'responseId',
  'sequence_number',
  'stopReason',
  'usageMetadata',
])

/**
 * How the text is framed.
 * @param wire a provider's wire is certain: then it is SSE unless it begins as JSON does
 * @param text the dialect lives in text, so that bare text must stay text unless it surely is a provider's stream around it
 */
export function framingOf(head: string, expected: 'wire' | 'text' | 'any', final: boolean): Framing | 'wait' {
  // Only this much is looked at, whatever came at once.
  const window = head.slice(0, ENOUGH)
  const last = final || head.length >= ENOUGH
  const start = /\S/.exec(window)?.index
  if (start === undefined) return last ? (expected === 'wire' ? 'sse' : 'plain') : 'wait'
  const first = window.charAt(start)
  if (first === '{') return expected === 'text' ? jsonOfWire(window.slice(start), last) : 'json'
  if (first === '[') {
    if (expected === 'wire') return 'array'
    if (expected === 'text') return 'plain'
    const next = /^\[\s*(\S)/.exec(window.slice(start))?.[1]
    if (next === undefined) return last ? 'plain' : 'wait'
    return next === '{' ? 'array' : 'plain'
  }
  if (expected === 'wire') return 'sse'
  return sseOrPlain(window, expected === 'text', last)
}

function jsonOfWire(head: string, final: boolean): Framing | 'wait' {
  const key = /^\{\s*"([A-Za-z_]*)"/.exec(head)?.[1]
  if (key !== undefined) return WIRE_KEYS.has(key) ? 'json' : 'plain'
  if (!final && /^\{\s*(?:"[A-Za-z_]*)?$/.test(head)) return 'wait'
  return 'plain'
}

/** Looks for the first `data:` line behind comments and other fields. `strict`: it must carry JSON. */
function sseOrPlain(head: string, strict: boolean, final: boolean): Framing | 'wait' {
  for (let start = 0; start <= head.length; ) {
    const end = head.indexOf('\n', start)
    const line = end === -1 ? head.slice(start) : head.slice(start, end)
    const bare = line.trim()
    if (bare !== '') {
      const field = SSE_FIELDS.find((name) => line.startsWith(name))
      if (field === undefined) {
        const possible = end === -1 && SSE_FIELDS.some((name) => name.startsWith(line))
        return possible && !final ? 'wait' : 'plain'
      }
      if (field === 'data:') {
        const payload = line.slice(5).trim()
        if (!strict || payload.startsWith('{')) return 'sse'
        if (end !== -1 || final) return payload === '[DONE]' ? 'sse' : 'plain'
        return '[DONE]'.startsWith(payload) ? 'wait' : 'plain'
      }
    }
    if (end === -1) break
    start = end + 1
  }
  // Only comments and names so far.
  if (!final) return 'wait'
  return strict ? 'plain' : 'sse'
}

const ANTHROPIC_TYPES = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'ping',
])

/** An event of the Responses form, or a whole response. Its errors lie flat in their event. */
function isResponses(value: JsonObject): boolean {
  const type = value.type
  if (typeof type === 'string' && type.startsWith('response.')) return true
  if (value.object === 'response' && (Array.isArray(value.output) || typeof value.status === 'string')) return true
  return type === 'error' && typeof value.message === 'string' && typeof value.sequence_number === 'number'
}

/** The dialect of one event or body; undefined when it says nothing either way. */
export function dialectOf(value: JsonObject): Dialect | undefined {
  const type = value.type
  if (typeof type === 'string' && ANTHROPIC_TYPES.has(type)) return 'anthropic'
  if (type === 'message' && Array.isArray(value.content)) return 'anthropic'
  if (isResponses(value)) return 'openai-responses'
  if (type === 'error' && isJsonObject(value.error)) return 'anthropic'
  if (Array.isArray(value.choices)) return 'openai-chat'
  if (typeof value.object === 'string' && value.object.startsWith('chat.completion')) return 'openai-chat'
  if (isGemini(value)) return 'gemini'
  if (isOllama(value)) return 'ollama'
  if (isBedrock(value)) return 'bedrock'
  if (isCohere(value)) return 'cohere'
  if (isGeminiInteractions(value)) return 'gemini-interactions'
  if (looksLikeDecision(value)) return 'decision'
  if (looksLikePlan(value)) return 'plan'
  return undefined
}

/** What an event of a wire that is not read here looks like, for the message about it. */
export function foreignWire(value: JsonObject): string {
  const known = dialectOf(value)
  if (known !== undefined) return `it looks like ${known}`
  return `its first event has the keys ${Object.keys(value).slice(0, 8).join(', ')}`
}

/** Whether a body, or the first of JSON lines, is of a provider's wire. */
export function holdsWire(text: string): boolean {
  for (const candidate of [text, text.trimStart().split('\n', 1)[0] ?? '']) {
    try {
      const value = parseJson(candidate)
      const dialect = isJsonObject(value) ? dialectOf(value) : undefined
      if (dialect !== undefined && dialect !== 'decision' && dialect !== 'plan') return true
    } catch {
      // Not this one.
    }
  }
  return false
}
