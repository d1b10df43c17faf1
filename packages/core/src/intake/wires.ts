import type { Dialect } from '../contract/decode.ts'
import { AnthropicWire } from './anthropic.ts'
import { BedrockWire } from './bedrock.ts'
import { CohereWire } from './cohere.ts'
import { DecisionReader } from './decision.ts'
import { GeminiWire } from './gemini.ts'
import { GeminiInteractionsWire } from './gemini-interactions.ts'
import { OllamaWire } from './ollama.ts'
import { OpenAiChatWire } from './openai-chat.ts'
import { OpenAiResponsesWire } from './openai-responses.ts'
import { PlanReader } from './plan.ts'
import { TaggedTextReader } from './tagged-text.ts'
import type { TextReader, Wire, WireContext } from './wire.ts'

/** The reader of a provider's wire; undefined for a dialect that lives in text. */
export function wireOf(dialect: Dialect, cx: WireContext): Wire | undefined {
  switch (dialect) {
    case 'openai-chat':
      return new OpenAiChatWire(cx)
    case 'openai-responses':
      return new OpenAiResponsesWire(cx)
    case 'anthropic':
      return new AnthropicWire(cx)
    case 'gemini':
      return new GeminiWire(cx)
    case 'gemini-interactions':
      return new GeminiInteractionsWire(cx)
    case 'bedrock':
      return new BedrockWire(cx)
    case 'ollama':
      return new OllamaWire(cx)
    case 'cohere':
      return new CohereWire(cx)
    case 'tagged-text':
    case 'decision':
    case 'plan':
      return undefined
    default:
      return dialect satisfies never
  }
}

/** The reader of a dialect that lives in text; undefined for a provider's wire. */
export function textReaderOf(dialect: Dialect, cx: WireContext): TextReader | undefined {
  if (dialect === 'tagged-text') return new TaggedTextReader(cx)
  if (dialect === 'plan') return new PlanReader(cx)
  return dialect === 'decision' ? new DecisionReader(cx) : undefined
}
