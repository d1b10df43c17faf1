import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { AdjutantError, type ErrorCode } from '@adjutant/core/contract'
import { openWorkspace, removeWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const said = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const fails = (code: ErrorCode) => (error: unknown) => {
  assert.ok(AdjutantError.isInstance(error), String(error))
  assert.equal(error.code, code, error.message)
  return true
}

interface Bench extends AsyncDisposable {
  readonly workspace: Workspace
  /** Of the workspace, on the host. */
  readonly inside: string
  readonly outside: string
}

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'adjutant-workspace-'))
})
after(() => removeWorkspace(root))

let number = 0
async function bench(options: WorkspaceOptions): Promise<Bench> {
  const place = join(root, `${++number}`)
  const inside = join(place, 'in')
  const outside = join(place, 'out')
  await mkdir(inside, { recursive: true })
  await mkdir(outside)
  await writeFile(join(outside, 'secret'), 'SECRET')
  const workspace = await openWorkspace(inside, options)
  return { workspace, inside, outside, [Symbol.asyncDispose]: () => workspace.close() }
}

/** Without descriptors the same is promised, as long as nobody is quick: so the other platforms' way is tried here too. */
const WAYS = process.platform === 'linux' ? [true, false] : [false]
for (const byDescriptor of WAYS) {
  describe(`a workspace ${byDescriptor ? 'by descriptor' : 'by path'}`, () => {
    it('writes, reads, lists and removes', async () => {
      await using at = await bench({ byDescriptor })
      await at.workspace.writeFile('a/b/c.txt', text('hello'))
      await at.workspace.writeFile('./a//b/c.txt', text('again'))
      assert.equal(said(await at.workspace.readFile('a/b/c.txt')), 'again')
      assert.equal(await readFile(join(at.inside, 'a/b/c.txt'), 'utf8'), 'again')
      await at.workspace.writeFile('a/z', new Uint8Array(0))
      assert.equal((await at.workspace.readFile('a/z')).length, 0)
      const listed = await at.workspace.list()
      assert.deepEqual(
        listed.map((entry) => [entry.path, entry.type, entry.bytes]),
        [
          ['a', 'folder', 0],
          ['a/b', 'folder', 0],
          ['a/b/c.txt', 'file', 5],
          ['a/z', 'file', 0],
        ],
      )
      assert.deepEqual(
        (await at.workspace.list('a/b')).map((entry) => entry.path),
        ['a/b/c.txt'],
      )
      assert.deepEqual(await at.workspace.usage(), { bytes: 5, files: 4 })
      await at.workspace.remove('a/b')
      await at.workspace.remove('a/nothing/here')
      await assert.rejects(at.workspace.readFile('a/b/c.txt'), fails('NOT_FOUND'))
      assert.equal(at.workspace.racy, !byDescriptor)
    })

    it('neither reads nor writes through links, as the last part or on the way', async () => {
      await using at = await bench({ byDescriptor })
      await symlink(join(at.outside, 'secret'), join(at.inside, 'file'))
      await symlink(at.outside, join(at.inside, 'folder'))
      await symlink('../out', join(at.inside, 'relative'))
      await symlink('/proc/self/root', join(at.inside, 'root'))
      await symlink('loop', join(at.inside, 'loop'))
      for (const path of ['file', 'loop']) await assert.rejects(at.workspace.readFile(path), fails('PATH_OUTSIDE_WORKSPACE'), path)
      for (const path of ['folder/secret', 'relative/secret', 'root/etc/passwd', 'loop/x', 'file/x']) {
        await assert.rejects(at.workspace.readFile(path), AdjutantError.isInstance, path)
        await assert.rejects(at.workspace.writeFile(path, text('x')), AdjutantError.isInstance, path)
      }
      await assert.rejects(at.workspace.list('folder'), AdjutantError.isInstance)
      await at.workspace.writeFile('file', text('mine'))
      assert.equal((await lstat(join(at.inside, 'file'))).isFile(), true)
      await at.workspace.remove('folder')
      assert.equal(await readFile(join(at.outside, 'secret'), 'utf8'), 'SECRET')
      assert.deepEqual(await readdir(at.outside), ['secret'])
      assert.ok((await at.workspace.list()).every((entry) => entry.type === 'other' || entry.path === 'file'))
    })

    it('refuses second names of files, pipes, sockets and folders as files', { skip: process.platform === 'win32' }, async () => {
      await using at = await bench({ byDescriptor })
      await link(join(at.outside, 'secret'), join(at.inside, 'hard'))
      execFileSync('mkfifo', [join(at.inside, 'pipe')])
      await mkdir(join(at.inside, 'folder'))
      const server = createServer().listen(join(at.inside, 'socket'))
      await new Promise((listening) => server.once('listening', listening))
      try {
        for (const path of ['hard', 'pipe', 'socket', 'folder']) {
          await assert.rejects(at.workspace.readFile(path), fails('PATH_OUTSIDE_WORKSPACE'), path)
        }
        await at.workspace.writeFile('hard', text('mine'))
        assert.equal(await readFile(join(at.outside, 'secret'), 'utf8'), 'SECRET')
        await assert.rejects(at.workspace.writeFile('folder', text('x')), fails('CONFLICT'))
        await assert.rejects(at.workspace.writeFile('pipe/x', text('x')), AdjutantError.isInstance)
        const types = new Map((await at.workspace.list()).map((entry) => [entry.path, entry.type]))
        assert.deepEqual([types.get('pipe'), types.get('socket'), types.get('folder')], ['other', 'other', 'folder'])
      } finally {
        await new Promise((closed) => server.close(closed))
      }
    })

    it('holds its limits for reading and writing, and leaves no draft behind', async () => {
      await using at = await bench({ byDescriptor, maxBytes: 1_000, maxFiles: 5 })
      await writeFile(join(at.inside, 'huge'), '')
      await truncate(join(at.inside, 'huge'), 2 ** 40)
      await assert.rejects(at.workspace.readFile('huge'), fails('TOO_LARGE'))
      await at.workspace.remove('huge')
      await at.workspace.writeFile('a', text('x'.repeat(600)))
      await assert.rejects(at.workspace.readFile('a', { maxBytes: 599 }), fails('TOO_LARGE'))
      assert.equal((await at.workspace.readFile('a', { maxBytes: 600 })).length, 600)
      await assert.rejects(at.workspace.writeFile('b', text('x'.repeat(401))), fails('TOO_LARGE'))
      await assert.rejects(at.workspace.writeFile('b', text('x'.repeat(1_001))), fails('TOO_LARGE'))
      await at.workspace.writeFile('b', text('x'.repeat(400)))
      await at.workspace.remove('b')
      await at.workspace.writeFile('d/e/f', text('x'))
      await at.workspace.writeFile('g', text('x'))
      await assert.rejects(at.workspace.writeFile('h', text('x')), fails('TOO_LARGE'))
      await at.workspace.writeFile('d/e/f', text('yy'))
      await writeFile(join(at.inside, 'h'), 'by the box')
      await assert.rejects(at.workspace.list(), fails('TOO_LARGE'))
      await rm(join(at.inside, 'h'))
      assert.ok((await at.workspace.list()).every((entry) => !entry.path.includes('.adjutant')))
    })

    it('says so when the folder has gone, and after close', async () => {
      await using at = await bench({ byDescriptor })
      await at.workspace.writeFile('a', text('x'))
      await rename(at.inside, `${at.inside}-moved`)
      await rm(`${at.inside}-moved`, { recursive: true })
      await assert.rejects(at.workspace.readFile('a'), fails('NOT_FOUND'))
      await assert.rejects(at.workspace.writeFile('b', text('x')), AdjutantError.isInstance)
      await at.workspace.close()
      await at.workspace.close()
      for (const call of [
        at.workspace.readFile('a'),
        at.workspace.writeFile('a', text('')),
        at.workspace.list(),
        at.workspace.remove('a'),
      ]) {
        await assert.rejects(call, fails('SANDBOX_FAILED'))
      }
      await assert.rejects(openWorkspace(at.inside, { byDescriptor }), fails('NOT_FOUND'))
    })

    it('takes many writes at once, each whole', async () => {
      await using at = await bench({ byDescriptor })
      const bodies = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5_000))
      await Promise.all(
        bodies.flatMap((body, index) => [at.workspace.writeFile('same', text(body)), at.workspace.writeFile(`many/${index}`, text(body))]),
      )
      assert.ok(bodies.includes(said(await at.workspace.readFile('same'))))
      assert.equal((await at.workspace.list('many')).length, 20)
    })
  })
}

