import type { PolicyTier } from '../../contract/policy.ts'
import type { PolicyDocument } from './policy-document.ts'

/**
 * Owns lists of tools by role as a policy: who has none of the roles that list a tool may not use it. It gives nothing: what a listed tool
 * does is decided by the other rules and the mode.
 *
 * @param roles for each role, patterns of tool names (`*` stands for any characters)
 * @example
 * ```ts
 * rolesDocument({ analyst: ['sql_query', 'read_*'] }).rules[0]?.effect // 'deny'
 * ```
 */
export function rolesDocument(roles: Readonly<Record<string, readonly string[]>>, tier: PolicyTier = 'admin'): PolicyDocument {
  const except = Object.entries(roles).map(([role, tools]) => ({ who: { roles: [role] }, tools }))
  return { tier, rules: [{ id: 'configured-roles', effect: 'deny', reason: 'no role of this principal lists the tool', except }] }
}
