import type { JsonValue } from '../../contract/json.ts'
import type { PlanStepResult } from '../run-plan.ts'

/** The results of a plan in the plan's own form, for the model: `{"results": [{"id", "tool", "item"?, "outcome", "isError", "text", …}]}`. */
export function planMessage(results: readonly PlanStepResult[]): JsonValue {
  return {
    results: results.map(({ id, tool, item, skipped, result }) => ({
      id,
      tool,
      ...(item === undefined ? {} : { item }),
      outcome: result.outcome,
      isError: result.isError,
      ...(skipped === true ? { skipped } : {}),
      text: result.text,
      ...(result.code === undefined ? {} : { code: result.code }),
      ...(result.hint === undefined ? {} : { hint: result.hint }),
    })),
  }
}
