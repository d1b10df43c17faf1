import type { PolicyDecision, PolicyEffect, PolicyRequest } from '../../contract/policy.ts'
import { findArgument } from './argument-path.ts'
import { argumentAnswer, type CompiledRule, canHold, hasOthers, holds } from './compile-rule.ts'
import { listed } from './policy-document.ts'

/**
 * Owns the account of a decision: what each rule had to do with it. Says the same as the decision, from the same tests.
 */

/** `part`: it holds for some of what it speaks of, or nobody can say; it does not decide by itself. */
export type RuleOutcome = 'decides' | 'holds' | 'part' | 'no'

export interface ExplainedRule {
  readonly rule: string
  readonly effect: PolicyEffect
  readonly outcome: RuleOutcome
  /** Why, in a few words. */
  readonly why: string
  readonly file?: string
  /** False: nobody here agreed to it, so it only makes stricter. */
  readonly trusted: boolean
}

export interface PolicyExplanation {
  readonly decision: PolicyDecision
  /** Whether the tool is seen at all. */
  readonly visible: boolean
  /** From the strongest to the weakest. */
  readonly rules: readonly ExplainedRule[]
}

export function explainDecision(
  rules: readonly CompiledRule[],
  request: PolicyRequest,
  decision: PolicyDecision,
  visible: boolean,
): PolicyExplanation {
  const explained = rules.toReversed().map((rule): ExplainedRule => {
    const { outcome, why } = outcomeOf(rule, request)
    return {
      rule: rule.name,
      effect: rule.effect,
      outcome: decision.rule === rule.name && outcome !== 'no' ? 'decides' : outcome,
      why,
      ...(rule.file === undefined ? {} : { file: rule.file }),
      trusted: rule.force === 'full',
    }
  })
  return { decision, visible, rules: explained }
}

function outcomeOf(
  rule: CompiledRule,
  request: PolicyRequest,
): { readonly outcome: Exclude<RuleOutcome, 'decides'>; readonly why: string } {
  const unfit = scopeReason(rule, request)
  if (unfit !== undefined) return { outcome: 'no', why: unfit }
  const conditions = rule.arguments.map((argument) => {
    const quantifier = rule.effect === 'deny' ? 'some' : 'every'
    const answer = argumentAnswer(argument, request.input, quantifier)
    return { name: argument.name, answer, missing: findArgument(request.input, argument.path).values.length === 0 }
  })
  const failed = conditions.find(({ answer }) => answer === false)
  if (failed !== undefined) {
    const part = rule.effect === 'ask' && holds(rule, request, 'some') !== false
    const why = failed.missing
      ? `there is no argument ${failed.name}`
      : `the argument ${failed.name} does not fit${part ? ' in all its parts' : ''}`
    return { outcome: part ? 'part' : 'no', why }
  }
  const unclear = conditions.find(({ answer }) => answer === undefined)
  if (unclear !== undefined) {
    const why = `the argument ${unclear.name} cannot be read in one way only`
    return { outcome: rule.effect === 'deny' ? 'holds' : rule.effect === 'ask' ? 'part' : 'no', why }
  }
  if (rule.isDefault) return { outcome: 'holds', why: 'the default of its tier' }
  if (rule.force === 'tighten' && rule.effect === 'ask') return { outcome: 'part', why: 'everything fits, but nobody here agreed to it' }
  return {
    outcome: 'holds',
    why: conditions.length === 0 ? 'it names this tool' : `it fits: ${conditions.map(({ name }) => name).join(', ')}`,
  }
}

function scopeReason(rule: CompiledRule, request: PolicyRequest): string | undefined {
  const { principal, tool } = request
  if (!rule.coversTool(tool)) return 'it is for other tools'
  if (!rule.coversPrincipal(principal)) return 'it is for other principals'
  if (rule.excepts(principal, tool)) return 'it excepts this'
  if (!canHold(rule, tool) || (rule.effects !== undefined && !rule.effects.has(request.effect))) {
    return `the call is ${request.effect}, and it is for ${listed(rule.source.effects).join(', ')}`
  }
  if (rule.source.afterUntrusted === true && request.untrusted.length === 0) return 'nothing of strangers was read before'
  if (rule.source.otherArguments === false && hasOthers(rule, request.input)) return 'the call has other arguments'
  return undefined
}
