import assert from 'node:assert/strict'
import { chmod, mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError, ToolOutput } from '@adjutant/core/contract'
import { testContext } from '@adjutant/testkit'
import { openFileBench } from '../../test/file-bench.ts'

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

describe('read_file', () => {
  it('numbers the lines', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', 'one\n\n  three\n')
    assert.equal(await bench.call('read_file', { path: 'a.txt' }), '    1\tone\n    2\t\n    3\t  three')
  })

  it('pages, and says how to read on', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n'))
    const first = await bench.call('read_file', { path: 'a.txt', limit: 4 })
    assert.match(first, /^ {4}1\tline 1\n[\s\S]* {4}4\tline 4\n\[lines 1–4; \d+ bytes follow: read on with offset 5\]$/)
    assert.match(
      await bench.call('read_file', { path: 'a.txt', offset: 9 }),
      /^ {4}9\tline 9\n {3}10\tline 10\n\[lines 9–10, the end of the file\]$/,
    )
    await assert.rejects(bench.call('read_file', { path: 'a.txt', offset: 11 }), { code: 'INVALID_ARGUMENTS', message: /has 10 lines/ })
  })

  it('ends a page at a line before it grows too large', async () => {
    await using bench = await openFileBench()
    await bench.put('a.txt', `${'x'.repeat(999)}\n`.repeat(200))
    const page = await bench.call('read_file', { path: 'a.txt' })
    assert.ok(page.length < 33_000)
    const next = /read on with offset (\d+)/.exec(page)?.[1]
    assert.ok(next)
    assert.ok((await bench.call('read_file', { path: 'a.txt', offset: Number(next) })).startsWith(`${next.padStart(5)}\t`))
  })

  it('cuts a long line, and shows more of it alone', async () => {
    await using bench = await openFileBench()
    await bench.put('a.json', `[${'1,'.repeat(10_000)}1]\nend\n`)
    const page = await bench.call('read_file', { path: 'a.json' })
    assert.match(page, /… \[18,003 more characters in this line\]\n {4}2\tend\n\[1 line cut/)
    assert.ok((await bench.call('read_file', { path: 'a.json', limit: 1 })).length > 20_000)
  })

  it('reads other encodings, and says which', async () => {
    await using bench = await openFileBench()
    await bench.put('bom.txt', '\uFEFFhello')
    await bench.put('le.txt', Buffer.from('\uFEFFdéjà\r\nvu\r\n', 'utf16le'))
    await bench.put('be.txt', Buffer.from('\uFEFFdéjà', 'utf16le').swap16())
    await bench.put('latin.txt', Buffer.from('caf\xe9 \x80', 'latin1'))
    await bench.put('mixed.txt', 'a\r\nb\nc\nd')
    await bench.put('only-bom.txt', '\uFEFF')
    assert.equal(await bench.call('read_file', { path: 'bom.txt' }), '    1\thello')
    assert.equal(
      await bench.call('read_file', { path: 'le.txt' }),
      '    1\tdéjà\n    2\tvu\n[encoding: UTF-16 little-endian; line ends: CRLF]',
    )
    assert.match(await bench.call('read_file', { path: 'be.txt' }), /^ {4}1\tdéjà\n\[encoding: UTF-16 big-endian\]$/)
    assert.match(await bench.call('read_file', { path: 'latin.txt' }), /^ {4}1\tcafé €\n\[encoding: not UTF-8; read as Latin-1/)
    assert.match(await bench.call('read_file', { path: 'mixed.txt' }), /line ends: mixed/)
    assert.match(await bench.call('read_file', { path: 'only-bom.txt' }), /byte order mark/)
  })

  it('gives images as images', async () => {
    await using bench = await openFileBench()
    await bench.put('a.bin', PNG)
    const output = await bench.output('read_file', { path: 'a.bin' })
    assert.ok(output instanceof ToolOutput)
    assert.deepEqual(output.parts[1], { type: 'image', mimeType: 'image/png', data: PNG.toString('base64') })
    await bench.put('large.png', Buffer.concat([PNG, Buffer.alloc(6_000_000)]))
    await assert.rejects(bench.call('read_file', { path: 'large.png' }), { code: 'TOO_LARGE' })
  })

  it('names what is no text', async () => {
    await using bench = await openFileBench()
    await bench.put('a.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100)]))
    await bench.put('b.dat', Buffer.alloc(2_048))
    await assert.rejects(bench.call('read_file', { path: 'a.pdf' }), {
      code: 'UNSUPPORTED',
      message: '"a.pdf" is not text: PDF document, 109 bytes',
    })
    await assert.rejects(bench.call('read_file', { path: 'b.dat' }), { message: '"b.dat" is not text: binary data, 2.0 KiB' })
  })

  it('says what an empty file, a folder and a missing file are', async () => {
    await using bench = await openFileBench()
    await bench.put('empty', '')
    await bench.put('docs/report.md', 'x')
    assert.equal(await bench.call('read_file', { path: 'empty' }), '[empty is empty]')
    await assert.rejects(bench.call('read_file', { path: 'docs' }), { code: 'UNSUPPORTED', hint: /list_directory/ })
    await assert.rejects(bench.call('read_file', { path: 'docs/reprot.md' }), { code: 'NOT_FOUND', hint: 'Did you mean "docs/report.md"?' })
    await assert.rejects(bench.call('read_file', { path: 'dosc/report.md' }), {
      code: 'NOT_FOUND',
      message: /no "dosc" in the workspace/,
      hint: /"docs"/,
    })
    await assert.rejects(bench.call('read_file', { path: '~/x' }), { hint: /not expanded/ })
    await assert.rejects(bench.call('read_file', { path: 'docs/report.md/x' }), { code: 'NOT_FOUND' })
  })

  it('does not read through a link to the outside', async () => {
    await using bench = await openFileBench()
    await symlink('/etc/passwd', join(bench.root, 'leak'))
    await symlink('/etc', join(bench.root, 'folder'))
    for (const path of [
      'leak',
      'folder/passwd',
      'folder/no-such-file',
      '/etc/passwd',
      '/etcx',
      `${bench.root}x/a`,
      '../../../../../../etc/passwd',
    ]) {
      await assert.rejects(bench.call('read_file', { path }), { code: 'PATH_OUTSIDE_WORKSPACE' }, path)
    }
  })

  it('pages a file of many gigabytes without reading it', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('huge.log', `${'first line\n'.repeat(10)}`)
    // Sparse: 8 GiB of nothing behind the text would take seconds to read.
    await truncate(file, 8 * 1_024 ** 3)
    const handle = await open(file, 'r+')
    await handle.write(Buffer.from('x'.repeat(100_000)), 0, 100_000, 110)
    await handle.close()
    const page = await bench.call('read_file', { path: 'huge.log', limit: 5 })
    assert.match(page, /^ {4}1\tfirst line\n/)
    assert.match(page, /8\.0 GiB follow: read on with offset 6/)
    assert.match(await bench.call('read_file', { path: 'huge.log', offset: 6, limit: 5 }), /^ {4}6\tfirst line\n/)
  })

  it('streams a file too large to hold, page by page', async () => {
    await using bench = await openFileBench()
    const lines = 400_000
    await bench.put('big.log', Array.from({ length: lines }, (_, index) => `this is line number ${index + 1} of it`).join('\r\n'))
    assert.match(
      await bench.call('read_file', { path: 'big.log', offset: lines - 1 }),
      /number 399999 of it\n400000\tthis is line number 400000 of it\n\[.*the end of the file; line ends: CRLF\]$/,
    )
    assert.match(
      await bench.call('read_file', { path: 'big.log', offset: 200_000, limit: 1 }),
      /^200000\tthis is line number 200000 of it\n/,
    )
    await assert.rejects(bench.call('read_file', { path: 'big.log', offset: lines + 1 }), { message: /400,000 lines/ })
  })

  it('forgets where pages ended when the file changes', async () => {
    await using bench = await openFileBench()
    await bench.put('a.log', 'long line\n'.repeat(10))
    await bench.call('read_file', { path: 'a.log', limit: 5 })
    await bench.put('a.log', 'b\n'.repeat(20))
    assert.equal(
      await bench.call('read_file', { path: 'a.log', offset: 6, limit: 15 }),
      `${Array.from({ length: 15 }, (_, index) => `${String(index + 6).padStart(5)}\tb`).join('\n')}\n[lines 6–20, the end of the file]`,
    )
  })

  it('stops when the call is stopped', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x')
    await using cx = await testContext({ signal: AbortSignal.abort() })
    await assert.rejects(bench.call('read_file', { path: 'a' }, cx), { code: 'CANCELLED' })
  })

  it('says so when it has no permission', { skip: process.getuid?.() === 0 || process.platform === 'win32' }, async () => {
    await using bench = await openFileBench()
    await chmod(await bench.put('closed', 'x'), 0o000)
    await assert.rejects(bench.call('read_file', { path: 'closed' }), { code: 'TOOL_FAILED', message: /no permission/ })
  })

  it('refuses arguments of a wrong kind with a sentence', async () => {
    await using bench = await openFileBench()
    await mkdir(join(bench.root, 'd'))
    await writeFile(join(bench.root, 'f'), 'x')
    for (const input of [{}, { path: 1 }, { path: 'f', offset: 0 }, { path: 'f', limit: 1.5 }, { path: 'f', limit: '3' }, { path: '' }]) {
      await assert.rejects(bench.call('read_file', input), (error) => AdjutantError.isInstance(error) && error.code === 'INVALID_ARGUMENTS')
    }
  })
})
