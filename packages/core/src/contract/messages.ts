import type { ToolCall } from './call.ts'
import type { JsonObject, JsonSchema } from './json.ts'
import type { ToolResult } from './result.ts'

/** The talk with a model in no provider's form; the adapters of models/ write it in theirs. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /** Sent back unchanged, first, to the provider they came from. */
      readonly providerBlocks?: readonly JsonObject[]
    }
  /** One result for each call of the assistant message before it, in call order. */
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
}
