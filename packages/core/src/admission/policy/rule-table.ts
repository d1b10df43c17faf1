import { Ability, type RawRuleOf } from '@casl/ability'
import type { PolicyRequest } from '../../contract/policy.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { type CompiledRule, canHold, compileRule, defaultRule, holds, isConditional } from './compile-rule.ts'
import { POLICY_TIERS, type PolicyDocument } from './policy-document.ts'
import type { ConditionContext } from './value-condition.ts'

/**
 * Owns one state of all rules and which of them decides a call. The rules that can concern one principal and one tool become a CASL ability:
 * weakest tier first, in each tier its default, then allow and ask in their order, then deny; CASL takes the last that matches. Its
 * question without a subject ("may this be called at all?") is whether a tool is seen.
 *
 * Never changes after it is made. What was found for a tool or a principal is kept with the object and goes with it.
 */

/** One decision in the making. */
export interface Trial {
  readonly request: PolicyRequest
  /** The strongest rule that wants a person asked but does not decide by itself: it holds for a part, or is not trusted to give. */
  guard: CompiledRule | undefined
  /** A rule that takes and holds only because an argument cannot be read in one way. */
  unclear: CompiledRule | undefined
}

type CallAbility = Ability<['call', Trial | 'call'], CompiledRule>
type RawRule = RawRuleOf<CallAbility>

const ONLY_SUBJECT = 'call'

export class RuleTable {
  /** From the weakest to the strongest, as CASL wants them. */
  readonly rules: readonly CompiledRule[]
  readonly #ofTool = new WeakMap<AgentTool, readonly number[]>()
  readonly #ofPrincipal = new WeakMap<Principal, PrincipalTables>()

  constructor(documents: readonly PolicyDocument[], context: ConditionContext) {
    this.rules = POLICY_TIERS.toReversed().flatMap((tier) =>
      tierRules(
        documents.filter((document) => document.tier === tier),
        context,
      ),
    )
  }

  ability(principal: Principal, tool: AgentTool): CallAbility {
    let tables = this.#ofPrincipal.get(principal)
    if (tables === undefined) {
      tables = { byTool: new WeakMap(), byRules: new Map(), covers: this.rules.map((rule) => rule.coversPrincipal(principal)) }
      this.#ofPrincipal.set(principal, tables)
    }
    const known = tables.byTool.get(tool)
    if (known !== undefined) return known
    const made = this.#make(principal, tool, tables)
    tables.byTool.set(tool, made)
    return made
  }

  #make(principal: Principal, tool: AgentTool, { byRules, covers }: PrincipalTables): CallAbility {
    const chosen: string[] = []
    const raw: RawRule[] = []
    for (const index of this.#candidates(tool)) {
      const rule = this.rules[index]
      if (rule === undefined || covers[index] !== true || rule.excepts(principal, tool)) continue
      const conditional = rule.force === 'tighten' && rule.effect !== 'deny' ? true : isConditional(rule, tool)
      chosen.push(conditional ? `${index}?` : `${index}`)
      raw.push(rawRule(rule, conditional))
    }
    // Many tools fall under the same rules: they share what was made of them.
    const key = chosen.join()
    const known = byRules.get(key)
    if (known !== undefined) return known
    const ability: CallAbility = new Ability<['call', Trial | 'call'], CompiledRule>(raw, {
      conditionsMatcher: matcherOf,
      detectSubjectType: () => ONLY_SUBJECT,
    })
    byRules.set(key, ability)
    return ability
  }

  /** The rules that can hold for a tool, whoever calls it. */
  #candidates(tool: AgentTool): readonly number[] {
    let found = this.#ofTool.get(tool)
    if (found === undefined) {
      found = this.rules.flatMap((rule, index) => (rule.coversTool(tool) && canHold(rule, tool) ? [index] : []))
      this.#ofTool.set(tool, found)
    }
    return found
  }
}

interface PrincipalTables {
  readonly byTool: WeakMap<AgentTool, CallAbility>
  readonly byRules: Map<string, CallAbility>
  readonly covers: readonly boolean[]
}

/** The rule behind what CASL found. */
const behind = new WeakMap<object, CompiledRule>()

export function ruleBehind(origin: object): CompiledRule | undefined {
  return behind.get(origin)
}

function rawRule(rule: CompiledRule, conditional: boolean): RawRule {
  const raw: RawRule = {
    action: 'call',
    subject: ONLY_SUBJECT,
    // What only makes stricter never makes a tool seen.
    inverted: rule.effect === 'deny' || rule.force === 'tighten',
    reason: rule.reason,
    ...(conditional ? { conditions: rule } : {}),
  }
  behind.set(raw, rule)
  return raw
}

function matcherOf(rule: CompiledRule): (trial: object) => boolean {
  const tightens = rule.force === 'tighten'
  if (rule.effect === 'deny') {
    return (trial) => {
      if (!isTrial(trial)) return false
      const answer = holds(rule, trial.request, 'some')
      if (answer === undefined) trial.unclear = rule
      return answer !== false
    }
  }
  if (rule.effect === 'allow') return (trial) => isTrial(trial) && !tightens && holds(rule, trial.request, 'every') === true
  return (trial) => {
    if (!isTrial(trial)) return false
    if (!tightens && holds(rule, trial.request, 'every') === true) return true
    if (trial.guard === undefined && holds(rule, trial.request, 'some') !== false) trial.guard = rule
    return false
  }
}

function isTrial(value: object): value is Trial {
  return 'request' in value
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const

function tierRules(documents: readonly PolicyDocument[], context: ConditionContext): readonly CompiledRule[] {
  const rules = documents.flatMap((document) => document.rules.map((rule) => compileRule(rule, document, context)))
  const defaults = documents
    .flatMap((document) => (document.default === undefined ? [] : [compileRule(defaultRule(document.default), document, context, true)]))
    .toSorted((a, b) => STRICTNESS[a.effect] - STRICTNESS[b.effect])
  // A rule that is not trusted to allow says nothing at all.
  const spoken = (rule: CompiledRule): boolean => rule.force === 'full' || rule.effect !== 'allow'
  return [...defaults, ...rules.filter(({ effect }) => effect !== 'deny'), ...rules.filter(({ effect }) => effect === 'deny')].filter(
    spoken,
  )
}
