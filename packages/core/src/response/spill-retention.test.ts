import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { ManualClock, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import type { Namespace } from '../contract/ports.ts'
import { openNamespace } from '../execution/namespace.ts'
import { spillText } from './spill.ts'
import { readSpill } from './spill-read.ts'
import { setSpillLimits } from './spill-settings.ts'
import { keptIds, SpillFile } from './spill-store.ts'

const coded =
  (about: RegExp, code = 'NOT_FOUND') =>
  (error: unknown) =>
    AdjutantError.isInstance(error) && error.code === code && about.test(`${error.message} ${error.hint}`)

async function reopened(namespace: Namespace): Promise<Namespace> {
  return openNamespace({ root: dirname(await namespace.directory()), sessionId: namespace.sessionId })
}

describe('retention of results', () => {
  it('removes the oldest first, and tells whoever asks for one that it was removed', async () => {
    await using cx = await testContext()
    setSpillLimits(cx.namespace, { totalBytes: 1_000, files: 2 })
    for (const id of ['a', 'b', 'c']) await spillText(cx.namespace, id, `text of ${id}`)
    await assert.rejects(readSpill(cx.namespace, 'a'), coded(/"a" was removed: newer results needed the room.*call again.*Kept are: b, c/))
    await assert.rejects(readSpill(cx.namespace, 'z'), coded(/no kept result "z"/))
    const later = await reopened(cx.namespace)
    await assert.rejects(readSpill(later, 'a'), coded(/"a" was removed/))
  })

  it('never gives a later result the name of one that was removed', async () => {
    await using cx = await testContext()
    setSpillLimits(cx.namespace, { totalBytes: 1_000, files: 1 })
    await spillText(cx.namespace, 'call_0', 'old')
    await spillText(cx.namespace, 'call_1', 'newer')
    assert.equal((await spillText(cx.namespace, 'call_0', 'another')).id, 'call_0-2')
    await assert.rejects(readSpill(cx.namespace, 'call_0'), coded(/was removed/))
  })

  it('removes what is too old, at a read, at a write, and in a later process', async () => {
    await using cx = await testContext()
    const clock = new ManualClock()
    const limits = { totalBytes: 1_000, files: 10, maxAgeMs: 60_000 }
    setSpillLimits(cx.namespace, limits, clock)
    await spillText(cx.namespace, 'a', 'x')
    await clock.advance(40_000)
    await spillText(cx.namespace, 'b', 'x')
    await clock.advance(20_000)
    assert.equal((await readSpill(cx.namespace, 'a')).kind, 'lines')
    await clock.advance(1)
    await assert.rejects(readSpill(cx.namespace, 'a'), coded(/"a" was removed: it was older/))
    assert.deepEqual(await keptIds(cx.namespace), ['b'])
    const later = await reopened(cx.namespace)
    setSpillLimits(later, limits, clock)
    await clock.advance(40_000)
    await spillText(later, 'c', 'x')
    assert.deepEqual(await keptIds(later), ['c'])
  })

  it('keeps within number and bytes whatever is written, also at once, and always the newest', async () => {
    await using cx = await testContext()
    const limits = { totalBytes: 300, files: 4 }
    setSpillLimits(cx.namespace, limits)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }), async (sizes) => {
        const written = await Promise.allSettled(sizes.map((size, index) => spillText(cx.namespace, `call_${index}`, 'x'.repeat(size))))
        const folder = dirname(await cx.namespace.path('results/x'))
        const files = (await readdir(folder)).filter((name) => name !== 'removed.log')
        assert.ok(files.every((name) => name.endsWith('.txt')))
        assert.ok(files.length <= limits.files)
        let bytes = 0
        for (const name of files) bytes += (await readFile(`${folder}/${name}`)).length
        assert.ok(bytes <= limits.totalBytes)
        assert.deepEqual((await keptIds(cx.namespace)).map((id) => `${id}.txt`).sort(), files.sort())
        for (const [index, one] of written.entries()) {
          if (one.status === 'rejected') assert.ok(coded(/not kept/, 'TOO_LARGE')(one.reason))
          else assert.ok((sizes[index] ?? 0) <= limits.totalBytes)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('never lets two that use one folder overwrite each other, and tells each what the other removed', async () => {
    await using cx = await testContext()
    const other = await reopened(cx.namespace)
    const writers = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? cx.namespace : other))
    const refs = await Promise.all(writers.map((namespace, index) => spillText(namespace, 'call_0', `text ${index}`)))
    assert.equal(new Set(refs.map(({ path }) => path)).size, 40)
    for (const [index, { path }] of refs.entries()) assert.equal(await readFile(path, 'utf8'), `text ${index}`)
    setSpillLimits(other, { totalBytes: 1_000, files: 1 })
    const gone = refs[1]?.id ?? ''
    await spillText(other, 'call_1', 'the only one of the other')
    await assert.rejects(readSpill(cx.namespace, gone), coded(/was removed/))
  })

  it('lets writers at once take no more of the disk than may be kept', async () => {
    await using cx = await testContext()
    const files = await Promise.all(['a', 'b', 'c'].map((id) => SpillFile.open(cx.namespace, id, { totalBytes: 100, files: 9 })))
    const [one, two, three] = files
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    await one.write([Buffer.alloc(60)])
    await assert.rejects(two.write([Buffer.alloc(60)]), coded(/together/, 'TOO_LARGE'))
    await one.abandon()
    await three.write([Buffer.alloc(60)])
    assert.equal((await three.commit(0)).bytes, 60)
    await two.abandon()
  })

  it('shows nothing of a result whose writer was killed, and clears it', async () => {
    await using cx = await testContext()
    const store = JSON.stringify(new URL('./spill-store.ts', import.meta.url).href)
    const namespaces = JSON.stringify(new URL('../execution/namespace.ts', import.meta.url).href)
    const where = JSON.stringify({ root: dirname(await cx.namespace.directory()), sessionId: cx.namespace.sessionId })
    const script = `
      const { SpillFile } = await import(${store})
      const { openNamespace } = await import(${namespaces})
      const file = await SpillFile.open(openNamespace(${where}), 'half')
      await file.write([Buffer.alloc(1_000_000, 'x')])
      console.log('written')
      setInterval(() => {}, 1_000)`
    const child = spawn(process.execPath, [...process.execArgv, '--conditions=adjutant-source', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const folder = dirname(await cx.namespace.path('results/x'))
    assert.ok((await readdir(folder)).every((name) => name.endsWith('.tmp')))
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    await assert.rejects(readSpill(cx.namespace, 'half'), coded(/no kept result "half".*Nothing is kept/))
    assert.deepEqual(await readdir(folder), [])
  })

  it('bears any record of what was removed, and remembers a bounded number', async () => {
    await using cx = await testContext()
    setSpillLimits(cx.namespace, { totalBytes: 1_000_000, files: 1 })
    const log = `${dirname(await cx.namespace.path('results/x'))}/removed.log`
    await appendFile(log, 'half a li\0ne\nx nonsense\n\n'.repeat(20_000))
    for (let index = 0; index < 5; index++) await spillText(cx.namespace, `call_${index}`, 'x')
    await assert.rejects(readSpill(cx.namespace, 'call_2'), coded(/was removed/))
    assert.ok((await readFile(log)).length < 1_000, 'the record was written anew')
  })

  it('follows no link that stands in place of the record', async () => {
    await using cx = await testContext()
    await using other = await testContext()
    const target = await other.namespace.path('target')
    await symlink(target, `${dirname(await cx.namespace.path('results/x'))}/removed.log`)
    setSpillLimits(cx.namespace, { totalBytes: 1_000, files: 1 })
    for (const id of ['a', 'b']) await spillText(cx.namespace, id, 'x')
    await assert.rejects(readFile(target))
    await assert.rejects(readSpill(cx.namespace, 'a'), coded(/was removed/))
  })
})

describe('the last lines of a kept result', () => {
  it('are those of the text, whole lines where one fits', async () => {
    await using cx = await testContext()
    const line = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[\x00-\x1f\x7f-\x9f]/g, ''))
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 40, size: 'max' }), fc.constantFrom('', '\n'))
      .map(([all, end]) => all.join('\n') + end)
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 500 }), async (whole, tail, maxChars) => {
        const { id } = await spillText(cx.namespace, 'tailed', whole)
        const page = await readSpill(cx.namespace, id, { tail, maxChars })
        assert.ok(page.kind === 'lines')
        assert.ok(whole.toWellFormed().endsWith(page.text) && page.text.length <= maxChars)
        const lines = whole === '' ? 0 : whole.split('\n').length - (whole.endsWith('\n') ? 1 : 0)
        assert.deepEqual([page.totalLines, page.lastLine], [lines, lines])
        const shown = page.lastLine - page.firstLine + 1
        const all = await readSpill(cx.namespace, id, { offset: page.firstLine })
        assert.ok(all.kind === 'lines' && all.text === page.text)
        assert.ok(shown <= tail)
      }),
      { numRuns: 100 },
    )
  })

  it('are the end of a line that is longer than a page', async () => {
    await using cx = await testContext()
    const { id } = await spillText(cx.namespace, 'long', `first\n${'日'.repeat(100_000)}end`)
    const page = await readSpill(cx.namespace, id, { tail: 5, maxChars: 20 })
    assert.deepEqual(page, { kind: 'lines', id, text: `${'日'.repeat(17)}end`, firstLine: 2, lastLine: 2, totalLines: 2 })
  })

  it('go with nothing else', async () => {
    await using cx = await testContext()
    await spillText(cx.namespace, 'a', 'x')
    for (const query of [{ tail: 0 }, { tail: 1, offset: 1 }, { tail: 1, search: 'x' }, { tail: 1, limit: 2 }]) {
      await assert.rejects(readSpill(cx.namespace, 'a', query), coded(/tail/, 'INVALID_ARGUMENTS'))
    }
  })
})
