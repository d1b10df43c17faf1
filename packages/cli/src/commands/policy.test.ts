import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain } from '../../test/run-command.ts'

let top = ''
let work = ''
before(async () => {
  top = await mkdtemp(join(tmpdir(), 'cli-policy-'))
  work = join(top, 'work')
  await put('work/adjutant.yaml', 'tools:\n  builtin: [read_file, write_file]\n')
  await put('work/docs/a.md', '')
  await put(
    'home/.config/adjutant/policy.yaml',
    `version: 1
rules:
  - { id: docs, effect: allow, tools: write_file, when: { path: { paths: docs/** } } }
  - { id: secrets, effect: deny, reason: Secrets stay here., when: { path: { paths: docs/secrets } } }
  - { id: gone, effect: deny, tools: hidden }
`,
  )
  await put(
    'work/.adjutant/policy.yaml',
    'version: 1\nrules:\n  - { id: all, effect: allow }\n  - { id: loud, effect: ask, tools: wirte_file }\n',
  )
})
after(() => rm(top, { recursive: true, force: true }))

async function put(path: string, content: string): Promise<string> {
  const file = join(top, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}

const policy = (...args: readonly string[]): Promise<CommandResult> =>
  runMain(['policy', ...args], { cwd: work, env: { HOME: join(top, 'home') } })

function documentOf({ lines }: CommandResult): Readonly<Record<string, unknown>> {
  assert.equal(lines.length, 1)
  return lines[0] ?? {}
}

describe('policy check', () => {
  it('lists the rules of the usual places, and what nobody agreed to', async () => {
    const { code, stdout, stderr } = await policy('check')
    assert.equal(code, 0)
    assert.match(stdout, /^project {2}\S+\.adjutant\/policy\.yaml {2}2 rules$/m)
    assert.match(stdout, /^allow +project\/all +not agreed to +all tools$/m)
    assert.match(stdout, /^deny +user\/secrets +all tools · path \{"paths":"docs\/secrets"\}$/m)
    assert.match(stderr, /\/etc\/adjutant\/policy\.yaml is not there/)
    assert.match(stderr, /Nobody agreed to 2 rules: until then they only make stricter/)
  })

  it('gives one document with --json, and notes patterns that fit no tool', async () => {
    const found = documentOf(await policy('check', '--json', '--config', 'adjutant.yaml'))
    assert.match(JSON.stringify(found.documents), /"tier":"project","rules":\[\{"id":"all","effect":"allow","trusted":false\}/)
    assert.match(JSON.stringify(found.notes), /project\/loud: no tool is called \\"wirte_file\\"; did you mean write_file/)
  })

  it('ends with 2 at a fault, naming file, line and column of each', async () => {
    const one = await put('work/one.yaml', 'version: 1\nrules:\n  - id: a\n    effect: alow\n')
    const two = await put('work/two.yaml', 'version: 1\nruels: []\n')
    const { code, stderr, stdout } = await policy('check', one, two, 'none.yaml')
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /one\.yaml:4:13: rules\.0\.effect must be one of/)
    assert.match(stderr, /two\.yaml:2:1: the policy has no key "ruels"; did you mean "rules"/)
    assert.match(stderr, /none\.yaml: there is no such file/)
  })
})

describe('policy explain', () => {
  it('says the decision, its rule, and why each other rule did not decide', async () => {
    const { code, stdout, stderr } = await policy('explain', '--tool', 'write_file', '--input', '{"path":"docs/a.md"}')
    assert.equal(code, 0)
    assert.match(
      stdout,
      /^allow: the user policy allows it\n\nby: {4}user\/docs\ncall: {2}write_file \(write\), mode ask, no roles\nseen: {2}yes\n/,
    )
    assert.match(stdout, /^decides +allow +user\/docs +it fits: path$/m)
    assert.match(stdout, /^no +deny +user\/secrets +the argument path does not fit$/m)
    assert.match(stderr, /2 rules are for other tools/)
  })

  it('takes what the call is by options', async () => {
    const effectOf = async (...args: readonly string[]): Promise<unknown> => {
      const { decision, visible } = documentOf(await policy('explain', '--json', ...args))
      return JSON.stringify([decision, visible])
    }
    assert.match(
      String(await effectOf('--tool', 'write_file', '--input', '{"path":"docs/secrets/k"}')),
      /"deny","rule":"user\/secrets".*Secrets stay here\..*,true/,
    )
    assert.match(
      String(await effectOf('--tool', 'write_file', '--input', '{"path":"docs/a"}', '--mode', 'plan')),
      /"deny","rule":"mode\/plan"/,
    )
    assert.match(String(await effectOf('--tool', 'hidden', '--effect', 'read')), /"deny","rule":"user\/gone".*,false/)
    assert.match(String(await effectOf('--tool', 'elsewhere', '--effect', 'write', '--mode', 'allow')), /"allow","rule":"mode\/allow"/)
    const only = await put('work/only.yaml', 'version: 1\nrules: [{id: r, effect: deny, who: {roles: guest}}]\n')
    assert.match(String(await effectOf('--tool', 'read_file', '--policy', only, '--only', '--role', 'guest')), /user\/r.*,false/)
    assert.match(String(await effectOf('--tool', 'read_file', '--policy', only, '--only', '--role', 'host')), /mode\/ask.*,true/)
  })

  it('reads what commands do', async () => {
    const file = await put(
      'work/commands.yaml',
      `version: 1
rules:
  - { id: look, effect: allow, when: { command: { command: { language: bash, run: ['git log **', ls] } } } }
  - { id: no-rm, effect: deny, when: { command: { command: { language: bash, programs: rm } } } }
  - { id: no-writes, effect: deny, when: { sql: { command: { language: 'sql:postgresql', effects: [write, dangerous] } } } }
`,
    )
    for (const [input, rule] of [
      [{ command: 'git log -3; ls' }, 'user/look'],
      [{ command: 'git log -3; make' }, 'mode/ask'],
      [{ command: 'timeout 5 git log 2>/dev/null' }, 'user/look'],
      [{ command: './git log' }, 'mode/ask'],
      [{ command: 'sudo git log' }, 'mode/ask'],
      [{ command: 'git log > notes' }, 'mode/ask'],
      [{ command: 'git log $(rm x)' }, 'user/no-rm'],
      [{ command: 'ls | xargs sudo rm -f' }, 'user/no-rm'],
      [{ sql: 'SELECT 1' }, 'mode/ask'],
      [{ sql: 'SELECT 1; DROP TABLE a' }, 'user/no-writes'],
    ] as const) {
      const found = await policy(
        'explain',
        '--json',
        '--only',
        '--policy',
        file,
        '--tool',
        'x',
        '--effect',
        'write',
        '--input',
        JSON.stringify(input),
      )
      assert.match(JSON.stringify(documentOf(found).decision), new RegExp(`"rule":"${rule}"`), JSON.stringify(input))
    }
  })

  it('says what is wrong with the call', async () => {
    const unknown = await policy('explain', '--tool', 'wirte_file')
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /there is no tool "wirte_file"[\s\S]*write_file[\s\S]*--effect/)
    for (const input of ['{', '[]', '5']) {
      const { code, stderr } = await policy('explain', '--tool', 'write_file', '--input', input)
      assert.equal(code, 2)
      assert.match(stderr, /--input is no JSON/)
    }
    assert.equal((await policy('explain')).code, 2)
    assert.equal((await policy('explain', '--tool', 'x', '--mode', 'maybe')).code, 2)
  })
})

