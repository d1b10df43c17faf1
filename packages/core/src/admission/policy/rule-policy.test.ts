import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { policyOf, requestOf, toolOf } from '../../../test/policy-words.ts'
import { rolesMayUse } from '../../catalog/may-use.ts'
import type { ReadCommand } from '../../contract/command.ts'
import type { JsonObject } from '../../contract/json.ts'
import { APPROVAL_MODES } from '../permission.ts'
import { readPolicyDocument } from './read-policy.ts'
import { rolesDocument } from './roles-document.ts'
import { RulePolicy } from './rule-policy.ts'

describe('tiers and rules', () => {
  it('takes the highest tier that says something, and names tier, rule and reason', () => {
    const policy = policyOf({
      admin: 'rules: [{id: no-drop, effect: deny, tools: drop, reason: Nobody drops.}]',
      project: 'rules: [{id: works, effect: allow, tools: work}, {id: drops, effect: allow, tools: drop}]',
      user: 'rules: [{id: not-here, effect: deny, tools: work}]',
    })
    assert.deepEqual(policy.decide(requestOf({}, { tool: toolOf('drop') })), {
      effect: 'deny',
      rule: 'admin/no-drop',
      tier: 'admin',
      reason: 'Nobody drops.',
    })
    assert.deepEqual(policy.decide(requestOf({})).rule, 'project/works')
  })

  it('lets deny win in a tier wherever it stands, and the later of allow and ask', () => {
    const deny = '{id: d, effect: deny}'
    const allow = '{id: a, effect: allow}'
    const ask = '{id: q, effect: ask}'
    const effect = (...rules: readonly string[]): string => policyOf({ user: `rules: [${rules.join(', ')}]` }).decide(requestOf({})).effect
    assert.equal(effect(deny, allow, ask), 'deny')
    assert.equal(effect(allow, deny), 'deny')
    assert.equal(effect(allow, ask), 'ask')
    assert.equal(effect(ask, allow), 'allow')
  })

  it('takes the default of a tier before it asks the next, and the strictest of two documents', () => {
    const policy = policyOf({
      organisation: 'default: deny\nrules: [{id: w, effect: ask, tools: work}]',
      user: 'default: allow\nrules: []',
    })
    assert.equal(policy.decide(requestOf({})).rule, 'organisation/w')
    assert.deepEqual(policy.decide(requestOf({}, { tool: toolOf('other', { effect: 'read' }) })).rule, 'organisation/default')
    const two = ['allow', 'deny', 'ask'].map((word) => readPolicyDocument(`version: 1\ndefault: ${word}\nrules: []`))
    assert.equal(new RulePolicy({ documents: two, workspace: '/w' }).decide(requestOf({})).effect, 'deny')
  })

  it('leaves what no rule speaks of to the mode', () => {
    const policy = policyOf({ user: 'rules: [{id: x, effect: allow, tools: other}]' })
    assert.deepEqual(
      APPROVAL_MODES.map((mode) => policy.decide(requestOf({}, { mode })).effect),
      ['ask', 'ask', 'deny', 'allow', 'deny'],
    )
  })

  it('lets only reads run in a session that plans, and still denies reads', () => {
    const policy = policyOf({ admin: 'rules: [{id: all, effect: allow}, {id: secret, effect: deny, tools: peek}]' })
    const plan = { mode: 'plan' } as const
    assert.equal(policy.decide(requestOf({}, plan)).rule, 'mode/plan')
    assert.equal(policy.decide(requestOf({}, { ...plan, effect: 'read' })).rule, 'admin/all')
    assert.equal(policy.decide(requestOf({}, { ...plan, tool: toolOf('peek', { effect: 'read' }) })).rule, 'admin/secret')
  })

  it('makes a question that nobody may be asked a denial that says so, and asks in mode allow', () => {
    const policy = policyOf({ user: 'rules: [{id: q, effect: ask, reason: It costs money.}]' })
    const denied = policy.decide(requestOf({}, { mode: 'deny' }))
    assert.deepEqual([denied.effect, denied.rule, denied.tier], ['deny', 'user/q', 'user'])
    assert.match(denied.reason, /^It costs money\.; .*nobody may be asked/)
    assert.equal(policy.decide(requestOf({}, { mode: 'allow' })).effect, 'ask')
  })

  it('says so when it denies for what cannot be read in one way, and never in the words of strangers', () => {
    const text = 'rules: [{id: k, effect: deny, reason: Keys stay here., when: {path: {paths: keys}}}]'
    const policy = policyOf({ user: text })
    assert.equal(policy.decide(requestOf({ path: 'keys/a' })).reason, 'Keys stay here.')
    assert.match(policy.decide(requestOf({ path: 'docs\\a' })).reason, /^Keys stay here\. \(.*more than one way\)$/)
    const foreign = { ...readPolicyDocument(`version: 1\n${text}`, { tier: 'project' }), trusted: new Set<string>() }
    const decision = new RulePolicy({ documents: [foreign], workspace: '/w' }).decide(requestOf({ path: 'keys/a' }))
    assert.deepEqual([decision.effect, decision.reason], ['deny', 'the project policy denies it'])
  })

  it('never throws: what cannot be decided is denied', () => {
    const broken: ReadCommand = () => {
      throw new Error('reader broke')
    }
    const policy = policyOf(
      { user: 'rules: [{id: c, effect: allow, when: {command: {command: {language: bash, effects: read}}}}]' },
      { commands: { bash: broken } },
    )
    const decision = policy.decide(requestOf({ command: 'ls' }))
    assert.equal(decision.effect, 'deny')
    assert.match(decision.reason, /reader broke/)
  })
})

