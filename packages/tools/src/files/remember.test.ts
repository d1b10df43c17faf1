import assert from 'node:assert/strict'
import { readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CallRunner, ResultMemory, systemClock } from '@adjutant/core'
import {
  type AdmittedCall,
  type AgentTool,
  type Clock,
  callId,
  type JsonObject,
  type Question,
  type RawOutcome,
  sessionId,
} from '@adjutant/core/contract'
import { type FileBench, openFileBench } from '../../test/file-bench.ts'
import { createFileTools } from './create-file-tools.ts'

/** The real time, a minute later: files that a test has just written are settled for it. */
const laterClock: Clock = { ...systemClock, now: () => systemClock.now() + 60_000 }

interface Ran {
  readonly text: string
  readonly cached: boolean
}

/** The file tools of one workspace as a session runs them. */
function remembering(bench: FileBench, tools: readonly AgentTool[] = bench.tools, session = 'session_1') {
  const { namespace, principal, traceId, log } = bench.cx
  const id = sessionId(session)
  const host = {
    clock: systemClock,
    sessionId: id,
    traceId,
    principal,
    namespace,
    log,
    progress() {},
    idempotencyKey: (id: string) => id,
    ask: (_id: unknown, question: Question) => bench.cx.ask(question),
  }
  const runner = new CallRunner({ clock: systemClock, random: Math.random, memory: new ResultMemory() })
  const settle = async (name: string, input: JsonObject): Promise<{ readonly outcome: RawOutcome; readonly cached: boolean }> => {
    const tool = tools.find((candidate) => candidate.name === name)
    assert.ok(tool !== undefined && typeof tool.effect === 'string')
    const call = { id: callId('call_1'), index: 0, name, arguments: { ok: true, value: input }, idFromProvider: true } as const
    const admitted: AdmittedCall = { call, tool, input, conversions: [], effect: tool.effect }
    const run = runner.run(admitted, host, 60_000)
    return { outcome: await run.outcome, cached: run.cached }
  }
  return {
    settle,
    async run(name: string, input: JsonObject): Promise<Ran> {
      const { outcome, cached } = await settle(name, input)
      assert.ok(outcome.status === 'succeeded' && typeof outcome.output === 'string', JSON.stringify(outcome))
      return { text: outcome.output, cached }
    },
  }
}

