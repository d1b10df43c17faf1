import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MarkerFilter } from './marker-filter.ts'

const MARK = Buffer.from('\x1eabc123')

describe('the end of a run in a shared shell', () => {
  it('is found wherever the bytes are cut, and nothing before it is lost or changed', () => {
    const noise = fc.array(fc.constantFrom('\x1e', '\x1eabc', '\x1eabc123', '\x1eabc123 x\x1e', 'text', '\0', '\n', 'ÿ'), { maxLength: 12 })
    fc.assert(
      fc.property(noise, fc.nat(255), fc.array(fc.nat(120), { maxLength: 10 }), (pieces, status, places) => {
        const output = Buffer.from(pieces.join(''), 'latin1')
        const bytes = Buffer.concat([output, Buffer.from(`\x1eabc123 ${status}\x1e`), Buffer.from('of the next')])
        const filter = new MarkerFilter(MARK)
        const got: Buffer[] = []
        const cuts = [0, ...places.map((place) => Math.min(place, bytes.length)), bytes.length].sort((a, b) => a - b)
        for (const [index, cut] of cuts.entries()) if (index > 0) got.push(filter.push(bytes.subarray(cuts[index - 1], cut)))
        assert.equal(filter.status, status)
        assert.equal(Buffer.concat(got).toString('latin1'), output.toString('latin1'))
      }),
      { numRuns: 500 },
    )
  })

  it('is waited for only as long as it may be coming', () => {
    const filter = new MarkerFilter(MARK)
    assert.equal(filter.push(Buffer.from('a\x1eab')).toString(), 'a')
    assert.equal(filter.push(Buffer.from('x')).toString(), '\x1eabx')
    assert.equal(filter.push(Buffer.from('\x1eabc123')).toString(), '')
    assert.equal(filter.push(Buffer.from('9'.repeat(40))).toString(), `\x1eabc123${'9'.repeat(40)}`)
    assert.equal(filter.status, undefined)
  })
})
