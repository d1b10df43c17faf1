import type { AdmittedCall, CallBinding } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Digest } from '../contract/ids.ts'
import type { Principal } from '../contract/principal.ts'
import type { AgentTool } from '../contract/tool.ts'
import { digestOf } from '../util/canonical-json.ts'
import { BoundedMap } from './bounded-map.ts'
import { repairsOf } from './repaired.ts'

/**
 * Owns what a person's yes is bound to, and the memory of "always".
 *
 * A grant holds for one principal (tenant, user, roles, attributes), one tool definition (name, description, schemas, effect),
 * one effect level, and the rule that asked; of scope `call` also for the very arguments. Anything else asks again: a grant given for a
 * write never covers a dangerous call of the same tool, one given where the mode asks never answers a rule of the policy, and none covers a
 * call whose arguments were repaired.
 *
 * Lives as long as the session that made it; whoever keeps the session keeps its grants. Bounded: the grant used longest ago is forgotten first,
 * which only means that a person is asked again.
 */

/** Grants one session remembers. Ours: nobody answers more questions than this. */
const MAX_GRANTS = 1_000

export type ApprovalScope = 'call' | 'tool'

export class ApprovalMemory {
  readonly #grants = new BoundedMap<Digest, true>(MAX_GRANTS)

  /** Grants in force. */
  get size(): number {
    return this.#grants.size
  }

  /**
   * Remembers a yes for the rest of the session.
   * @param rule what asked: see PolicyDecision.rule
   * @throws AdjutantError TOOL_INVALID when the tool's definition is not JSON
   */
  remember(call: AdmittedCall, principal: Principal, scope: ApprovalScope, rule = ''): void {
    this.#grants.set(this.grant(call, principal, scope, rule), true)
  }

  /** What {@link remember} would remember: for a session that goes on elsewhere. @throws like it */
  grant(call: AdmittedCall, principal: Principal, scope: ApprovalScope, rule = ''): Digest {
    return grantOf(scope, call, bindingOf(call, principal), rule)
  }

  /** Grants of the same session that were kept. */
  restore(grants: readonly Digest[]): void {
    for (const grant of grants) this.#grants.set(grant, true)
  }

  /**
   * True when a grant covers this call for this principal.
   * @throws AdjutantError TOOL_INVALID when the tool's definition is not JSON
   */
  covers(call: AdmittedCall, principal: Principal, rule = ''): boolean {
    if (this.#grants.size === 0 || repairsOf(call.call).length > 0) return false
    const binding = bindingOf(call, principal)
    return (['tool', 'call'] as const).some((scope) => this.#grants.get(grantOf(scope, call, binding, rule)) === true)
  }
}

function grantOf(scope: ApprovalScope, call: AdmittedCall, binding: CallBinding, rule: string): Digest {
  const { tool, principal } = binding
  return digestOf({ scope, rule, effect: call.effect, tool, principal, arguments: scope === 'call' ? binding.arguments : null })
}

/**
 * What an approval of this call is bound to. Never cached: a definition that somebody changed in place must not be taken for
 * the one that was approved.
 *
 * @throws AdjutantError TOOL_INVALID when the tool's definition is not JSON
 */
export function bindingOf(call: AdmittedCall, principal: Principal): CallBinding {
  return { arguments: digestOf(call.input), tool: definitionDigest(call.tool), principal: principalDigest(principal) }
}

/**
 * @example
 * ```ts
 * sameBinding(bindingOf(approved, principal), bindingOf(aboutToRun, principal)) // false as soon as one argument differs
 * ```
 */
export function sameBinding(a: CallBinding, b: CallBinding): boolean {
  return a.arguments === b.arguments && a.tool === b.tool && a.principal === b.principal
}

function definitionDigest(tool: AgentTool): Digest {
  try {
    return digestOf({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema ?? null,
      effect: typeof tool.effect === 'function' ? 'by-arguments' : tool.effect,
    })
  } catch (error) {
    throw new AdjutantError('TOOL_INVALID', `The definition of ${tool.name} is not JSON, so no approval can be bound to it.`, {
      cause: error,
    })
  }
}

/** Roles are a set: their order says nothing. */
function principalDigest(principal: Principal): Digest {
  return digestOf({
    tenantId: principal.tenantId,
    userId: principal.userId,
    roles: [...new Set(principal.roles)].sort(),
    attributes: principal.attributes ?? {},
  })
}