describe('what a rule is for', () => {
  const decideBy = (rule: string, ...request: Parameters<typeof requestOf>): string =>
    policyOf({ user: `rules: [{id: r, effect: deny, ${rule}}]` }).decide(requestOf(...request)).rule

  it('is said by tools, tags, origins and effects', () => {
    const github = toolOf('mcp__github__create_issue', { origin: { kind: 'mcp', from: 'github' }, tags: ['remote'] })
    for (const rule of ['tools: mcp__github__*', 'tags: [x, remote]', 'origins: "mcp:git*"', 'effects: [write]']) {
      assert.equal(decideBy(rule, {}, { tool: github }), 'user/r', rule)
    }
    for (const rule of ['tools: mcp__git', 'tags: remot', 'origins: "mcp:git"', 'effects: [read, dangerous]']) {
      assert.equal(decideBy(rule, {}, { tool: github }), 'mode/ask', rule)
    }
  })

  it('is said by who calls: roles, users, tenants, attributes', () => {
    const principal = { tenantId: 'acme', userId: 'ann', roles: ['analyst', 'writer'], attributes: { level: 3, team: ['red', 'blue'] } }
    for (const who of [
      'roles: writer',
      'users: [bob, ann]',
      'tenants: acme',
      'attributes: {level: {min: 3}}',
      'attributes: {team: {in: [red]}}',
    ]) {
      assert.equal(decideBy(`who: {${who}}`, {}, { principal }), 'user/r', who)
    }
    for (const who of [
      'roles: admin',
      'users: bob',
      'tenants: other',
      'attributes: {level: {max: 2}}',
      'attributes: {toString: {text: "*"}}',
    ]) {
      assert.equal(decideBy(`who: {${who}}`, {}, { principal }), 'mode/ask', who)
    }
  })

  it('does not include what is excepted', () => {
    const rule = 'tools: "*", except: [{tools: work, who: {roles: boss}}]'
    assert.equal(decideBy(rule, {}), 'user/r')
    assert.equal(decideBy(rule, {}, { principal: { tenantId: 't', userId: 'u', roles: ['boss'] } }), 'mode/ask')
  })

  it('may begin once text of strangers was read', () => {
    const policy = policyOf({ user: 'rules: [{id: all, effect: allow}, {id: after, effect: ask, effects: write, afterUntrusted: true}]' })
    assert.equal(policy.decide(requestOf({})).rule, 'user/all')
    assert.equal(policy.decide(requestOf({}, { untrusted: ['read_page'] })).rule, 'user/after')
  })
})

