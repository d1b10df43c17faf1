import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sessionId } from '../../contract/ids.ts'
import type { AgentTool, CallCost } from '../../contract/tool.ts'
import { MemoryMeter } from './memory-meter.ts'
import { meterOf } from './meter.ts'

function tool(name: string, cost?: CallCost): AgentTool {
  return {
    name,
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

const base = { principal: { tenantId: 't', userId: 'u', roles: [] }, sessionId: sessionId('s'), at: 12 }

describe('metering', () => {
  it('a record says who used what, and what it cost', () => {
    const used = tool('search', { units: 2, unit: 'query', microPrice: 5_000 })
    assert.deepEqual(meterOf({ ...base, tool: used }, { outcome: 'failed' }), {
      at: 12,
      tenantId: 't',
      userId: 'u',
      sessionId: 's',
      tool: 'search',
      unit: 'query',
      units: 2,
      microPrice: 5_000,
      outcome: 'failed',
    })
  })

  it('a tool that says nothing of cost uses one call at no price', () => {
    const record = meterOf({ ...base, tool: tool('plain') }, { outcome: 'ok' })
    assert.deepEqual([record?.unit, record?.units, record?.microPrice], ['call', 1, 0])
  })

  it('only calls that ran are metered: not one refused, not one answered from what was known', () => {
    assert.equal(meterOf({ ...base, tool: tool('plain') }, { outcome: 'not-run' }), undefined)
    assert.equal(meterOf({ ...base, tool: tool('plain') }, { outcome: 'ok', cached: true }), undefined)
    assert.notEqual(meterOf({ ...base, tool: tool('plain') }, { outcome: 'unknown' }), undefined)
  })

  it('totals add up whatever comes, and no name is taken for another', () => {
    const name = fc.constantFrom('a', 'b', 'a","b', '')
    const use = fc.record({ tenantId: name, userId: name, name, units: fc.nat(9), microPrice: fc.nat(1_000) })
    fc.assert(
      fc.property(fc.array(use), name, (uses, asked) => {
        const meter = new MemoryMeter()
        for (const { tenantId, userId, name: used, units, microPrice } of uses) {
          const record = meterOf(
            { ...base, principal: { tenantId, userId, roles: [] }, tool: tool(used, { units, microPrice }) },
            { outcome: 'ok' },
          )
          if (record !== undefined) meter.record(record)
        }
        for (const key of ['tenantId', 'userId', 'tool'] as const) {
          const theirs = uses.filter((one) => (key === 'tool' ? one.name : one[key]) === asked)
          const price = theirs.reduce((sum, { microPrice }) => sum + microPrice, 0)
          assert.deepEqual(meter.sum({ [key]: asked }), { calls: theirs.length, microPrice: price })
          const units = meter.totals({ [key]: asked }).reduce((sum, total) => sum + total.units, 0)
          assert.equal(
            units,
            theirs.reduce((sum, one) => sum + one.units, 0),
          )
        }
      }),
    )
  })
})
