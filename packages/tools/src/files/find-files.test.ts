import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import { openFileBench } from '../../test/file-bench.ts'

describe('find_files', () => {
  it('finds by pattern, in order, below a folder', async () => {
    await using bench = await openFileBench()
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js', 'node_modules/x.ts', '.git/y.ts', '.github/z.ts'])
      await bench.put(path, '')
    assert.equal(await bench.call('find_files', { pattern: '*.ts' }), '.github/z.ts\na.ts\nsrc/b.ts\nsrc/deep/c.ts')
    assert.equal(await bench.call('find_files', { pattern: 'src/*' }), 'src/b.ts\nsrc/d.js\nsrc/deep/')
    assert.equal(await bench.call('find_files', { pattern: '*.ts', path: 'src/deep' }), 'src/deep/c.ts')
    assert.equal(await bench.call('find_files', { pattern: '*.ts', path: 'node_modules' }), 'node_modules/x.ts')
    assert.equal(await bench.call('find_files', { pattern: '*.py' }), '[nothing matches "*.py" among 10 files and folders]')
  })

  it('neither leaves the workspace through links nor runs in circles', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await writeFile(join(out, 'secret.ts'), '')
    await symlink(out, join(bench.root, 'leak'))
    await symlink('.', join(bench.root, 'loop'))
    await bench.put('a.ts', '')
    assert.equal(await bench.call('find_files', { pattern: '**/*.ts' }), 'a.ts')
    await assert.rejects(bench.call('find_files', { pattern: '*', path: 'leak' }), { code: 'PATH_OUTSIDE_WORKSPACE' })
  })

  it('is bounded', async () => {
    await using bench = await openFileBench()
    for (let index = 0; index < 5; index += 1) await bench.put(`f${index}`, '')
    assert.match(await bench.call('find_files', { pattern: 'f*', limit: 3 }), /^f0\nf1\nf2\n\[the first 3 matches only/)
    assert.equal(await bench.call('find_files', { pattern: 'f*', limit: 5 }), 'f0\nf1\nf2\nf3\nf4')
  })

  it('stops when the call is stopped', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x')
    await using cx = await testContext({ signal: AbortSignal.abort() })
    await assert.rejects(bench.call('find_files', { pattern: '*' }, cx), { code: 'CANCELLED' })
  })
})
