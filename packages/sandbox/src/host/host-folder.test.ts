/** That a folder of root's which boxes work in comes back as it was, also when the host that lent it is killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { isRoot, pidNamespaceOf } from '../linux/index.ts'
import { HostFolders } from './host-folder.ts'
import { StateFolder } from './state-folder.ts'

const OTHER = 12_345

describe('a folder of root’s that boxes work in', { skip: !isRoot() && 'only root lends folders' }, () => {
  let top: string
  let folder: string
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'adjutant-lent-'))
    folder = join(top, 'work')
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(folder, 'sub/mine'), 'x')
    writeFileSync(join(folder, 'theirs'), 'x')
    chownSync(join(folder, 'theirs'), OTHER, OTHER)
    writeFileSync(join(folder, 'grouped'), 'x')
    chownSync(join(folder, 'grouped'), 0, OTHER)
    writeFileSync(join(top, 'outside'), 'x')
    linkSync(join(top, 'outside'), join(folder, 'second-name'))
    symlinkSync(join(top, 'outside'), join(folder, 'link'))
  })
  afterEach(() => rmSync(top, { recursive: true, force: true }))

  const look = (): Readonly<Record<string, readonly number[]>> =>
    Object.fromEntries(
      ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()].map((name) => {
        const { mode, uid, gid } = lstatSync(join(folder, name))
        return [name, [mode, uid, gid]]
      }),
    )

  it('is its user’s meanwhile and root’s afterwards, whatever its mode', () => {
    const state = new StateFolder(join(top, 'state'))
    const folders = new HostFolders()
    fc.assert(
      fc.property(fc.constantFrom(0o755, 0o700, 0o2775, 0o1777, 0o555, 0, 0o070, 0o500), (mode) => {
        chmodSync(folder, mode)
        const before = look()
        const first = folders.take(folder, state)
        const second = folders.take(folder, state)
        const user = first.user
        assert.ok(user !== undefined && user.uid !== 0 && second.user?.uid === user.uid)
        const lent = look()
        assert.deepEqual(
          [lent['sub/mine']?.slice(1), lent.link?.slice(1)],
          [
            [user.uid, user.gid],
            [user.uid, user.gid],
          ],
        )
        assert.deepEqual([lent.theirs, lent['second-name'], lstatSync(join(top, 'outside')).uid], [before.theirs, before['second-name'], 0])
        assert.deepEqual(lent.grouped?.slice(1), [user.uid, OTHER])
        // Its user can work in it, and for everybody else it is as it was.
        assert.deepEqual(lent['.'], [(before['.']?.[0] ?? 0) | 0o700, user.uid, user.gid])
        writeFileSync(join(folder, 'made'), 'by code', { mode: 0o600 })
        chownSync(join(folder, 'made'), user.uid, user.gid)
        first.giveBack()
        assert.equal(lstatSync(folder).uid, user.uid)
        second.giveBack()
        const made = lstatSync(join(folder, 'made'))
        assert.deepEqual([made.uid, made.gid], [0, 0])
        rmSync(join(folder, 'made'))
        assert.deepEqual(look(), before)
      }),
      { numRuns: 16 },
    )
    assert.deepEqual([readdirSync(join(top, 'state/lent')), readdirSync(join(top, 'state/users'))], [[], []])
    state.remove()
  })

  it('keeps a mode that was changed meanwhile', () => {
    const state = new StateFolder(join(top, 'state'))
    chmodSync(folder, 0o500)
    const taken = new HostFolders().take(folder, state)
    chmodSync(folder, 0o750)
    taken.giveBack()
    assert.equal(lstatSync(folder).mode & 0o7777, 0o750)
    state.remove()
  })

  it('is given back by the next host when the one that lent it is killed', async () => {
    chmodSync(folder, 0o511)
    const before = look()
    const program = `
      import { HostFolders } from ${JSON.stringify(new URL('./host-folder.ts', import.meta.url).href)}
      import { StateFolder } from ${JSON.stringify(new URL('./state-folder.ts', import.meta.url).href)}
      new HostFolders().take(${JSON.stringify(folder)}, new StateFolder(${JSON.stringify(join(top, 'state'))}))
      process.stdout.write('lent')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    assert.notEqual(lstatSync(folder).uid, 0)
    const ended = once(child, 'exit')
    // One that lives keeps what it has.
    new StateFolder(join(top, 'state')).remove()
    assert.notEqual(lstatSync(folder).uid, 0)
    child.kill('SIGKILL')
    await ended
    const ours = pidNamespaceOf('self')
    writeFileSync(join(top, `state/lent/1-1-${ours}-1`), '{"folder":"/etc","to":{"uid":0')
    writeFileSync(join(top, `state/lent/1-1-${ours}-2`), '{"folder":"relative","to":{"uid":5,"gid":5}}')
    const state = new StateFolder(join(top, 'state'))
    assert.deepEqual(look(), before)
    assert.deepEqual([readdirSync(join(top, 'state/lent')), readdirSync(join(top, 'state/users'))], [[], []])
    state.remove()
  })

  it('stays with hosts that cannot be seen from here, as all that they keep does', () => {
    const theirs = `4-100-${(pidNamespaceOf('self') ?? 0) + 1}-0`
    new StateFolder(join(top, 'state')).remove()
    mkdirSync(join(top, `state/host-${theirs}`))
    mkdirSync(join(top, `state/host-4-100-${pidNamespaceOf('self')}-0`))
    writeFileSync(join(top, `state/lent/${theirs}`), JSON.stringify({ folder, to: { uid: 5, gid: 5 } }))
    new StateFolder(join(top, 'state')).remove()
    assert.deepEqual(readdirSync(join(top, 'state')).toSorted(), [`host-${theirs}`, 'lent', 'users'])
    assert.deepEqual(readdirSync(join(top, 'state/lent')), [theirs])
  })

  it('is no hindrance when it is gone', () => {
    const state = new StateFolder(join(top, 'state'))
    const taken = new HostFolders().take(folder, state)
    rmSync(folder, { recursive: true })
    taken.giveBack()
    assert.deepEqual(readdirSync(join(top, 'state/users')), [])
    state.remove()
  })
})
