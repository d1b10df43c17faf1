import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ManualClock, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { openFileBench } from '../../test/file-bench.ts'
import { createFileTools } from './create-file-tools.ts'

describe('search_text', () => {
  it('finds plain text, whatever its letters mean elsewhere', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', 'one\r\ntwo (x.*) end\r\nthree')
    await bench.put('b/c.txt', 'X.*\n')
    assert.equal(await bench.call('search_text', { query: 'x.*' }), 'a.txt:2:two (x.*) end\n[1 match in 2 text files searched]')
    assert.equal(
      await bench.call('search_text', { query: '(x.*', ignoreCase: true }),
      'a.txt:2:two (x.*) end\n[1 match in 2 text files searched]',
    )
    assert.equal(
      await bench.call('search_text', { query: 'x.*', ignoreCase: true }),
      'a.txt:2:two (x.*) end\nb/c.txt:1:X.*\n[2 matches in 2 text files searched]',
    )
    assert.equal(await bench.call('search_text', { query: 'nowhere' }), '[no line with "nowhere" in 2 text files]')
  })

  it('finds patterns, line by line', async () => {
    await using bench = await openFileBench()
    await bench.put('a.ts', 'class AError {}\nclass B {}\nfunction f() {}\n')
    assert.equal(
      await bench.call('search_text', { query: '^class \\w+Error', regex: true }),
      'a.ts:1:class AError {}\n[1 match in 1 text file searched]',
    )
    assert.equal(
      await bench.call('search_text', { query: '(?i)^CLASS b', regex: true }),
      'a.ts:2:class B {}\n[1 match in 1 text file searched]',
    )
    assert.match(await bench.call('search_text', { query: '\\}$', regex: true }), /3 matches/)
    await assert.rejects(bench.call('search_text', { query: '(', regex: true }), {
      code: 'INVALID_ARGUMENTS',
      message: /not a regular expression/,
    })
  })

  it('shows context, each line once', async () => {
    await using bench = await openFileBench()
    await bench.put('a', '1\n2 x\n3\n4 x\n5\n6\n7\n8\n9 x\n')
    assert.equal(
      await bench.call('search_text', { query: 'x', context: 1 }),
      'a-1-1\na:2:2 x\na-3-3\na:4:4 x\na-5-5\n--\na-8-8\na:9:9 x\n[3 matches in 1 text file searched]',
    )
  })

  it('looks into the files of a glob, or one file', async () => {
    await using bench = await openFileBench()
    for (const path of ['a.ts', 'src/b.ts', 'src/c.js', 'node_modules/d.ts']) await bench.put(path, 'needle\n')
    assert.match(await bench.call('search_text', { query: 'needle', glob: '*.ts' }), /^a\.ts:1:needle\nsrc\/b\.ts:1:needle\n\[2 /)
    assert.match(await bench.call('search_text', { query: 'needle', glob: '*.js', path: 'src' }), /^src\/c\.js:1:needle\n\[1 /)
    assert.match(await bench.call('search_text', { query: 'needle', path: 'node_modules/d.ts' }), /^node_modules\/d\.ts:1:needle\n/)
    await assert.rejects(bench.call('search_text', { query: 'x', path: 'scr' }), { code: 'NOT_FOUND', hint: /"src"/ })
  })

  it('reads other encodings, skips binary files and links', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await writeFile(join(out, 'secret'), 'café\n')
    await symlink(out, join(bench.root, 'leak'))
    await symlink(join(out, 'secret'), join(bench.root, 'leak2'))
    await bench.put('utf16', Buffer.from('\uFEFFa\r\ncafé\r\n', 'utf16le'))
    await bench.put('latin', Buffer.from('caf\xe9', 'latin1'))
    await bench.put('bom', '\uFEFFcafé')
    await bench.put('bin', Buffer.concat([Buffer.from('café'), Buffer.alloc(10)]))
    await bench.put('empty', '')
    assert.equal(
      await bench.call('search_text', { query: 'café' }),
      'bom:1:café\nlatin:1:café\nutf16:2:café\n[3 matches in 3 text files searched; 1 binary file skipped]',
    )
    assert.match(await bench.call('search_text', { query: '^café$', regex: true }), /^bom:1:café\nlatin:1:café\nutf16:2:café\n/)
  })

  it('is bounded in matches and characters', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x\n'.repeat(50))
    const few = await bench.call('search_text', { query: 'x', limit: 3 })
    assert.equal(few, 'a:1:x\na:2:x\na:3:x\n[stopped after 3 matches: use a narrower query, path or glob]')
    assert.match(await bench.call('search_text', { query: 'x', limit: 50 }), /\[50 matches/)
    await bench.put('long', `${'y'.repeat(5_000)}needle${'z'.repeat(5_000)}\n`)
    const long = await bench.call('search_text', { query: 'needle' })
    assert.ok(long.length < 500 && long.includes('yneedlez'), long)
    await bench.put('many', `${'w'.repeat(290)}\n`.repeat(900))
    assert.ok((await bench.call('search_text', { query: 'w', limit: 1_000 })).length < 32_000)
  })

  it('finds the same lines in files larger than a block', async () => {
    await using bench = await openFileBench()
    const lines = Array.from({ length: 300_000 }, (_, index) =>
      index % 50_000 === 49_999 ? `needle ${index + 1}` : 'some other text on this line',
    )
    await bench.put('big', lines.join('\n'))
    const expected = [50_000, 100_000, 150_000, 200_000, 250_000, 300_000].map((line) => `big:${line}:needle ${line}`).join('\n')
    assert.ok((await bench.call('search_text', { query: 'needle' })).startsWith(expected))
    assert.ok((await bench.call('search_text', { query: 'needle \\d+', regex: true })).startsWith(expected))
  })

  it('agrees with looking at each line (property)', async () => {
    await using bench = await openFileBench()
    const line = fc.array(fc.constantFrom('a', 'b', 'A', '.', 'é'), { maxLength: 5 }).map((letters) => letters.join(''))
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('a', 'ab', '.', 'é'),
        fc.boolean(),
        fc.constantFrom('\n', '\r\n'),
        async (lines, query, ignoreCase, end) => {
          await bench.put('f', lines.join(end))
          const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text)
          const expected = lines.flatMap((text, index) => (fold(text).includes(fold(query)) ? [`f:${index + 1}:${text}`] : []))
          const found = await bench.call('search_text', { query, ignoreCase })
          assert.deepEqual(found.split('\n').slice(0, -1), expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('ends a pattern that never ends, by time', async () => {
    await using bench = await openFileBench()
    await bench.put('a', `${'a'.repeat(60)}!\n`)
    const clock = new ManualClock()
    const search = createFileTools({ workspace: bench.root, clock }).find((tool) => tool.name === 'search_text')
    assert.ok(search)
    const running = Promise.resolve(search.execute({ query: '^(a+)+$', regex: true }, bench.cx))
    const refused = assert.rejects(running, { code: 'TIMEOUT', hint: /repetitions/ })
    while (clock.pending === 0) await clock.advance(0)
    await clock.advance(5_000)
    await refused
  })

  it('ends a pattern that never ends, when the call is stopped', async () => {
    await using bench = await openFileBench()
    await bench.put('a', `${'a'.repeat(60)}!\n`)
    const clock = new ManualClock()
    const stop = new AbortController()
    await using cx = await testContext({ signal: stop.signal })
    const search = createFileTools({ workspace: bench.root, clock }).find((tool) => tool.name === 'search_text')
    assert.ok(search)
    const refused = assert.rejects(Promise.resolve(search.execute({ query: '^(a+)+$', regex: true }, cx)), { code: 'CANCELLED' })
    while (clock.pending === 0) await clock.advance(0)
    stop.abort()
    await refused
    assert.equal(clock.pending, 0)
  })

  it('says so when a line is too long for a pattern, and searches the rest', async () => {
    await using bench = await openFileBench()
    await bench.put('long', `${'ab'.repeat(1_900_000)}x`)
    await bench.put('short', 'abab\n')
    const found = await bench.call('search_text', { query: '^(?:(a)|(b))*$', regex: true })
    assert.equal(found, 'short:1:abab\n[1 match in 1 text file searched; 1 file not searched: a line is too long for this pattern]')
  })

  it('refuses a query over several lines', async () => {
    await using bench = await openFileBench()
    await assert.rejects(bench.call('search_text', { query: 'a\nb' }), { code: 'INVALID_ARGUMENTS' })
    await assert.rejects(bench.call('search_text', { query: '' }), { code: 'INVALID_ARGUMENTS' })
  })
})
