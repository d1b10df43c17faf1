import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type ReadAt, type ScannedLine, scanLines } from './scan-lines.ts'
import { encodeText, type TextEncoding, UTF8 } from './text-encoding.ts'

const ENCODINGS: readonly TextEncoding[] = [UTF8, { name: 'utf-16le', markBytes: 2, unit: 2 }, { name: 'utf-16be', markBytes: 2, unit: 2 }]
const signal = new AbortController().signal

/** Reads a buffer in small pieces, whatever is asked for. */
function inPieces(bytes: Buffer, piece: number): ReadAt {
  return async (position, length) => bytes.subarray(position, position + Math.min(piece, length))
}

async function collect(bytes: Buffer, encoding: TextEncoding, piece: number, firstLine = 1, maxLineChars = 1_000): Promise<ScannedLine[]> {
  const lines: ScannedLine[] = []
  const options = { encoding, startByte: encoding.markBytes, startLine: 1, firstLine, maxLineChars, signal }
  for await (const line of scanLines(inPieces(bytes, piece), options)) lines.push(line)
  return lines
}

/** What the lines of a text are: a line feed at the very end begins none. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

const text = fc.array(fc.constantFrom('a', 'é', '日', '😀', '\n', '\r\n', '\t', 'Ċ', '਀'), { maxLength: 40 }).map((parts) => parts.join(''))

describe('scanning lines', () => {
  it('gives the lines of the text, however it is read (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom(...ENCODINGS),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        async (whole, encoding, piece, first) => {
          const bytes = encodeText(whole, encoding)
          const lines = await collect(bytes, encoding, piece * encoding.unit, first)
          assert.deepEqual(
            lines.map((line) => line.text),
            linesOf(whole).slice(first - 1),
          )
          assert.deepEqual(
            lines.map((line) => line.number),
            lines.map((_, index) => first + index),
          )
          if (lines.length > 0) assert.equal(lines.at(-1)?.endByte, bytes.length)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('goes on where a line ended (property)', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...ENCODINGS), fc.nat(8), async (whole, encoding, at) => {
        const bytes = encodeText(whole, encoding)
        const all = await collect(bytes, encoding, 64)
        const line = all[at]
        fc.pre(line !== undefined)
        const options = {
          encoding,
          startByte: line.endByte,
          startLine: line.number + 1,
          firstLine: line.number + 1,
          maxLineChars: 100,
          signal,
        }
        const rest: ScannedLine[] = []
        for await (const next of scanLines(inPieces(bytes, 4), options)) rest.push(next)
        assert.deepEqual(rest, all.slice(at + 1))
      }),
    )
  })

  it('cuts a long line at a whole character and counts the rest', async () => {
    const [line] = await collect(encodeText('😀'.repeat(50), UTF8), UTF8, 7, 1, 5)
    assert.equal(line?.text, '😀😀')
    assert.ok((line?.cut ?? 0) > 0)
    const [exact] = await collect(encodeText('abcde\nx', UTF8), UTF8, 7, 1, 5)
    assert.deepEqual([exact?.text, exact?.cut], ['abcde', 0])
    const [more] = await collect(encodeText(`${'a'.repeat(1_000)}\nx`, UTF8), UTF8, 64, 1, 5)
    assert.deepEqual([more?.text, more?.cut], ['aaaaa', 995])
  })

  it('stops when it is told to', async () => {
    const lines = scanLines(inPieces(Buffer.from('a\nb'), 1), {
      encoding: UTF8,
      startByte: 0,
      startLine: 1,
      firstLine: 1,
      maxLineChars: 9,
      signal: AbortSignal.abort(),
    })
    await assert.rejects(lines.next(), { code: 'CANCELLED' })
  })
})
