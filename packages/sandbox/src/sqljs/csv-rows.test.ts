import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readCsv } from './csv-rows.ts'

const all = (text: string): readonly (readonly string[])[] => [...readCsv(text).rows]

describe('comma separated values', () => {
  it('come back as they were written, whatever is in them', () => {
    const cell = fc.string({ maxLength: 8, unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', ' ', '0', 'é', '🧭') })
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        (rows, end) => {
          const quote = (value: string): string => `"${value.replaceAll('"', '""')}"`
          const text = `a,b${end}${rows.map((row) => row.map(quote).join(',')).join(end)}${end}`
          assert.deepEqual(all(text), rows)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('know their separator, and give every column a name of its own', () => {
    assert.deepEqual(readCsv('a;b\n1;2').columns, ['a', 'b'])
    assert.deepEqual(readCsv('\ufeffa\tb\tA\t\n1\t2\t3\t4').columns, ['a', 'b', 'A_2', 'column4'])
    assert.deepEqual(all('a;b\n1,5;2\n'), [['1,5', '2']])
    assert.deepEqual(readCsv('').columns, [])
  })

  it('are read also where quotes are wrong', () => {
    assert.deepEqual(all('a,b\n"x"y,2\n"open,3\n4,5'), [['xy', '2'], ['open,3\n4,5']])
    assert.deepEqual(all('a,b\n1\n\n2,3,4'), [['1'], ['2', '3', '4']])
  })
})
