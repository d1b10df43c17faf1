import type { Dialect } from '../contract/decode.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolResult } from '../contract/result.ts'
import { toAnthropicMessage } from './envelope/anthropic.ts'
import { toBedrockMessage } from './envelope/bedrock.ts'
import { toCohereMessages } from './envelope/cohere.ts'
import { toDecisionResults } from './envelope/decision.ts'
import { toGeminiContent } from './envelope/gemini.ts'
import { toGeminiInteractionsSteps } from './envelope/gemini-interactions.ts'
import { toOllamaMessages } from './envelope/ollama.ts'
import { toOpenAiChatMessages } from './envelope/openai-chat.ts'
import { toOpenAiResponsesItems } from './envelope/openai-responses.ts'
import { toTaggedText } from './envelope/tagged-text.ts'

/** What a wire must know of the calls beside their results. */
export interface EnvelopeOptions {
  /** Ids that intake made up (`idFromProvider` is false). Wires that can do without an id leave them out. Default: none. */
  readonly madeUpIds?: ReadonlySet<string>
  /** `openai-responses`: ids of calls of custom tools. Default: none. */
  readonly customIds?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The results of a batch in the form that their dialect wants back: a list of messages (`openai-chat`, `ollama`, `cohere`), a list of input
 * items (`openai-responses`, `gemini-interactions`), one message (`anthropic`, `bedrock`), one content (`gemini`), text (`tagged-text`), an object (`decision`,
 * `plan`). Each result carries its call's own id; the order is that given.
 *
 * @example
 * ```ts
 * toToolMessages('openai-chat', results) // [{ role: 'tool', tool_call_id: 'call_1', content: '{"rows":3}' }]
 * ```
 */
export function toToolMessages(dialect: Dialect, results: readonly ToolResult[], options: EnvelopeOptions = {}): JsonValue {
  switch (dialect) {
    case 'openai-chat':
      return toOpenAiChatMessages(results)
    case 'openai-responses':
      return toOpenAiResponsesItems(results, options.customIds ?? NONE)
    case 'anthropic':
      return toAnthropicMessage(results)
    case 'gemini':
      return toGeminiContent(results, options.madeUpIds ?? NONE)
    case 'gemini-interactions':
      return toGeminiInteractionsSteps(results)
    case 'bedrock':
      return toBedrockMessage(results)
    case 'ollama':
      return toOllamaMessages(results, options.madeUpIds ?? NONE)
    case 'cohere':
      return toCohereMessages(results)
    case 'tagged-text':
      return toTaggedText(results)
    case 'decision':
    case 'plan':
      return toDecisionResults(results)
    default:
      return dialect satisfies never
  }
}
