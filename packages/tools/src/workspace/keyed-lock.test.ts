import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { KeyedLock } from './keyed-lock.ts'

const never = new AbortController().signal

describe('a lock by key', () => {
  it('runs one at a time for a key, in order, and side by side for others (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ key: fc.constantFrom('a', 'b'), fails: fc.boolean(), turns: fc.nat(3) })), async (jobs) => {
        const lock = new KeyedLock()
        const running = new Set<string>()
        const order: Record<string, number[]> = { a: [], b: [] }
        await Promise.allSettled(
          jobs.map(({ key, fails, turns }, index) =>
            lock.run(
              key,
              async () => {
                assert.ok(!running.has(key))
                running.add(key)
                for (let turn = 0; turn < turns; turn += 1) await null
                order[key]?.push(index)
                running.delete(key)
                if (fails) throw new Error('failed')
              },
              never,
            ),
          ),
        )
        for (const key of ['a', 'b']) {
          assert.deepEqual(
            order[key],
            jobs.flatMap((job, index) => (job.key === key ? [index] : [])),
          )
        }
        assert.equal(lock.size, 0)
      }),
      { numRuns: 50 },
    )
  })

  it('lets a waiter leave, and the next have its turn', async () => {
    const lock = new KeyedLock()
    const first = Promise.withResolvers<void>()
    const stop = new AbortController()
    const ran: string[] = []
    const one = lock.run('k', () => first.promise, never)
    const two = lock.run('k', async () => void ran.push('two'), stop.signal)
    const three = lock.run('k', async () => void ran.push('three'), never)
    stop.abort(new Error('stopped'))
    await assert.rejects(two, { message: 'stopped' })
    assert.deepEqual(ran, [])
    first.resolve()
    await Promise.all([one, three])
    assert.deepEqual(ran, ['three'])
    assert.equal(lock.size, 0)
  })
})
