/** What processes on one store agree on: equal reads are answered, changes make them old, and rates are counted together. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type JsonLine, spawnCommand } from '../../test/run-command.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-guards-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const CONFIG = `
toolLimits:
  find_files: { cacheTtlMs: 3600000, cacheScope: this folder, rate: { calls: 3, perMs: 3600000 } }
`

function decision(name: string, args: unknown): string {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }
  return JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, finish_reason: 'tool_calls', message }] })
}

describe('processes with one store', () => {
  it('answer equal reads of each other until one writes, and count rates together', { timeout: 120_000 }, async () => {
    const workspace = join(folder, 'workspace')
    await mkdir(workspace)
    await writeFile(join(workspace, 'adjutant.yaml'), CONFIG)
    await writeFile(join(workspace, 'a.txt'), 'first\n')
    const exec = async (name: string, args: unknown): Promise<JsonLine> => {
      const { lines, stderr } = await spawnCommand(
        ['exec', '--json', '--approve', 'allow', '--store', join(folder, 'store.db'), '--workspace', workspace],
        { stdin: decision(name, args), cwd: workspace, env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') } },
      )
      const results: unknown = lines.find((line) => line.type === 'results')?.results
      assert.ok(Array.isArray(results) && results.length === 1, stderr)
      return results[0]
    }
    const read = (): Promise<JsonLine> => exec('find_files', { pattern: '*.txt' })
    const first = await read()
    assert.match(String(first.text), /a\.txt/)
    assert.equal(first.cached, undefined)
    const second = await read()
    assert.deepEqual([second.text, second.cached], [first.text, true])
    assert.equal((await exec('write_file', { path: 'b.txt', content: 'second\n' })).isError, false)
    const third = await read()
    assert.match(String(third.text), /b\.txt/)
    assert.equal(third.cached, undefined)
    const fourth = await read()
    assert.equal(fourth.code, 'RATE_LIMITED', JSON.stringify(fourth))
  })
})
