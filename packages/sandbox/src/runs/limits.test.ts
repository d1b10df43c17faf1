import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type SandboxLimits } from '@adjutant/core/contract'
import fc from 'fast-check'
import { boxLimits, DEFAULT_LIMITS, runLimits } from './limits.ts'

const names = Object.keys(DEFAULT_LIMITS)

describe('boxLimits', () => {
  it('are what is said, else the usual ones', () => {
    assert.deepEqual(boxLimits(), DEFAULT_LIMITS)
    assert.deepEqual(boxLimits({ memoryMB: 64.9 }), { ...DEFAULT_LIMITS, memoryMB: 64 })
  })

  it('make sense, or are refused by name', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 1e15), fc.double({ max: -1 })),
        (name, value) => {
          const said: Partial<SandboxLimits> = { [name]: value }
          assert.throws(
            () => boxLimits(said),
            (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.message.includes(name),
          )
        },
      ),
    )
  })
})

describe('runLimits', () => {
  it('are never more than the box has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (box, run) => {
        const limits = boxLimits({ wallMs: box, cpuMs: box, outputBytes: box })
        assert.deepEqual(runLimits(limits, { wallMs: run, cpuMs: run, outputBytes: run }), {
          wallMs: Math.min(box, run),
          cpuMs: Math.min(box, run),
          outputBytes: Math.min(box, run),
        })
        assert.deepEqual(runLimits(limits), { wallMs: box, cpuMs: box, outputBytes: box })
      }),
    )
  })
})
