import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { openFileBench } from '../../test/file-bench.ts'
import { isInside, openWorkspace } from './workspace-path.ts'

const OUTSIDE = { code: 'PATH_OUTSIDE_WORKSPACE' }

describe('a workspace', () => {
  it('resolves what is inside, relative or absolute, existing or not', async () => {
    await using bench = await openFileBench()
    await bench.put('a/b.txt', 'x')
    const workspace = openWorkspace(bench.root)
    assert.deepEqual(await workspace.resolve('a/b.txt'), {
      given: 'a/b.txt',
      real: join(bench.root, 'a/b.txt'),
      relative: 'a/b.txt',
      kind: 'file',
    })
    assert.equal((await workspace.resolve(join(bench.root, 'a'))).kind, 'folder')
    assert.equal((await workspace.resolve('.')).relative, '.')
    assert.equal((await workspace.resolve('a/../a/./b.txt')).relative, 'a/b.txt')
    assert.equal((await workspace.resolve('a/new/deep.txt', { mustExist: false })).kind, 'missing')
    await assert.rejects(workspace.resolve('a/new.txt'), { code: 'NOT_FOUND' })
  })

  it('may itself be named through a link', async () => {
    await using bench = await openFileBench()
    const alias = join(bench.root, '..', 'alias')
    await symlink(bench.root, alias)
    const workspace = openWorkspace(alias)
    assert.equal(workspace.root, bench.root)
    assert.equal((await workspace.resolve(join(alias, 'x'), { mustExist: false })).real, join(bench.root, 'x'))
    assert.equal(workspace.lexical(join(alias, 'x')), workspace.lexical('./x'))
  })

  it('refuses to open what is missing or no folder', async () => {
    await using bench = await openFileBench()
    const file = await bench.put('f', '')
    assert.throws(() => openWorkspace(join(bench.root, 'nothing')), { code: 'CONFIG_INVALID' })
    assert.throws(() => openWorkspace(file), { code: 'CONFIG_INVALID' })
  })

  it('is left by no dots, absolute path, or neighbour whose name begins alike', async () => {
    await using bench = await openFileBench()
    await mkdir(`${bench.root}x`)
    const workspace = openWorkspace(bench.root)
    const paths = [
      '..',
      '../',
      '../x',
      'a/../../x',
      '/etc',
      '/etc/passwd',
      '/etcx',
      '/',
      `${bench.root}x`,
      `${bench.root}x/y`,
      '../workx/y',
      '../work/../workx',
    ]
    for (const path of paths) {
      await assert.rejects(workspace.resolve(path, { mustExist: false }), OUTSIDE, path)
    }
    assert.equal((await workspace.resolve('../work/a', { mustExist: false })).relative, 'a')
    assert.equal((await workspace.resolve('..a/...', { mustExist: false })).relative, '..a/...')
  })

  it('is left by no link: to a file, to a folder, to nothing, in a chain, in the middle of a new path', async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await writeFile(join(out, 'secret'), 'secret')
    await mkdir(join(bench.root, 'inner'))
    const links: Record<string, string> = {
      file: join(out, 'secret'),
      folder: out,
      relative: '../out',
      nothing: join(out, 'not-there'),
      deeper: join(out, 'not/there/at/all'),
      chain: 'folder/secret',
      'inner/up': '../../out',
      dots: 'inner/../../out',
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(bench.root, name))
    const workspace = openWorkspace(bench.root)
    const paths = [...Object.keys(links), 'folder/secret', 'folder/new', 'folder/new/deep', 'nothing/new', 'relative/new', 'inner/up/new']
    for (const path of paths) {
      await assert.rejects(workspace.resolve(path, { mustExist: false }), (error) => {
        assert.ok(AdjutantError.isInstance(error), path)
        assert.equal(error.code, 'PATH_OUTSIDE_WORKSPACE', path)
        assert.ok(error.message.includes(JSON.stringify(path)), error.message)
        assert.ok(!`${error.message}${error.hint}`.includes('out/'), error.message)
        return true
      })
    }
  })

  it('does not tell whether something exists outside', async () => {
    await using bench = await openFileBench()
    await symlink('/etc/passwd', join(bench.root, 'there'))
    await symlink('/etc/no-such-file', join(bench.root, 'gone!'))
    const workspace = openWorkspace(bench.root)
    const said = await Promise.all(
      ['there', 'gone!'].map((path) =>
        workspace.resolve(path, { mustExist: false }).then(String, (error: Error) => error.message.replace(path, '')),
      ),
    )
    assert.equal(said[0], said[1])
  })

  it('follows links that stay inside, also those to nothing', async () => {
    await using bench = await openFileBench()
    await bench.put('real/a.txt', 'x')
    await symlink('real', join(bench.root, 'alias'))
    await symlink('real/new.txt', join(bench.root, 'future'))
    const workspace = openWorkspace(bench.root)
    assert.equal((await workspace.resolve('alias/a.txt')).relative, 'real/a.txt')
    assert.equal((await workspace.resolve('alias/b/c', { mustExist: false })).relative, 'real/b/c')
    assert.equal((await workspace.resolve('future', { mustExist: false })).relative, 'real/new.txt')
  })

  it('ends at a circle of links', async () => {
    await using bench = await openFileBench()
    await symlink('b', join(bench.root, 'a'))
    await symlink('a', join(bench.root, 'b'))
    await symlink('self/x', join(bench.root, 'self'))
    const workspace = openWorkspace(bench.root)
    for (const path of ['a', 'b/new', 'self', 'self/new']) {
      await assert.rejects(workspace.resolve(path, { mustExist: false }), (error) => AdjutantError.isInstance(error), path)
    }
  })

  it('takes odd letters as letters', async () => {
    await using bench = await openFileBench()
    const workspace = openWorkspace(bench.root)
    const names = [
      '~',
      '~/x',
      '%2e%2e/x',
      '..%2f..%2fetc',
      '$HOME',
      'CON',
      'NUL',
      'aux.txt',
      '．．／x',
      'file:',
      '\u202etxt',
      ' a ',
      '-rf',
      '*',
    ]
    if (process.platform !== 'win32') names.push('..\\..\\x', 'C:\\Windows')
    for (const name of names) {
      const { real } = await workspace.resolve(name, { mustExist: false })
      assert.equal(real, join(bench.root, name), name)
    }
  })

  it('says what is wrong with paths that are none', async () => {
    await using bench = await openFileBench()
    await bench.put('file', 'x')
    const workspace = openWorkspace(bench.root)
    await assert.rejects(workspace.resolve(''), { code: 'INVALID_ARGUMENTS' })
    await assert.rejects(workspace.resolve('a\0b'), { code: 'INVALID_ARGUMENTS' })
    await assert.rejects(workspace.resolve('x'.repeat(5_000), { mustExist: false }), { code: 'INVALID_ARGUMENTS' })
    await assert.rejects(workspace.resolve('file/below', { mustExist: false }), { code: 'NOT_FOUND' })
  })

  it('refuses pipes and devices', { skip: process.platform === 'win32' }, async () => {
    await using bench = await openFileBench()
    execFileSync('mkfifo', [join(bench.root, 'pipe')])
    await assert.rejects(openWorkspace(bench.root).resolve('pipe'), { code: 'UNSUPPORTED' })
    await assert.rejects(bench.call('read_file', { path: 'pipe' }), { code: 'UNSUPPORTED' })
    await assert.rejects(bench.call('write_file', { path: 'pipe', content: '' }), { code: 'UNSUPPORTED' })
  })

  it('notices a link that was swapped in between the check and the opening', { skip: process.platform !== 'linux' }, async () => {
    await using bench = await openFileBench()
    const out = join(bench.root, '..', 'out')
    await mkdir(out)
    await writeFile(join(out, 'a.txt'), 'secret')
    await bench.put('folder/a.txt', 'x')
    await bench.put('b.txt', 'x')
    const workspace = openWorkspace(bench.root)
    const inFolder = await workspace.resolve('folder/a.txt')
    const last = await workspace.resolve('b.txt')
    await rename(join(bench.root, 'folder'), join(bench.root, 'moved'))
    await symlink(out, join(bench.root, 'folder'))
    await rm(join(bench.root, 'b.txt'))
    await symlink(join(out, 'a.txt'), join(bench.root, 'b.txt'))
    await assert.rejects(workspace.openForReading(inFolder), OUTSIDE)
    await assert.rejects(workspace.openForReading(last), { code: 'CONFLICT' })
  })

  it('is never left, whatever the path (property)', async () => {
    await using bench = await openFileBench()
    await mkdir(join(bench.root, '..', 'out'))
    await mkdir(join(bench.root, 'a'))
    await symlink('../out', join(bench.root, 'l'))
    await symlink('..', join(bench.root, 'a', 'u'))
    const workspace = openWorkspace(bench.root)
    const part = fc.constantFrom('..', '.', '', 'a', 'l', 'u', 'new', '...', '/', bench.root, '%2e%2e', '~')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const path = parts.join('/')
        const resolved = await workspace.resolve(path, { mustExist: false }).catch((error: unknown) => {
          assert.ok(AdjutantError.isInstance(error), String(error))
          return undefined
        })
        if (resolved !== undefined) assert.ok(isInside(bench.root, resolved.real), `${path} → ${resolved.real}`)
      }),
      { numRuns: 500 },
    )
  })
})

