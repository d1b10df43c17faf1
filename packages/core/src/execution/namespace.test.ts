import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import { openNamespace } from './namespace.ts'

describe('openNamespace', () => {
  let root: string
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'namespace-')))
  })
  after(() => rm(root, { recursive: true, force: true }))

  const escapes = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'NAMESPACE_ESCAPE'

  it('makes one folder a session, for its owner only, on first use', async () => {
    const namespace = openNamespace({ root: join(root, 'new', 'root'), sessionId: sessionId('a') })
    const folder = await namespace.directory()
    assert.equal(folder, join(root, 'new', 'root', 'a'))
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    await writeFile(await namespace.path('results/x.txt'), 'kept')
    assert.equal(await readFile(join(folder, 'results', 'x.txt'), 'utf8'), 'kept')
  })

  it('never gives a path outside, whatever the name (invariant 9)', async () => {
    const namespace = openNamespace({ root, sessionId: sessionId('fuzz') })
    const home = await namespace.directory()
    const part = fc.oneof(fc.constantFrom('..', '.', '', '/', '\\', '\0', 'a', 'b.txt', '~', '%2e%2e', '...'), fc.string({ maxLength: 8 }))
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), fc.constantFrom('/', '\\'), async (parts, separator) => {
        let path: string
        try {
          path = await namespace.path(parts.join(separator))
        } catch (error) {
          assert.ok(AdjutantError.isInstance(error) || (error instanceof Error && 'code' in error))
          return
        }
        assert.ok(path.startsWith(home + sep), path)
      }),
      { numRuns: 300 },
    )
  })

  it('refuses links that lead out: as the last part, as a folder, and in place of the session folder', async () => {
    const outside = join(root, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'x')
    const namespace = openNamespace({ root, sessionId: sessionId('links') })
    const home = await namespace.directory()
    await symlink(join(outside, 'secret'), join(home, 'file'))
    await symlink(outside, join(home, 'folder'))
    await assert.rejects(namespace.path('file'), escapes)
    await assert.rejects(namespace.path('folder/new.txt'), escapes)
    await symlink(outside, join(root, 'stolen'))
    await assert.rejects(openNamespace({ root, sessionId: sessionId('stolen') }).directory(), escapes)
  })

  it("does not reach a sibling's folder whose name begins alike", async () => {
    await openNamespace({ root, sessionId: sessionId('ab') }).directory()
    await assert.rejects(openNamespace({ root, sessionId: sessionId('a') }).path('../ab/x'), escapes)
  })

  it('refuses ids that are no plain folder name', () => {
    for (const id of ['', '..', 'a/b', '.hidden', 'a\0', 'ü']) assert.throws(() => sessionId(id), TypeError)
  })
})
