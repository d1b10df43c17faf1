import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { requestOf, toolOf } from '../../../test/policy-words.ts'
import type { ReadCommand } from '../../contract/command.ts'
import type { JsonObject } from '../../contract/json.ts'
import { loadPolicy, policyPlaces } from './load-policy.ts'
import { addTrust, documentDigests } from './policy-trust.ts'
import { readPolicyDocument } from './read-policy.ts'
import { changeFile } from './replace-file.ts'
import { RulePolicy } from './rule-policy.ts'

let top = ''
let work = ''
let env: Record<string, string> = {}
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'policy-save-'))
  work = join(top, 'work')
  mkdirSync(work)
  env = { HOME: join(top, 'home') }
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const places = (): ReturnType<typeof policyPlaces> => policyPlaces({ workspace: work, env })
const open = (): Promise<RulePolicy> => loadPolicy({ workspace: work, env })

function put(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

describe('keeping an answer', () => {
  for (const tier of ['project', 'user'] as const) {
    it(`in the tier ${tier} makes the file, decides at once and after a new start, and allows nothing beside it`, async () => {
      const policy = await open()
      const version = policy.version
      const input: JsonObject = JSON.parse('{"path":"a.md","list":[1,{"b":null}],"a.b/c*":"x","__proto__":1}')
      await policy.save({ tool: 'work', effect: 'write', input }, tier)
      assert.ok(policy.version > version)
      for (const one of [policy, await open()]) {
        const decision = one.decide(requestOf(input))
        assert.equal(decision.effect, 'allow')
        assert.match(decision.rule, new RegExp(`^${tier}/saved-[0-9a-f]{12}$`))
        assert.equal(one.decide(requestOf({ ...input, path: 'b.md' })).effect, 'ask')
        assert.equal(one.decide(requestOf({ ...input, more: true })).effect, 'ask')
        assert.equal(one.decide(requestOf(input, { effect: 'dangerous' })).effect, 'ask')
        assert.equal(one.decide(requestOf(input, { tool: toolOf('other') })).effect, 'ask')
      }
      assert.equal(statSync(places()[tier]).mode & 0o077, 0)
      assert.deepEqual(
        readdirSync(join(places()[tier], '..')).filter((name) => name !== 'policy.yaml'),
        [],
      )
    })
  }

  it('of a whole tool, once, whatever its arguments', async () => {
    const policy = await open()
    await policy.save({ tool: 'work', effect: 'write' }, 'user')
    await policy.save({ tool: 'work', effect: 'write' }, 'user')
    assert.equal(policy.decide(requestOf({ any: 1 })).effect, 'allow')
    assert.equal(readFileSync(places().user, 'utf8').match(/id: saved-/g)?.length, 1)
  })

  it('keeps comments and order, and is the later word of its tier', async () => {
    const text =
      '# Who: the team.\nversion: 1\n\nrules:\n  # Ask about all.\n  - id: all # every tool\n    effect: ask\n    tools: [ work, "x*" ]\n  - { id: last, effect: deny, tools: y }\n# End.\n'
    put(places().user, text)
    const policy = await open()
    assert.deepEqual(policy.canSave(policy.decide(requestOf({}))), ['project', 'user'])
    await policy.save({ tool: 'work', effect: 'write', input: {} }, 'user')
    const now = readFileSync(places().user, 'utf8')
    for (const piece of [
      '# Who: the team.',
      '# Ask about all.',
      'id: all # every tool',
      '[ work, "x*" ]',
      '{ id: last, effect: deny, tools: y }',
      '# End.',
    ]) {
      assert.ok(now.includes(piece), piece)
    }
    assert.ok(now.indexOf('saved-') > now.indexOf('id: last'))
    assert.equal(policy.decide(requestOf({})).effect, 'allow')
    assert.equal(policy.decide(requestOf({ a: 1 })).effect, 'ask')
  })

  it('is written as JSON into a JSON file', async () => {
    const file = join(top, 'p.json')
    writeFileSync(file, '{"version":1,"rules":[]}')
    const policy = new RulePolicy({ documents: [], workspace: work, files: { user: file } })
    await policy.save({ tool: 'work', effect: 'write', input: { a: 1 } }, 'user')
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).rules[0].tools, 'work')
    assert.equal(policy.decide(requestOf({ a: 1 })).effect, 'allow')
  })

  it('does not touch a broken file, an odd name, a very long call, a tier without a file', async () => {
    put(places().user, 'version: 1\nrules: [{id: a}]\n')
    const policy = new RulePolicy({ documents: [], workspace: work, files: { user: places().user } })
    await assert.rejects(policy.save({ tool: 'work', effect: 'write' }, 'user'), {
      code: 'CONFIG_INVALID',
      message: /policy\.yaml:2:\d+: /,
    })
    assert.equal(readFileSync(places().user, 'utf8'), 'version: 1\nrules: [{id: a}]\n')
    await assert.rejects(policy.save({ tool: 'w*', effect: 'write' }, 'user'), { code: 'CONFIG_INVALID' })
    await assert.rejects(policy.save({ tool: 'work', effect: 'write', input: { a: 'x'.repeat(20_000) } }, 'user'), {
      code: 'CONFIG_INVALID',
    })
    await assert.rejects(policy.save({ tool: 'work', effect: 'write' }, 'project'), { code: 'CONFIG_INVALID' })
  })

  it('waits for its own writers and says CONFLICT to those of another process', async () => {
    const policy = await open()
    await Promise.all([1, 2, 3, 4].map((a) => policy.save({ tool: 'work', effect: 'write', input: { a } }, 'user')))
    assert.equal(policy.documents[0]?.rules.length, 4)
    writeFileSync(`${places().user}.lock`, `1 ${hostname()}\n`)
    await assert.rejects(policy.save({ tool: 'work', effect: 'write' }, 'user'), { code: 'CONFLICT', message: /policy\.yaml\.lock/ })
    writeFileSync(`${places().user}.lock`, `4194304 ${hostname()}\n`)
    await policy.save({ tool: 'work', effect: 'write' }, 'user')
    assert.equal(policy.decide(requestOf({})).effect, 'allow')
  })

  it('leaves what changed while it was written, and says what the file system refuses', async () => {
    const file = join(top, 'x', 'p.yaml')
    put(file, 'old')
    await assert.rejects(
      changeFile(file, () => {
        writeFileSync(file, 'somebody else')
        return 'ours'
      }),
      { code: 'CONFLICT', message: /changed meanwhile/ },
    )
    assert.equal(readFileSync(file, 'utf8'), 'somebody else')
    assert.deepEqual(readdirSync(join(top, 'x')), ['p.yaml'])
    await assert.rejects(
      changeFile(join(file, 'below.yaml'), () => ''),
      { code: 'CONFIG_INVALID', message: /p\.yaml/ },
    )
    put(places().trust, '[]')
    put(places().project, 'version: 1\nrules: []\n')
    await assert.rejects(open(), { code: 'CONFIG_INVALID', message: /policy-trust\.json: this is no list/ })
  })

  it('never follows a link out of the workspace', async () => {
    mkdirSync(join(top, 'home/.config/adjutant'), { recursive: true })
    symlinkSync(join(top, 'home/.config/adjutant'), join(work, '.adjutant'))
    const policy = await open()
    await assert.rejects(policy.save({ tool: 'work', effect: 'write' }, 'project'), { code: 'CONFIG_INVALID', message: /link/ })
    assert.deepEqual(readdirSync(join(top, 'home/.config/adjutant')), [])
  })
})

