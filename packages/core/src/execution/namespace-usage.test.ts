import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { sessionId } from '../contract/ids.ts'
import { openNamespace } from './namespace.ts'
import { sweepNamespaces } from './namespace-removal.ts'
import { namespacesUsage } from './namespace-usage.ts'

let root = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-usage-')))
})
after(() => rm(root, { recursive: true, force: true }))

const bytes = (count: number) => new Uint8Array(count)

describe('namespacesUsage', () => {
  it('counts sessions of everybody, follows no link and counts nothing that is not ours', {
    skip: process.platform === 'win32',
  }, async () => {
    const at = join(root, 'all')
    assert.deepEqual(await namespacesUsage(at), { sessions: 0, bytes: 0, files: 0, more: false })
    const mine = openNamespace({ root: at, sessionId: sessionId('s1') })
    const theirs = openNamespace({ root: at, sessionId: sessionId('s1'), owner: { tenantId: 'acme', userId: 'ann' } })
    await mine.writeFile('deep/er/a', bytes(1_000))
    await theirs.writeFile('b', bytes(500))
    await mkdir(join(root, 'outside'))
    await writeFile(join(root, 'outside', 'big'), bytes(100_000))
    await symlink(join(root, 'outside'), join(await mine.directory(), 'link'))
    await symlink(await mine.directory(), join(at, 's2'))
    await mkdir(join(at, 'project'))
    await writeFile(join(at, 'project', 'source'), bytes(5_000))
    const { sessions, bytes: kept, files, oldestAt, more } = await namespacesUsage(at)
    assert.deepEqual([sessions, files, more], [2, 7, false])
    assert.ok(kept >= 1_500 && kept < 5_000, `${kept}`)
    assert.equal(typeof oldestAt, 'number')
    assert.deepEqual(await namespacesUsage(at, { maxFiles: 3 }).then((usage) => [usage.files, usage.more]), [3, true])
  })
})

describe('a sweep that asks', () => {
  it('removes only what it may claim, and looks again under the claim', async () => {
    const at = join(root, 'claims')
    const clock = new ManualClock(Date.now())
    const old = new Date(clock.now() - 9 * 86_400_000)
    const keys: string[] = []
    for (const id of ['free', 'taken', 'woken']) {
      const namespace = openNamespace({ root: at, sessionId: sessionId(id) })
      const folder = await namespace.directory()
      for (const path of [join(folder, '.adjutant-namespace'), folder]) await utimes(path, old, old)
      keys.push(namespace.key)
    }
    const [free = '', taken = '', woken = ''] = keys
    let released = 0
    const claim = async (key: string): Promise<AsyncDisposable | undefined> => {
      if (key === taken) return undefined
      // Somebody used it between the look and the claim.
      if (key === woken) await utimes(join(at, 'woken'), new Date(clock.now()), new Date(clock.now()))
      return {
        async [Symbol.asyncDispose]() {
          released += 1
        },
      }
    }
    const swept = await sweepNamespaces(at, { olderThanMs: 86_400_000, claim, start: 0.9 }, clock)
    assert.deepEqual(swept, { removed: [free], failed: [] })
    assert.equal(released, 2)
    const stopped = await sweepNamespaces(at, { olderThanMs: 0, signal: AbortSignal.abort() }, clock)
    assert.deepEqual(stopped.removed, [])
  })
})
