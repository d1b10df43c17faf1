import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { link, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError, type ErrorCode } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import { spillText } from '../response/spill.ts'
import { readSpill } from '../response/spill-read.ts'
import { openNamespace, type SessionNamespace } from './namespace.ts'
import { namespaceFolders, namespaceKey } from './namespace-key.ts'
import { sweepNamespaces } from './namespace-removal.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const said = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const fails =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown) => {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`)
    return true
  }

let root: string
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'namespaces-')))
})
after(() => rm(root, { recursive: true, force: true }))
let number = 0
const fresh = (): string => join(root, `${++number}`)

describe('whose a namespace is', () => {
  const names = fc.oneof(
    fc.constantFrom(
      'acme',
      'Acme',
      'ACME',
      'a:b',
      'a',
      'b',
      '..',
      '.',
      '/',
      '\\',
      'é',
      'e\u0301',
      'а',
      'local',
      '',
      'a/../b',
      'a.b',
      'x.0123',
      'con',
      '~61',
      '\ud800',
      '%41',
      ' a',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )

  it('gives no two owners one key or one folder, on no file system', () => {
    const seen = new Map<string, string>()
    fc.assert(
      fc.property(names, names, fc.constantFrom('s1', 's2'), (tenantId, userId, id) => {
        const who = JSON.stringify([tenantId, userId, id])
        const folders = namespaceFolders({ tenantId, userId }, sessionId(id)).join('/')
        for (const name of [namespaceKey({ tenantId, userId }, sessionId(id)), folders.normalize('NFKC').toLowerCase()]) {
          assert.equal(seen.get(name) ?? who, who, name)
          seen.set(name, who)
        }
        assert.match(folders, /^(?:tenant\.[a-z0-9._-]{1,60}\/user\.[a-z0-9._-]{1,60}\/)?[A-Za-z0-9_-]+$/)
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps sessions of one id apart by their owners, and has none in between for the person at this terminal', async () => {
    const at = fresh()
    const id = sessionId('same')
    const all = [undefined, { tenantId: 'a', userId: 'x' }, { tenantId: 'a', userId: 'y' }, { tenantId: 'A', userId: 'x' }].map((owner) =>
      openNamespace({ root: at, sessionId: id, ...(owner === undefined ? {} : { owner }) }),
    )
    for (const [index, namespace] of all.entries()) await namespace.writeFile('who', text(`${index}`))
    for (const [index, namespace] of all.entries()) assert.equal(said(await namespace.readFile('who')), `${index}`)
    assert.equal(await all[0]?.directory(), join(at, 'same'))
    assert.equal(new Set(all.map((namespace) => namespace.key)).size, all.length)
  })
})

describe('files of a namespace', () => {
  it('are read and written without following links, and never beyond the quota', { skip: process.platform === 'win32' }, async () => {
    const at = fresh()
    const namespace = openNamespace({ root: at, sessionId: sessionId('s'), maxBytes: 1_000, maxFiles: 8 })
    const outside = join(at, 'outside')
    await mkdir(outside, { recursive: true })
    await writeFile(join(outside, 'secret'), 'SECRET')
    const home = await namespace.directory()
    await symlink(join(outside, 'secret'), join(home, 'file'))
    await symlink(outside, join(home, 'folder'))
    await link(join(outside, 'secret'), join(home, 'hard'))
    execFileSync('mkfifo', [join(home, 'pipe')])
    for (const name of [
      'file',
      'folder/secret',
      'hard',
      'pipe',
      '..',
      '../outside/secret',
      'a\0',
      '.adjutant-secret',
      '.ADJUTANT-secret',
    ]) {
      await assert.rejects(namespace.readFile(name), fails('NAMESPACE_ESCAPE'), name)
    }
    await assert.rejects(namespace.writeFile('folder/new', text('x')), fails('NAMESPACE_ESCAPE'))
    await assert.rejects(namespace.readFile('nowhere/at/all'), fails('NOT_FOUND'))
    await namespace.writeFile('file', text('mine'))
    assert.deepEqual([await readFile(join(outside, 'secret'), 'utf8'), await readdir(outside)], ['SECRET', ['secret']])
    assert.equal((await stat(join(home, 'file'))).mode & 0o777, 0o600)
    await rm(join(home, 'hard'))
    await rm(join(home, 'folder'))
    await rm(join(home, 'pipe'))
    await namespace.writeFile('a/b', text('x'.repeat(500)))
    await assert.rejects(namespace.readFile('a/b', { maxBytes: 499 }), fails('TOO_LARGE'))
    await assert.rejects(namespace.writeFile('c', text('x'.repeat(600))), fails('TOO_LARGE'))
    await assert.rejects(namespace.writeFile('d/e/f/g/h/i', text('x')), fails('TOO_LARGE'))
    const { bytes, files } = await namespace.usage()
    assert.equal(files, 4)
    assert.ok(bytes >= 504 && bytes < 600, `${bytes}`)
  })
})

describe('handles', () => {
  it('name things of their session and kind only, also in a later process', async () => {
    const at = fresh()
    const a = openNamespace({ root: at, sessionId: sessionId('a') })
    const b = openNamespace({ root: at, sessionId: sessionId('b') })
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
        fc.constantFrom('spill', 'job'),
        async (value, kind) => {
          const handle = await a.issueHandle(kind, value)
          assert.match(handle, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/)
          assert.equal(await openNamespace({ root: at, sessionId: sessionId('a') }).readHandle(kind, handle), value)
          await assert.rejects(b.readHandle(kind, handle), fails('NAMESPACE_ESCAPE'))
          await assert.rejects(a.readHandle(kind === 'job' ? 'spill' : 'job', handle), fails('NAMESPACE_ESCAPE'))
          const place = handle.length - 12
          const other = handle[place] === 'A' ? 'B' : 'A'
          for (const wrong of [
            handle.slice(0, -1),
            `${handle}=`,
            `${handle.slice(0, place)}${other}${handle.slice(place + 1)}`,
            handle.toUpperCase(),
            value,
            '',
          ]) {
            if (wrong !== handle) await assert.rejects(a.readHandle(kind, wrong), fails('NAMESPACE_ESCAPE'), wrong)
          }
        },
      ),
      { numRuns: 60 },
    )
    await assert.rejects(a.readHandle('job', 'x'.repeat(10_000_000)), fails('NAMESPACE_ESCAPE'))
    await assert.rejects(a.issueHandle('Job', 'x'), TypeError)
    await assert.rejects(a.issueHandle('job', ''), TypeError)
    assert.equal((await lstat(join(await a.directory(), '.adjutant-secret'))).mode & 0o777, 0o600)
  })

  it('have one secret for a session, whoever asks first', async () => {
    const at = fresh()
    const made = await Promise.all(
      Array.from({ length: 8 }, () => openNamespace({ root: at, sessionId: sessionId('s') }).issueHandle('job', 'x')),
    )
    // A late one may have made a secret of its own, but only one was kept.
    assert.equal(new Set(made).size, 1)
  })
})

describe('removal', () => {
  it('takes a session with everything in it, and empty folders of its owner, and nothing else', {
    skip: process.platform === 'win32',
  }, async () => {
    const at = fresh()
    const owner = { tenantId: 'acme', userId: 'ann' }
    const [gone, stays] = ['gone', 'stays'].map((id) => openNamespace({ root: at, sessionId: sessionId(id), owner }))
    assert.ok(gone !== undefined && stays !== undefined)
    await stays.writeFile('a', text('kept'))
    await gone.writeFile('deep/er/file', text('x'))
    const home = await gone.directory()
    await symlink(await stays.directory(), join(home, 'to-the-other'))
    await link(join(await stays.directory(), 'a'), join(home, 'hard'))
    await gone.remove()
    await gone.remove()
    await assert.rejects(stat(home), { code: 'ENOENT' })
    const calls = [() => gone.readFile('deep/er/file'), () => gone.writeFile('x', text('')), () => gone.path('x'), () => gone.usage()]
    for (const call of calls) await assert.rejects(async () => void (await call()), fails('NOT_FOUND'))
    assert.equal(said(await stays.readFile('a')), 'kept')
    assert.deepEqual(await readdir(join(home, '..')), ['stays'])
    await openNamespace({ root: at, sessionId: sessionId('gone'), owner }).writeFile('new', text('x'))
    await openNamespace({ root: at, sessionId: sessionId('gone'), owner }).remove()
    await stays.remove()
    assert.deepEqual(await readdir(at), [])
    await openNamespace({ root: fresh(), sessionId: sessionId('never') }).remove()
  })

  it('sweeps what is old and marked, follows no link, leaves what is in use and what is not ours', {
    skip: process.platform === 'win32',
  }, async () => {
    const at = fresh()
    const clock = new ManualClock(Date.parse('2026-01-10T00:00:00Z'))
    const days = (count: number): Date => new Date(clock.now() - count * 86_400_000)
    const age = async (path: string, time: Date): Promise<void> => {
      for (const entry of await readdir(path, { withFileTypes: true })) {
        const below = join(path, entry.name)
        if (entry.isDirectory()) await age(below, time)
        else if (entry.isFile()) await utimes(below, time, time)
      }
      await utimes(path, time, time)
    }
    const make = async (
      id: string,
      daysAgo: number,
      owner?: { readonly tenantId: string; readonly userId: string },
    ): Promise<SessionNamespace> => {
      const namespace = openNamespace({ root: at, sessionId: sessionId(id), ...(owner === undefined ? {} : { owner }) })
      await namespace.writeFile('deep/file', text(id))
      await age(await namespace.directory(), days(daysAgo))
      return namespace
    }
    const old = await make('old', 9)
    const rests = await make('rests', 9)
    const young = await make('young', 9)
    await utimes(join(await young.directory(), 'deep', 'file'), days(1), days(1))
    const far = await make('far', 9, { tenantId: 'T 1', userId: 'u' })
    const outside = join(root, 'swept-outside')
    await mkdir(outside, { recursive: true })
    await writeFile(join(outside, 'kept'), 'x')
    await symlink(outside, join(at, 'linked'))
    await symlink(outside, join(at, 'tenant.linked'))
    await mkdir(join(at, 'project'))
    await writeFile(join(at, 'project', 'source.ts'), 'x')
    await age(join(at, 'project'), days(99))
    // As a removal that a crash stopped leaves it.
    await mkdir(join(at, '.going-abc', 'x'), { recursive: true })
    const swept = await sweepNamespaces(at, { olderThanMs: 7 * 86_400_000, inUse: new Set([rests.key]) }, clock)
    assert.deepEqual(swept.removed.toSorted(), [old.key, far.key].toSorted())
    assert.deepEqual(swept.failed, [])
    assert.deepEqual((await readdir(at)).toSorted(), ['linked', 'project', 'rests', 'tenant.linked', 'young'])
    assert.deepEqual(await readdir(outside), ['kept'])
    assert.deepEqual(await sweepNamespaces(join(at, 'nowhere'), { olderThanMs: 0 }, clock), { removed: [], failed: [] })
  })
})

describe('two sessions that do what they like', () => {
  const name = fc.oneof(
    // What hostile hands make, again and again.
    { arbitrary: fc.constantFrom('a', 'link/a', 'to-file'), weight: 2 },
    fc.constantFrom(
      'a',
      'A',
      'b',
      'a/b',
      'a/B',
      '../a',
      '../s-a/a',
      '..',
      '.',
      '/etc/passwd',
      'é',
      'e\u0301',
      'а',
      '．．/s-b/a',
      '%2e%2e/a',
      'a\\b',
      '..\\s-b\\a',
      'results/x.txt',
      '.adjutant-secret',
      '~',
      'link',
      'link/a',
      'to-file',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  const step = fc.record({
    who: fc.constantFrom(0, 1),
    what: fc.constantFrom(
      'write',
      'read',
      'path',
      'link',
      'link-file',
      'hard-link',
      'spill',
      'read-spill',
      'handle',
      'read-handle',
      'again',
    ),
    name,
  })

  it('never see, change or name anything of the other (invariant 9)', { skip: process.platform === 'win32' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const at = fresh()
        const ids = ['s-a', 's-b'].map((id) => sessionId(id))
        const open = (who: number): SessionNamespace => openNamespace({ root: at, sessionId: ids[who] ?? sessionId('x') })
        const sessions = [open(0), open(1)]
        const token = (who: number): string => `token-of-${who}`
        const handles: string[][] = [[], []]
        let spills = 0
        // Files of one that a hostile hand put into the folder of the other: no rule of names can take that back, also when the first one is gone.
        const planted = new Set<number>()
        for (const [who, session] of sessions.entries()) await session.writeFile('a', text(token(who)))
        for (const { who, what, name: given } of steps) {
          const [mine, theirs] = [sessions[who], sessions[1 - who]]
          assert.ok(mine !== undefined && theirs !== undefined)
          const home = await mine.directory()
          const other = await theirs.directory()
          const hostile = async (): Promise<void> => {
            // What code in a box may do in a folder that it was given.
            if (what === 'link') await symlink(other, join(home, 'link'))
            else if (what === 'link-file') await symlink(join(other, 'a'), join(home, 'to-file'))
            else {
              await rm(join(home, 'a'), { force: true })
              await link(join(other, 'a'), join(home, 'a'))
              planted.add((await lstat(join(home, 'a'))).ino)
            }
          }
          const act = async (): Promise<string> => {
            switch (what) {
              case 'write':
                await mine.writeFile(given, text(`${token(who)} ${given}`))
                return ''
              case 'read':
                return said(await mine.readFile(given))
              case 'path': {
                const path = await mine.path(given)
                assert.ok(path.startsWith(`${home}/`), path)
                return await readFile(path, 'utf8')
              }
              case 'spill':
                await spillText(mine, `call-${spills++}-${given}`, `${token(who)} spilt`)
                return ''
              case 'read-spill': {
                const page = await readSpill(mine, `call-${Math.max(0, spills - 1)}-${given}`)
                return JSON.stringify(page)
              }
              case 'handle':
                handles[who]?.push(await mine.issueHandle('job', `${token(who)} ${given}`))
                return ''
              case 'read-handle': {
                for (const handle of handles[1 - who] ?? []) await assert.rejects(mine.readHandle('job', handle), fails('NAMESPACE_ESCAPE'))
                const own = handles[who]?.at(-1)
                return own === undefined ? '' : await mine.readHandle('job', own)
              }
              case 'again':
                sessions[who] = open(who)
                return ''
              default:
                await hostile()
                return ''
            }
          }
          let answer: string
          try {
            answer = await act()
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error
            answer = error instanceof Error ? error.message : String(error)
          }
          // Hard links are the one way by which a plain path leads to another's file: reading them by name is what readFile is for.
          const there = await lstat(join(home, 'a')).catch(() => undefined)
          const linked = there !== undefined && planted.has(there.ino) && (what === 'path' || (what === 'read' && there.nlink === 1))
          if (!linked) assert.ok(!answer.includes(token(1 - who)), `${what} ${JSON.stringify(given)}: ${answer}`)
        }
        // Nothing of one ever came to lie in the folder of the other, but by a hostile hand.
        for (const who of [0, 1]) {
          for (const file of await filesBelow(join(at, `s-${'ab'[who]}`))) {
            const stats = await lstat(file)
            if (stats.isFile() && !planted.has(stats.ino)) assert.ok(!(await readFile(file, 'utf8')).includes(token(1 - who)), file)
          }
        }
        await Promise.all(sessions.map((session) => session?.remove()))
        assert.deepEqual(await readdir(at), [])
      }),
      { numRuns: 60 },
    )
  })
})

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : Promise.resolve([join(folder, entry.name)]))),
  )
  return found.flat()
}