describe('where an answer can be kept', () => {
  it('is every tier at least as high as the one that asks', async () => {
    put(places().user, 'version: 1\nrules: [{id: u, effect: ask, tools: a}]\n')
    put(places().project, 'version: 1\nrules: [{id: p, effect: ask, tools: b}]\n')
    const policy = await open()
    const admin = readPolicyDocument('version: 1\nrules: [{id: q, effect: ask, tools: c}, {id: d, effect: deny, tools: d}]', {
      tier: 'admin',
    })
    const strict = new RulePolicy({ documents: [admin], workspace: work, files: places() })
    const can = (from: RulePolicy, tool: string): readonly string[] => from.canSave(from.decide(requestOf({}, { tool: toolOf(tool) })))
    assert.deepEqual(can(policy, 'none'), ['project', 'user'])
    assert.deepEqual(can(policy, 'a'), ['project', 'user'])
    assert.deepEqual(can(policy, 'b'), ['project'])
    assert.deepEqual(can(strict, 'c'), [])
    assert.deepEqual(can(strict, 'd'), [])
    assert.deepEqual(policy.canSave({ effect: 'ask', rule: 'pin/changed', tier: 'mode', reason: '' }), [])
    await policy.save({ tool: 'b', effect: 'write' }, 'project')
    assert.equal(policy.decide(requestOf({}, { tool: toolOf('b') })).effect, 'allow')
  })
})

