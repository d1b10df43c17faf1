import type { JsonObject } from './json.ts'
import type { Principal } from './principal.ts'
import type { AgentTool, Effect } from './tool.ts'

/**
 * The words of who may do what. A policy decides on one call with its actual arguments, and on whether a tool may be seen at all; the same
 * rules answer both, so that what is refused whatever the arguments is not there.
 */

/** What becomes of a call. */
export type PolicyEffect = 'allow' | 'ask' | 'deny'

/** Who wrote a rule. The highest tier that says something of a call decides; a lower one is not asked. */
export type PolicyTier = 'admin' | 'organisation' | 'project' | 'user' | 'session'

/** Tiers that a person's answer for always can be kept in. */
export type SavedTier = 'project' | 'user'

/**
 * What becomes of a call that no rule speaks of.
 * `ask`: reads run, a person decides on the rest. `allow-edits`: edits of files (tools tagged `edit`) run as well. `plan`: only reads run,
 * whatever the rules allow. `allow`: everything runs. `deny`: nobody is asked, so only reads and what a rule allows run.
 */
export type ApprovalMode = 'ask' | 'allow-edits' | 'plan' | 'allow' | 'deny'

/** One call, as a policy sees it. */
export interface PolicyRequest {
  readonly principal: Principal
  readonly tool: AgentTool
  /** Of these very arguments. */
  readonly effect: Effect
  /** Validated and converted. */
  readonly input: JsonObject
  readonly mode: ApprovalMode
  /** Names of tools whose untrusted results this run has read before. */
  readonly untrusted: readonly string[]
  /** The same object in all requests of one synchronous run: a policy may look at a folder once for all of them. Absent: it looks anew. */
  readonly pass?: object
}

export interface PolicyDecision {
  readonly effect: PolicyEffect
  /** The rule that decided, e.g. `project/no-production`, or `mode/ask`. */
  readonly rule: string
  readonly tier: PolicyTier | 'mode'
  /** Why, for the person, the model and the log. */
  readonly reason: string
}

export interface Policy {
  /** Changes whenever an answer might. */
  readonly version: number
  /** Never throws; what cannot be decided is denied, and the reason says so. Pure but for looking links up in the file system. */
  decide(request: PolicyRequest): PolicyDecision
  /** False when every call of the tool by this principal is denied, whatever its arguments. */
  mayUse(principal: Principal, tool: AgentTool): boolean
}

/** Keeps a person's answer for always. */
export interface PolicyKeeper {
  /** The tiers in which an allow rule would change this decision. */
  canSave(decision: PolicyDecision): readonly SavedTier[]
  /** Adds an allow rule and keeps it durably before it resolves; the policy then has it. @throws AdjutantError CONFIG_INVALID, CONFLICT */
  save(rule: { readonly tool: string; readonly effect: Effect; readonly input?: JsonObject }, tier: SavedTier): Promise<void>
}
