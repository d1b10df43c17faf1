import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Envelope, EnvelopeReader, envelopeOf } from './envelopes.ts'

const shown = (envelopes: readonly Envelope[]): readonly string[] =>
  envelopes.map(({ end, message }) => `${end}:${message.toString('utf8')}`)

/** An envelope with flags, as a daemon sends it. */
function flagged(flags: number, message: string): Buffer {
  const bytes = envelopeOf(message)
  bytes.writeUInt8(flags, 0)
  return bytes
}

describe('envelopes', () => {
  it('are the same wherever their bytes are cut', () => {
    const messages = fc.array(fc.tuple(fc.constantFrom(0, 2), fc.string({ unit: 'grapheme', maxLength: 80 })), { maxLength: 8 })
    fc.assert(
      fc.property(messages, fc.array(fc.nat(400), { maxLength: 12 }), (sent, places) => {
        const bytes = Buffer.concat(sent.map(([flags, message]) => flagged(flags, message)))
        const reader = new EnvelopeReader()
        const got: Envelope[] = []
        const cuts = [0, ...places.map((place) => Math.min(place, bytes.length)), bytes.length].sort((a, b) => a - b)
        for (const [index, cut] of cuts.entries()) if (index > 0) got.push(...reader.push(bytes.subarray(cuts[index - 1], cut)))
        assert.deepEqual(
          shown(got),
          sent.map(([flags, message]) => `${flags === 2}:${message}`),
        )
        assert.ok(reader.empty)
      }),
      { numRuns: 300 },
    )
  })

  it('are read byte by byte, also long ones, without being copied each time', () => {
    const text = '界'.repeat(300_000)
    const bytes = envelopeOf(text)
    const reader = new EnvelopeReader()
    let got: readonly Envelope[] = []
    for (let from = 0; from < bytes.length; from += 7) got = [...got, ...reader.push(bytes.subarray(from, from + 7))]
    assert.equal(got[0]?.message.toString('utf8'), text)
  })

  it('that claim to be longer than any honest one, or compressed, are refused', () => {
    assert.throws(() => new EnvelopeReader().push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff])), /message of 4294967295 bytes/)
    assert.throws(() => new EnvelopeReader().push(flagged(1, '{}')), /compressed/)
    const cut = new EnvelopeReader()
    cut.push(envelopeOf('{}').subarray(0, 6))
    assert.ok(!cut.empty)
  })
})
