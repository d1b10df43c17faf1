import type { JsonObject } from '../../contract/json.ts'
import type { ToolResult } from '../../contract/result.ts'
import { textWithParts } from './parts-as-text.ts'

/** `{ results: [{ id, name, outcome, isError, text, code?, hint? }] }`, the answer to a JSON decision. */
export function toDecisionResults(results: readonly ToolResult[]): JsonObject {
  return { results: results.map(resultEntry) }
}

/** One result, as an object for a model. */
export function resultEntry(result: ToolResult): JsonObject {
  return {
    id: result.id,
    name: result.name,
    outcome: result.outcome,
    isError: result.isError,
    text: textWithParts(result, () => false, undefined),
    ...(result.code === undefined ? undefined : { code: result.code }),
    // A hint may name what a failure names. It stands at the end of the text too, and there it is within the fence.
    ...(result.hint === undefined || result.fence !== undefined ? undefined : { hint: result.hint }),
    ...(result.spill === undefined
      ? undefined
      : { spill: { id: result.spill.handle, bytes: result.spill.bytes, lines: result.spill.lines } }),
  }
}
