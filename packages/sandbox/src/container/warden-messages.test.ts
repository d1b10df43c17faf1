import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { readWardenHead, type WardenMessage, wardenHead, wardenMessage, wardenReader } from './warden-messages.ts'

/** As a daemon puts it into one stream. */
function framed(stream: 1 | 2, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head[0] = stream
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

describe('what the first process says', () => {
  it('is read whole, however it is cut', () => {
    const message = fc.record({
      kind: fc.constantFrom('O', 'E', 'X', 'F'),
      number: fc.nat(),
      body: fc.uint8Array({ maxLength: 200 }),
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (messages, lengths) => {
        const came: WardenMessage[] = []
        const cut = (bytes: Buffer): Buffer[] => {
          const pieces: Buffer[] = []
          for (let at = 0; at < bytes.length; ) {
            const length = lengths.next().value ?? 1
            pieces.push(bytes.subarray(at, at + length))
            at += length
          }
          return pieces
        }
        const said = Buffer.concat(messages.flatMap(({ kind, number, body }) => wardenMessage(kind, number, body)))
        const reader = wardenReader(
          (one) => came.push(one),
          () => assert.fail('nobody complained'),
        )
        for (const piece of cut(Buffer.concat(cut(said).map((part) => framed(1, part))))) reader.push(piece)
        assert.deepEqual(
          came.map(({ kind, number, body }) => [kind, number, [...body]]),
          messages.map(({ kind, number, body }) => [kind, number, [...body]]),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('is no message on the other output, and refused when it is too long or no head', () => {
    let complaint = ''
    const reader = wardenReader(
      () => assert.fail('that is no message'),
      (text) => {
        complaint += text
      },
    )
    reader.push(framed(2, Buffer.from('python3: not found')))
    assert.equal(complaint, 'python3: not found')
    const isFailure = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'SANDBOX_FAILED'
    assert.throws(() => reader.push(framed(1, Buffer.from([79, 0, 0, 0, 1, 255, 255, 255, 255]))), isFailure)
    for (const body of [Buffer.alloc(0), Buffer.from([0, 0, 0, 9, 1]), Buffer.from([255, 255, 255, 255]), Buffer.from([0, 0, 0, 1, 123])])
      assert.throws(() => readWardenHead(body), isFailure)
    assert.deepEqual(readWardenHead(Buffer.concat([wardenHead({ a: 1 }), Buffer.from('rest')])), {
      value: { a: 1 },
      rest: Buffer.from('rest'),
    })
  })
})
