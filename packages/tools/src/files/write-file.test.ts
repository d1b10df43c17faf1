import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import { openFileBench } from '../../test/file-bench.ts'

describe('write_file', () => {
  it('creates a file and its folders, and says so', async () => {
    await using bench = await openFileBench()
    assert.equal(await bench.call('write_file', { path: 'a/b.md', content: '# é\nx' }), 'Created a/b.md (2 lines, 6 bytes).')
    assert.equal((await bench.content('a/b.md')).toString(), '# é\nx')
    assert.equal(await bench.call('write_file', { path: 'empty', content: '' }), 'Created empty (0 lines, 0 bytes).')
  })

  it('replaces only what the session has read', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'old')
    await assert.rejects(bench.call('write_file', { path: 'a', content: 'new' }), { code: 'CONFLICT', message: /not read/ })
    await bench.call('read_file', { path: 'a' })
    await using other = await testContext({ sessionId: 'other' })
    await assert.rejects(bench.call('write_file', { path: 'a', content: 'new' }, other), { code: 'CONFLICT' })
    assert.equal(await bench.call('write_file', { path: 'a', content: 'new\n' }), 'Replaced a (1 line, 4 bytes).')
    assert.equal(await bench.call('write_file', { path: 'a', content: 'newer\n' }), 'Replaced a (1 line, 6 bytes).')
  })

  it('says when the encoding changed with it', async () => {
    await using bench = await openFileBench()
    await bench.put('le', Buffer.from('\uFEFFold', 'utf16le'))
    await bench.put('bom', '\uFEFFold')
    await bench.put('latin', Buffer.from('caf\xe9', 'latin1'))
    for (const path of ['le', 'bom', 'latin']) await bench.call('read_file', { path })
    assert.equal(await bench.call('write_file', { path: 'le', content: 'x' }), 'Replaced le (1 line, 1 byte; now UTF-8, before utf-16le).')
    assert.equal(
      await bench.call('write_file', { path: 'bom', content: 'x' }),
      'Replaced bom (1 line, 1 byte; now without byte order mark).',
    )
    assert.equal(
      await bench.call('write_file', { path: 'latin', content: 'x' }),
      'Replaced latin (1 line, 1 byte; now UTF-8, before windows-1252).',
    )
  })

  it('fails when the file changed since, even within the same moment and at the same size', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('a', 'old')
    await utimes(file, 1_000, 1_000)
    await bench.call('read_file', { path: 'a' })
    await bench.put('a', 'OLD')
    await utimes(file, 1_000, 1_000)
    await assert.rejects(bench.call('write_file', { path: 'a', content: 'new' }), { code: 'CONFLICT', message: /changed since/ })
    assert.equal((await bench.content('a')).toString(), 'OLD')
    await bench.put('a', 'old')
    await utimes(file, 2_000, 2_000)
    assert.match(await bench.call('write_file', { path: 'a', content: 'new' }), /Replaced/)
  })

  it('creates only, when told so', async () => {
    await using bench = await openFileBench()
    await bench.call('write_file', { path: 'a', content: 'x', create_only: true })
    await assert.rejects(bench.call('write_file', { path: 'a', content: 'y', create_only: true }), {
      code: 'CONFLICT',
      message: /exists already/,
    })
  })

  it('refuses folders, and folders that are files', async () => {
    await using bench = await openFileBench()
    await bench.put('file', 'x')
    await mkdir(join(bench.root, 'folder'))
    await assert.rejects(bench.call('write_file', { path: 'folder', content: '' }), { code: 'CONFLICT', message: /is a folder/ })
    await assert.rejects(bench.call('write_file', { path: 'new/', content: '' }), { code: 'CONFLICT' })
    await assert.rejects(bench.call('write_file', { path: '.', content: '' }), { code: 'CONFLICT' })
    await assert.rejects(bench.call('write_file', { path: 'file/below', content: '' }), { code: 'NOT_FOUND' })
  })

  it('does not write a new file through a linked folder outside', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await symlink('../out', join(bench.root, 'd'))
    await symlink('../out/nothing', join(bench.root, 'n'))
    await assert.rejects(bench.call('write_file', { path: 'd/new', content: 'x' }), { code: 'PATH_OUTSIDE_WORKSPACE' })
    await assert.rejects(bench.call('write_file', { path: 'd/new/deep', content: 'x' }), { code: 'PATH_OUTSIDE_WORKSPACE' })
    await assert.rejects(bench.call('write_file', { path: 'n', content: 'x' }), { code: 'PATH_OUTSIDE_WORKSPACE' })
    assert.deepEqual(await readdir(out), [])
  })

  it('lets only one of two writers have its way', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'old')
    await using one = await testContext({ sessionId: 'one' })
    await using two = await testContext({ sessionId: 'two' })
    await bench.call('read_file', { path: 'a' }, one)
    await bench.call('read_file', { path: 'a' }, two)
    const ends = await Promise.allSettled([
      bench.call('write_file', { path: 'a', content: '1' }, one),
      bench.call('write_file', { path: './a', content: '2' }, two),
    ])
    // Which of the two is not said.
    const won = ends.findIndex((end) => end.status === 'fulfilled')
    assert.equal(ends.filter((end) => end.status === 'fulfilled').length, 1)
    assert.equal((await bench.content('a')).toString(), `${won + 1}`)
    assert.deepEqual(await readdir(bench.root), ['a'])
  })

  it('refuses what is too large or no text', async () => {
    await using bench = await openFileBench()
    await assert.rejects(bench.call('write_file', { path: 'a', content: 'x'.repeat(11_000_000) }), { code: 'TOO_LARGE' })
    await assert.rejects(bench.call('write_file', { path: 'a', content: '\ud800' }), { code: 'INVALID_ARGUMENTS' })
    assert.deepEqual(await readdir(bench.root), [])
  })

  it('claims the file it writes, however it is spelt', async () => {
    await using bench = await openFileBench()
    const claim = (name: string, path: string) => bench.tool(name).resources?.({ path, content: '' })[0]
    assert.deepEqual(claim('write_file', './x/../a'), { key: `file:${join(bench.root, 'a')}`, mode: 'write' })
    assert.deepEqual(claim('read_file', join(bench.root, 'a')), { key: `file:${join(bench.root, 'a')}`, mode: 'read' })
    assert.equal(bench.tool('write_file').effect, 'write')
    assert.equal(bench.tool('edit_file').effect, 'write')
  })
})
