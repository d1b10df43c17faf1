import type { JsonObject } from '../../contract/json.ts'
import { resultEntry } from '../../response/envelope/decision.ts'
import type { PlanStepResult } from '../run-plan.ts'

/** The results of a plan in the plan's own form, for the model: `{"results": [{"id", "tool", "item"?, "skipped"?, "outcome", "isError", "text", …}]}`. */
export function planMessage(results: readonly PlanStepResult[]): JsonObject {
  return {
    results: results.map(({ id, tool, item, skipped, result }) => {
      const { id: _id, name: _name, ...entry } = resultEntry(result)
      const place = { ...(item === undefined ? {} : { item }), ...(skipped === true ? { skipped } : {}) }
      return { id, tool, ...place, ...entry }
    }),
  }
}
