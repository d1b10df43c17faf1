import { AdjutantError } from '../contract/errors.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'

/**
 * Owns the decision what the approval mode says to an effect. Pure.
 */

/** `ask`: a person decides on what changes something; `allow`: everything runs; `deny`: only reading runs. */
export type ApprovalMode = 'ask' | 'allow' | 'deny'

export const APPROVAL_MODES: readonly ApprovalMode[] = Object.freeze(['ask', 'allow', 'deny'])

export type Permission =
  | { readonly type: 'admit' }
  /** `reason`: what the person is told. */
  | { readonly type: 'hold'; readonly reason: string }
  | { readonly type: 'refuse'; readonly error: AdjutantError }

const ADMIT: Permission = Object.freeze({ type: 'admit' })

/**
 * @example
 * ```ts
 * permissionFor('read_file', 'read', 'deny').type // 'admit'
 * permissionFor('write_file', 'write', 'ask').type // 'hold'
 * permissionFor('write_file', 'write', 'deny').type // 'refuse'
 * ```
 */
export function permissionFor(toolName: string, effect: Effect, mode: ApprovalMode): Permission {
  if (effect === 'read' || mode === 'allow') return ADMIT
  const deed = effect === 'write' ? 'changes something' : 'may do harm that cannot be undone'
  switch (mode) {
    case 'ask':
      return { type: 'hold', reason: `${toolName} ${deed}` }
    case 'deny':
      return {
        type: 'refuse',
        error: new AdjutantError('DENIED_BY_POLICY', `${toolName} ${deed} (${effect}), and this session may only read.`, {
          hint: 'Do not repeat this call; go on with tools that only read, and say what could not be done.',
        }),
      }
    default:
      return mode satisfies never
  }
}

/**
 * What is said to a tool whose definition is not the one that was agreed to. A mode that lets everything run was chosen for the tools
 * as they were, so a person is asked in it too; where nobody may be asked it does not run.
 */
export function permissionForPinned({ name, pinned }: AgentTool, mode: ApprovalMode): Permission {
  if (pinned === undefined) return ADMIT
  if (mode !== 'deny') return { type: 'hold', reason: pinned.reason }
  return {
    type: 'refuse',
    error: new AdjutantError('DENIED_BY_POLICY', `${name} may not run before a person agrees: ${pinned.reason}`, {
      hint: 'Do not repeat this call; go on without it and say that its definition changed.',
    }),
  }
}
