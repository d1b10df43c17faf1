import { type JsonObject, ownValue } from '../../contract/json.ts'
import type { PolicyEffect, PolicyRequest, PolicyTier } from '../../contract/policy.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool, Effect } from '../../contract/tool.ts'
import { digestOf } from '../../util/canonical-json.ts'
import { type Answer, both, type Quantifier } from './answer.ts'
import { type ArgumentPath, findArgument, readArgumentPath } from './argument-path.ts'
import { compileNames, type TextTest } from './name-patterns.ts'
import {
  EFFECTS,
  listed,
  type PolicyDocument,
  type PolicyRule,
  type RuleScope,
  type ValueCondition,
  type WhoCondition,
} from './policy-document.ts'
import { type CompiledValue, type ConditionContext, compileValue } from './value-condition.ts'

/**
 * Owns one rule, compiled. What does not change from call to call (who, which tool) is asked once; what does (effect, arguments, what was
 * read before) is the rule's conditions.
 */

/** `tighten`: of a document that nobody here agreed to; it may turn allow into ask or deny, and nothing else. */
type RuleForce = 'full' | 'tighten'

export interface CompiledArgument {
  readonly name: string
  readonly path: ArgumentPath
  /** The name of a top-level argument; undefined: the path leads further. */
  readonly plain: string | undefined
  readonly value: CompiledValue
}

export interface CompiledRule {
  /** `tier/id`, or `tier/default`. */
  readonly name: string
  readonly tier: PolicyTier
  readonly effect: PolicyEffect
  readonly force: RuleForce
  readonly reason: string
  readonly source: PolicyRule
  readonly file: string | undefined
  readonly isDefault: boolean
  readonly arguments: readonly CompiledArgument[]
  /** The effects it is limited to; undefined: all. */
  readonly effects: ReadonlySet<Effect> | undefined
  coversPrincipal(principal: Principal): boolean
  coversTool(tool: AgentTool): boolean
  /** Whether one of `except` describes them both. */
  excepts(principal: Principal, tool: AgentTool): boolean
}

export function compileRule(rule: PolicyRule, document: PolicyDocument, context: ConditionContext, isDefault = false): CompiledRule {
  const scope = compileScope(rule, rule.effect, context)
  const except = (rule.except ?? []).map((one) => compileScope(one, 'allow', context))
  const effects = listed(rule.effects)
  const trusted = document.trusted === undefined || document.trusted.has(ruleDigest(rule))
  const usual = usualReason(rule.effect, document.tier, isDefault)
  return {
    name: `${document.tier}/${rule.id}`,
    tier: document.tier,
    effect: rule.effect,
    force: trusted ? 'full' : 'tighten',
    // The model reads it: what strangers wrote there must not speak to it.
    reason: trusted ? (rule.reason ?? usual) : usual,
    source: rule,
    file: document.file,
    isDefault,
    arguments: Object.entries(rule.when ?? {}).map(([name, value]) => compileArgument(name, value, context)),
    effects: effects.length === 0 || EFFECTS.every((effect) => effects.includes(effect)) ? undefined : new Set(effects),
    coversPrincipal: scope.coversPrincipal,
    coversTool: scope.coversTool,
    excepts: (principal, tool) => except.some((one) => one.coversPrincipal(principal) && one.coversTool(tool)),
  }
}

function compileArgument(name: string, value: ValueCondition, context: ConditionContext): CompiledArgument {
  // A name that cannot be read finds nothing: readers of documents refuse it before.
  const path = readArgumentPath(name) ?? ['\0']
  const [first] = path
  return { name, path, plain: path.length === 1 && typeof first === 'string' ? first : undefined, value: compileValue(value, context) }
}

/** The default of a document as the rule that stands behind all others of its tier. */
export function defaultRule(effect: PolicyEffect): PolicyRule {
  return { id: 'default', effect }
}

/** Of all that a rule says: an agreement to it ends when one letter changes. */
export function ruleDigest(rule: PolicyRule): string {
  return digestOf(rule)
}

