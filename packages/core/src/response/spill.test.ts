import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import { openNamespace } from '../execution/namespace.ts'
import { spillText } from './spill.ts'
import { spillIdOf } from './spill-id.ts'
import { readSpill } from './spill-read.ts'
import { keptIds } from './spill-store.ts'

const coded =
  (code: string, about = /./) =>
  (error: unknown) =>
    AdjutantError.isInstance(error) && error.code === code && about.test(`${error.message} ${error.hint}`)

describe('spillText', () => {
  it('keeps the whole text in a file of the owner only', async () => {
    await using cx = await testContext()
    const text = 'first\nsecond 日本 😀\nthird'
    const ref = await spillText(cx.namespace, 'call_1', text)
    assert.equal(await readFile(ref.path, 'utf8'), text)
    assert.deepEqual(
      { ...ref, path: basename(ref.path) },
      {
        id: 'call_1',
        handle: await cx.namespace.issueHandle('spill', 'call_1'),
        path: 'call_1.txt',
        bytes: Buffer.byteLength(text),
        lines: 3,
      },
    )
    assert.equal(ref.path, join(await cx.namespace.directory(), 'results', 'call_1.txt'))
    assert.equal((await stat(ref.path)).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dirname(ref.path)), ['call_1.txt'])
  })

  it('never splits a character between two pieces of a long text', async () => {
    await using cx = await testContext()
    const text = `a${'😀'.repeat(1_200_000)}`
    const { path } = await spillText(cx.namespace, 'call_1', text)
    assert.equal(await readFile(path, 'utf8'), text)
  })

  it('gives a repeated call id a name of its own', async () => {
    await using cx = await testContext()
    const refs = await Promise.all(['one', 'two', 'three'].map((text) => spillText(cx.namespace, 'call_0', text)))
    assert.deepEqual(refs.map(({ id }) => id).sort(), ['call_0', 'call_0-2', 'call_0-3'])
    for (const [index, text] of ['one', 'two', 'three'].entries()) assert.equal(await readFile(refs[index]?.path ?? '', 'utf8'), text)
  })

  it('does not overwrite what an earlier process kept', async () => {
    await using cx = await testContext()
    const root = dirname(await cx.namespace.directory())
    await spillText(cx.namespace, 'call_0', 'before')
    const later = openNamespace({ root, sessionId: cx.namespace.sessionId })
    assert.equal((await spillText(later, 'call_0', 'after')).id, 'call_0-2')
    assert.deepEqual(await keptIds(later), ['call_0', 'call_0-2'])
  })

  it('does not overwrite what something else put under the name meanwhile', async () => {
    await using cx = await testContext()
    await spillText(cx.namespace, 'call_0', 'first')
    await writeFile(await cx.namespace.path('results/call_1.txt'), 'not ours')
    assert.equal((await spillText(cx.namespace, 'call_1', 'ours')).id, 'call_1-2')
    assert.equal(await readFile(await cx.namespace.path('results/call_1.txt'), 'utf8'), 'not ours')
  })

  it('makes a harmless name of any call id, a different one for each', async () => {
    const hostile = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('../../etc/passwd', 'a/b', 'a\\b', '.', '..', 'con\0', 'x'.repeat(5_000)),
    )
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        assert.match(spillIdOf(one), /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/)
        assert.equal(spillIdOf(one) === spillIdOf(other), one === other)
      }),
    )
    await using cx = await testContext()
    const ref = await spillText(cx.namespace, '../../escape', 'kept')
    assert.ok(ref.path.startsWith((await cx.namespace.directory()) + sep))
    const page = await readSpill(cx.namespace, '../../escape')
    assert.ok(page.kind === 'lines' && page.text === 'kept')
  })

  it('removes the oldest to make room, and refuses what alone is too large', async () => {
    await using cx = await testContext()
    const limits = { totalBytes: 100, files: 3 }
    for (const id of ['a', 'b', 'c']) await spillText(cx.namespace, id, 'x'.repeat(30), limits)
    await spillText(cx.namespace, 'd', 'x'.repeat(50), limits)
    assert.deepEqual(await keptIds(cx.namespace), ['c', 'd'])
    await assert.rejects(spillText(cx.namespace, 'e', 'x'.repeat(101), limits), coded('TOO_LARGE', /more than 100 bytes/))
    assert.deepEqual((await readdir(await cx.namespace.path('results'))).sort(), ['c.txt', 'd.txt', 'removed.log'])
    for (const id of ['f', 'g']) await spillText(cx.namespace, id, 'x', limits)
    assert.deepEqual(await keptIds(cx.namespace), ['d', 'f', 'g'])
  })

  it('clears what a crash left half written, and nothing that is being written', async () => {
    await using cx = await testContext()
    const folder = dirname(await cx.namespace.path('results/x'))
    const gone = 2 ** 31 - 1
    for (const name of [`call_1.${gone}.1.tmp`, `call_1.${process.pid}.1000.tmp`, `call_1.${process.ppid}.1.tmp`]) {
      await writeFile(join(folder, name), 'half')
    }
    await spillText(cx.namespace, 'call_1', 'whole')
    assert.deepEqual(
      (await readdir(folder)).sort(),
      [`call_1.${process.pid}.1000.tmp`, `call_1.${process.ppid}.1.tmp`, 'call_1.txt'].sort(),
    )
  })

  it('does not follow a link out of the namespace', async () => {
    await using cx = await testContext()
    const outside = await mkdtemp(join(tmpdir(), 'outside-'))
    try {
      await symlink(outside, join(await cx.namespace.directory(), 'results'))
      await assert.rejects(spillText(cx.namespace, 'call_1', 'text'), coded('NAMESPACE_ESCAPE'))
      assert.deepEqual(await readdir(outside), [])
    } finally {
      await rm(outside, { recursive: true })
    }
  })
})

