/**
 * Owns the history as Gemini contents: roles in turn, beginning with the user; each signature on the very part that it came with
 * (the API refuses a call of the current turn whose signature is missing); results right after their calls, in their order. What is
 * not whole is mended (see mend-history.ts).
 */
import type { ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { WireNames } from '../registry/naming.ts'
import { toToolMessages } from '../response/envelope.ts'
import { sendableArguments } from './broken-arguments.ts'
import { signaturesOf } from './gemini-signatures.ts'
import { CUT_BEGINNING, sendableHistory } from './sendable-history.ts'
import { GEMINI_IDS, WireIds } from './wire-ids.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: JsonValue[]
}

/** The provider's own word for a call that another model made and nobody signed. */
const UNSIGNED = 'skip_thought_signature_validator'

export interface GeminiHistoryOptions {
  /** The model refuses calls of the current turn without a signature (Gemini 3 and later). */
  readonly wantsSignatures: boolean
}

/** The `contents` of a request. */
export function toGeminiContents(messages: readonly Message[], names: WireNames, options: GeminiHistoryOptions): readonly JsonObject[] {
  const whole = sendableHistory(messages)
  const current = whole.findLastIndex((message) => message.role === 'user' && message.text.trim() !== '')
  const ids = new WireIds(GEMINI_IDS)
  const turns: Turn[] = []
  let asked: readonly string[] = []
  let asker: readonly ToolCall[] = []
  let madeUp: ReadonlySet<string> = new Set()
  for (const [at, message] of whole.entries()) {
    switch (message.role) {
      case 'user':
        add(turns, 'user', textParts(message.text))
        break
      case 'assistant':
        if (turns.length === 0) add(turns, 'user', [{ text: CUT_BEGINNING }])
        asker = message.calls
        asked = asker.map((call) => ids.take(call.id))
        madeUp = new Set(asked.filter((_, index) => asker[index]?.idFromProvider === false))
        add(turns, 'model', modelParts(message, asked, names, options.wantsSignatures && at > current))
        break
      case 'tool': {
        const results = message.results.map((result, index) => ({
          ...result,
          id: callId(asked[index] ?? result.id),
          // The name is that of the call: results are matched by it.
          name: names.toWire(asker[index]?.name ?? result.name),
        }))
        add(turns, 'user', partsOf(toToolMessages('gemini', results, { madeUpIds: madeUp })))
        break
      }
      default:
        message satisfies never
    }
  }
  return turns.map((turn) => ({ role: turn.role, parts: turn.parts }))
}

function add(turns: Turn[], role: Turn['role'], parts: readonly JsonValue[]): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else turns.push({ role, parts: [...parts] })
}

function modelParts(message: AssistantMessage, ids: readonly string[], names: WireNames, mustSign: boolean): readonly JsonObject[] {
  const signed = signaturesOf(message, names)
  const calls = message.calls.map((call, at) => {
    const signature = signed.calls.get(call) ?? (mustSign && at === 0 && signed.calls.size === 0 ? UNSIGNED : undefined)
    return {
      functionCall: {
        ...idOf(call, ids[at]),
        name: names.toWire(call.name),
        args: sendableArguments(call.arguments),
      },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
  })
  return [...signed.before, ...signed.text, ...calls]
}

/** An id that the model never gave is not sent: calls without ids are matched by name and order. */
function idOf(call: ToolCall, id: string | undefined): { readonly id?: string } {
  return call.idFromProvider && id !== undefined ? { id } : {}
}

function textParts(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ text }]
}

function partsOf(content: JsonValue): readonly JsonValue[] {
  const parts = isJsonObject(content) ? ownValue(content, 'parts') : undefined
  return Array.isArray(parts) ? parts : []
}
