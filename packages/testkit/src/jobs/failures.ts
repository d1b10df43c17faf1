import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import { HeldAttempts, JobBench, OBEDIENT, type OpenJobQueue } from './job-bench.ts'

/** Longer than the lease that the tests ask for, and than any that a backend may need instead. */
const LEASE_MS = 10_000
const ASLEEP_MS = 120_000

export function failures(make: OpenJobQueue): void {
  it('tries again after a delay that doubles, and lays it aside when every attempt failed', async () => {
    await using bench = await JobBench.open(make)
    const begun: number[] = []
    bench.queue.work({
      work: async () => {
        begun.push(bench.clock.now())
        throw new Error(`attempt ${begun.length}`)
      },
    })
    const job = await bench.add({ maxAttempts: 4, retryDelayMs: 2_000 })
    const ended = await bench.ended(job)
    assert.equal(ended.state, 'dead')
    assert.equal(ended.attempt, 4)
    assert.deepEqual(ended.error, { code: 'TOOL_FAILED', message: 'attempt 4' })
    const pauses = begun.slice(1).map((time, index) => time - (begun[index] ?? 0))
    assert.equal(pauses.length, 3)
    for (const [index, pause] of pauses.entries()) assert.ok(pause >= 2_000 * 2 ** index, `${pauses}`)
    assert.deepEqual((await bench.queue.list('a', { state: 'dead' })).items, [ended])
  })

  it('does not try again what failed for good', async () => {
    await using bench = await JobBench.open(make)
    bench.queue.work({
      work: async () => {
        throw new AdjutantError('DENIED_BY_POLICY', 'no')
      },
    })
    const ended = await bench.ended(await bench.add({ maxAttempts: 5 }))
    assert.equal(ended.state, 'failed')
    assert.equal(ended.attempt, 1)
    assert.deepEqual(ended.error, { code: 'DENIED_BY_POLICY', message: 'no' })
  })

  it('succeeds at a later attempt, without the error of the one before', async () => {
    await using bench = await JobBench.open(make)
    bench.queue.work({
      work: async ({ job }) => {
        if (job.attempt < 3) throw new Error('not yet')
        return job.attempt
      },
    })
    const ended = await bench.ended(await bench.add({ maxAttempts: 3, retryDelayMs: 0 }))
    assert.equal(ended.result, 3)
    assert.equal('error' in ended, false)
  })

  it('fails a handler whose result cannot be kept, and one that throws no error', async () => {
    await using bench = await JobBench.open(make)
    bench.queue.work({
      work: async ({ job }) => {
        if (job.payload.what === 'text') throw 'only text'
        if (job.payload.what === 'large') return 'x'.repeat(4_194_305)
        const circle: unknown[] = []
        circle.push(circle)
        return JSON.parse(JSON.stringify(circle))
      },
    })
    for (const [what, state] of [
      ['text', 'dead'],
      ['large', 'failed'],
      ['circle', 'dead'],
    ] as const) {
      assert.equal((await bench.ended(await bench.add({ payload: { what } }))).state, state, what)
    }
  })

  it('ends an attempt that takes too long', async () => {
    await using bench = await JobBench.open(make)
    bench.queue.work({ work: OBEDIENT })
    const ended = await bench.ended(await bench.add({ timeoutMs: 1_500, maxAttempts: 2, retryDelayMs: 0 }))
    assert.equal(ended.state, 'dead')
    assert.equal(ended.attempt, 2)
    assert.equal(ended.error?.code, 'TIMEOUT')
  })

  it('says that nobody knows what became of a handler that does not end', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler })
    const job = await bench.add({ timeoutMs: 1_000 })
    const ended = await bench.ended(job)
    assert.equal(ended.state, 'lost')
    held.end(0, 'too late')
    await bench.pass(1_000)
    assert.deepEqual(await bench.queue.get('a', job.id), ended)
  })

  it('gives a job of a worker that was asleep to another one, and keeps nothing of the first', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler }, { leaseMs: LEASE_MS })
    const job = await bench.add({ maxAttempts: 2 })
    await bench.until('it runs', () => held.begun.length === 1)
    bench.clock.leap(ASLEEP_MS)
    // What the sleeper gives in the very moment of waking comes too late as well.
    held.end(0, 'old')
    await bench.until('it runs again', () => held.begun.length === 2)
    assert.equal(held.begun[1]?.job.attempt, 2)
    assert.equal((await bench.queue.get('a', job.id))?.state, 'running')
    held.end(1, 'new')
    const ended = await bench.ended(job)
    assert.equal(ended.result, 'new')
  })

  it('tells a worker that was asleep that its job is lost', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler }, { leaseMs: LEASE_MS })
    const job = await bench.add()
    await bench.until('it runs', () => held.begun.length === 1)
    bench.clock.leap(ASLEEP_MS)
    const ended = await bench.ended(job)
    assert.equal(ended.state, 'lost')
    assert.equal(ended.error?.code, 'OUTCOME_UNKNOWN')
    await bench.until('it is told', () => held.begun[0]?.signal.aborted === true)
    held.end(0, 'old')
    await bench.pass(2_000)
    assert.deepEqual(await bench.queue.get('a', job.id), ended)
    assert.deepEqual((await bench.queue.list('a', { state: 'lost' })).items, [ended])
  })

  it('keeps a job that takes longer than the lease', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    bench.queue.work({ work: held.handler }, { leaseMs: LEASE_MS })
    const job = await bench.add()
    await bench.until('it runs', () => held.begun.length === 1)
    await bench.pass(3 * LEASE_MS)
    assert.equal(held.begun[0]?.signal.aborted, false)
    held.end(0, 'done')
    assert.equal((await bench.ended(job)).state, 'succeeded')
  })

  it('stops when what runs is done, and takes nothing more', async () => {
    await using bench = await JobBench.open(make)
    const held = new HeldAttempts()
    const worker = bench.queue.work({ work: held.handler }, { concurrency: 1 })
    const [first, second] = [await bench.add(), await bench.add()]
    await bench.until('it runs', () => held.begun.length === 1)
    let stopped = false
    const stopping = worker.stop().then(() => {
      stopped = true
    })
    await bench.pass(2_000)
    assert.equal(stopped, false)
    held.end(0, 'done')
    await bench.until('it has stopped', () => stopped)
    await stopping
    await worker.stop()
    assert.equal((await bench.queue.get('a', first.id))?.result, 'done')
    await bench.pass(2_000)
    assert.equal((await bench.queue.get('a', second.id))?.state, 'queued')
  })

  it('ends what does not end in time when it is stopped: to be done again where that may be', async () => {
    await using bench = await JobBench.open(make)
    const worker = bench.queue.work({ work: OBEDIENT })
    const [once, again] = [await bench.add(), await bench.add({ maxAttempts: 2 })]
    const states = async (): Promise<readonly unknown[]> => [
      (await bench.queue.get('a', once.id))?.state,
      (await bench.queue.get('a', again.id))?.state,
    ]
    await bench.until('both run', async () => (await states()).every((state) => state === 'running'))
    let stopped = false
    const stopping = worker.stop({ graceMs: 1_000 }).then(() => {
      stopped = true
    })
    await bench.until('it has stopped', () => stopped)
    await stopping
    assert.deepEqual(await states(), ['lost', 'queued'])
  })
}
