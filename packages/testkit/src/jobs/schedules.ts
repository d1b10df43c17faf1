import assert from 'node:assert/strict'
import { it } from 'node:test'
import { JobBench, type OpenJobQueue } from './job-bench.ts'

const at = (iso: string): number => Date.parse(iso)
const DAILY = { tenantId: 'a', id: 'nightly', cron: '30 2 * * *', zone: 'Europe/Berlin', kind: 'work', payload: { what: 'report' } }

export function schedules(make: OpenJobQueue): void {
  /** Leaps to a moment: by then there are so many jobs, and no more follow. */
  async function leapsTo(bench: JobBench, time: number, count: number): Promise<void> {
    const made = async (): Promise<number> => (await bench.queue.list('a', { limit: 1_000 })).items.length
    bench.clock.leap(time - bench.clock.now())
    await bench.until(`${count} jobs`, async () => (await made()) >= count)
    await bench.pass(2_000)
    assert.equal(await made(), count)
  }

  for (const [what, start, ticks] of [
    // Clocks are put forward at 02:00 to 03:00: the time that is left out is taken at the end of the gap.
    ['in the gap', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    // They are put back at 03:00 to 02:00: once, at the first 02:30.
    ['in the doubled hour', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
  ] as const) {
    it(`makes one job of a tick ${what} of a change of the clocks, on whichever of several nodes`, async () => {
      await using bench = await JobBench.open(make, at(start))
      const nodes = [bench.queue, await bench.another()]
      for (const node of nodes) node.work({ work: async ({ job }) => job.payload })
      const made = await bench.queue.schedule(DAILY)
      assert.equal(made.nextAt, at(ticks[0]))
      for (const [index, tick] of ticks.entries()) {
        await leapsTo(bench, at(tick) - 5_000, index)
        await leapsTo(bench, at(tick), index + 1)
      }
      await leapsTo(bench, at(ticks[1]) + 7_200_000, 2)
      const [stored] = await bench.queue.schedules('a')
      assert.equal(stored?.lastAt, at(ticks[1]))
      for (const job of (await bench.queue.list('a')).items) assert.deepEqual((await bench.ended(job)).result, DAILY.payload)
    })
  }

  it('makes one job for all that were missed while nobody was there, and goes on from now', async () => {
    await using bench = await JobBench.open(make, at('2026-06-01T12:00:00Z'))
    await bench.queue.schedule(DAILY)
    const node = await bench.another()
    bench.clock.leap(10 * 86_400_000)
    node.work({ work: async () => null })
    await leapsTo(bench, at('2026-06-11T12:00:01Z'), 1)
    const [stored] = await bench.queue.schedules('a')
    assert.equal(stored?.lastAt, at('2026-06-11T00:30:00Z'))
    assert.equal(stored?.nextAt, at('2026-06-12T00:30:00Z'))
  })

  it('makes none while it is paused, and none for the time of the pause', async () => {
    await using bench = await JobBench.open(make, at('2026-06-01T12:00:00Z'))
    bench.queue.work({ work: async () => null })
    const paused = await bench.queue.schedule({ ...DAILY, paused: true })
    assert.equal('nextAt' in paused, false)
    await leapsTo(bench, at('2026-06-03T12:00:00Z'), 0)
    assert.equal((await bench.queue.schedule(DAILY)).nextAt, at('2026-06-04T00:30:00Z'))
    await leapsTo(bench, at('2026-06-03T23:00:00Z'), 0)
    await leapsTo(bench, at('2026-06-04T00:30:01Z'), 1)
  })

  it('loses no tick when it is given again as it was, and counts from now when it is another', async () => {
    await using bench = await JobBench.open(make, at('2026-06-01T12:00:00Z'))
    await bench.queue.schedule(DAILY)
    bench.clock.leap(86_400_000)
    assert.equal((await bench.queue.schedule({ ...DAILY, payload: { what: 'else' } })).nextAt, at('2026-06-02T00:30:00Z'))
    assert.equal((await bench.queue.schedule({ ...DAILY, cron: '0 4 * * *' })).nextAt, at('2026-06-03T02:00:00Z'))
    assert.equal((await bench.queue.schedule({ ...DAILY, cron: '0 4 * * *', zone: 'UTC' })).nextAt, at('2026-06-03T04:00:00Z'))
    assert.equal((await bench.queue.schedules('a')).length, 1)
    assert.deepEqual(await bench.queue.schedules('b'), [])
    await bench.queue.unschedule('b', 'nightly')
    assert.equal((await bench.queue.schedules('a')).length, 1)
    await bench.queue.unschedule('a', 'nightly')
    await bench.queue.unschedule('a', 'nightly')
    assert.deepEqual(await bench.queue.schedules('a'), [])
  })

  it('says what is wrong with a schedule', async () => {
    await using bench = await JobBench.open(make)
    for (const cron of [
      '',
      'x',
      '* * * *',
      '61 * * * *',
      '* * * * * * *',
      '@daily',
      '2026-12-01T00:00:00',
      '0 0 0 0 0',
      'a'.repeat(100_000),
    ]) {
      await assert.rejects(bench.queue.schedule({ ...DAILY, cron }), { code: 'USAGE' }, cron.slice(0, 40))
    }
    for (const zone of ['', 'Mars/Olympus', 'Europe/Berlin; DROP TABLE jobs']) {
      await assert.rejects(bench.queue.schedule({ ...DAILY, zone }), { code: 'USAGE', message: /time zone/ }, zone)
    }
    assert.deepEqual(await bench.queue.schedules('a'), [])
  })
}
