import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { requestOf, toolOf } from '../../../test/policy-words.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { PolicyTier } from '../../contract/policy.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { APPROVAL_MODES } from '../permission.ts'
import { EFFECTS, POLICY_TIERS, type PolicyDocument, type PolicyRule, type ValueCondition } from './policy-document.ts'
import { RulePolicy } from './rule-policy.ts'

const words = fc.constantFrom('a', 'b', 'ab', 'docs/a', '/etc/passwd', '')
const names = fc.constantFrom('path', 'to', 'n', '__proto__')
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(words, fc.integer({ min: -2, max: 4 }), fc.boolean(), fc.constant(null))
const argument: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
)
const input: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(names, argument), { maxLength: 4 })
  .map((pairs) => Object.fromEntries(new Map(pairs)))

const condition: fc.Arbitrary<ValueCondition> = fc.oneof(
  fc.record({ text: fc.constantFrom('a*', '*b', 'docs*', '*') }),
  fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
  fc.record({ equals: argument }),
  fc.record({ min: fc.integer({ min: -2, max: 2 }) }),
  fc.record({ paths: fc.constantFrom('docs', '/etc/**', '**') }),
  fc.record({ not: fc.record({ text: fc.constantFrom('a*', '*b') }), absent: fc.boolean() }),
)
const tools: readonly AgentTool[] = [
  toolOf('work'),
  toolOf('look', { effect: 'read' }),
  toolOf('shift', { effect: ({ n }) => (n === 1 ? 'read' : 'dangerous') }),
]
const principals = [
  { tenantId: 't', userId: 'u', roles: [] },
  { tenantId: 't', userId: 'v', roles: ['boss'] },
]
const rule: fc.Arbitrary<Omit<PolicyRule, 'id'>> = fc.record(
  {
    effect: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    tools: fc.constantFrom('work', 'w*', '*', 'look'),
    effects: fc.subarray([...EFFECTS], { minLength: 1 }),
    who: fc.constantFrom({ roles: 'boss' }, { users: 'u' }),
    when: fc.dictionary(names, condition, { minKeys: 1, maxKeys: 2 }),
    afterUntrusted: fc.boolean(),
    otherArguments: fc.boolean(),
    except: fc.constant([{ tools: 'shift', who: { roles: ['boss'] } }]),
  },
  { requiredKeys: ['effect'] },
)
const documents: fc.Arbitrary<readonly PolicyDocument[]> = fc
  .array(
    fc.record(
      {
        tier: fc.constantFrom(...POLICY_TIERS),
        rules: fc.array(rule, { maxLength: 4 }),
        default: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
        trusted: fc.constant(new Set<string>()),
      },
      { requiredKeys: ['tier', 'rules'] },
    ),
    { maxLength: 4 },
  )
  .map((list) =>
    list.map((document, at) => ({ ...document, rules: document.rules.map((one, index) => ({ ...one, id: `r${at}-${index}` })) })),
  )

const situation = fc.record({
  tool: fc.constantFrom(...tools),
  principal: fc.constantFrom(...principals),
  mode: fc.constantFrom(...APPROVAL_MODES),
  untrusted: fc.constantFrom([], ['read_page']),
})

const policyWith = (list: readonly PolicyDocument[]): RulePolicy => new RulePolicy({ documents: list, workspace: '/nowhere/work' })
const rank = (tier: PolicyTier | 'mode'): number => (tier === 'mode' ? POLICY_TIERS.length : POLICY_TIERS.indexOf(tier))
const STRICT = { allow: 0, ask: 1, deny: 2 } as const
const runs = { numRuns: 400 }

