import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { policyOf, requestOf } from '../../../test/policy-words.ts'
import { pathPatternProblem } from './path-patterns.ts'
import type { RulePolicy } from './rule-policy.ts'

let top = ''
let work = ''
before(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'policy-paths-')))
  work = join(top, 'work')
  for (const folder of ['work/docs/deep', 'work/secrets', 'outside/inner', 'etc', 'etcx']) mkdirSync(join(top, folder), { recursive: true })
  for (const file of ['work/docs/a.md', 'outside/inner/f', 'etc/passwd', 'etcx/file']) writeFileSync(join(top, file), '')
  symlinkSync(join(top, 'etc/passwd'), join(work, 'docs/leak'))
  symlinkSync('../../outside', join(work, 'docs/out'))
  symlinkSync('../secrets', join(work, 'docs/hidden'))
  symlinkSync(join(top, 'nothing/there'), join(work, 'docs/dangling'))
  symlinkSync('circle', join(work, 'docs/circle'))
  symlinkSync('docs', join(work, 'alias'))
  symlinkSync(join(top, 'outside/inner'), join(work, 'docs/inner'))
})
after(() => rmSync(top, { recursive: true, force: true }))

const gives = (pattern: string): RulePolicy =>
  policyOf({ user: `rules: [{id: r, effect: allow, when: {path: {paths: ${JSON.stringify(pattern)}}}}]` }, { workspace: work })
const takes = (pattern: string): RulePolicy =>
  policyOf({ user: `rules: [{id: r, effect: deny, when: {path: {paths: ${JSON.stringify(pattern)}}}}]` }, { workspace: work })
const holds = (policy: RulePolicy, path: string): boolean => policy.decide(requestOf({ path })).rule === 'user/r'

describe('paths of a rule that gives', () => {
  it('lie where they really lie', () => {
    const docs = gives('docs/**')
    for (const path of [
      'docs/a.md',
      './docs//deep/../a.md',
      'docs/new/file',
      join(work, 'docs/a.md'),
      'secrets/../docs/a.md',
      'alias/a.md',
    ]) {
      assert.ok(holds(docs, path), path)
    }
    for (const path of ['docs', 'secrets/x', 'docs/../secrets/x', '../work2/docs/a', join(top, 'docs/a'), '', 'docsx/a']) {
      assert.ok(!holds(docs, path), path)
    }
  })

  it('(76) do not lead out through a link to a file', () => assert.ok(!holds(gives('docs/**'), 'docs/leak')))

  it('(77) do not lead out through a linked folder, a file that does not exist yet included', () => {
    for (const path of ['docs/out/new', 'docs/out/new/deeper', 'docs/out/inner/f', 'docs/hidden/new', 'docs/dangling', 'docs/dangling/x']) {
      assert.ok(!holds(gives('docs/**'), path), path)
    }
    assert.ok(!holds(gives('**'), 'docs/out/new'))
    assert.ok(holds(gives('secrets/**'), 'docs/hidden/new'))
  })

  it('lie inside by both ways of undoing ".." behind a link', () => {
    // The text says docs/x, the system goes to outside/x.
    assert.ok(!holds(gives('docs/**'), 'docs/inner/../x'))
    assert.ok(!holds(gives('**'), 'docs/inner/../../etc/passwd'))
    assert.ok(holds(takes(join(top, 'outside')), 'docs/inner/../x'))
    assert.ok(holds(gives('docs/**'), 'docs/deep/../x'))
  })

  it('are no more than one reading has', () => {
    const odd = [
      'docs/circle',
      'docs/a\0b',
      'docs\\a',
      'docs/%2e%2e/x',
      '~/docs/a',
      ' docs/a',
      '"docs/a"',
      'file:docs/a',
      'docs/\u2025/x',
      `docs/${'a'.repeat(300)}`,
      `docs/a.md/below`,
    ]
    const docs = gives('docs/**')
    for (const path of odd.slice(0, -2)) assert.ok(!holds(docs, path), JSON.stringify(path))
    for (const path of odd.slice(0, -2)) assert.ok(holds(takes('nowhere'), path), `${JSON.stringify(path)} is taken`)
  })
})

