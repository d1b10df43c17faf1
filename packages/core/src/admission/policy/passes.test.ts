import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { ToolCall } from '../../contract/call.ts'
import { callId } from '../../contract/ids.ts'
import { LOCAL_PRINCIPAL } from '../../contract/principal.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { Admission } from '../admit.ts'
import { readPolicyDocument } from './read-policy.ts'
import { RulePolicy } from './rule-policy.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-passes-')))
after(() => rmSync(root, { recursive: true, force: true }))
const work = join(root, 'work')
const outside = join(root, 'outside')
for (const folder of [work, outside, join(work, 'docs'), join(work, 'other')]) mkdirSync(folder)
for (const folder of [outside, join(work, 'docs'), join(work, 'other')]) {
  for (const name of ['a.md', 'b.md']) writeFileSync(join(folder, name), '')
}

const RULES = `version: 1
default: deny
rules:
  - { id: docs, effect: allow, tools: read_file, when: { path: { paths: [docs, 'other/*.md'] } } }
`
const policy = new RulePolicy({ documents: [readPolicyDocument(RULES, { tier: 'project' })], workspace: work })
const tool: AgentTool = {
  name: 'read_file',
  description: 'Reads.',
  inputSchema: true,
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: async () => '',
}
const tools = { get: () => tool, names: () => ['read_file'] }
const admission = new Admission({ mode: 'deny', principal: LOCAL_PRINCIPAL, policy })

function callOf(path: string): ToolCall {
  return { id: callId('call'), index: 0, name: tool.name, arguments: { ok: true, value: { path } }, idFromProvider: true }
}

const admitted = (path: string): boolean => admission.admit(callOf(path), tools).type === 'admitted'

/** Judged as one batch. */
function batch(...paths: readonly string[]): readonly boolean[] {
  const answers: boolean[] = []
  admission.together(() => {
    for (const path of paths) answers.push(admitted(path))
  })
  return answers
}

describe('calls that are judged together', () => {
  it('are judged as each of them alone', () => {
    symlinkSync(outside, join(work, 'docs', 'away'))
    symlinkSync(join(outside, 'a.md'), join(work, 'docs', 'link.md'))
    symlinkSync(join(root, 'nowhere'), join(work, 'docs', 'broken'))
    symlinkSync(join(work, 'docs'), join(work, 'inward'))
    const names = fc.constantFrom('docs', 'other', 'inward', 'away', 'link.md', 'broken', 'a.md', 'new.md', '.', '..', '')
    const path = fc.array(names, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
    const absolute = path.map((text) => `${work}/${text}`)
    fc.assert(
      fc.property(fc.array(fc.oneof(path, absolute), { minLength: 1, maxLength: 12 }), (paths) => {
        assert.deepEqual(batch(...paths), paths.map(admitted))
      }),
      { numRuns: 300 },
    )
    assert.deepEqual(batch('docs/a.md', 'docs/new.md', 'docs/deep/new.md', 'inward/a.md', 'other/a.md'), [true, true, true, true, true])
    assert.deepEqual(batch('docs/away/a.md', 'docs/link.md', 'docs/broken', 'docs/broken/a.md', 'other/away'), [
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it('see a folder that was swapped for a link since the batch before', () => {
    const folder = join(work, 'docs')
    const moved = join(root, 'moved')
    assert.deepEqual(batch('docs/a.md', 'docs/b.md'), [true, true])
    renameSync(folder, moved)
    symlinkSync(outside, folder)
    assert.deepEqual(batch('docs/a.md', 'docs/b.md'), [false, false])
    assert.equal(admitted('docs/a.md'), false)
    unlinkSync(folder)
    renameSync(moved, folder)
    assert.deepEqual(batch('docs/a.md', 'docs/b.md'), [true, true])
    // Nor is anything kept for one that is judged alone after them.
    renameSync(folder, moved)
    symlinkSync(outside, folder)
    assert.equal(admitted('docs/a.md'), false)
    unlinkSync(folder)
    renameSync(moved, folder)
  })

  it('see a file that was swapped for a link, also within the batch', () => {
    const file = join(work, 'docs', 'b.md')
    const answers: boolean[] = []
    admission.together(() => {
      answers.push(admitted('docs/b.md'))
      unlinkSync(file)
      symlinkSync(join(outside, 'b.md'), file)
      answers.push(admitted('docs/b.md'))
    })
    assert.deepEqual(answers, [true, false])
    unlinkSync(file)
    writeFileSync(file, '')
  })

  it('are judged together no longer than the work takes, also where it throws', () => {
    assert.throws(() =>
      admission.together(() => {
        assert.ok(admitted('docs/a.md'))
        throw new Error('stopped')
      }),
    )
    const folder = join(work, 'docs')
    renameSync(folder, join(root, 'moved'))
    symlinkSync(outside, folder)
    assert.equal(admitted('docs/a.md'), false)
    unlinkSync(folder)
    renameSync(join(root, 'moved'), folder)
  })
})
