import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ApprovalRequest, ArgumentMark, JsonObject } from '@adjutant/core'
import fc from 'fast-check'
import { type ExampleRequest, exampleCall, exampleRequest } from '../../test/approval-example.ts'
import { type ApprovalView, approvalView } from './approval-view.ts'
import { summarise } from './call-summary.ts'
import { editorCommand, parseEdited } from './edit-arguments.ts'
import { rowText } from './rows.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-view-'))
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\n')
  await symlink('/etc/hostname', join(folder, 'link'))
})
after(() => rm(folder, { recursive: true, force: true }))

const look = (request: ApprovalRequest): Promise<ApprovalView> => approvalView(request, { workspace: folder, env: { HOME: '/home/x' } })
const view = (given: ExampleRequest): Promise<ApprovalView> => look(exampleRequest({ effect: 'write', ...given }))

const signs = async (input: JsonObject, name = 'write_file'): Promise<readonly string[] | undefined> =>
  (await view({ name, input })).preview?.lines.map((line) => `${line.sign}${line.text}`)

const listed = ({ arguments: args }: Pick<ApprovalView, 'arguments'>): unknown =>
  args.map(({ name, brief }) => [name, ...brief.lines.map(rowText)])

describe('a secret in the arguments', () => {
  it('is not shown, in the arguments and in what would change', async () => {
    const secret = 'hunter2-hunter2'
    const given = exampleRequest({ input: { path: 'a.txt', content: `key ${secret}`, note: secret } })
    const view = await look({ ...given, shown: { path: 'a.txt', content: 'key [secret removed]', note: '[secret removed]' } })
    const all = JSON.stringify(view)
    assert.ok(!all.includes(secret))
    assert.match(all, /\[secret removed\]/)
  })
})