describe('readSpill', () => {
  it('pages through any text, line by line, until all of it was seen', async () => {
    await using cx = await testContext()
    const line = fc
      .oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }))
      .map((text) => text.replace(/[\x00-\x1f\x7f-\x9f]/g, ''))
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.constantFrom('', '\n'))
      .map(([lines, end]) => lines.join('\n') + end)
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 40, max: 400 }), async (whole, limit, maxChars) => {
        const { id } = await spillText(cx.namespace, 'paged', whole)
        let seen = ''
        for (let from: { readonly offset: number; readonly column?: number } | undefined = { offset: 1 }; from !== undefined; ) {
          const page = await readSpill(cx.namespace, id, { ...from, limit, maxChars })
          assert.ok(page.kind === 'lines')
          assert.ok(page.text.length <= maxChars)
          seen += page.text
          if (page.next === undefined && page.text !== '')
            assert.equal(page.totalLines, whole.split('\n').length - (whole.endsWith('\n') ? 1 : 0))
          from = page.next
        }
        assert.equal(seen, whole.isWellFormed() ? whole : whole.toWellFormed())
      }),
      { numRuns: 100 },
    )
  })

  it('finds a line wherever it begins in the file', async () => {
    await using cx = await testContext()
    // 64 characters a line: lines begin exactly at the blocks that are read.
    const { id } = await spillText(
      cx.namespace,
      'blocks',
      Array.from({ length: 20_000 }, (_, index) => `${String(index + 1).padStart(63, '.')}\n`).join(''),
    )
    for (const offset of [1, 2, 4_096, 4_097, 8_193, 20_000]) {
      const page = await readSpill(cx.namespace, id, { offset, limit: 1 })
      assert.ok(page.kind === 'lines')
      assert.equal(page.text.trim().replace(/^\.+/, ''), String(offset))
    }
    const past = await readSpill(cx.namespace, id, { offset: 20_001 })
    assert.deepEqual(past, { kind: 'lines', id, text: '', firstLine: 20_001, lastLine: 20_000, totalLines: 20_000 })
  })

  it('goes on inside a line that is longer than a page', async () => {
    await using cx = await testContext()
    const { id } = await spillText(cx.namespace, 'long', `head\n${'0123456789'.repeat(200_000)}\ntail\n`)
    const page = await readSpill(cx.namespace, id, { offset: 2, column: 1_000_001, maxChars: 20 })
    assert.deepEqual(page, {
      kind: 'lines',
      id,
      text: '01234567890123456789',
      firstLine: 2,
      lastLine: 2,
      next: { offset: 2, column: 1_000_021 },
    })
    const last = await readSpill(cx.namespace, id, { offset: 2, column: 1_999_991, maxChars: 20 })
    assert.ok(last.kind === 'lines')
    assert.equal(last.text, '0123456789\ntail\n')
  })

  it('cuts a long line between characters, also where a block that is read ends inside one', async () => {
    await using cx = await testContext()
    const { id } = await spillText(cx.namespace, 'family', `${'x'.repeat(262_140)}👨‍👩‍👧‍👦${'y'.repeat(100)}`)
    const page = await readSpill(cx.namespace, id, { column: 262_100, maxChars: 43 })
    assert.deepEqual(page, { kind: 'lines', id, text: 'x'.repeat(41), firstLine: 1, lastLine: 1, next: { offset: 1, column: 262_141 } })
  })

  it('finds plain text in any letter case with its line, like a plain search of the lines', async () => {
    await using cx = await testContext()
    const word = fc.constantFrom('error', 'Error', 'warn', 'x.*', '(a+)+$', 'é', 'ok', '😀')
    const lines = fc.array(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
      { minLength: 1, maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(lines, word, fc.integer({ min: 1, max: 40 }), async (all, needle, offset) => {
        const { id } = await spillText(cx.namespace, 'searched', all.join('\n'))
        const page = await readSpill(cx.namespace, id, { search: needle, offset, limit: 1_000 })
        assert.ok(page.kind === 'hits')
        const expected = all.flatMap((text, index) => {
          const at = text.toLowerCase().indexOf(needle.toLowerCase())
          return at === -1 || index + 1 < offset ? [] : [{ line: index + 1, column: at + 1, text }]
        })
        assert.deepEqual(page.hits, expected)
      }),
      { numRuns: 100 },
    )
  })

  it('goes on behind the hits that had room', async () => {
    await using cx = await testContext()
    const { id } = await spillText(cx.namespace, 'many', 'a hit\n'.repeat(100))
    const page = await readSpill(cx.namespace, id, { search: 'HIT', limit: 10 })
    assert.ok(page.kind === 'hits')
    assert.deepEqual([page.hits.length, page.next], [10, { offset: 11 }])
    const rest = await readSpill(cx.namespace, id, { search: 'HIT', offset: 95 })
    assert.ok(rest.kind === 'hits')
    assert.deepEqual([rest.hits.length, rest.hits[0]?.line, rest.next], [6, 95, undefined])
    const narrow = await readSpill(cx.namespace, id, { search: 'hit', maxChars: 100 })
    assert.ok(narrow.kind === 'hits' && narrow.hits.length < 10 && narrow.next !== undefined)
  })

  it('finds a place in a line of megabytes, also across the pieces it is read in', async () => {
    await using cx = await testContext()
    for (const at of [10, 262_140, 1_048_570, 1_310_711, 1_310_715, 3_000_000]) {
      const text = `first\n${'.'.repeat(at)}needle${'.'.repeat(4_000_000 - at)}\nneedle again`
      const { id } = await spillText(cx.namespace, 'wide', text)
      const page = await readSpill(cx.namespace, id, { search: 'needle' })
      assert.ok(page.kind === 'hits')
      assert.deepEqual(
        page.hits.map(({ line, column }) => [line, column]),
        [
          [2, at + 1],
          [3, 1],
        ],
      )
      assert.ok((page.hits[0]?.text.length ?? 0) < 500 && page.hits[0]?.text.includes('needle'))
    }
  })

  it('says what is kept when there is nothing under an id, and shows nothing of another session', async () => {
    await using cx = await testContext()
    await assert.rejects(readSpill(cx.namespace, 'call_9'), coded('NOT_FOUND', /"call_9".*Nothing is kept/))
    await spillText(cx.namespace, 'call_1', 'mine')
    const other = openNamespace({ root: dirname(await cx.namespace.directory()), sessionId: sessionId('other') })
    await spillText(other, 'secret', 'theirs')
    for (const id of ['secret', '../other/results/secret', '../../other/results/secret.txt', 'secret.txt', '/etc/passwd', '']) {
      await assert.rejects(readSpill(cx.namespace, id), coded('NOT_FOUND', /Kept are: call_1\./), id)
    }
  })

  it('does not read through a link or a folder that something put there', async () => {
    await using cx = await testContext()
    await symlink('/etc/hostname', await cx.namespace.path('results/link.txt'))
    await assert.rejects(readSpill(cx.namespace, 'link'), (error) => coded('NAMESPACE_ESCAPE')(error) || coded('NOT_FOUND')(error))
    await cx.namespace.path('results/folder.txt/inside')
    await assert.rejects(readSpill(cx.namespace, 'folder'), coded('NOT_FOUND'))
  })

  it('refuses wrong numbers and searches, naming them', async () => {
    await using cx = await testContext()
    await spillText(cx.namespace, 'a', 'text')
    const wrong = [{ offset: 0 }, { limit: 0 }, { column: 1.5 }, { search: '' }, { search: 'a\nb' }, { search: 'x'.repeat(1_001) }]
    for (const query of wrong)
      await assert.rejects(readSpill(cx.namespace, 'a', query), coded('INVALID_ARGUMENTS', new RegExp(Object.keys(query)[0] ?? '')))
  })

  it('says so when what is kept is no text', async () => {
    await using cx = await testContext()
    await spillText(cx.namespace, 'blob', 'a\0b')
    assert.deepEqual(await readSpill(cx.namespace, 'blob'), { kind: 'binary', id: 'blob', bytes: 3 })
  })
})
