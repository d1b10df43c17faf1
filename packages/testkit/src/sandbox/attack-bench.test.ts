import assert from 'node:assert/strict'
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
})

describe('the attack part', { skip: process.platform !== 'linux', timeout: 110_000 }, () => {
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

  it('sees that a box without limits and filters fails', { skip: weakBoxBackend() === undefined }, async (test) => {
    const backend = weakBoxBackend()
    assert.ok(backend !== undefined)
    const results = await attackAll(
      backend,
      SANDBOX_ATTEMPTS.filter((attempt) => attempt.control === 'weak-box'),
    )
    for (const line of attackTable(backend, results)) test.diagnostic(line)
    for (const { attempt, outcome, detail } of results) {
      if (attempt.mayBeRefused !== true) assert.equal(outcome, 'escaped', `${attempt.id}: ${detail}`)
      else assert.notEqual(outcome, 'broken', `${attempt.id}: ${detail}`)
    }
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
