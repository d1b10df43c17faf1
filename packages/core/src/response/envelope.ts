import type { Dialect } from '../contract/decode.ts'
import type { JsonValue } from '../contract/json.ts'
import type { ToolResult } from '../contract/result.ts'
import { toAnthropicMessage } from './envelope/anthropic.ts'
import { toDecisionResults } from './envelope/decision.ts'
import { toOpenAiChatMessages } from './envelope/openai-chat.ts'
import { toTaggedText } from './envelope/tagged-text.ts'

/**
 * The results of a batch in the form that their dialect wants back: a list of messages (`openai-chat`), one message (`anthropic`),
 * text (`tagged-text`), an object (`decision`). Each result carries its call's own id; the order is that given.
 *
 * @example
 * ```ts
 * toToolMessages('openai-chat', results) // [{ role: 'tool', tool_call_id: 'call_1', content: '{"rows":3}' }]
 * ```
 */
export function toToolMessages(dialect: Dialect, results: readonly ToolResult[]): JsonValue {
  switch (dialect) {
    case 'openai-chat':
      return toOpenAiChatMessages(results)
    case 'anthropic':
      return toAnthropicMessage(results)
    case 'tagged-text':
      return toTaggedText(results)
    case 'decision':
      return toDecisionResults(results)
    default:
      return dialect satisfies never
  }
}
