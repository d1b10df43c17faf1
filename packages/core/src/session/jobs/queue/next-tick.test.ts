import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { catchUp, nextTick } from './next-tick.ts'

const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Sao_Paulo')
const crons = fc.constantFrom('30 2 * * *', '*/15 * * * *', '0 0 1 * *', '0 3 * * 0', '15 30 1 * * *', '59 23 31 12 *', '0 2 29 2 *')
const moments = fc.integer({ min: Date.parse('2024-01-01T00:00:00Z'), max: Date.parse('2032-01-01T00:00:00Z') })

function iso(time: number | undefined): string {
  return time === undefined ? 'never' : new Date(time).toISOString()
}

describe('ticks', () => {
  it('come after the moment that is asked about, in order, and the newest that was missed is one of them', () => {
    fc.assert(
      fc.property(crons, zones, moments, fc.integer({ min: 0, max: 40 * 86_400_000 }), (cron, zone, from, later) => {
        const due = nextTick(cron, zone, from)
        assert.ok(due !== undefined && due > from)
        const now = due + later
        const { last, next } = catchUp(cron, zone, due, now)
        assert.ok(last >= due && last <= now, `${cron} ${zone}: ${iso(due)} … ${iso(last)} … ${iso(now)}`)
        assert.ok(next !== undefined && next > now)
        // Nothing lies between what stands for the missed ones and the next.
        assert.equal(iso(nextTick(cron, zone, last)), iso(next), `${cron} ${zone} after ${iso(last)}, now ${iso(now)}`)
      }),
      { numRuns: 300 },
    )
  })

  it('go by elapsed time where they are steps, through both changes of the clocks', () => {
    for (const start of ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z']) {
      let at = Date.parse(start)
      for (let tick = 0; tick < 24; tick += 1) {
        const next = nextTick('*/30 * * * *', 'Europe/Berlin', at)
        assert.equal(next, at + 1_800_000, iso(at))
        at = next ?? 0
      }
    }
  })

  it('of a fixed time come once a day', () => {
    for (const [zone, year] of [
      ['Europe/Berlin', 2026],
      ['America/New_York', 2027],
      ['Australia/Lord_Howe', 2026],
    ] as const) {
      let at = Date.UTC(year, 0, 1)
      const days = new Set<string>()
      let ticks = 0
      for (; at < Date.UTC(year, 11, 31); ticks += 1) {
        at = nextTick('30 2 * * *', zone, at) ?? Number.POSITIVE_INFINITY
        days.add(new Date(at).toLocaleDateString('en-CA', { timeZone: zone }))
      }
      assert.equal(days.size, ticks, zone)
      assert.ok(ticks >= 364, zone)
    }
  })
})