describe('the policy that comes with a workspace', () => {
  const foreign =
    'version: 1\ndefault: allow\nrules:\n  - {id: all, effect: allow}\n  - {id: ask, effect: ask, tools: loud}\n  - {id: no, effect: deny, tools: gone}\n'

  it('makes things stricter and nothing else, until somebody here agrees to it', async () => {
    put(places().user, 'version: 1\nrules: [{id: never, effect: deny, tools: [rm, loud]}, {id: fine, effect: allow, tools: fine}]\n')
    put(places().project, foreign)
    const policy = await open()
    const effect = (tool: string): string => policy.decide(requestOf({}, { tool: toolOf(tool) })).rule
    assert.deepEqual(['rm', 'loud', 'fine', 'gone', 'other'].map(effect), [
      'user/never',
      'user/never',
      'user/fine',
      'project/no',
      'mode/ask',
    ])
    await addTrust(places().trust, places().project, documentDigests(readPolicyDocument(foreign, { tier: 'project' })))
    await policy.reload()
    assert.deepEqual(['rm', 'loud', 'gone', 'other'].map(effect), ['project/all', 'project/ask', 'project/no', 'project/all'])
    // One letter more, and that rule is nobody's.
    put(
      places().project,
      foreign.replace('{id: all, effect: allow}', '{id: all, effect: allow, tools: "*"}').replace('default: allow\n', ''),
    )
    await policy.reload()
    assert.equal(effect('other'), 'mode/ask')
  })

  it('is every policy that lies in the workspace, whatever tier it says it has, and under whatever link', async () => {
    const text = 'version: 1\ntier: admin\nrules: [{id: mine, effect: allow}]\n'
    put(join(work, 'conf/policy.yaml'), text)
    symlinkSync(join(work, 'conf/policy.yaml'), join(top, 'looks-outside.yaml'))
    put(join(top, 'outside.yaml'), text)
    const ruleBy = async (...files: readonly string[]): Promise<string> =>
      (await loadPolicy({ workspace: work, env, files })).decide(requestOf({})).rule
    assert.equal(await ruleBy(join(work, 'conf/policy.yaml')), 'mode/ask')
    assert.equal(await ruleBy(join(top, 'looks-outside.yaml')), 'mode/ask')
    assert.equal(await ruleBy(join(top, 'outside.yaml'), join(top, 'outside.yaml')), 'admin/mine')
    await addTrust(places().trust, join(work, 'conf/policy.yaml'), documentDigests(readPolicyDocument(text)))
    assert.equal(await ruleBy(join(work, 'conf/policy.yaml')), 'admin/mine')
    put(places().project, 'version: 1\nrules: [{id: a, effect: deny}]\n')
    assert.equal(await ruleBy(places().project), 'project/a')
  })

  it('cannot be agreed to from inside the workspace', async () => {
    put(places().project, foreign)
    put(join(work, '.adjutant/policy-trust.json'), '{"version":1,"files":{}}')
    assert.ok(!places().trust.startsWith(work))
    assert.equal((await open()).decide(requestOf({})).rule, 'mode/ask')
    assert.equal((await loadPolicy({ workspace: work, env, trustProject: true })).decide(requestOf({})).rule, 'project/all')
  })
})

describe('loading', () => {
  it('ends with the place of a fault, and a broken reload leaves the rules as they are', async () => {
    put(places().user, 'version: 1\nrules: [{id: n, effect: deny}]\n')
    const policy = await open()
    put(places().user, 'version: 1\nrules: [{id: n, effect: dney}]\n')
    await assert.rejects(open(), { code: 'CONFIG_INVALID', message: /policy\.yaml:2:\d+: rules\.0\.effect must be one of/ })
    const { version } = policy
    await assert.rejects(policy.reload(), { code: 'CONFIG_INVALID' })
    assert.equal(policy.version, version)
    assert.equal(policy.decide(requestOf({})).effect, 'deny')
    put(places().user, 'version: 1\nrules: []\n')
    await policy.reload()
    assert.equal(policy.version, version + 1)
    assert.equal(policy.decide(requestOf({})).effect, 'ask')
  })

  it('opens readers of commands when a rule first needs one', async () => {
    let opened = 0
    const bash: ReadCommand = () => ({
      effect: 'read',
      reasons: [],
      parts: [{ start: 0, end: 2, effect: 'read', reason: '', program: 'ls', words: [] }],
    })
    const policy = await loadPolicy({
      workspace: work,
      env,
      openCommands: async () => {
        opened++
        return { bash }
      },
    })
    assert.equal(opened, 0)
    put(places().user, 'version: 1\nrules: [{id: c, effect: allow, when: {command: {not: {command: {language: bash, programs: rm}}}}}]\n')
    await policy.reload()
    await policy.reload()
    assert.equal(opened, 1)
    assert.equal(policy.decide(requestOf({ command: 'ls' })).rule, 'user/c')
  })

  it('refuses what is no file, no text, not there, or names a rule twice', async () => {
    mkdirSync(places().user, { recursive: true })
    await assert.rejects(open(), { code: 'CONFIG_INVALID', message: /not a regular file/ })
    rmSync(places().user, { recursive: true })
    writeFileSync(places().user, Buffer.from([0xff, 0xfe, 0x00]))
    await assert.rejects(open(), { code: 'CONFIG_INVALID', message: /UTF-8/ })
    rmSync(places().user)
    await assert.rejects(loadPolicy({ workspace: work, env, files: [join(top, 'none.yaml')] }), {
      code: 'CONFIG_INVALID',
      message: /no such file/,
    })
    put(places().user, 'version: 1\nrules: [{id: a, effect: deny}]\n')
    put(join(top, 'more.yaml'), 'version: 1\nrules: [{id: a, effect: ask}]\n')
    await assert.rejects(loadPolicy({ workspace: work, env, files: [join(top, 'more.yaml')] }), {
      code: 'CONFIG_INVALID',
      message: /user\/a/,
    })
  })
})