function usualReason(effect: PolicyEffect, tier: PolicyTier, isDefault: boolean): string {
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[effect]
  return isDefault ? `the ${tier} policy ${verb} what none of its rules names` : `the ${tier} policy ${verb} it`
}

interface CompiledScope {
  coversPrincipal(principal: Principal): boolean
  coversTool(tool: AgentTool): boolean
}

function compileScope(scope: RuleScope, effect: PolicyEffect, context: ConditionContext): CompiledScope {
  const names = scope.tools === undefined ? undefined : compileNames(listed(scope.tools))
  const tags = scope.tags === undefined ? undefined : listed(scope.tags)
  const origins = scope.origins === undefined ? undefined : compileNames(listed(scope.origins))
  return {
    coversPrincipal: compileWho(scope.who, effect, context),
    coversTool(tool) {
      if (names !== undefined && !names(tool.name)) return false
      if (tags !== undefined && !tags.some((tag) => tool.tags?.includes(tag) === true)) return false
      return origins === undefined || origins(`${tool.origin.kind}:${tool.origin.from}`)
    },
  }
}

function compileWho(who: WhoCondition | undefined, effect: PolicyEffect, context: ConditionContext): (principal: Principal) => boolean {
  if (who === undefined) return () => true
  const one = (values: WhoCondition['users']): TextTest => {
    const set = values === undefined ? undefined : new Set(listed(values))
    return (text) => set === undefined || set.has(text)
  }
  const roles = who.roles === undefined ? undefined : listed(who.roles)
  const [isUser, isTenant] = [one(who.users), one(who.tenants)]
  const attributes = Object.entries(who.attributes ?? {}).map(([name, value]) => ({ name, value: compileValue(value, context) }))
  return (principal) => {
    if (roles !== undefined && !roles.some((role) => principal.roles.includes(role))) return false
    if (!isUser(principal.userId) || !isTenant(principal.tenantId)) return false
    return attributes.every(({ name, value }) => {
      const found = ownValue(principal.attributes ?? {}, name)
      const answer = value.test({ values: found === undefined ? [] : [found], missing: found === undefined }, 'some')
      return effect === 'allow' ? answer === true : answer !== false
    })
  }
}

/** Whether what changes from call to call can keep the rule from holding for this tool. */
export function isConditional(rule: CompiledRule, tool: AgentTool): boolean {
  if (rule.arguments.length > 0 || rule.source.otherArguments === false || rule.source.afterUntrusted === true) return true
  return rule.effects !== undefined && typeof tool.effect === 'function'
}

/** False where the rule can never hold for a call of this tool: it has one effect, and the rule is for others. */
export function canHold(rule: CompiledRule, tool: AgentTool): boolean {
  return rule.effects === undefined || typeof tool.effect === 'function' || rule.effects.has(tool.effect)
}

/** Whether the rule holds for the call: for every value that it speaks of, or for at least one. */
export function holds(rule: CompiledRule, request: PolicyRequest, quantifier: Quantifier): Answer {
  if (rule.effects !== undefined && !rule.effects.has(request.effect)) return false
  if (rule.source.afterUntrusted === true && request.untrusted.length === 0) return false
  if (rule.source.otherArguments === false && hasOthers(rule, request.input)) return false
  let answer: Answer = true
  for (const argument of rule.arguments) {
    answer = both(answer, argumentAnswer(argument, request.input, quantifier))
    if (answer === false) return false
  }
  return answer
}

/** Most names are plain ones of a top-level argument: those are looked up without making anything. */
export function argumentAnswer({ plain, path, value }: CompiledArgument, input: JsonObject, quantifier: Quantifier): Answer {
  if (plain === undefined) return value.test(findArgument(input, path), quantifier)
  const found = ownValue(input, plain)
  return found === undefined ? value.absent : value.one(found, quantifier)
}

export function hasOthers(rule: CompiledRule, input: JsonObject): boolean {
  return Object.keys(input).some((key) => !rule.arguments.some(({ path }) => path[0] === key))
}
