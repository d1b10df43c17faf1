import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { Utf8Input } from './utf8-input.ts'

function decoded(bytes: Uint8Array, size: number): string {
  const input = new Utf8Input()
  let text = ''
  for (let at = 0; at < bytes.length; at += size) text += input.push(bytes.subarray(at, at + size))
  return text + input.end()
}

it('any bytes come to the same text, however they are cut; only a first byte order mark is left out', () => {
  const mark = fc.constant(new Uint8Array([0xef, 0xbb, 0xbf]))
  const bytes = fc
    .array(
      fc.oneof(
        mark,
        fc.uint8Array({ maxLength: 6 }),
        fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
      ),
    )
    .map((parts) => new Uint8Array(parts.flatMap((part) => [...part])))
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 5 }), (input, size) => {
      assert.equal(decoded(input, size), new TextDecoder().decode(input))
    }),
    { numRuns: 500 },
  )
})

it('bytes and text may follow each other', () => {
  const input = new Utf8Input()
  const parts = [
    input.push(new Uint8Array([0xe4, 0xbd])),
    input.push(new Uint8Array([0xa0])),
    input.push('好'),
    input.push(new Uint8Array([0xe5])),
    input.push('!'),
    input.end(),
  ]
  assert.equal(parts.join(''), '你好\uFFFD!')
  assert.equal(new Utf8Input().push('\uFEFFx'), 'x')
})
