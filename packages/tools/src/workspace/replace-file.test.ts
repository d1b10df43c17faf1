import assert from 'node:assert/strict'
import { chmod, link, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openFileBench } from '../../test/file-bench.ts'
import { stateOf } from './read-log.ts'
import { replaceFile } from './replace-file.ts'
import { openWorkspace } from './workspace-path.ts'

const signal = new AbortController().signal
const bytes = Buffer.from('new')

describe('replacing a file', () => {
  it('makes folders, writes whole, leaves nothing beside it', async () => {
    await using bench = await openFileBench()
    const workspace = openWorkspace(bench.root)
    const path = await workspace.resolve('a/b/c.txt', { mustExist: false })
    const written = await replaceFile(workspace, path, bytes, { expected: undefined, signal })
    assert.equal(written.size, 3n)
    assert.equal((await bench.content('a/b/c.txt')).toString(), 'new')
    assert.deepEqual(await readdir(join(bench.root, 'a/b')), ['c.txt'])
  })

  it('keeps the permissions of what it replaces', { skip: process.platform === 'win32' }, async () => {
    await using bench = await openFileBench()
    const file = await bench.put('run.sh', 'old')
    await chmod(file, 0o751)
    const workspace = openWorkspace(bench.root)
    const expected = stateOf(await stat(file, { bigint: true }))
    await replaceFile(workspace, await workspace.resolve('run.sh'), bytes, { expected, signal })
    assert.equal((await stat(file)).mode & 0o777, 0o751)
    assert.equal(await readFile(file, 'utf8'), 'new')
  })

  it('never writes through a hard link', async () => {
    await using bench = await openFileBench()
    const outside = join(bench.root, '..', 'outside')
    await writeFile(outside, 'old')
    await link(outside, join(bench.root, 'inside'))
    const workspace = openWorkspace(bench.root)
    const expected = stateOf(await stat(outside, { bigint: true }))
    await replaceFile(workspace, await workspace.resolve('inside'), bytes, { expected, signal })
    assert.equal(await readFile(outside, 'utf8'), 'old')
  })

  it('fails when the file changed, appeared or went, and leaves what is there', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('a', 'old')
    const workspace = openWorkspace(bench.root)
    const path = await workspace.resolve('a')
    const expected = stateOf(await stat(file, { bigint: true }))
    await utimes(file, 1, 1)
    await assert.rejects(replaceFile(workspace, path, bytes, { expected, signal }), { code: 'CONFLICT' })
    await assert.rejects(replaceFile(workspace, path, bytes, { expected: undefined, signal }), { code: 'CONFLICT' })
    await rename(file, `${file}2`)
    await assert.rejects(replaceFile(workspace, path, bytes, { expected, signal }), { code: 'CONFLICT' })
    assert.deepEqual(await readdir(bench.root), ['a2'])
    assert.equal((await bench.content('a2')).toString(), 'old')
  })

  it('is not led outside by a folder that became a link', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await mkdir(join(bench.root, 'folder'))
    const workspace = openWorkspace(bench.root)
    const path = await workspace.resolve('folder/new', { mustExist: false })
    await rename(join(bench.root, 'folder'), join(bench.root, 'moved'))
    await symlink(out, join(bench.root, 'folder'))
    await assert.rejects(replaceFile(workspace, path, bytes, { expected: undefined, signal }), { code: 'PATH_OUTSIDE_WORKSPACE' })
    assert.deepEqual(await readdir(out), [])
  })

  it('does nothing when the call was stopped', async () => {
    await using bench = await openFileBench()
    const workspace = openWorkspace(bench.root)
    const path = await workspace.resolve('a', { mustExist: false })
    await assert.rejects(replaceFile(workspace, path, bytes, { expected: undefined, signal: AbortSignal.abort() }), { code: 'CANCELLED' })
    assert.deepEqual(await readdir(bench.root), [])
  })

  it('says so when a part of the way is a file', async () => {
    await using bench = await openFileBench()
    await bench.put('a', 'x')
    const workspace = openWorkspace(bench.root)
    const path = { given: 'a/b', real: join(bench.root, 'a/b'), relative: 'a/b', kind: 'missing' } as const
    await assert.rejects(replaceFile(workspace, path, bytes, { expected: undefined, signal }), { code: 'CONFLICT' })
  })
})
