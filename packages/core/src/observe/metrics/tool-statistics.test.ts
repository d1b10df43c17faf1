import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { callId } from '../../contract/ids.ts'
import { callOf, exampleEvents, judged, resultOf } from '../fixtures/example-events.ts'
import { LatencyHistogram } from './latency-histogram.ts'
import { ToolStatistics } from './tool-statistics.ts'

function counted(events: readonly SessionEvent[]): ToolStatistics {
  const statistics = new ToolStatistics()
  const follower = statistics.follow()
  for (const event of events) follower.event(event)
  return statistics
}

describe('tool statistics', () => {
  it('counts what became of each tool’s calls', () => {
    const spill = { id: 'r1', handle: 'spill_x', path: '/r1', bytes: 1, lines: 1 }
    const tools = counted([
      judged(),
      {
        type: 'results',
        results: [
          resultOf({ startedAt: 5, endedAt: 105, attempts: 3, spill }),
          resultOf({ cached: true }),
          resultOf({ outcome: 'failed', isError: true, code: 'TIMEOUT', startedAt: 0, endedAt: 100 }),
          resultOf({ outcome: 'not-run', isError: true, code: 'INVALID_ARGUMENTS' }),
          resultOf({ outcome: 'unknown', isError: true, code: 'OUTCOME_UNKNOWN', startedAt: 0, endedAt: 100 }),
        ],
        at: 106,
      },
    ]).snapshot()
    assert.deepEqual([...tools.keys()], ['read_file'])
    const { latency, queue, ...counts } = tools.get('read_file') ?? {}
    assert.deepEqual(counts, {
      calls: 5,
      ok: 2,
      failed: 1,
      notRun: 1,
      outcomeUnknown: 1,
      codes: { TIMEOUT: 1, INVALID_ARGUMENTS: 1, OUTCOME_UNKNOWN: 1 },
      argumentErrors: 1,
      retries: 2,
      cached: 1,
      clipped: 1,
      failureRatio: 0.4,
      clippedRatio: 0.2,
    })
    assert.deepEqual(latency, { count: 3, mean: 100, p50: 100, p95: 100, p99: 100, max: 100 })
    assert.deepEqual([queue?.count, queue?.max], [1, 4])
  })

  it('counts a wait from the moment at which a call might run: not the wait for a person, and not that of another call', () => {
    const [, , , , asked, answered] = exampleEvents()
    const run = (id: string, startedAt: number, more = {}) =>
      resultOf({ id, name: 'write_file', startedAt, endedAt: startedAt + 1, ...more })
    const waits = (...events: readonly (SessionEvent | undefined)[]) => {
      const { queue } =
        counted(events.filter((event) => event !== undefined))
          .snapshot()
          .get('write_file') ?? {}
      return [queue?.count, queue?.max]
    }
    const write = { id: 'call_2', name: 'write_file' }
    assert.deepEqual(waits(judged(write, 1), asked, answered, { type: 'results', results: [run('call_2', 60_009)], at: 60_011 }), [1, 7])
    // Refused after all, and one that an answer before it had started.
    assert.deepEqual(waits(judged(write, 1), { type: 'results', results: [resultOf({ ...write, outcome: 'not-run' })], at: 3 }), [0, 0])
    const adoptedFrom = callId('call_1')
    assert.deepEqual(waits(judged(write, 5), { type: 'results', results: [run('call_2', 2, { adoptedFrom })], at: 9 }), [0, 0])
  })

  it('is bounded by the tools that there are, whatever names a model makes up', () => {
    const made = Array.from({ length: 10_000 }, (_, at) => resultOf({ name: `made_up_${at}`, outcome: 'not-run', code: 'UNKNOWN_TOOL' }))
    const tools = counted([judged(), { type: 'results', results: made, at: 1 }]).snapshot()
    assert.deepEqual([...tools.keys()], ['unknown'])
    assert.equal(tools.get('unknown')?.calls, 10_000)
    const many = Array.from({ length: 5_000 }, (_, at) => judged({ name: `tool_${at}` }))
    const results = Array.from({ length: 5_000 }, (_, at) => resultOf({ name: `tool_${at}` }))
    const bounded = counted([...many, { type: 'results', results, at: 1 }]).snapshot()
    assert.equal(bounded.size, 2_001)
    assert.equal(bounded.get('other')?.calls, 3_000)
  })

  it('knows a tool whose first arguments were wrong', () => {
    const tools = counted([
      { type: 'refused', call: callOf(), error: new AdjutantError('INVALID_ARGUMENTS', 'no'), at: 0 },
      { type: 'refused', call: callOf({ name: '__proto__' }), error: new AdjutantError('UNKNOWN_TOOL', 'no'), at: 0 },
      { type: 'results', results: [resultOf({ outcome: 'not-run', code: 'INVALID_ARGUMENTS' }), resultOf({ name: '__proto__' })], at: 1 },
    ]).snapshot()
    assert.deepEqual([...tools.keys()], ['read_file', 'unknown'])
  })

  it('gives a snapshot that does not change, and counts from nothing after a reset', () => {
    const statistics = counted(exampleEvents())
    const before = statistics.snapshot()
    const calls = before.get('read_file')?.calls
    statistics.follow().event({ type: 'results', results: [resultOf()], at: 0 })
    assert.equal(before.get('read_file')?.calls, calls)
    statistics.reset()
    assert.equal(statistics.snapshot().size, 0)
  })
})

describe('latency histogram', () => {
  it('gives percentiles at most 19 % too high and never too low', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.001, max: 100_000_000, noNaN: true }), { minLength: 1, maxLength: 200 }), (values) => {
        const histogram = new LatencyHistogram()
        for (const value of values) histogram.record(value)
        const sorted = values.toSorted((a, b) => a - b)
        const { p50, p95, p99, max, count } = histogram.snapshot()
        for (const [share, said] of [
          [0.5, p50],
          [0.95, p95],
          [0.99, p99],
        ] as const) {
          const exact = sorted[Math.ceil(values.length * share) - 1] ?? 0
          assert.ok(said >= exact * 0.999_999 && said <= exact * 1.19, `${said} for ${exact}`)
        }
        assert.deepEqual([max, count], [sorted.at(-1), values.length])
      }),
      { numRuns: 200 },
    )
  })

  it('takes what no clock should give', () => {
    const histogram = new LatencyHistogram()
    assert.deepEqual(histogram.snapshot(), { count: 0, mean: 0, p50: 0, p95: 0, p99: 0, max: 0 })
    for (const odd of [-5, 0, Number.NaN, 1e12]) histogram.record(odd)
    const { count, p50, p99, max } = histogram.snapshot()
    assert.deepEqual([count, p50 <= 0.001, p99, max], [4, true, 1e12, 1e12])
  })
})
