import type { ArgumentRepair } from './call.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** One step of a plan, checked: its references name steps that exist, and its dependencies have no circle. */
export interface PlanStep {
  /** Unique in the plan; made (`step1`, `step2` …) where the model gave none. */
  readonly id: string
  readonly tool: string
  /** May hold references: `${id.path}`, `${id.text}`, and inside `for_each` `${item}`, `${item.path}`. */
  readonly params: JsonObject
  /** Ids of the steps that must have succeeded before: those named and those that references imply. */
  readonly after: readonly string[]
  /** A condition, checked when the steps before are done; false: the step is passed over. */
  readonly when?: string
  /** A reference to a list, or a list: the step runs once for each item. */
  readonly forEach?: string | readonly JsonValue[]
}

/** Several calls that a model decided on at once, with what depends on what. */
export interface Plan {
  /** In the order the model wrote them: the order of the results. */
  readonly steps: readonly PlanStep[]
  /** What had to be changed to read the plan: see {@link ArgumentRepair}. */
  readonly repairs?: readonly ArgumentRepair[]
}