describe('paths of a rule that takes', () => {
  it('(79) are the folder, what is below it, and not what only begins alike', () => {
    const etc = takes(join(top, 'etc'))
    for (const path of [join(top, 'etc'), join(top, 'etc/passwd'), join(top, 'etc/new/deep'), '../etc/passwd', 'docs/leak']) {
      assert.ok(holds(etc, path), path)
    }
    for (const path of [join(top, 'etcx'), join(top, 'etcx/file'), '../etcx/file', 'docs/a.md', top]) assert.ok(!holds(etc, path), path)
  })

  it('count under the name of a link and under the name of what it leads to', () => {
    for (const path of ['docs/hidden/x', 'secrets/x']) {
      assert.ok(holds(takes('docs/hidden'), path), path)
      assert.ok(holds(takes('secrets/**'), path), path)
    }
    assert.ok(holds(takes('docs/*'), 'docs/deep/below'), 'a folder that is taken is taken with what is in it')
    assert.ok(!holds(gives('docs/*'), 'docs/deep/below'))
  })

  it('are each of a list', () => {
    const policy = takes('secrets')
    assert.equal(policy.decide(requestOf({ path: ['docs/a.md', 'docs/hidden/k'] })).effect, 'deny')
    assert.equal(gives('docs').decide(requestOf({ path: ['docs/a.md', 'docs/leak'] })).effect, 'ask')
  })
})

describe('patterns of paths', () => {
  const rows: readonly (readonly [pattern: string, path: string, fits: boolean])[] = [
    ['**/*.md', 'docs/a.md', true],
    ['**/*.md', 'a.md', true],
    ['docs/**/b', 'docs/b', true],
    ['docs/**/b', 'docs/x/y/b', true],
    ['d?cs/*.m*', 'docs/a.md', true],
    ['*.md', 'docs/a.md', false],
    ['docs', 'docs/new/x', true],
    ['docs/*', 'docs/new/x', false],
    ['.', 'docs/a.md', true],
    ['**/.env', '.env', true],
    ['\\[id\\].ts', '[id].ts', true],
    ['a\\*b', 'axb', false],
  ]
  for (const [pattern, path, fits] of rows)
    it(`${pattern} ${fits ? 'fits' : 'does not fit'} ${path}`, () => assert.equal(holds(gives(pattern), path), fits))

  it('that mean something else than they say are refused', () => {
    for (const pattern of ['{a,b}', 'a[bc]', '../x', '~/x', 'a**', '**a', 'a\0', 'x'.repeat(2_000)])
      assert.ok(pathPatternProblem(pattern), pattern)
  })

  it('never take long', () => {
    const policy = gives(`${'*a'.repeat(200)}/${'**/a/'.repeat(100)}b`)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), (length) => !holds(policy, `${'a'.repeat(length)}/${'a/'.repeat(length)}`)),
      { numRuns: 20 },
    )
  })
})

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('policy: ADJUTANT_MATERIAL is not set; traversal strings from outside were not tried\n')

describe('traversal strings from outside', { skip: material === undefined }, () => {
  it('none is inside the workspace while what it names is not', () => {
    const folder = join(material ?? '', 'security/payloads/Directory Traversal/Intruder')
    const policy = gives('**')
    const denies = takes('/etc')
    let count = 0
    for (const name of ['deep_traversal.txt', 'directory_traversal.txt', 'traversals-8-deep-exotic-encoding.txt']) {
      for (const line of readFileSync(join(folder, name), 'utf8').split(/\r?\n/)) {
        if (line === '') continue
        for (const text of [line, line.replace('{FILE}', 'etc/passwd'), `docs/${line}`, decoded(line)]) {
          count++
          const way = readings(text)
          if (holds(policy, text))
            for (const path of way) assert.ok(`${path}/`.startsWith(`${work}/`), `${JSON.stringify(text)} leads to ${path}`)
          if (way.some((path) => path === '/etc/passwd')) assert.ok(holds(denies, text), JSON.stringify(text))
        }
      }
    }
    assert.ok(count > 1_900 * 4, `${count}`)
  })

  /** What tools are known to make of a text, besides taking it as it is: decode it once or twice, turn backslashes. */
  function readings(text: string): readonly string[] {
    const once = decoded(text)
    const all = new Set([text, once, decoded(once), text.replaceAll('\\', '/'), decoded(once).replaceAll('\\', '/')])
    return [...all].filter((one) => !one.includes('\0')).map((one) => resolved(one))
  }

  function decoded(text: string): string {
    try {
      return decodeURIComponent(text)
    } catch {
      return text
    }
  }

  function resolved(text: string): string {
    const parts: string[] = text.startsWith('/') ? [] : work.split('/').slice(1)
    for (const part of text.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '' && part !== '.') parts.push(part)
    }
    return `/${parts.join('/')}`
  }
})
