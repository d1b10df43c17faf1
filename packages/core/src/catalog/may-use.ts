import type { Principal } from '../contract/principal.ts'
import type { AgentTool } from '../contract/tool.ts'
import { matchesName } from '../util/match-name.ts'

/**
 * The one decision on who may use a tool. Listing, searching, suggesting, loading and running all ask it, and nothing else, so that a tool
 * that may not be used cannot be told from one that does not exist. Must be pure, and must not throw.
 */
export type MayUse = (principal: Principal, tool: AgentTool) => boolean

export const everybodyMayUse: MayUse = () => true

/**
 * Which tools each role may use, by patterns over tool names (`*` stands for any characters). A principal may use what any of its roles
 * lists; one without a listed role may use nothing.
 *
 * @example
 * ```ts
 * const mayUse = rolesMayUse({ analyst: ['sql_query', 'read_*'], admin: ['*'] })
 * ```
 */
export function rolesMayUse(roles: Readonly<Record<string, readonly string[]>>): MayUse {
  const patterns = new Map(Object.entries(roles))
  return (principal, tool) =>
    principal.roles.some((role) => patterns.get(role)?.some((pattern) => matchesName(pattern, tool.name)) ?? false)
}