describe('policy test', () => {
  const cases = `cases:
  - { name: docs, tool: write_file, input: { path: docs/a.md }, expect: allow, rule: user/docs }
  - { name: secrets, tool: write_file, input: { path: docs/secrets/../secrets/k }, expect: deny, visible: true }
  - { name: elsewhere, tool: other, effect: dangerous, mode: deny, expect: deny, rule: mode/deny }
  - { tool: hidden, effect: read, expect: deny, visible: false }
`

  it('passes with 0', async () => {
    const { code, stdout, stderr } = await policy('test', await put('work/good.yaml', cases))
    assert.equal(code, 0)
    assert.equal(stdout.match(/^pass /gm)?.length, 4)
    assert.match(stdout, /^pass +case 4 +hidden +deny +user\/gone$/m)
    assert.match(stderr, /4 passed, 0 failed/)
  })

  it('ends with 1 when one differs, and says how', async () => {
    const file = await put(
      'work/bad.yaml',
      cases.replace('expect: allow', 'expect: ask').replace('visible: false', 'visible: true').replace('mode/deny', 'mode/ask'),
    )
    const { code, stdout, stderr } = await policy('test', file)
    assert.equal(code, 1)
    assert.match(stdout, /^FAIL +docs +write_file +allow +user\/docs +expected ask$/m)
    assert.match(stdout, /^FAIL +elsewhere .* expected by mode\/ask$/m)
    assert.match(stdout, /^FAIL +case 4 .* expected to be seen$/m)
    assert.match(stderr, /1 passed, 3 failed/)
    const { passed, failed } = documentOf(await policy('test', file, '--json'))
    assert.deepEqual([passed, failed], [1, 3])
  })

  it('ends with 2 at a fault in the table, with its place', async () => {
    for (const [text, said] of [
      ['cases:\n  - {tool: a}\n', /:2:5: cases\.0 must have required property 'expect'/],
      ['cases:\n  - {tool: a, expect: maybe}\n', /:2:23: cases\.0\.expect must be one of allow, ask, deny/],
      ['cases:\n  - {tool: a, expect: ask, inptu: {}}\n', /:2:28: cases\.0 has no key "inptu"; did you mean input\?/],
      ['cases:\n  - {tool: a, expect: ask}\n', /:2:5: there is no tool "a", and the case says no effect/],
      ['cases: []\n', /cases/],
    ] as const) {
      const { code, stderr } = await policy('test', await put('work/wrong.yaml', text))
      assert.equal(code, 2, text)
      assert.match(stderr, said)
    }
  })
})

