import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JobContext } from '@adjutant/core/contract'
import { HeldAttempts, JobBench, type OpenJobQueue } from './job-bench.ts'

/** Loads of work that are unlike each other: how many jobs each group of each tenant has. */
const LOADS: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[] = [
  { a: { a: 12 }, b: { b: 3 } },
  { a: { x: 9, y: 1, z: 4 }, b: { b: 6 }, c: { c: 2 } },
  { z: { z: 8 }, a: { only: 8 }, m: { p: 1, q: 1, r: 1, s: 1, t: 1, u: 1 } },
]

export function takingTurns(make: OpenJobQueue): void {
  for (const [index, load] of LOADS.entries()) {
    it(`lets nobody wait while others have turn after turn (load ${index + 1})`, async () => {
      await using bench = await JobBench.open(make)
      for (const [tenantId, groups] of Object.entries(load)) {
        for (const [group, count] of Object.entries(groups)) {
          for (let n = 0; n < count; n += 1) await bench.add({ tenantId, group })
        }
      }
      const total = Object.values(load)
        .flatMap((groups) => Object.values(groups))
        .reduce((sum, count) => sum + count, 0)
      const turns: { readonly tenant: string; readonly group: string }[] = []
      bench.queue.work(
        { work: async ({ job }) => void turns.push({ tenant: job.tenantId, group: job.group ?? job.tenantId }) },
        { concurrency: 1 },
      )
      await bench.until('all are done', () => turns.length === total)
      assertFair(
        turns.map(({ tenant }) => tenant),
        'tenants',
      )
      for (const tenant of Object.keys(load)) {
        assertFair(
          turns.filter((turn) => turn.tenant === tenant).map(({ group }) => group),
          `groups of ${tenant}`,
        )
      }
    })
  }

  it('orders jobs of several kinds within their group, and takes turns between groups all the same', async () => {
    await using bench = await JobBench.open(make)
    const order: unknown[] = []
    for (const [kind, group, priority, name] of [
      ['one', 'g', 0, 'g3'],
      ['two', 'g', 5, 'g1'],
      ['three', 'g', 2, 'g2'],
      ['two', 'h', -9, 'h2'],
      ['three', 'h', -8, 'h1'],
      ['other', 'a', 99, 'never'],
    ] as const) {
      await bench.add({ kind, group, priority, payload: { name } })
    }
    const note = async ({ job }: JobContext): Promise<undefined> => void order.push(job.payload.name)
    bench.queue.work({ one: note, two: note, three: note }, { concurrency: 1 })
    await bench.until('five are done', () => order.length === 5)
    assert.deepEqual(order, ['g1', 'h1', 'g2', 'h2', 'g3'])
  })

  it('runs no more of one group at once than it may, over all workers', async () => {
    await using bench = await JobBench.open(make)
    const other = await bench.another()
    for (let n = 0; n < 6; n += 1) await bench.add({ group: n % 2 === 0 ? 'even' : 'odd' })
    let [most, done] = [0, 0]
    const running = new Map<string, number>()
    const held = new HeldAttempts()
    for (const queue of [bench.queue, other]) {
      queue.work(
        {
          work: async (context) => {
            const { group = '' } = context.job
            running.set(group, (running.get(group) ?? 0) + 1)
            most = Math.max(most, running.get(group) ?? 0)
            await held.handler(context)
            running.set(group, (running.get(group) ?? 0) - 1)
            done += 1
            return null
          },
        },
        { concurrency: 4, perGroup: 1 },
      )
    }
    let ended = 0
    await bench.until('one of each group runs', () => held.begun.length === 2)
    await bench.pass(2_000)
    assert.equal(held.begun.length, 2)
    await bench.until('all are done', () => {
      while (ended < held.begun.length) held.end(ended++)
      return done === 6
    })
    assert.equal(most, 1)
  })

  it('does each of many jobs once, on several nodes at once', async () => {
    await using bench = await JobBench.open(make)
    const nodes = [bench.queue, await bench.another(), await bench.another()]
    const times = new Map<string, number>()
    for (const node of nodes) {
      node.work({
        work: async ({ job }) => {
          times.set(job.id, (times.get(job.id) ?? 0) + 1)
          return job.id
        },
      })
    }
    const jobs = []
    for (let n = 0; n < 45; n += 1) {
      const node = nodes[n % nodes.length]
      assert.ok(node !== undefined)
      jobs.push(await node.enqueue({ tenantId: `t${n % 4}`, kind: 'work', payload: {} }))
    }
    for (const job of jobs) assert.equal((await bench.ended(job)).result, job.id)
    assert.equal(times.size, jobs.length)
    assert.deepEqual([...new Set(times.values())], [1])
  })
}

/** Between two turns of one, everybody who still had something to do has had a turn. */
function assertFair(turns: readonly string[], what: string): void {
  const lastOf = new Map(turns.map((who, index) => [who, index]))
  for (const [index, who] of turns.entries()) {
    const next = turns.indexOf(who, index + 1)
    if (next === -1) continue
    const between = new Set(turns.slice(index + 1, next))
    for (const [other, last] of lastOf) {
      if (other !== who && last > next)
        assert.ok(between.has(other), `${what}: ${other} waits while ${who} has two turns in ${turns.join(' ')}`)
    }
  }
}
