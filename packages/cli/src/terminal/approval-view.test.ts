import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  type AgentTool,
  type ApprovalRequest,
  approvalId,
  callId,
  type Effect,
  type JsonObject,
  type Origin,
  sessionId,
} from '@adjutant/core'
import fc from 'fast-check'
import { approvalView, firstLines } from './approval-view.ts'
import { summarise } from './call-summary.ts'
import { editorCommand, parseEdited } from './edit-arguments.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-view-'))
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\n')
  await symlink('/etc/hostname', join(folder, 'link'))
})
after(() => rm(folder, { recursive: true, force: true }))

function request(
  name: string,
  input: JsonObject,
  effect: Effect = 'write',
  origin: Origin = { kind: 'built-in', from: '' },
): ApprovalRequest {
  const tool: AgentTool = {
    name,
    description: 'd',
    inputSchema: true,
    origin,
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async () => '',
  }
  const call = { id: callId('c'), index: 0, name, arguments: { ok: true, value: input } as const, idFromProvider: true }
  return {
    id: approvalId('p'),
    sessionId: sessionId('s'),
    call: { call, tool, input, conversions: [], effect },
    reason: `${name} changes something`,
  }
}

const signs = async (input: JsonObject, name = 'write_file'): Promise<readonly string[] | undefined> =>
  (await approvalView(request(name, input), folder)).preview?.lines.map((line) => `${line.sign}${line.text}`)

describe('what is shown before an approval', () => {
  it('is the difference that a write would make', async () => {
    assert.deepEqual(await signs({ path: 'a.txt', content: 'one\nthree\n' }), [' one', '-two', '+three'])
    assert.deepEqual(await signs({ path: 'new.txt', content: 'one\n' }), ['+one'])
    assert.deepEqual(await signs({ path: 'a.txt', content: 'one\ntwo\n' }), [' (the same as it is now)'])
    assert.deepEqual(await signs({ path: 'a.txt', old_text: 'two', new_text: 'x' }, 'edit_file'), ['-two', '+x'])
    assert.deepEqual(
      await signs(
        {
          path: 'a.txt',
          edits: [
            { oldText: 'a', newText: 'b' },
            { oldText: 'c', newText: 'd' },
          ],
        },
        'mcp__fs__edit',
      ),
      ['-a', '+b', '-c', '+d'],
    )
  })

  it('reads no file outside the workspace to show a difference', async () => {
    assert.deepEqual(await signs({ path: '../../etc/hostname', content: 'x' }), ['+x'])
    assert.deepEqual(await signs({ path: 'a\u0000.txt', content: 'x' }), ['+x'])
    assert.deepEqual(await signs({ path: 'link', content: 'x' }), ['+x'])
  })

  it('lists every argument it does not preview, and counts what does not fit', async () => {
    const view = await approvalView(
      request('run', { command: 'rm -rf /\nls', deep: { list: [1, 2] } }, 'dangerous', { kind: 'mcp', from: 'box' }),
      folder,
    )
    assert.deepEqual(view.arguments, [
      { name: 'command', lines: ['rm -rf /', 'ls'] },
      { name: 'deep', lines: ['{"list":[1,2]}'] },
    ])
    assert.equal(view.origin, 'mcp: box')
    assert.deepEqual(firstLines([1, 2, 3, 4], 2), { shown: [1, 2], hidden: 2 })
    assert.deepEqual(firstLines([1, 2, 3], 2), { shown: [1, 2, 3], hidden: 0 })
  })

  it('lets no control character of a name, an argument, an origin or a reason through', async () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '\u009b', '\u202e', '\u2066', '\r', '\u0007', '\n', 'a', '"'),
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (name, value, other) => {
        for (const input of [
          { [name]: value, x: [value] },
          { path: name, content: value },
          { path: name, old_text: value, new_text: other },
        ]) {
          const made = request(name, input, 'write', { kind: 'mcp', from: other })
          const said = JSON.stringify(await approvalView({ ...made, reason: value }, folder))
          // In JSON a control character is written as an escape of one backslash; a shown one has two.
          assert.doesNotMatch(said, /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]|(?<!\\)\\(?:u00|[rnbft])/)
          assert.doesNotMatch(summarise({ ok: true, value: input }, 80), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        }
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
