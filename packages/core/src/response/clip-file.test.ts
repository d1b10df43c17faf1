import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { type TestContext, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import type { ClipStrategy } from '../contract/tool.ts'
import { clipBy } from './clip-by.ts'
import { clipFile } from './clip-file.ts'
import { readSpill } from './spill-read.ts'
import { SpillTarget } from './spill-target.ts'
import { StreamClipper } from './stream-clipper.ts'
import { resolveTerminalText } from './terminal-text.ts'

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 60 }).map((text) => text.replaceAll('\0', '')) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('error: no', '\x1b[31mred\x1b[0m', '10 %\r100 %', 'a,b,c', '{"a":1}') },
)
const text = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 30, size: 'max' }), fc.integer({ min: 1, max: 700 }))
  .map(([parts, times]) => `${parts.join('\n')}\n`.repeat(times))

async function written(cx: TestContext, content: string | Uint8Array): Promise<string> {
  const path = await cx.namespace.path('file.txt')
  await writeFile(path, content)
  return path
}

describe('clipFile', () => {
  it('gives what clipping the whole text gives, for every way that can do with the two ends', async () => {
    await using cx = await testContext()
    const strategy = fc.constantFrom<ClipStrategy[]>('head-tail', 'head', 'tail', 'errors', 'json', 'auto')
    await fc.assert(
      fc.asyncProperty(text, strategy, fc.integer({ min: 80, max: 2_000 }), fc.boolean(), async (whole, by, limit, failed) => {
        const { binary, totalBytes, ...clipped } = await clipFile(await written(cx, whole), { strategy: by, limit, failed })
        assert.deepEqual([binary, totalBytes], [false, Buffer.byteLength(whole)])
        assert.deepEqual(clipped, clipBy(by, resolveTerminalText(Buffer.from(whole).toString()), { limit, failed }))
      }),
      { numRuns: 80 },
    )
  })

  it('counts and shows a file of many blocks', async () => {
    await using cx = await testContext()
    const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index} of a file`)
    lines[150_000] = 'error: planted in the middle'
    const whole = `${lines.join('\n')}\n`
    const path = await written(cx, whole)
    for (const by of ['head-tail', 'tail', 'errors'] as const) {
      const { text: shown, totalLines, totalChars } = await clipFile(path, { strategy: by, limit: 3_000 })
      assert.deepEqual([shown, totalLines, totalChars], [clipBy(by, whole, { limit: 3_000 }).text, 300_000, whole.length])
    }
  })

  it('begins where it is told, or where a descriptor stands', async () => {
    await using cx = await testContext()
    const path = await written(cx, 'one\ntwo\nthree\n')
    assert.equal((await clipFile(path, { position: 4 })).text, 'two\nthree\n')
    const descriptor = openSync(path, 'r')
    try {
      readSync(descriptor, Buffer.alloc(4))
      assert.equal((await clipFile(descriptor)).text, 'two\nthree\n')
      assert.equal((await clipFile(descriptor, { position: 8 })).text, 'three\n')
    } finally {
      closeSync(descriptor)
    }
  })

  it('knows binary files and empty ones, and refuses what is no file', async () => {
    await using cx = await testContext()
    assert.equal((await clipFile(await written(cx, ''))).text, '')
    assert.match((await clipFile(await written(cx, Uint8Array.of(1, 0, 2)))).text, /^\[binary output, 3 bytes/)
    await assert.rejects(clipFile(await cx.namespace.directory()), { code: 'USAGE' })
    await assert.rejects(clipFile('/does/not/exist'), { code: 'ENOENT' })
    await assert.rejects(clipFile('/dev/null', { position: -1 }), { code: 'USAGE' })
  })

  it('stops when it is told to', async () => {
    await using cx = await testContext()
    await assert.rejects(clipFile(await written(cx, 'text'), { signal: AbortSignal.abort() }), { code: 'CANCELLED' })
  })
})

describe('StreamClipper by strategy', () => {
  it('keeps an error from the middle of hundreds of megabytes, in little memory', async () => {
    const chunk = Buffer.from('a step that went well, as most of them do\n'.repeat(3_000))
    const clipper = new StreamClipper({ strategy: 'errors', limit: 4_000 })
    for (let sent = 0; sent < 400; sent++) {
      if (sent === 200) await clipper.write(Buffer.from('error: the one\n'))
      await clipper.write(chunk)
    }
    const { text: shown, totalLines } = await clipper.end()
    assert.match(shown, /left out …\]\n(?:a step.*\n)*error: the one\n(?:a step.*\n)*\[…/)
    assert.equal(totalLines, 400 * 3_000 + 1)
  })

  it('keeps the header of a table that is too large to be held', async () => {
    const rows = Buffer.from('1,two,three\n'.repeat(80_000))
    const clipper = new StreamClipper({ strategy: 'auto', limit: 1_000 })
    await clipper.write(Buffer.from('id,name,what\n'))
    for (let sent = 0; sent < 10; sent++) await clipper.write(rows)
    assert.match((await clipper.end()).text, /^id,name,what\n1,two.*\n\[… \d+ rows \(\d+ characters\) left out …\]\n/s)
  })

  it('may be given the same memory again', async () => {
    await using cx = await testContext()
    for (const keep of [undefined, { namespace: cx.namespace, callId: 'call_1' }]) {
      const clipper = new StreamClipper({ reused: true, limit: 200, ...(keep === undefined ? {} : { keep }) })
      const memory = Buffer.alloc(100_000)
      let whole = ''
      for (let round = 0; round < 40; round++) {
        const said = `round ${round} é\n`.repeat(round * 200)
        const size = memory.write(said)
        whole += said
        await clipper.write(memory.subarray(0, size))
        memory.fill(0x21)
      }
      const { text: shown, spill } = await clipper.end()
      const rest = spill === undefined ? {} : { rest: `whole text in ${spill.path}: read_result {"id":"${spill.handle}"} shows it` }
      assert.equal(shown, clipBy('head-tail', whole, { limit: 200, ...rest }).text)
      if (spill !== undefined) assert.equal(await readFile(spill.path, 'utf8'), whole)
    }
  })
})

describe('SpillTarget', () => {
  const PROGRAM = "for (let n = 0; n < 20000; n++) console.log('line ' + n); console.error('\\x1b[31merror: last\\x1b[0m')"

  async function run(target: SpillTarget, program: string): Promise<void> {
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', target.descriptor, target.descriptor] })
    await once(child, 'close')
  }

  it('takes what a program writes by itself, and keeps it', async () => {
    await using cx = await testContext()
    const target = await SpillTarget.open(cx.namespace, 'call_1')
    await run(target, PROGRAM)
    assert.ok((await target.bytes()) > 100_000)
    const { text: shown, spill, totalLines } = await target.finish({ limit: 1_000 })
    assert.deepEqual([totalLines, spill?.lines, spill?.id], [20_001, 20_001, 'call_1'])
    assert.match(shown, /^line 0\n.*read_result \{"id":"spill_[\w-]+\.[\w-]{22}"\} shows it …\].*\nerror: last\n$/s)
    const page = await readSpill(cx.namespace, 'call_1', { tail: 1 })
    assert.ok(page.kind === 'lines' && page.text === 'error: last\n')
  })

  it('keeps nothing of what fits', async () => {
    await using cx = await testContext()
    const target = await SpillTarget.open(cx.namespace, 'call_1')
    await run(target, "console.log('short')")
    assert.equal((await target.finish()).text, 'short\n')
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
  })

  it('says so when it is more than may be kept', async () => {
    await using cx = await testContext()
    const target = await SpillTarget.open(cx.namespace, 'call_1', { totalBytes: 1_000, files: 5 })
    await run(target, PROGRAM)
    const { text: shown, spill } = await target.finish({ limit: 1_000 })
    assert.equal(spill, undefined)
    assert.match(shown, /could not be kept: a result of more than 1000 bytes is not kept/)
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
    const other = await SpillTarget.open(cx.namespace, 'call_2', { totalBytes: 1_000, files: 5 })
    await run(other, PROGRAM)
    await assert.rejects(other.bytes(), { code: 'TOO_LARGE' })
    await other.abandon()
    assert.deepEqual(await readdir(await cx.namespace.path('results')), [])
  })
})