const material = process.env.ADJUTANT_MATERIAL

describe('hostile paths from outside', () => {
  if (material === undefined) {
    it('did not run: ADJUTANT_MATERIAL is not set', { skip: true }, () => {})
    return
  }

  async function hostilePaths(): Promise<readonly string[]> {
    const folder = join(material ?? '', 'security/payloads/Directory Traversal/Intruder')
    const lists = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    const naughty: unknown = JSON.parse(await readFile(join(material ?? '', 'security/blns/blns.json'), 'utf8'))
    assert.ok(Array.isArray(naughty))
    return [...lists.flatMap((list) => list.split(/\r?\n/)), ...naughty.filter((text) => typeof text === 'string')]
  }

  it('none reads, and none writes, outside', async () => {
    const paths = await hostilePaths()
    assert.ok(paths.length > 2_000, String(paths.length))
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-hostile-')))
    const depth = Array.from({ length: 8 }, (_, index) => `d${index}`)
    const root = join(parent, ...depth)
    await mkdir(root, { recursive: true })
    // One secret on each level above, so that every number of dots finds one.
    const above = depth.map((_, index) => join(parent, ...depth.slice(0, index)))
    for (const folder of above) await writeFile(join(folder, 'secret'), 'SECRET')
    await using bench = await openFileBench()
    const { createFileTools } = await import('../files/create-file-tools.ts')
    const tools = createFileTools({ workspace: root })
    const run = async (name: string, input: Record<string, string>) => {
      const tool = tools.find((candidate) => candidate.name === name)
      assert.ok(tool)
      try {
        return String(await tool.execute(input, bench.cx))
      } catch (error) {
        assert.ok(AdjutantError.isInstance(error), `${name} ${JSON.stringify(input)}: ${String(error)}`)
        return error.message
      }
    }
    const workspace = openWorkspace(root)
    try {
      for (const [index, text] of paths.entries()) {
        const path = text.replaceAll('{FILE}', 'secret')
        const resolved = await workspace.resolve(path, { mustExist: false }).catch(() => undefined)
        if (resolved !== undefined) assert.ok(isInside(root, resolved.real), path)
        const answer = await run('read_file', { path })
        assert.ok(!answer.includes('SECRET') && !answer.includes('root:'), path)
        if (index % 8 === 0) await run('write_file', { path, content: 'OVERWRITTEN' })
      }
      for (const [index, folder] of above.entries()) {
        assert.equal(await readFile(join(folder, 'secret'), 'utf8'), 'SECRET')
        assert.deepEqual((await readdir(folder)).toSorted(), [depth[index], 'secret'].toSorted())
      }
    } finally {
      await rm(parent, { recursive: true, force: true })
    }
  })
})
