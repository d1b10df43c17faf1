/** Policies by documents of rules: who may call which tool with which arguments. */
export type { ExplainedRule, PolicyExplanation, RuleOutcome } from './explain.ts'
export { asAgreed, type LoadPolicyOptions, loadPolicy, policyPlaces, readPolicies, readPolicyFile } from './load-policy.ts'
export {
  type CommandCondition,
  type OneOrMore,
  POLICY_TIERS,
  type PolicyDocument,
  type PolicyRule,
  type RuleScope,
  type ValueCondition,
  type WhoCondition,
} from './policy-document.ts'
export { POLICY_SCHEMA } from './policy-schema.ts'
export { addTrust, documentDigests, readTrust } from './policy-trust.ts'
export { type ReadPolicyOptions, readPolicyDocument } from './read-policy.ts'
export { rolesDocument } from './roles-document.ts'
export { RulePolicy, type RulePolicyOptions } from './rule-policy.ts'
export type { PolicyFiles } from './save-rule.ts'