describe('removeWorkspace', { skip: process.platform !== 'linux' }, () => {
  it('removes what hostile code made: links, taken rights, names that are no text, and depth beyond every path', async () => {
    const place = join(root, 'removed')
    const outside = join(root, 'kept')
    await mkdir(join(place, 'locked', 'inner'), { recursive: true })
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'SECRET')
    await symlink(outside, join(place, 'out'))
    await link(join(outside, 'secret'), join(place, 'locked', 'hard'))
    await writeFile(Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xff, 0xfe, 0x41])]), 'x')
    await mkdir(Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xc3])]))
    const deeper = 'import os\nfor i in range(1500):\n  os.mkdir("dddd")\n  os.chdir("dddd")\nopen("end", "w").close()'
    execFileSync('/usr/bin/python3', ['-I', '-S', '-c', deeper], { cwd: place })
    await chmod(join(place, 'locked'), 0)
    await removeWorkspace(place)
    await assert.rejects(stat(place), { code: 'ENOENT' })
    assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'SECRET')
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('.adjutant')),
      [],
    )
    await removeWorkspace(place)
    await removeWorkspace(join(root, 'never', 'there'))
  })

  it('gives what the host makes to the box', { skip: process.getuid?.() !== 0 }, async () => {
    await using at = await bench({ owner: { uid: 54_321, gid: 54_322 } })
    await at.workspace.writeFile('a/b', text('x'))
    for (const path of ['a', 'a/b']) {
      const stats = await stat(join(at.inside, path))
      assert.deepEqual([stats.uid, stats.gid], [54_321, 54_322])
    }
  })
})
