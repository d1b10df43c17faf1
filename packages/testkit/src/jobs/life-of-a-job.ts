import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Job, sessionId } from '@adjutant/core/contract'
import { HeldAttempts, JobBench, OBEDIENT, type OpenJobQueue } from './job-bench.ts'

const SESSION = sessionId('s1')

export function lifeOfAJob(make: OpenJobQueue): void {
  it('does a job once and keeps what it gave', async () => {
    await using bench = await JobBench.open(make)
    const payload = { text: 'line one\nline two "quoted" \u2028 🧭', deep: { list: [1, null, true] } }
    const queued = await bench.add({ payload, sessionId: SESSION })
    assert.equal(queued.state, 'queued')
    assert.equal(queued.attempt, 0)
    let times = 0
    bench.queue.work({
      work: async ({ job }) => {
        times += 1
        assert.equal(job.state, 'running')
        assert.equal(job.attempt, 1)
        return { saw: job.payload }
      },
    })
    const ended = await bench.ended(queued)
    assert.equal(ended.state, 'succeeded')
    assert.deepEqual(ended.result, { saw: payload })
    assert.equal(ended.sessionId, SESSION)
    assert.ok(ended.startedAt !== undefined && ended.endedAt !== undefined && ended.endedAt >= ended.startedAt)
    assert.deepEqual(await bench.queue.get('a', queued.id), ended)
    assert.equal(times, 1)
  })

  it('does only kinds that it was given, of all tenants', async () => {
    await using bench = await JobBench.open(make)
    const other = await bench.add({ kind: 'other' })
    const jobs = [await bench.add(), await bench.add({ tenantId: 'b' })]
    bench.queue.work({ work: async () => undefined })
    for (const job of jobs) {
      const ended = await bench.ended(job)
      assert.equal(ended.state, 'succeeded')
      assert.equal('result' in ended, false)
    }
    assert.equal((await bench.queue.get('a', other.id))?.state, 'queued')
  })

  it('refuses what is out of range, naming it', async () => {
    await using bench = await JobBench.open(make)
    for (const wrong of [
      { tenantId: '' },
      { kind: '' },
      { kind: 'a b' },
      { key: '' },
      { key: 'a\u0000b' },
      { group: 'x'.repeat(501) },
      { maxAttempts: 0 },
      { maxAttempts: 21 },
      { maxAttempts: 1.5 },
      { priority: Number.NaN },
      { retryDelayMs: -1 },
      { timeoutMs: 0 },
      { runAt: Number.POSITIVE_INFINITY },
    ]) {
      await assert.rejects(bench.add(wrong), { code: 'USAGE' }, JSON.stringify(wrong))
    }
    await assert.rejects(bench.add({ payload: { text: 'x'.repeat(1_048_577) } }), { code: 'TOO_LARGE' })
    assert.throws(() => bench.queue.work({}), { code: 'USAGE' })
    assert.throws(() => bench.queue.work({ work: OBEDIENT }, { concurrency: 0 }), { code: 'USAGE' })
    assert.throws(() => bench.queue.work({ work: OBEDIENT }, { leaseMs: 1 }), { code: 'USAGE' })
    await assert.rejects(bench.queue.list('a', { limit: 0 }), { code: 'USAGE' })
    await assert.rejects(bench.queue.list('a', { after: 'no cursor' }), { code: 'USAGE' })
    assert.deepEqual(await bench.queue.list('a'), { items: [] })
  })

  it('gives the same job for the same key of the same tenant, also after its end and to several at once', async () => {
    await using bench = await JobBench.open(make)
    const other = await bench.another()
    const job = { tenantId: 'a', kind: 'work', payload: { n: 1 }, key: 'k/1' }
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? bench.queue : other).enqueue({ ...job, payload: { n } })),
    )
    assert.equal(new Set(made.map(({ id }) => id)).size, 1)
    const elsewhere = await bench.queue.enqueue({ ...job, tenantId: 'b' })
    assert.notEqual(elsewhere.id, made[0]?.id)
    let times = 0
    bench.queue.work({
      work: async () => {
        times += 1
        return 'done'
      },
    })
    for (const each of [made[0], elsewhere]) if (each !== undefined) await bench.ended(each)
    const again = await bench.queue.enqueue(job)
    assert.equal(again.id, made[0]?.id)
    assert.equal(again.result, 'done')
    await bench.pass(3_000)
    assert.equal(times, 2)
  })

  it('begins none before its time, and the higher priority first', async () => {
    await using bench = await JobBench.open(make)
    const order: unknown[] = []
    await bench.add({ payload: { name: 'low' }, priority: -1 })
    await bench.add({ payload: { name: 'middle' } })
    await bench.add({ payload: { name: 'later' }, priority: 9, runAt: bench.clock.now() + 20_000 })
    await bench.add({ payload: { name: 'high' }, priority: 5 })
    bench.queue.work({ work: async ({ job }) => void order.push(job.payload.name) }, { concurrency: 1 })
    await bench.until('three were done', () => order.length === 3)
    assert.deepEqual(order, ['high', 'middle', 'low'])
    const begun = bench.clock.now()
    await bench.until('the fourth was done', () => order.length === 4)
    assert.ok(bench.clock.now() > begun)
    assert.equal(order[3], 'later')
  })

  it('ends a queued job that is cancelled, which never starts', async () => {
    await using bench = await JobBench.open(make)
    const job = await bench.add()
    const waiting = bench.queue.settled('a', job.id, { signal: AbortSignal.timeout(60_000) })
    const cancelled = await bench.queue.cancel('a', job.id)
    assert.equal(cancelled.state, 'cancelled')
    bench.queue.work({ work: async () => assert.fail('it started') })
    await bench.pass(2_000)
    assert.deepEqual(await waiting, await bench.queue.get('a', job.id))
    await assert.rejects(bench.queue.cancel('a', job.id), { code: 'CONFLICT', message: /cancelled/ })
    await assert.rejects(bench.queue.cancel('b', job.id), { code: 'NOT_FOUND' })
  })

  it('tells a running job that it is cancelled, also from another node', async () => {
    await using bench = await JobBench.open(make)
    const other = await bench.another()
    bench.queue.work({ work: OBEDIENT })
    for (const queue of [bench.queue, other]) {
      const job = await bench.add({ maxAttempts: 3 })
      await bench.until('it runs', async () => (await bench.queue.get('a', job.id))?.state === 'running')
      assert.equal((await queue.cancel('a', job.id)).cancelling, true)
      const ended = await bench.ended(job)
      assert.equal(ended.state, 'cancelled')
      assert.equal(ended.attempt, 1)
    }
  })

  it('keeps the result of a job that was done before it heard that it was cancelled', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler })
    const job = await bench.add()
    await bench.until('it runs', () => held.begun.length === 1)
    await bench.queue.cancel('a', job.id)
    held.end(0, 'done')
    assert.equal((await bench.ended(job)).result, 'done')
  })

  it('shows progress', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler })
    const job = await bench.add()
    await bench.until('it runs', () => held.begun.length === 1)
    for (let done = 1; done <= 100; done += 1) held.begun[0]?.progress({ current: done, total: 100, message: `${done} of 100` })
    await bench.until('the newest is shown', async () => (await bench.queue.get('a', job.id))?.progress?.current === 100)
    held.end(0)
    await bench.ended(job)
  })

  it('lists the newest first, in pages, of one tenant', async () => {
    await using bench = await JobBench.open(make)
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) {
      const job = await bench.add(n % 2 === 0 ? { sessionId: SESSION } : { kind: 'other' })
      ids.unshift(job.id)
    }
    await bench.add({ tenantId: 'b' })
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await bench.queue.list('a', { limit: 3, ...(after === undefined ? {} : { after }) })
      assert.ok(page.items.length <= 3)
      seen.push(...page.items.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    assert.deepEqual(seen, ids)
    const ofSession = await bench.queue.list('a', { sessionId: SESSION })
    assert.deepEqual(
      ofSession.items.map(({ id }) => id),
      ids.filter((_, n) => n % 2 === 0),
    )
    assert.equal((await bench.queue.list('a', { kind: 'other', state: 'queued' })).items.length, 3)
    assert.equal((await bench.queue.list('a', { state: 'dead' })).items.length, 0)
    const [mine] = ids
    assert.ok(mine !== undefined)
    assert.equal(await bench.queue.get('b', mine), undefined)
  })

  it('tells whoever waits, however the end and the waiting fall together', async () => {
    await using bench = await JobBench.open(make)
    const over = new AbortController()
    const jobs: Job[] = []
    for (let n = 0; n < 12; n += 1) jobs.push(await bench.add({ tenantId: `t${n % 3}`, payload: { n } }))
    let told = 0
    const wait = async (index: number): Promise<void> => {
      const job = jobs[index]
      assert.ok(job !== undefined)
      const ended = await bench.queue.settled(job.tenantId, job.id, { signal: over.signal })
      assert.equal(ended.state, 'succeeded')
      told += 1
    }
    const waiting = jobs.map((_, n) => wait(n))
    bench.queue.work({
      work: async ({ job }) => {
        if (typeof job.payload.n === 'number') waiting.push(wait(job.payload.n))
        return null
      },
    })
    await bench.until('all were told', () => told === 24)
    await Promise.all(waiting)
  })

  it('stops waiting only when it is told to', async () => {
    await using bench = await JobBench.open(make)
    const job = await bench.add()
    const over = new AbortController()
    const waiting = assert.rejects(bench.queue.settled('a', job.id, { signal: over.signal }), /enough/)
    await bench.pass(2_000)
    over.abort(new Error('enough'))
    await waiting
    await assert.rejects(bench.queue.settled('a', 'none', { signal: AbortSignal.timeout(60_000) }), { code: 'NOT_FOUND' })
  })
}
