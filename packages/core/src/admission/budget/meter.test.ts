import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { MeteringRecord } from '../../contract/audit.ts'
import { callId, sessionId, traceId } from '../../contract/ids.ts'
import type { AgentTool, CallCost } from '../../contract/tool.ts'
import { meterOf } from './meter.ts'
import { MeteringTotals } from './metering-totals.ts'

function tool(cost?: CallCost): AgentTool {
  return {
    name: 'search',
    description: 'For tests.',
    inputSchema: true,
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    ...(cost === undefined ? {} : { limits: { cost } }),
    execute: async () => undefined,
  }
}

describe('metering', () => {
  it('says what a call used, also of one that failed or whose end is unknown', () => {
    const paid = tool({ units: 2, unit: 'query', microPrice: 5_000 })
    for (const outcome of ['ok', 'failed', 'unknown'] as const) {
      assert.deepEqual(meterOf(paid, { outcome }), { units: 2, unit: 'query', microPrice: 5_000 })
    }
    assert.deepEqual(meterOf(tool({ units: 0 }), { outcome: 'ok' }), { units: 0, unit: 'call', microPrice: 0 })
  })

  it('a tool that says nothing of cost uses one call at no price', () => {
    assert.deepEqual(meterOf(tool(), { outcome: 'ok' }), { units: 1, unit: 'call', microPrice: 0 })
  })

  it('only calls that ran are metered: not one refused, not one answered from what was known', () => {
    assert.equal(meterOf(tool(), { outcome: 'not-run' }), undefined)
    assert.equal(meterOf(tool(), { outcome: 'ok', cached: true }), undefined)
  })

  it('totals add up whatever comes, and no name is taken for another', async () => {
    const name = fc.constantFrom('a', 'b', 'a","b', '')
    const use = fc.record({ tenant: name, user: name, tool: name, unit: name, units: fc.nat(9), microPrice: fc.nat(1_000) })
    const record = use.map(
      (one): MeteringRecord => ({
        version: 1,
        at: '2026-11-30T15:00:00.000Z',
        sessionId: sessionId('s'),
        traceId: traceId('0123456789abcdef0123456789abcdef'),
        callId: callId('c'),
        ...one,
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(record)), name, async (batches, asked) => {
        const totals = new MeteringTotals()
        for (const batch of batches) await totals.append(batch)
        const all = batches.flat()
        for (const key of ['tenant', 'user', 'tool'] as const) {
          const theirs = all.filter((one) => one[key] === asked)
          const price = theirs.reduce((sum, { microPrice }) => sum + microPrice, 0)
          assert.deepEqual(totals.sum({ [key]: asked }), { calls: theirs.length, microPrice: price })
          for (const row of totals.totals({ [key]: asked })) {
            const same = theirs.filter(
              (one) => one.tenant === row.tenant && one.user === row.user && one.tool === row.tool && one.unit === row.unit,
            )
            assert.equal(row.calls, same.length)
            assert.equal(
              row.units,
              same.reduce((sum, one) => sum + one.units, 0),
            )
          }
        }
      }),
    )
  })
})
