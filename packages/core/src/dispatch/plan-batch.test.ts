import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Effect } from '../contract/tool.ts'
import { planBatch } from './plan-batch.ts'

const anyEffects = fc.array(fc.constantFrom<Effect | undefined>('read', 'write', 'dangerous', undefined), { maxLength: 40 })
const anyStrategy = fc.constantFrom('strict', 'segmented')

describe('planBatch', () => {
  it('runs a batch of reads together', () => {
    assert.deepEqual(planBatch(['read', 'read', 'read'], 'strict'), [{ members: [0, 1, 2], concurrent: true }])
  })

  it('runs a batch with any write one by one, in order', () => {
    const plan = planBatch(['read', 'read', 'write', 'read'], 'strict')
    assert.deepEqual(
      plan.map((wave) => wave.members),
      [[0], [1], [2], [3]],
    )
    assert.ok(plan.every((wave) => !wave.concurrent))
  })

  it('keeps refused calls out; they do not make a batch serial', () => {
    assert.deepEqual(planBatch(['read', undefined, 'read'], 'strict'), [{ members: [0, 2], concurrent: true }])
  })

  it('runs the reads around a write together when segmented', () => {
    assert.deepEqual(planBatch(['read', 'read', 'write', 'read'], 'segmented'), [
      { members: [0, 1], concurrent: true },
      { members: [2], concurrent: false },
      { members: [3], concurrent: false },
    ])
  })

  it('plans every call exactly once, in order, and a write always alone', () => {
    fc.assert(
      fc.property(anyEffects, anyStrategy, (effects, strategy) => {
        const plan = planBatch(effects, strategy)
        const order = plan.flatMap((wave) => wave.members)
        assert.deepEqual(
          order,
          effects.flatMap((effect, index) => (effect === undefined ? [] : [index])),
        )
        for (const wave of plan) {
          if (wave.members.length > 1) assert.ok(wave.members.every((index) => effects[index] === 'read'))
        }
        if (strategy === 'strict' && effects.some((effect) => effect === 'write' || effect === 'dangerous')) {
          assert.ok(plan.every((wave) => wave.members.length === 1))
        }
      }),
    )
  })
})