describe('policy trust', () => {
  it('agrees to the rules as they are, outside of the workspace', async () => {
    const call = ['explain', '--json', '--tool', 'read_file'] as const
    const ruleOf = async (): Promise<unknown> => documentOf(await policy(...call)).decision
    assert.match(JSON.stringify(await ruleOf()), /mode\/ask/)
    const { code, stdout, stderr } = await policy('trust')
    assert.equal(code, 0)
    assert.match(stdout, /^allow {2}all {3}all tools$/m)
    assert.match(
      stderr,
      /Agreed to 2 rules, which stand above your own rules: noted in .*home\/\.local\/state\/adjutant\/policy-trust\.json/,
    )
    assert.match(JSON.stringify(await ruleOf()), /project\/all/)
    assert.deepEqual(documentOf(await policy('trust', '--json')).agreed, [])
    await put('work/.adjutant/policy.yaml', 'version: 1\nrules:\n  - { id: all, effect: allow, reason: Changed. }\n')
    assert.match(JSON.stringify(await ruleOf()), /mode\/ask/)
    assert.equal((await policy('trust', '--workspace', top)).code, 1)
    const other = await put('work/other.yaml', 'version: 1\nrules: [{ id: o, effect: ask }]\n')
    assert.match((await policy('check', other)).stderr, /Nobody agreed to 1 rule/)
    assert.deepEqual(documentOf(await policy('trust', 'other.yaml', '--json')).agreed, ['o'])
    assert.equal((await policy('check', other)).stderr, '')
    assert.ok((await readFile(join(top, 'home/.local/state/adjutant/policy-trust.json'), 'utf8')).includes('sha256:'))
  })
})

describe('policy', () => {
  it('has help with an example for each verb', async () => {
    for (const verb of [[], ['check'], ['explain'], ['test'], ['trust']]) {
      const { code, stdout } = await policy(...verb, '--help')
      assert.equal(code, 0)
      assert.match(stdout, /Example[\s\S]*\n {2}adjutant policy/)
    }
    assert.equal((await policy()).code, 2)
  })
})
