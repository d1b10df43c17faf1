import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeCell } from './cell-text.ts'

describe('cells', () => {
  it('tell every kind of value apart', () => {
    const cells = [
      null,
      'null',
      '',
      1n,
      1,
      1.5,
      2n ** 63n - 1n,
      Number.POSITIVE_INFINITY,
      1e300,
      new Uint8Array(3),
      '<blob 3 bytes>',
      'a\nb',
    ]
    assert.deepEqual(
      cells.map((cell) => writeCell(cell, 100).text),
      [
        'null',
        '"null"',
        '""',
        '1',
        '1.0',
        '1.5',
        '9223372036854775807',
        'Infinity',
        '1e+300',
        '<blob 3 bytes>',
        '"<blob 3 bytes>"',
        '"a\\nb"',
      ],
    )
  })

  it('are cut at a whole character', () => {
    assert.deepEqual(writeCell('ab😀cd', 3), { text: '"ab"<cut, 4 more characters>', cut: true })
    assert.deepEqual(writeCell('abc', 3), { text: '"abc"', cut: false })
  })
})
