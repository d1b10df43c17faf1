import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeText, detectEncoding, type EncodingName, encodeText, type TextEncoding, UTF8 } from './text-encoding.ts'

const ENCODINGS: readonly TextEncoding[] = [
  UTF8,
  { name: 'utf-8', markBytes: 3, unit: 1 },
  { name: 'utf-16le', markBytes: 2, unit: 2 },
  { name: 'utf-16be', markBytes: 2, unit: 2 },
]

function nameOf(bytes: Buffer, whole = true): EncodingName | undefined {
  return detectEncoding(bytes, whole)?.name
}

describe('text encodings', () => {
  it('are recognised', () => {
    assert.equal(nameOf(Buffer.from('')), 'utf-8')
    assert.equal(nameOf(Buffer.from('plain')), 'utf-8')
    assert.equal(nameOf(Buffer.from('日本 😀 é')), 'utf-8')
    assert.equal(nameOf(Buffer.from('\x1b[31mred\x1b[0m\r\n\f')), 'utf-8')
    assert.equal(nameOf(Buffer.from('caf\xe9 d\xe9j\xe0 vu', 'latin1')), 'windows-1252')
    assert.equal(nameOf(Buffer.from('\uFEFFa', 'utf16le')), 'utf-16le')
    assert.equal(nameOf(Buffer.from('\uFEFFa', 'utf16le').swap16()), 'utf-16be')
    assert.equal(detectEncoding(Buffer.from('\uFEFFa'), true)?.markBytes, 3)
  })

  it('are told from what is no text', () => {
    assert.equal(nameOf(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])), undefined)
    assert.equal(nameOf(Buffer.from('a\0b')), undefined)
    assert.equal(nameOf(Buffer.from(Array.from({ length: 200 }, (_, index) => (index % 30) + 1))), undefined)
    assert.equal(nameOf(Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0])), undefined)
    assert.equal(nameOf(Buffer.from([0xef, 0xbb, 0xbf, 0, 1, 2])), undefined)
  })

  it('are not mistaken because a sample ends inside a character', () => {
    const bytes = Buffer.from('ab😀')
    for (let end = 3; end < bytes.length; end += 1) {
      assert.equal(nameOf(bytes.subarray(0, end), false), 'utf-8', `cut at ${end}`)
      assert.equal(nameOf(bytes.subarray(0, end), true), 'windows-1252', `whole of ${end}`)
    }
  })

  it('go there and back (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...ENCODINGS), (text, encoding) => {
        fc.pre(text.isWellFormed())
        const bytes = encodeText(text, encoding)
        assert.equal(decodeText(bytes.subarray(encoding.markBytes), encoding), text)
      }),
    )
  })

  it('keep every byte of Windows-1252 (property)', () => {
    const encoding: TextEncoding = { name: 'windows-1252', markBytes: 0, unit: 1 }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (array) => {
        const bytes = Buffer.from(array)
        const text = decodeText(bytes, encoding)
        assert.equal(text.length, bytes.length)
        assert.ok(encodeText(text, encoding).equals(bytes))
      }),
    )
    assert.equal(decodeText(Buffer.from([0x80, 0x93, 0xe9]), encoding), '€“é')
  })

  it('refuse what they cannot hold', () => {
    assert.throws(() => encodeText('日', { name: 'windows-1252', markBytes: 0, unit: 1 }), { code: 'INVALID_ARGUMENTS' })
    assert.throws(() => encodeText('\x80', { name: 'windows-1252', markBytes: 0, unit: 1 }), { code: 'INVALID_ARGUMENTS' })
    assert.throws(() => encodeText('\ud800', UTF8), { code: 'INVALID_ARGUMENTS' })
  })
})
