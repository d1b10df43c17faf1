import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import { openFileBench } from '../../test/file-bench.ts'

describe('list_directory', () => {
  it('lists in order, with kinds and sizes', async () => {
    await using bench = await openFileBench()
    await bench.put('b.txt', 'x'.repeat(1_536))
    await bench.put('a/inner.txt', 'x')
    await bench.put('node_modules/p/index.js', '')
    await symlink('/etc', join(bench.root, 'link'))
    assert.equal(await bench.call('list_directory', {}), 'the workspace:\na/\nb.txt  1.5 KiB\nlink  (link)\nnode_modules/ (not opened)')
    assert.equal(
      await bench.call('list_directory', { depth: 2 }),
      'the workspace:\na/\n  inner.txt  1 byte\nb.txt  1.5 KiB\nlink  (link)\nnode_modules/ (not opened)',
    )
    assert.equal(await bench.call('list_directory', { path: 'node_modules', depth: 3 }), 'node_modules/:\np/\n  index.js  0 bytes')
  })

  it('says what is empty, a file, or missing', async () => {
    await using bench = await openFileBench()
    assert.equal(await bench.call('list_directory', {}), '[the workspace is empty]')
    await bench.put('docs/a', 'x')
    await mkdir(join(bench.root, 'e'))
    assert.equal(await bench.call('list_directory', { path: 'e' }), '[e/ is empty]')
    await assert.rejects(bench.call('list_directory', { path: 'docs/a' }), { code: 'UNSUPPORTED', hint: /read_file/ })
    await assert.rejects(bench.call('list_directory', { path: 'doc' }), { code: 'NOT_FOUND', hint: 'Did you mean "docs"?' })
    await assert.rejects(bench.call('list_directory', { path: '..' }), { code: 'PATH_OUTSIDE_WORKSPACE' })
  })

  it('is bounded', async () => {
    await using bench = await openFileBench()
    await Promise.all(Array.from({ length: 600 }, (_, index) => bench.put(`f${String(index).padStart(3, '0')}`, '')))
    const list = await bench.call('list_directory', {})
    assert.equal(list.split('\n').length, 502)
    assert.match(list, /f499 {2}0 bytes\n\[the first 500 entries only/)
  })

  it('does not let a name look like two', { skip: process.platform === 'win32' }, async () => {
    await using bench = await openFileBench()
    await bench.put('a\nb', '')
    assert.equal(await bench.call('list_directory', {}), 'the workspace:\n"a\\nb"  0 bytes')
  })

  it('stops when the call is stopped', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x')
    await using cx = await testContext({ signal: AbortSignal.abort() })
    await assert.rejects(bench.call('list_directory', {}, cx), { code: 'CANCELLED' })
  })
})