describe('what a session has read of files', () => {
  it('is shown again without reading, page by page', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', 'one\ntwo\n')
    const { run } = remembering(bench)
    const first = await run('read_file', { path: 'a.txt' })
    assert.deepEqual(await run('read_file', { path: 'a.txt' }), { ...first, cached: true })
    assert.equal((await run('read_file', { path: 'a.txt', offset: 2 })).cached, false)
    assert.equal((await run('read_file', { path: 'a.txt', offset: 2 })).cached, true)
  })

  it('is read again after a write of the session, and after a change from outside', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('a.txt', 'one')
    const { run } = remembering(bench)
    await run('read_file', { path: 'a.txt' })
    await run('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })
    assert.deepEqual(await run('read_file', { path: 'a.txt' }), { text: '    1\ttwo', cached: false })
    assert.equal((await run('read_file', { path: 'a.txt' })).cached, true)
    await writeFile(file, 'six')
    assert.deepEqual(await run('read_file', { path: 'a.txt' }), { text: '    1\tsix', cached: false })
    await rm(file)
    assert.equal((await remembering(bench).settle('read_file', { path: 'a.txt' })).outcome.status, 'failed')
  })

  it('follows a link to where it leads now, and a file under its other name', { skip: process.platform === 'win32' }, async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', 'one')
    await bench.put('b.txt', 'two')
    const link = join(bench.root, 'link.txt')
    await symlink('a.txt', link)
    const { run } = remembering(bench)
    await run('read_file', { path: 'link.txt' })
    assert.equal((await run('read_file', { path: 'link.txt' })).cached, true)
    await run('read_file', { path: 'a.txt' })
    await run('write_file', { path: 'a.txt', content: 'new' })
    assert.deepEqual(await run('read_file', { path: 'link.txt' }), { text: '    1\tnew', cached: false })
    await rm(link)
    await symlink('b.txt', link)
    assert.deepEqual(await run('read_file', { path: 'link.txt' }), { text: '    1\ttwo', cached: false })
  })

  it('of a large file rests on its times, and not before they are sure', async () => {
    await using bench = await openFileBench()
    const content = 'x'.repeat(99).concat('\n').repeat(1_000)
    const file = await bench.put('large.txt', content)
    const young = remembering(bench)
    await young.run('read_file', { path: 'large.txt', limit: 2 })
    assert.equal((await young.run('read_file', { path: 'large.txt', limit: 2 })).cached, false)
    const { run } = remembering(bench, createFileTools({ workspace: bench.root, clock: laterClock }))
    await run('read_file', { path: 'large.txt', limit: 2 })
    assert.equal((await run('read_file', { path: 'large.txt', limit: 2 })).cached, true)
    // Another content of the same size, under the same date.
    const date = new Date(1_000_000_000_000)
    await utimes(file, date, date)
    await run('read_file', { path: 'large.txt', limit: 1 })
    await writeFile(file, content.replaceAll('x', 'y'))
    await utimes(file, date, date)
    assert.match((await run('read_file', { path: 'large.txt', limit: 1 })).text, /^ {4}1\ty/)
  })

  it('counts as seen, so that a file read out of memory may be changed', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', 'one')
    const { run, settle } = remembering(bench)
    await run('read_file', { path: 'a.txt' })
    // So many other sessions that this one is forgotten where it is kept what was seen.
    for (let number = 0; number < 300; number += 1) {
      await remembering(bench, bench.tools, `other_${number}`).run('read_file', { path: 'a.txt' })
    }
    const refused = await settle('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })
    assert.ok(refused.outcome.status === 'failed' && refused.outcome.error.code === 'CONFLICT')
    // The refused write made the memory forget it as well: read twice, so that the second comes out of memory.
    await run('read_file', { path: 'a.txt' })
    for (let number = 0; number < 300; number += 1) {
      await remembering(bench, bench.tools, `more_${number}`).run('read_file', { path: 'a.txt' })
    }
    assert.equal((await run('read_file', { path: 'a.txt' })).cached, true)
    await run('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })
    assert.equal(await readFile(join(bench.root, 'a.txt'), 'utf8'), 'two')
  })

  it('does not make a session see what it was not shown', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('a.txt', 'one')
    const { run, settle } = remembering(bench)
    await run('read_file', { path: 'a.txt' })
    await run('read_file', { path: 'a.txt' })
    await writeFile(file, 'one and more')
    const refused = await settle('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })
    assert.ok(refused.outcome.status === 'failed' && refused.outcome.error.code === 'CONFLICT')
  })

  it('of folders is looked at anew each time, and each tool says what it touches', async () => {
    await using bench = await openFileBench()
    await bench.put('src/a.txt', 'one')
    const { run } = remembering(bench)
    for (const [name, input] of [
      ['list_directory', { path: 'src' }],
      ['find_files', { pattern: '*.txt', path: 'src' }],
      ['search_text', { query: 'one', path: 'src' }],
    ] as const) {
      await run(name, input)
      assert.equal((await run(name, input)).cached, false)
      assert.deepEqual(bench.tool(name).resources?.(input), [{ key: `file:${join(bench.root, 'src')}`, mode: 'read' }])
    }
    for (const tool of bench.tools) {
      const claims = tool.resources?.({ path: '.' })
      assert.deepEqual(claims, [{ key: `file:${bench.root}`, mode: tool.effect === 'read' ? 'read' : 'write' }], tool.name)
    }
  })
})
