import type { ApprovalMode, Policy, PolicyDecision, PolicyRequest } from '../contract/policy.ts'
import { type AgentTool, EDIT_TAG, type Effect } from '../contract/tool.ts'

/**
 * Owns what the approval mode says to a call that no rule of a policy speaks of. Pure.
 */

export const APPROVAL_MODES: readonly ApprovalMode[] = Object.freeze(['ask', 'allow-edits', 'plan', 'allow', 'deny'])

/** One object for each answer: most calls are reads that run, and a decision is made for each. */
const READS: Readonly<Record<ApprovalMode, PolicyDecision>> = Object.freeze({
  ask: allowed('ask', 'it only reads'),
  'allow-edits': allowed('allow-edits', 'it only reads'),
  plan: allowed('plan', 'it only reads'),
  allow: allowed('allow', 'it only reads'),
  deny: allowed('deny', 'it only reads'),
})
const ALLOWED = allowed('allow', 'everything runs in this mode')
const EDITS = allowed('allow-edits', 'edits of files run in this mode')

/**
 * @example
 * ```ts
 * decideByMode({ mode: 'deny', tool: readFile, effect: 'read' }).effect // 'allow'
 * decideByMode({ mode: 'ask', tool: writeFile, effect: 'write' }).effect // 'ask'
 * ```
 */
export function decideByMode(request: Pick<PolicyRequest, 'mode' | 'tool' | 'effect'>): PolicyDecision {
  const { mode, tool, effect } = request
  if (effect === 'read') return READS[mode] ?? READS.deny
  switch (mode) {
    case 'allow':
      return ALLOWED
    case 'allow-edits':
      if (effect === 'write' && tool.tags?.includes(EDIT_TAG) === true) return EDITS
      return { effect: 'ask', rule: 'mode/allow-edits', tier: 'mode', reason: deed(tool, effect) }
    case 'ask':
      return { effect: 'ask', rule: 'mode/ask', tier: 'mode', reason: deed(tool, effect) }
    case 'plan':
      return { effect: 'deny', rule: 'mode/plan', tier: 'mode', reason: `${deed(tool, effect)} (${effect}), and this session only plans` }
    case 'deny':
      return {
        effect: 'deny',
        rule: 'mode/deny',
        tier: 'mode',
        reason: `${deed(tool, effect)} (${effect}), and this session may only read`,
      }
    default:
      mode satisfies never
      return { effect: 'deny', rule: 'mode/unknown', tier: 'mode', reason: 'the approval mode is not known' }
  }
}

/**
 * What is said to a tool whose definition is not the one that was agreed to. A mode that lets everything run was chosen for the tools
 * as they were, so a person is asked in it too; where nobody may be asked it does not run.
 */
export function decideOnPinned(tool: AgentTool, mode: ApprovalMode): PolicyDecision | undefined {
  if (tool.pinned === undefined) return undefined
  const reason = tool.pinned.reason
  return mode === 'deny' || mode === 'plan'
    ? { effect: 'deny', rule: 'pin/changed', tier: 'mode', reason: `${tool.name} may not run before a person agrees: ${reason}` }
    : { effect: 'ask', rule: 'pin/changed', tier: 'mode', reason }
}

/** No rules: the mode decides on everything, and everybody sees all tools. */
export const MODE_POLICY: Policy = Object.freeze({ version: 0, decide: decideByMode, mayUse: () => true })

function deed(tool: AgentTool, effect: Effect): string {
  return `${tool.name} ${effect === 'write' ? 'changes something' : 'may do harm that cannot be undone'}`
}

function allowed(mode: ApprovalMode, reason: string): PolicyDecision {
  return Object.freeze({ effect: 'allow', rule: `mode/${mode}`, tier: 'mode', reason })
}