describe('what is shown before an approval', () => {
  it('is the difference that a write would make', async () => {
    assert.deepEqual(await signs({ path: 'a.txt', content: 'one\nthree\n' }), [' one', '-two', '+three'])
    assert.deepEqual(await signs({ path: 'new.txt', content: 'one\n' }), ['+one'])
    assert.deepEqual(await signs({ path: 'a.txt', content: 'one\ntwo\n' }), [' (the same as it is now)'])
    assert.deepEqual(await signs({ path: 'a.txt', old_text: 'two', new_text: 'x' }, 'edit_file'), ['-two', '+x'])
    const edits = [
      { oldText: 'a', newText: 'b' },
      { oldText: 'c', newText: 'd' },
    ]
    assert.deepEqual(await signs({ path: 'a.txt', edits }, 'mcp__fs__edit'), ['-a', '+b', '-c', '+d'])
  })

  it('lists what an edit says beside its texts, as the difference does not show it', async () => {
    const edits = [{ oldText: 'a', newText: 'b', everywhere: true }]
    assert.deepEqual(listed(await view({ input: { path: 'a.txt', edits } })), [
      ['edits', '[{"oldText":"a","newText":"b","everywhere":true}]'],
    ])
    assert.deepEqual(listed(await view({ input: { path: ['x'], old_text: 'a', new_text: 'b' } })), [['path', '["x"]']])
  })

  it('reads no file outside the workspace to show a difference', async () => {
    assert.deepEqual(await signs({ path: '../../etc/hostname', content: 'x' }), ['+x'])
    assert.deepEqual(await signs({ path: 'a\u0000.txt', content: 'x' }), ['+x'])
    assert.deepEqual(await signs({ path: 'link', content: 'x' }), ['+x'])
    assert.deepEqual(await signs({ path: '.', content: 'x' }), ['+x'])
  })

  it('lists every argument it does not preview, the rule that asks, and what was made of the arguments', async () => {
    const shown = await view({
      name: 'run',
      input: { command: 'rm -rf /\nls', deep: { list: [1, 2] } },
      effect: 'dangerous',
      origin: { kind: 'mcp', from: 'box' },
      reason: 'because',
      decision: { effect: 'ask', rule: 'user/careful', tier: 'user', reason: 'because' },
      conversions: [{ path: '/limit', from: '"3"', to: '3', rule: 'string → integer' }],
      repairs: [{ rule: 'trailing-comma', at: 3, note: 'left out the comma before "}"' }],
    })
    assert.deepEqual(listed(shown), [
      ['command', 'rm -rf /', 'ls'],
      ['deep', '{"list":[1,2]}'],
    ])
    assert.deepEqual([shown.origin, shown.rule, shown.reason], ['mcp: box', 'user/careful', 'because'])
    assert.deepEqual(shown.changes, ['repaired: left out the comma before "}"', 'converted /limit: "3" → 3 (string → integer)'])
  })

  it('marks the argument that the tool marks, deep down as well, whatever else the tool gives', async () => {
    const mark = (path: string, start: number, end: number): ArgumentMark => ({ path, start, end, effect: 'dangerous', reason: 'r' })
    const pointed = async (input: JsonObject, marks: () => readonly ArgumentMark[]): Promise<unknown> =>
      (await view({ effect: 'dangerous', input, marks })).arguments.map(({ name, brief }) => [
        name,
        brief.lines.flatMap((line) => line.filter((part) => part.mark !== undefined).map((part) => part.text)),
      ])
    assert.deepEqual(await pointed({ command: 'ls; rm x' }, () => [mark('/command', 4, 8)]), [['command', ['rm x']]])
    assert.deepEqual(await pointed({ 'a/b~': 'rm' }, () => [mark('/a~1b~0', 0, 2)]), [['a/b~', ['rm']]])
    assert.deepEqual(await pointed({ steps: [{ run: 'rm' }] }, () => [mark('/steps/0/run', 0, 2)]), [
      ['steps', []],
      ['steps.0.run', ['rm']],
    ])
    // A change that is shown as a difference is listed as well once something in it is marked.
    assert.deepEqual(await pointed({ path: 'p', content: 'rm x' }, () => [mark('/content', 0, 2)]), [['content', ['rm']]])
    assert.deepEqual(await pointed({ n: 3 }, () => [mark('/n', 0, 1), mark('/gone', 0, 1), mark('', 0, 1)]), [['n', []]])
    assert.deepEqual(
      await pointed({ command: 'rm' }, () => {
        throw new Error('broken tool')
      }),
      [['command', []]],
    )
    assert.deepEqual(await pointed({ command: 'rm' }, () => JSON.parse('{"not":"a list"}')), [['command', []]])
    assert.deepEqual(await pointed({ command: 'rm' }, () => JSON.parse('[null,1,{"path":7}]')), [['command', []]])
  })

  it('says which rule an answer for always writes, and into which file', async () => {
    const request = exampleRequest({ input: { command: 'make', cwd: '.' }, saveTo: ['project', 'user'] })
    const { saves } = await approvalView(request, { workspace: '/work/x', env: { XDG_CONFIG_HOME: '/conf' } })
    assert.deepEqual(
      saves.map(({ of, tier, file }) => [of, tier, file]),
      [
        ['call', 'project', '/work/x/.adjutant/policy.yaml'],
        ['tool', 'project', '/work/x/.adjutant/policy.yaml'],
        ['call', 'user', '/conf/adjutant/policy.yaml'],
        ['tool', 'user', '/conf/adjutant/policy.yaml'],
      ],
    )
    assert.equal(saves[0]?.rule, 'allow run_shell, effect dangerous, with command, cwd exactly as shown, and no other argument')
    assert.equal(saves[1]?.rule, 'allow run_shell, effect dangerous, whatever its arguments')
    assert.deepEqual((await view({})).saves, [])
    // Arguments that are too long for a rule cannot be kept.
    const long = await view({ input: { command: 'x'.repeat(16_001) }, saveTo: ['user'] })
    assert.deepEqual(
      long.saves.map(({ of }) => of),
      ['tool'],
    )
  })

  it('shows every call that matches, and which of them are the same', async () => {
    const shown = await view({
      matching: [exampleCall({ id: 'b', input: { command: 'rm -rf build' } }), exampleCall({ id: 'c', input: { command: 'rm c' } })],
      identical: ['b'],
    })
    assert.deepEqual([shown.identical, shown.others], [1, 2])
    assert.deepEqual(
      shown.matching().map((match) => [match.id, match.identical, listed(match)]),
      [
        ['b', true, [['command', 'rm -rf build']]],
        ['c', false, [['command', 'rm c']]],
      ],
    )
  })

  it('lets no control character of a summary through', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '\u009b', '\u202e', '\u2066', '\r', '\u0007', '\n', 'a', '"'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(hostile, hostile, (name, value) => {
        assert.doesNotMatch(summarise({ ok: true, value: { [name]: value, x: [value] } }, 80), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      }),
      { numRuns: 200 },
    )
  })
})

describe('edited arguments', () => {
  it('must be one JSON object', () => {
    assert.deepEqual(parseEdited('{"a":1}\n'), { ok: true, input: { a: 1 } })
    for (const text of ['', '[1]', '"x"', 'null', '{"a":']) assert.equal(parseEdited(text).ok, false, text)
  })

  it('come from VISUAL, then EDITOR, with their arguments', () => {
    assert.deepEqual(editorCommand({ VISUAL: 'code --wait', EDITOR: 'vi' }), ['code', '--wait'])
    assert.deepEqual(editorCommand({ VISUAL: ' ', EDITOR: 'vi' }), ['vi'])
    assert.equal(editorCommand({ EDITOR: '' }), undefined)
  })
})