describe('quantifiers', () => {
  const policy = policyOf({
    user: `rules:
  - {id: give, effect: allow, tools: [give, both], when: {to: {text: ['a*']}}}
  - {id: take, effect: deny, tools: [take, both], when: {to: {text: ['*x']}}}`,
  })
  const rows: readonly (readonly [tool: string, input: JsonObject, rule: string])[] = [
    ['give', { to: 'ab' }, 'user/give'],
    ['give', { to: ['ab', 'ac'] }, 'user/give'],
    ['give', { to: ['ab', ['ac', 'b']] }, 'mode/ask'],
    ['give', { to: [] }, 'mode/ask'],
    ['give', {}, 'mode/ask'],
    ['give', { to: 5 }, 'mode/ask'],
    ['give', { to: ['ab', null] }, 'mode/ask'],
    ['take', { to: ['ab', 'ax'] }, 'user/take'],
    ['take', { to: 'ab' }, 'mode/ask'],
    ['take', {}, 'mode/ask'],
    ['take', { to: [] }, 'mode/ask'],
    ['take', { to: 5 }, 'user/take'],
    ['take', { to: ['ab', {}] }, 'user/take'],
    ['both', { to: ['ab', 'ax'] }, 'user/take'],
  ]
  for (const [tool, input, rule] of rows) {
    it(`${tool} ${JSON.stringify(input)} → ${rule}`, () => assert.equal(policy.decide(requestOf(input, { tool: toolOf(tool) })).rule, rule))
  }

  it('lets an ask that holds for a part stop an allow, but not lift a denial', () => {
    const ask = '{id: q, effect: ask, when: {to: {text: "a*"}}}'
    const mixed = { to: ['ab', 'zz'] }
    const under = (rest: string): string =>
      policyOf({ project: `rules: [${ask}]`, user: rest }).decide(requestOf(mixed, { mode: 'allow' })).rule
    assert.equal(under('default: allow\nrules: []'), 'project/q')
    assert.equal(under('rules: []'), 'project/q')
    assert.equal(under('default: deny\nrules: []'), 'user/default')
    assert.equal(policyOf({ project: `rules: [${ask}, {id: later, effect: allow}]` }).decide(requestOf(mixed)).rule, 'project/later')
  })

  it('looks at what a pointer names, and at own members only', () => {
    const each = policyOf({
      user: 'rules: [{id: give, effect: allow, when: {/items/*/to: {in: [1, 2]}}}, {id: t, effect: deny, when: {/items/*/to: {in: [9]}}}]',
    })
    assert.equal(each.decide(requestOf({ items: [{ to: 1 }, { to: 2 }] })).rule, 'user/give')
    assert.equal(each.decide(requestOf({ items: [{ to: 1 }, {}] })).rule, 'mode/ask')
    assert.equal(each.decide(requestOf({ items: [{}, { to: 9 }] })).rule, 'user/t')
    const odd = policyOf({ user: 'rules: [{id: d, effect: deny, when: {constructor: {not: {in: [a]}}, __proto__: {not: {in: [a]}}}}]' })
    assert.equal(odd.decide(requestOf({})).rule, 'mode/ask')
    const hostile: JsonObject = JSON.parse('{"constructor":"b","__proto__":"b"}')
    assert.equal(odd.decide(requestOf(hostile)).rule, 'user/d')
    const dotted = policyOf({
      user: 'rules: [{id: a, effect: allow, when: {a.b: {in: [1]}}}, {id: p, effect: deny, when: {/a.b: {in: [2]}}}]',
    })
    assert.equal(dotted.decide(requestOf({ a: { b: 1 } })).rule, 'user/a')
    assert.equal(dotted.decide(requestOf({ 'a.b': 1 })).rule, 'mode/ask')
    assert.equal(dotted.decide(requestOf({ 'a.b': 2 })).rule, 'user/p')
  })

  it('compares numbers, sets, whole values, methods, absence and their negation', () => {
    const fits = (condition: string, value: JsonObject[string] | undefined, effect = 'allow'): boolean =>
      policyOf({ user: `rules: [{id: r, effect: ${effect}, when: {x: ${condition}}}]` }).decide(
        requestOf(value === undefined ? {} : { x: value }),
      ).rule === 'user/r'
    assert.ok(fits('{min: 1, max: 3}', 3))
    assert.ok(!fits('{min: 1, max: 3}', 4))
    assert.ok(!fits('{max: 3}', '2'), 'text is no number')
    assert.ok(fits('{max: 3}', '2', 'deny'), 'text is no number')
    assert.ok(fits('{equals: {b: [1], a: null}}', { a: null, b: [1] }))
    assert.ok(!fits('{equals: [1]}', [1, 1]))
    assert.ok(!fits('{equals: 1}', '1', 'deny'))
    assert.ok(fits('{in: [true, 5]}', 5))
    assert.ok(fits('{methods: [get]}', 'GET'))
    assert.ok(!fits('{methods: [get]}', 'GET '))
    assert.ok(fits('{absent: true}', undefined))
    assert.ok(!fits('{absent: true}', 1))
    assert.ok(fits('{in: [a], absent: true}', undefined))
    assert.ok(fits('{in: [a], absent: true}', undefined, 'deny'))
    assert.ok(fits('{not: {in: [prod]}}', ['dev', 'test']))
    assert.ok(!fits('{not: {in: [prod]}}', ['dev', 'prod']))
    assert.ok(fits('{not: {in: [dev]}}', ['dev', 'prod'], 'deny'))
    assert.ok(!fits('{not: {in: [dev]}}', 'dev', 'deny'))
    assert.ok(!fits('{not: {in: [dev]}}', 5), 'not of what nobody can say is not yes')
    assert.ok(fits('{not: {in: [dev]}}', 5, 'deny'))
  })

  it('allows no other arguments where the rule says so', () => {
    const exact = policyOf({ user: 'rules: [{id: r, effect: allow, otherArguments: false, when: {path: {equals: a}}}]' })
    assert.equal(exact.decide(requestOf({ path: 'a' })).effect, 'allow')
    assert.equal(exact.decide(requestOf({ path: 'a', force: true })).effect, 'ask')
  })
})

