import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../../contract/errors.ts'
import { POLICY_SCHEMA } from './policy-schema.ts'
import { readPolicyDocument } from './read-policy.ts'

function refusal(text: string): string {
  try {
    readPolicyDocument(text, { file: 'p.yaml', tier: 'user' })
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error))
    assert.equal(error.code, 'CONFIG_INVALID')
    return error.message
  }
  throw new Error(`was taken: ${text}`)
}

describe('readPolicyDocument', () => {
  it('reads YAML and JSON alike', () => {
    const yaml = readPolicyDocument('version: 1\ntier: admin\ndefault: deny\nrules:\n  - id: a\n    effect: allow\n    tools: x\n', {
      file: 'p.yaml',
    })
    const json = readPolicyDocument('{"version":1,"tier":"admin","default":"deny","rules":[{"id":"a","effect":"allow","tools":"x"}]}', {
      file: 'p.yaml',
    })
    assert.deepEqual(yaml, json)
    assert.deepEqual(yaml, { tier: 'admin', file: 'p.yaml', default: 'deny', rules: [{ id: 'a', effect: 'allow', tools: 'x' }] })
    assert.equal(readPolicyDocument('version: 1\nrules: []').tier, 'user')
  })

  const rule = (line: string): string => `version: 1\nrules:\n  - id: a\n    effect: deny\n    ${line}\n`
  const rows: readonly (readonly [name: string, text: string, said: RegExp])[] = [
    ['nothing', '', /^p\.yaml:1:1: the policy must be a mapping, not nothing$/],
    ['a list', '- 1', /p\.yaml:1:1: the policy must be a mapping, not a list/],
    ['broken YAML', 'version: 1\nrules: [', /^p\.yaml:2:9: /],
    ['a key twice', 'version: 1\nversion: 1\nrules: []', /^p\.yaml:2:1: .*unique/],
    ['no version', 'rules: []', /p\.yaml:1:1: the policy needs the key "version"/],
    ['another version', 'version: 2\nrules: []', /^p\.yaml:1:10: version must be 1$/],
    ['an unknown key', 'version: 1\nrule: []\nrules: []', /^p\.yaml:2:1: the policy has no key "rule"; did you mean "rules"\?$/],
    ['an unknown key of a rule', rule('tool: x'), /^p\.yaml:5:5: rules\.0 has no key "tool"; did you mean "tools"/],
    [
      'an unknown effect',
      'version: 1\nrules:\n  - id: a\n    effect: block',
      /^p\.yaml:4:13: rules\.0\.effect must be one of "allow", "ask", "deny"$/,
    ],
    ['unknown effects', rule('effects: reads'), /^p\.yaml:5:14: rules\.0\.effects must be one of "read", "write", "dangerous"$/],
    ['an unknown effect in a list', rule('effects: [read, writ]'), /^p\.yaml:5:21: rules\.0\.effects\.1 must be one of/],
    ['a number for text', rule('tools: 5'), /^p\.yaml:5:12: rules\.0\.tools must be text or a list, not a number$/],
    ['an empty list', rule('tools: []'), /^p\.yaml:5:12: rules\.0\.tools is empty/],
    ['an unknown condition', rule('when: {path: {globs: x}}'), /^p\.yaml:5:19: rules\.0\.when\.path has no key "globs"/],
    ['a regular expression', rule('when: {path: {regex: x}}'), /has no key "regex"/],
    ['a bare value', rule('when: {path: docs}'), /^p\.yaml:5:18: rules\.0\.when\.path must be a mapping, not text$/],
    ['a pattern of braces', rule("when: {path: {paths: ['{a,b}']}}"), /^p\.yaml:5:27: "\{a,b\}" holds a bracket or brace/],
    ['a URL as host', rule('when: {url: {hosts: "https://a.com"}}'), /^p\.yaml:5:25: "https:\/\/a\.com" is no host/],
    ['a name of no argument', rule('when: {a..b: {in: [1]}}'), /^p\.yaml:5:12: "a\.\.b" is no name of an argument/],
    ['an impossible range', rule('when: {n: {min: 5, max: 1}}'), /^p\.yaml:5:21: min 5 is greater than max 1/],
    ['an origin of no kind', rule('origins: github'), /^p\.yaml:5:14: "github" is no origin/],
    [
      'an id twice',
      'version: 1\nrules:\n  - {id: a, effect: deny}\n  - {id: a, effect: ask}',
      /^p\.yaml:4:10: the id "a" is there already$/,
    ],
    ['the reserved id', 'version: 1\nrules: [{id: default, effect: deny}]', /^p\.yaml:2:14: "default" is what decisions call/],
    ['an id with odd letters', 'version: 1\nrules: [{id: a/b, effect: deny}]', /^p\.yaml:2:14: rules\.0\.id must be up to 80 letters/],
    ['another tier', 'version: 1\ntier: admin\nrules: []', /^p\.yaml:2:7: tier is admin, and this is the place of the tier user$/],
    ['a condition deep inside', rule('except: [{who: {attributes: {x: {not: {hosts: "a b"}}}}}]'), /"a b" is no host/],
  ]
  for (const [name, text, said] of rows) it(`refuses ${name} and names line and column`, () => assert.match(refusal(text), said))

  it('names all faults at once', () => {
    assert.equal(refusal('version: 2\nrules:\n  - {id: a, effect: x, tols: y}\n').split('; p.yaml:').length, 3)
    assert.match(refusal(`version: 1\nrules:\n${'  - {id: "", effect: x}\n'.repeat(30)}`), /and \d+ more$/)
  })

  it('refuses what is large, deep or full of aliases without taking long', () => {
    assert.match(refusal(`version: 1\n# ${'x'.repeat(2_000_000)}`), /longer than/)
    refusal(`${'['.repeat(20_000)}`)
    refusal(`version: 1\nrules: ${'{when: '.repeat(2_000)}1${'}'.repeat(2_000)}`)
    refusal(
      `a: &a [1,1]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`},`.repeat(9)}]`).join('\n')}`,
    )
  })

  it('never fails in another way, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => rule(text)),
        ),
        (text) => {
          try {
            readPolicyDocument(text)
          } catch (error) {
            assert.ok(AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID', String(error))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the JSON Schema', () => {
  it('is the file that editors read', () => {
    const published: unknown = JSON.parse(readFileSync(new URL('../../../../cli/policy.schema.json', import.meta.url), 'utf8'))
    assert.deepEqual(published, POLICY_SCHEMA)
  })

  it('accepts the policies of the guide', () => {
    const guide = readFileSync(new URL('../../../../../docs/guides/policy.md', import.meta.url), 'utf8')
    const blocks = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
      .map(([, block]) => block ?? '')
      .filter((block) => block.includes('version: 1'))
    assert.ok(blocks.length >= 4)
    for (const block of blocks) readPolicyDocument(block, { file: 'policy.md' })
  })
})
