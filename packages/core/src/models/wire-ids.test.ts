import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ANTHROPIC_IDS, OPENAI_IDS, WireIds } from './wire-ids.ts'

describe('WireIds', () => {
  for (const [rule, limits] of [
    ['openai', OPENAI_IDS],
    ['anthropic', ANTHROPIC_IDS],
  ] as const) {
    it(`gives legal ids, each once, with a way back (${rule})`, () => {
      fc.assert(
        fc.property(fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('call_0', 'call_1', 'x'.repeat(200)))), (given) => {
          const ids = new WireIds(limits)
          const wires = given.map((id) => ids.take(id))
          assert.equal(new Set(wires).size, wires.length)
          for (const [at, wire] of wires.entries()) {
            assert.match(wire, limits.legal)
            assert.equal(ids.originalOf(wire), given[at])
          }
          // The same history again: the same ids, or a provider's prompt cache would never fit.
          const again = new WireIds(limits)
          assert.deepEqual(
            given.map((id) => again.take(id)),
            wires,
          )
        }),
      )
    })
  }

  it('leaves the id of a provider as it is', () => {
    assert.equal(new WireIds(ANTHROPIC_IDS).take('toolu_01A09q90qw90lq917835lq9'), 'toolu_01A09q90qw90lq917835lq9')
    assert.equal(new WireIds(OPENAI_IDS).take('functions.read_file:0'), 'functions.read_file:0')
  })
})
