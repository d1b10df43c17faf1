import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { diffLines } from './diff-lines.ts'

const written = (before: string, after: string): string =>
  diffLines(before, after)
    .map((line) => line.sign + line.text)
    .join('\n')

describe('a line diff', () => {
  it('shows the change with what is around it', () => {
    assert.equal(written('a\nb\nc\nd\ne\nf\ng\n', 'a\nb\nc\nX\ne\nf\ng\n'), ' …\n b\n c\n-d\n+X\n e\n f')
  })

  it('shows a new file as all new, and an equal one as nothing', () => {
    assert.equal(written('', 'a\nb\n'), '+a\n+b')
    assert.equal(written('a\n', 'a\n'), '')
    assert.equal(written('a\r\nb\r\n', 'a\nb\n'), '')
  })

  it('tells exactly what makes one text of the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const diff = diffLines(a.map((line) => `${line}.\n`).join(''), b.map((line) => `${line}.\n`).join(''))
        const count = (sign: string): number => diff.filter((line) => line.sign === sign).length
        assert.equal(count('+') - count('-'), b.length - a.length)
        const added = diff.filter((line) => line.sign === '+').map((line) => line.text)
        for (const line of added) assert.ok(b.some((other) => `${other}.` === line))
        if (JSON.stringify(a) === JSON.stringify(b)) assert.equal(diff.length, 0)
      }),
      { numRuns: 300 },
    )
  })

  it('stays quick on what would need a huge table', () => {
    const many = (seed: number): string => Array.from({ length: 3_000 }, (_, index) => `${seed} ${index}`).join('\n')
    assert.equal(diffLines(many(1), many(2)).length, 6_000)
  })
})
