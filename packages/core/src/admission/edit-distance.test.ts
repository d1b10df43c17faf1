import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { editDistanceFrom } from './edit-distance.ts'

/** The recurrence as the text books have it, cell by cell. */
function reference(a: string, b: string): number {
  const cell = (i: number, j: number): number => {
    const known = table.get(i * 1_000 + j)
    if (known !== undefined) return known
    let cost = i === 0 ? j : i
    if (i > 0 && j > 0) {
      cost = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, cell(i - 2, j - 2) + 1)
    }
    table.set(i * 1_000 + j, cost)
    return cost
  }
  const table = new Map<number, number>()
  return cell(a.length, b.length)
}

const letters = fc.constantFrom('a', 'b', 'c', '_', 'é', '界')

describe('editDistanceFrom', () => {
  it('equals the text-book recurrence for short texts', () => {
    const text = fc.string({ unit: letters, maxLength: 32 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(editDistanceFrom(a)(b, 100), reference(a, b))
      }),
      { numRuns: 500 },
    )
  })

  it('equals it for long texts, up to the limit', () => {
    const long = fc.string({ unit: letters, minLength: 33, maxLength: 50 })
    fc.assert(
      fc.property(long, fc.string({ unit: letters, maxLength: 60 }), fc.nat(60), (a, b, most) => {
        const distance = editDistanceFrom(a)(b, most)
        const wanted = reference(a, b)
        if (wanted <= most) assert.equal(distance, wanted)
        else assert.ok(distance > most)
      }),
      { numRuns: 300 },
    )
  })

  it('finds few changes between long texts that are nearly the same', () => {
    const base = 'a_rather_long_tool_name_that_does_not_fit_thirty_two_letters'
    assert.equal(editDistanceFrom(base)(base.replace('rather', 'rahter').replace('tool_', 'tool'), 5), 2)
  })
})
