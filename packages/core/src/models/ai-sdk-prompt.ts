/**
 * Owns a history as the prompt of an AI SDK model: each version's own form of pictures, what a provider signed back on the part it came
 * with, ids and names made legal for every provider (which is behind the model is not known). What is not whole is mended.
 */
import { isJsonObject, type JsonObject, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { ContentPart, ToolResult } from '../contract/result.ts'
import type { WireNames } from '../registry/naming.ts'
import { textWithParts } from '../response/envelope/parts-as-text.ts'
import { metadataOf, plainJson, SIGNED_PART } from './ai-sdk-parts.ts'
import type {
  AiSdkAssistantPart,
  AiSdkMessage,
  AiSdkMetadata,
  AiSdkPicture,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
  AiSdkVersion,
} from './ai-sdk-types.ts'
import { sendableArguments } from './broken-arguments.ts'
import { sendableHistory } from './sendable-history.ts'
import { ANTHROPIC_IDS, WireIds } from './wire-ids.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

export interface PromptInput<Version extends AiSdkVersion> {
  readonly messages: readonly Message[]
  readonly system: string | undefined
  readonly names: WireNames
  /** Blocks of another provider stay out. */
  readonly provider: string
  /** A picture in a tool result. */
  readonly picture: (data: string, mediaType: string) => AiSdkPicture<Version>
}

export function toAiSdkPrompt<Version extends AiSdkVersion>(input: PromptInput<Version>): AiSdkMessage<Version>[] {
  const ids = new WireIds(ANTHROPIC_IDS)
  const prompt: AiSdkMessage<Version>[] = []
  if (input.system !== undefined && input.system.trim() !== '') prompt.push({ role: 'system', content: input.system })
  let asked: readonly AiSdkToolCallPart[] = []
  for (const message of sendableHistory(input.messages)) {
    switch (message.role) {
      case 'user':
        prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] })
        break
      case 'assistant':
        asked = message.calls.map((call) => ({
          type: 'tool-call',
          toolCallId: ids.take(call.id),
          toolName: input.names.toWire(call.name),
          input: sendableArguments(call.arguments),
        }))
        prompt.push({ role: 'assistant', content: assistantParts<Version>(message, asked, input.provider) })
        break
      case 'tool':
        prompt.push({ role: 'tool', content: message.results.map((result, at) => toolResult(result, asked[at], input.picture)) })
        break
      default:
        message satisfies never
    }
  }
  return prompt
}

function toolResult<Version extends AiSdkVersion>(
  result: ToolResult,
  call: AiSdkToolCallPart | undefined,
  picture: PromptInput<Version>['picture'],
): AiSdkToolResultPart<Version> {
  const isShown = (part: ContentPart): boolean => part.type === 'image'
  const text = textWithParts(result, isShown, undefined)
  const pictures = result.parts.flatMap((part) => (part.type === 'image' ? [picture(part.data, part.mimeType)] : []))
  const output: AiSdkToolOutput<Version> =
    pictures.length > 0
      ? { type: 'content', value: [{ type: 'text', text }, ...pictures] }
      : { type: result.isError ? 'error-text' : 'text', value: text }
  return { type: 'tool-result', toolCallId: call?.toolCallId ?? result.id, toolName: call?.toolName ?? result.name, output }
}

/** The parts of an answer in their order, as far as its blocks say it; then what they do not speak of. */
function assistantParts<Version extends AiSdkVersion>(
  message: AssistantMessage,
  calls: readonly AiSdkToolCallPart[],
  provider: string,
): AiSdkAssistantPart<Version>[] {
  const blocks = (message.providerBlocks ?? []).filter(
    (block) => ownValue(block, 'type') === SIGNED_PART && ownValue(block, 'provider') === provider,
  )
  const kept = blocks.map((block) => ownValue(block, 'part')).filter(isJsonObject)
  const spoken = kept.filter((part) => ownValue(part, 'type') === 'text')
  // Text parts as they came count only while they are the text that this message has.
  const asWritten = spoken.length > 0 && spoken.map((part) => ownValue(part, 'text')).join('') === message.text
  const text: AiSdkTextPart[] = asWritten || message.text.trim() === '' ? [] : [{ type: 'text', text: message.text }]
  const parts: AiSdkAssistantPart<Version>[] = []
  const placed = new Set<number>()
  for (const part of kept) {
    const signed = signedWith(part)
    const said = ownValue(part, 'text')
    switch (ownValue(part, 'type')) {
      case 'text':
        if (asWritten && typeof said === 'string') parts.push({ type: 'text', text: said, ...signed })
        break
      case 'reasoning':
        if (typeof said === 'string') parts.push({ type: 'reasoning', text: said, ...signed })
        break
      case 'tool-call': {
        const id = ownValue(part, 'toolCallId')
        if (ownValue(part, 'providerExecuted') === true) {
          parts.push({ ...ownCall(part), ...signed })
          break
        }
        const at = message.calls.findIndex((call, index) => call.id === id && !placed.has(index))
        const call = calls[at]
        if (call === undefined) break
        parts.push(...text.splice(0), { ...call, ...signed })
        placed.add(at)
        break
      }
      case 'tool-result':
        parts.push({ type: 'tool-result', ...namesOf(part), output: ownOutput(part), ...signed })
        break
    }
  }
  return [...parts, ...text, ...calls.filter((_, at) => !placed.has(at))]
}

function signedWith(part: JsonObject): { providerOptions?: AiSdkMetadata } {
  const metadata = metadataOf(ownValue(part, 'providerOptions'))
  return metadata === undefined ? {} : { providerOptions: metadata }
}

function namesOf(part: JsonObject): { toolCallId: string; toolName: string } {
  return { toolCallId: String(ownValue(part, 'toolCallId') ?? ''), toolName: String(ownValue(part, 'toolName') ?? '') }
}

/** A call that the provider ran itself. */
function ownCall(part: JsonObject): AiSdkToolCallPart {
  return { type: 'tool-call', ...namesOf(part), input: ownValue(part, 'input') ?? {}, providerExecuted: true }
}

function ownOutput<Version extends AiSdkVersion>(part: JsonObject): AiSdkToolOutput<Version> {
  return { type: ownValue(part, 'isError') === true ? 'error-json' : 'json', value: plainJson(ownValue(part, 'result')) ?? null }
}
