import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { AttackBench, type AttackResult } from './attack-bench.ts'
import type { SandboxAttempt } from './attempt.ts'
import { SANDBOX_ATTEMPTS } from './attempts/all.ts'
import { leakyBackend, weakBoxBackend } from './open-box.ts'
import { attackTable } from './table.ts'

async function attackAll(backend: ReturnType<typeof leakyBackend>, attempts: readonly SandboxAttempt[]): Promise<readonly AttackResult[]> {
  await using bench = await AttackBench.open(backend)
  const results: AttackResult[] = []
  for (const attempt of attempts) results.push(await bench.attack(attempt))
  return results
}

describe('the list of attempts', () => {
  it('is long, and each has a name of its own and a proof or a reason', () => {
    assert.ok(SANDBOX_ATTEMPTS.length >= 60)
    assert.equal(new Set(SANDBOX_ATTEMPTS.map((attempt) => attempt.id)).size, SANDBOX_ATTEMPTS.length)
    for (const { id, title, control } of SANDBOX_ATTEMPTS) {
      assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      assert.ok(title.length > 0)
      if (typeof control === 'object') assert.ok(control.none.length > 5, id)
    }
    const proven = SANDBOX_ATTEMPTS.filter((attempt) => typeof attempt.control === 'string').length
    assert.ok(proven >= 60, `${proven} have a control`)
  })

  it('is written down in docs/security.md as it is', async () => {
    const page = await readFile(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \| (\w+) \| ([^|\n]+) \| ([^|\n]+) \|$/gm)].map(([, id, lang, title, proof]) => [
      id,
      lang,
      title,
      proof,
    ])
    const known = SANDBOX_ATTEMPTS.map(({ id, lang, title, control, mayBeRefused }) => {
      const way = typeof control === 'object' ? `none: ${control.none}` : control === 'user' ? 'as a user that nobody is' : 'in a weak box'
      return [id, lang, title, mayBeRefused === true ? `${way}, where the machine lets it` : way]
    })
    const byId = (a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number =>
      String(a[0]).localeCompare(String(b[0]))
    assert.deepEqual(rows.toSorted(byId), known.toSorted(byId))
  })
})

describe('the attack part', { skip: process.platform !== 'linux', timeout: 300_000 }, () => {
  it('sees that a backend which claims everything and holds nothing fails', async (test) => {
    const harmless = SANDBOX_ATTEMPTS.filter((attempt) => attempt.control === 'user')
    const results = await attackAll(leakyBackend(), harmless)
    for (const line of attackTable(leakyBackend(), results)) test.diagnostic(line)
    for (const { attempt, outcome, detail } of results) {
      if (attempt.mayBeRefused !== true) assert.equal(outcome, 'escaped', `${attempt.id}: ${detail}`)
      else assert.notEqual(outcome, 'broken', `${attempt.id}: ${detail}`)
    }
    assert.ok(results.filter((result) => result.outcome === 'escaped').length >= 40)
  })

  for (const resources of [false, true]) {
    it(`sees that a box without ${resources ? 'limits' : 'filters'} fails`, {
      skip: weakBoxBackend() === undefined,
      timeout: 120_000,
    }, async (test) => {
      const backend = weakBoxBackend()
      assert.ok(backend !== undefined)
      const limited = new Set(['memory', 'cpu', 'process-count', 'disk', 'file-count'])
      const results = await attackAll(
        backend,
        SANDBOX_ATTEMPTS.filter((attempt) => attempt.control === 'weak-box' && limited.has(attempt.guarantee) === resources),
      )
      for (const line of attackTable(backend, results)) test.diagnostic(line)
      for (const { attempt, outcome, detail } of results) {
        if (attempt.mayBeRefused !== true) assert.equal(outcome, 'escaped', `${attempt.id}: ${detail}`)
        else assert.notEqual(outcome, 'broken', `${attempt.id}: ${detail}`)
      }
    })
  }

  it('fails, as tests do, one test for each attempt that got out', async () => {
    const suite = new URL('./conformance.ts', import.meta.url).href
    const boxes = new URL('./open-box.ts', import.meta.url).href
    const code = `
      const { sandboxConformance } = await import(${JSON.stringify(suite)})
      const { leakyBackend } = await import(${JSON.stringify(boxes)})
      const ids = ['read-secret', 'loopback-tcp', 'process-list', 'environment-own', 'fork-bomb-of-nobody']
      sandboxConformance('leaky', async () => leakyBackend(), { parts: ['attack'], only: (attempt) => ids.includes(attempt.id) })`
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn(process.execPath, ['--conditions=adjutant-source', '--test-reporter=tap', '--input-type=module', '-e', code], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    assert.equal(exitCode, 1)
    for (const id of ['read-secret', 'loopback-tcp', 'process-list', 'environment-own'])
      assert.match(output, new RegExp(`not ok \\d+ - ${id}`))
    assert.match(output, /# leaky: 0 of 4 attempts held, 0 not made/)
    assert.match(output, /# fail 4/)
  })

  it('asks a backend for nothing that it does not claim, and for no language that it lacks', async () => {
    const modest = { ...bare(), enforces: new Set(['processes'] as const) }
    const results = await attackAll(modest, SANDBOX_ATTEMPTS)
    assert.deepEqual(new Set(results.map((result) => result.outcome)), new Set(['declared-absent', 'no-language']))
  })
})

/** Fails when it is opened: nothing may be asked of it. */
function bare(): ReturnType<typeof leakyBackend> {
  return {
    name: 'modest',
    languages: new Set(['sql'] as const),
    enforces: new Set(),
    probe: () => Promise.resolve({ ok: true, detail: '' }),
    open: () => Promise.reject(new Error('opened')),
    [Symbol.asyncDispose]: async () => {},
  }
}
