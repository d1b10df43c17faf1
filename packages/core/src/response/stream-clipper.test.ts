import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { clipText } from './clip.ts'
import { type StreamClipOptions, type StreamClipped, StreamClipper } from './stream-clipper.ts'
import { resolveTerminalText } from './terminal-text.ts'

async function clipBytes(pieces: Iterable<Uint8Array>, options: StreamClipOptions = {}): Promise<StreamClipped> {
  const clipper = new StreamClipper(options)
  for (const piece of pieces) await clipper.write(piece)
  return clipper.end()
}

function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((to, index) => bytes.subarray(cuts[index], to))
}

/** Lines that repeat enough for the middle to be dropped; the pieces that matter for a terminal are sprinkled in. */
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\0', '')) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\n', '\r\n', '\r', '\b', '\x1b[31m', '\x1b[K', '\x1b]8;;u\x1b\\', '\x1b[1A', '\x9b1m', '50 %\r100 %\n'),
  },
)
const text = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 120 }))
  .map(([parts, times]) => `${parts.join('')}\n`.repeat(times))
const places = fc.array(fc.nat(), { maxLength: 20 })

describe('StreamClipper', () => {
  it('gives what clipping the whole resolved text gives, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(text, places, fc.integer({ min: 80, max: 400 }), async (whole, at, limit) => {
        const bytes = Buffer.from(whole)
        const resolved = resolveTerminalText(bytes.toString())
        const { totalBytes, binary, ...clipped } = await clipBytes(cut(bytes, at), { limit })
        assert.equal(totalBytes, bytes.length)
        assert.equal(binary, false)
        assert.deepEqual(clipped, clipText(resolved, { limit }))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the whole resolved text', async () => {
    await using cx = await testContext()
    await fc.assert(
      fc.asyncProperty(text, places, async (whole, at) => {
        const bytes = Buffer.from(whole)
        const clipped = await clipBytes(cut(bytes, at), { limit: 100, keep: { namespace: cx.namespace, callId: 'call' } })
        const resolved = resolveTerminalText(bytes.toString())
        if (!clipped.clipped) return assert.equal(clipped.spill, undefined)
        assert.ok(clipped.spill !== undefined)
        const kept = await readFile(clipped.spill.path)
        assert.equal(resolveTerminalText(kept.toString()), resolved)
        assert.equal(clipped.spill.bytes, kept.length)
        assert.equal(clipped.spill.lines, clipText(resolved).totalLines)
      }),
      { numRuns: 60 },
    )
  })

  it('cuts a link and a colour at no place wrongly', async () => {
    const line = Buffer.from('\x1b]8;;https://example.org/é\x1b\\link\x1b]8;;\x07 \x1b[1;31mréd\x1b[0m\r\n')
    for (let at = 0; at <= line.length; at++) {
      assert.equal((await clipBytes([line.subarray(0, at), line.subarray(at)])).text, 'link réd\n', `cut at ${at}`)
    }
    assert.equal((await clipBytes(Array.from(line, (byte) => Uint8Array.of(byte)))).text, 'link réd\n')
  })

  it('takes a hundred megabytes of lines in bounded memory, counting them', async () => {
    const chunk = Buffer.from('some line of output, neither short nor long\n'.repeat(1_500))
    function* chunks(): Generator<Uint8Array> {
      for (let sent = 0; sent < 1_600; sent++) yield Buffer.from(chunk)
    }
    const before = process.memoryUsage().rss
    const clipped = await clipBytes(chunks())
    assert.equal(clipped.totalLines, 1_600 * 1_500)
    assert.equal(clipped.totalChars, 1_600 * chunk.length)
    assert.ok(clipped.text.length <= 8_000)
    assert.ok(process.memoryUsage().rss - before < 200_000_000)
  })

  it('takes one endless line, also of characters of several bytes', async () => {
    for (const character of ['x', '日', '😀']) {
      const bytes = Buffer.from(character.repeat(400_000))
      const clipped = await clipBytes(cut(bytes, [1, 70_001, 140_003, 300_000, 500_002]), { limit: 500 })
      assert.deepEqual(
        { text: clipped.text, totalChars: clipped.totalChars, totalLines: clipped.totalLines },
        { text: clipText(character.repeat(400_000), { limit: 500 }).text, totalChars: character.length * 400_000, totalLines: 1 },
      )
    }
  })

  it('lets the last state of a long progress line win', async () => {
    const progress = Array.from({ length: 100_000 }, (_, step) => `step ${step}`).join('\r')
    assert.equal((await clipBytes(cut(Buffer.from(`${progress}\ndone\n`), [10_000, 400_000]))).text, 'step 99999\ndone\n')
  })

  it('recognises binary output and keeps its bytes untouched', async () => {
    await using cx = await testContext()
    const bytes = Buffer.from([...'PK\x03\x04', ...'\x00\x00\x1b[31m\r\n'].map((character) => character.charCodeAt(0)))
    const whole = Buffer.concat([bytes, Buffer.alloc(100_000, 0x1b)])
    const clipped = await clipBytes(cut(whole, [3, 9_000]), { keep: { namespace: cx.namespace, callId: 'zip' } })
    assert.equal(clipped.binary, true)
    assert.match(
      clipped.text,
      /^\[binary output, 100013 bytes, not shown; whole text in .*read_result \{"id":"spill_[\w-]+\.[\w-]{22}"\} shows it\]$/,
    )
    assert.ok(clipped.spill !== undefined)
    assert.deepEqual(await readFile(clipped.spill.path), whole)
    assert.equal((await clipBytes([Uint8Array.of(0)])).text, '[binary output, 1 bytes, not shown]')
  })

  it('reads invalid UTF-8 as U+FFFD', async () => {
    assert.equal((await clipBytes([Uint8Array.of(0x61, 0xff, 0x62, 0xe6, 0x97)])).text, 'a\ufffdb\ufffd')
  })

  it('gives empty text for nothing', async () => {
    assert.deepEqual(await clipBytes([]), {
      text: '',
      clipped: false,
      omittedLines: 0,
      omittedChars: 0,
      totalLines: 0,
      totalChars: 0,
      binary: false,
      totalBytes: 0,
    })
  })

  it('says what could not be kept when it is more than a session may keep, and leaves nothing behind', async () => {
    await using cx = await testContext()
    const keep = { namespace: cx.namespace, callId: 'big', limits: { totalBytes: 2_000_000, files: 10 } }
    const clipped = await clipBytes(Array(100).fill(Buffer.alloc(65_536, 'x\n')), { keep })
    assert.equal(clipped.spill, undefined)
    assert.match(clipped.text, /could not be kept: a result of more than 2000000 bytes is not kept/)
    assert.equal(clipped.totalLines, 100 * 32_768)
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
  })

  it('leaves nothing behind when it is abandoned', async () => {
    await using cx = await testContext()
    const clipper = new StreamClipper({ keep: { namespace: cx.namespace, callId: 'gone' } })
    for (let sent = 0; sent < 60; sent++) await clipper.write(Buffer.alloc(65_536, 'x\n'))
    await clipper.abandon()
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
  })

  it('refuses wrong numbers at once', () => {
    assert.throws(
      () => new StreamClipper({ limit: -1 }),
      (error) => AdjutantError.isInstance(error) && error.code === 'USAGE',
    )
  })
})