describe('invariants of decisions', () => {
  it('a tool that is not seen is denied whatever its arguments; one that may do nothing else is not seen', () => {
    fc.assert(
      fc.property(documents, situation, fc.array(input, { minLength: 5, maxLength: 5 }), (list, words, inputs) => {
        const policy = policyWith(list)
        const seen = policy.mayUse(words.principal, words.tool)
        for (const one of inputs) {
          const decision = policy.decide(requestOf(one, { ...words, mode: 'allow' }))
          if (!seen) assert.equal(decision.effect, 'deny', JSON.stringify(decision))
        }
        // The other direction, where the answer does not hang on arguments: without conditions all calls are alike.
        const plain = list.map((document) => ({
          ...document,
          rules: document.rules.map(({ when: _w, afterUntrusted: _a, otherArguments: _o, ...one }) => one),
        }))
        if (typeof words.tool.effect === 'function') return
        const bare = policyWith(plain)
        assert.equal(bare.mayUse(words.principal, words.tool), bare.decide(requestOf({}, { ...words, mode: 'allow' })).effect !== 'deny')
      }),
      runs,
    )
  })

  it('the order of arguments changes nothing, nor does asking twice or another object for the same principal', () => {
    fc.assert(
      fc.property(documents, situation, input, (list, words, one) => {
        const policy = policyWith(list)
        const turned = Object.fromEntries(Object.entries(one).toReversed())
        const decision = policy.decide(requestOf(one, words))
        assert.deepEqual(policy.decide(requestOf(turned, words)), decision)
        assert.deepEqual(policy.decide(requestOf(one, { ...words, principal: { ...words.principal } })), decision)
      }),
      runs,
    )
  })

  it('a further rule of a lower tier never changes what a higher one decided', () => {
    fc.assert(
      fc.property(documents, situation, input, rule, fc.constantFrom(...POLICY_TIERS), (list, words, one, more, tier) => {
        // An ask that holds for a part only does not decide: it is heard where something below allows.
        const deciding = list.map(({ trusted: _t, ...document }) => ({
          ...document,
          rules: document.rules.map(({ when, ...each }) => (each.effect === 'ask' || when === undefined ? each : { ...each, when })),
        }))
        const before = policyWith(deciding).decide(requestOf(one, words))
        if (before.tier === 'mode' || rank(tier) <= rank(before.tier)) return
        assert.deepEqual(policyWith([...deciding, { tier, rules: [{ ...more, id: 'more' }] }]).decide(requestOf(one, words)), before)
      }),
      runs,
    )
  })

  it('a document that nobody agreed to never makes anything less strict', () => {
    fc.assert(
      fc.property(documents, documents, situation, input, (list, others, words, one) => {
        const trusted = list.map(({ trusted: _, ...document }) => document)
        const foreign = others.map((document) => ({
          ...document,
          tier: 'project' as const,
          trusted: new Set<string>(),
          rules: document.rules.map((each) => ({ ...each, id: `foreign-${each.id}` })),
        }))
        const before = policyWith(trusted)
        const after = policyWith([...trusted, ...foreign])
        const [a, b] = [before.decide(requestOf(one, words)), after.decide(requestOf(one, words))]
        assert.ok(STRICT[b.effect] >= STRICT[a.effect], `${JSON.stringify(a)} became ${JSON.stringify(b)}`)
        if (!before.mayUse(words.principal, words.tool)) assert.equal(after.mayUse(words.principal, words.tool), false)
      }),
      runs,
    )
  })

  it('plan runs reads only, and deny asks nobody', () => {
    fc.assert(
      fc.property(documents, situation, input, (list, words, one) => {
        const policy = policyWith(list)
        const plan = requestOf(one, { ...words, mode: 'plan' })
        if (plan.effect !== 'read') assert.equal(policy.decide(plan).effect, 'deny')
        assert.notEqual(policy.decide(requestOf(one, { ...words, mode: 'deny' })).effect, 'ask')
      }),
      runs,
    )
  })

  it('an explanation names the rule that decided', () => {
    fc.assert(
      fc.property(documents, situation, input, (list, words, one) => {
        const { decision, rules } = policyWith(list).explain(requestOf(one, words))
        const deciding = rules.filter(({ outcome }) => outcome === 'decides')
        if (decision.tier === 'mode') assert.deepEqual(deciding, [])
        else if (decision.rule.endsWith('/default')) assert.ok(deciding.length >= 1)
        else
          assert.deepEqual(
            deciding.map(({ rule: name }) => name),
            [decision.rule],
          )
      }),
      runs,
    )
  })
})