describe('what is seen', () => {
  it('is everything that some call may do', () => {
    const sees = (rules: string, tool = toolOf('work')): boolean =>
      policyOf({ user: rules }).mayUse({ tenantId: 't', userId: 'u', roles: [] }, tool)
    assert.equal(sees('rules: [{id: d, effect: deny, tools: work}]'), false)
    assert.equal(sees('rules: [{id: d, effect: deny, when: {a: {in: [1]}}}]'), true)
    assert.equal(sees('rules: [{id: d, effect: deny, effects: write}]'), false)
    assert.equal(sees('rules: [{id: d, effect: deny, effects: write}]', toolOf('work', { effect: () => 'write' })), true)
    assert.equal(sees('rules: [{id: d, effect: deny, afterUntrusted: true}]'), true)
    assert.equal(sees('default: deny\nrules: []'), false)
    assert.equal(sees('default: deny\nrules: [{id: a, effect: allow, when: {a: {in: [1]}}}]'), true)
    assert.equal(sees('default: deny\nrules: [{id: a, effect: allow, effects: read}]'), false)
  })

  it('is, for lists of tools by role, what the lists say; and they allow nothing', () => {
    const roles = { analyst: ['sql_query', 'read_*'], admin: ['*'], nobody: [] }
    const policy = new RulePolicy({ documents: [rolesDocument(roles)], workspace: '/w' })
    const mayUse = rolesMayUse(roles)
    for (const given of [[], ['analyst'], ['admin'], ['nobody'], ['analyst', 'nobody'], ['constructor']]) {
      for (const name of ['sql_query', 'read_file', 'write_file']) {
        const principal = { tenantId: 't', userId: 'u', roles: given }
        const tool = toolOf(name)
        assert.equal(policy.mayUse(principal, tool), mayUse(principal, tool), `${given.join()} ${name}`)
        assert.equal(policy.decide(requestOf({}, { principal, tool })).effect, mayUse(principal, tool) ? 'ask' : 'deny')
      }
    }
  })
})

describe('explain', () => {
  it('says of each rule why it did or did not decide', () => {
    const policy = policyOf({
      admin: 'rules: [{id: other, effect: deny, tools: x}, {id: paths, effect: deny, when: {path: {text: "secret*"}}}]',
      user: 'rules: [{id: a, effect: allow, when: {path: {text: "docs*"}}}, {id: q, effect: ask, when: {list: {in: [1]}}}]',
    })
    const { decision, rules, visible } = policy.explain(requestOf({ path: 'docs/a', list: [1, 2] }))
    assert.equal(visible, true)
    assert.equal(decision.rule, 'user/q')
    assert.deepEqual(
      rules.map(({ rule, outcome }) => [rule, outcome]),
      [
        ['admin/paths', 'no'],
        ['admin/other', 'no'],
        ['user/q', 'decides'],
        ['user/a', 'holds'],
      ],
    )
    assert.equal(rules[1]?.why, 'it is for other tools')
    assert.equal(rules[0]?.why, 'the argument path does not fit')
  })
})
