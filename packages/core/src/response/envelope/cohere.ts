import type { JsonObject } from '../../contract/json.ts'
import type { ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** One `tool` message for each result, which may hold text only. */
export function toCohereMessages(results: readonly ToolResult[]): readonly JsonObject[] {
  return results.map((result) => ({
    role: 'tool',
    tool_call_id: result.id,
    content: textWithParts(result, () => false, undefined),
  }))
}
