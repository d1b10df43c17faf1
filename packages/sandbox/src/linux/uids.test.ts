import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import { boxName, thisOwner } from './cgroup/box-name.ts'
import { dropFor, isRoot, probeUids, SessionUids } from './uids.ts'

const skip = process.platform === 'linux' ? false : 'needs Linux'
const asRoot = process.getuid?.() === 0

describe('SessionUids', { skip }, () => {
  let base = ''
  let folder = ''
  before(() => {
    base = mkdtempSync(join(tmpdir(), 'uids-'))
  })
  beforeEach(() => {
    folder = mkdtempSync(join(base, 'f-'))
  })
  after(() => rmSync(base, { recursive: true, force: true }))
  const uids = (first: number, last: number, begin?: number): SessionUids =>
    new SessionUids({ folder, etc: base, range: { first, last }, ...(begin === undefined ? {} : { begin }) })
  const left = (code: string) => (error: unknown) => AdjutantError.isInstance(error) && error.code === code

  /** Processes that take as many as they can, all at once; what each got. Each ends by SIGKILL, so nothing is given back. */
  async function compete(count: number, range: readonly [number, number], each: number): Promise<readonly (readonly number[])[]> {
    const program = `
      import { SessionUids } from ${JSON.stringify(new URL('uids.ts', import.meta.url).href)}
      const uids = new SessionUids({ folder: ${JSON.stringify(folder)}, etc: ${JSON.stringify(base)}, range: { first: ${range[0]}, last: ${range[1]} }, begin: ${range[0]} })
      process.stdin.once('data', () => {
        const got = []
        try { while (got.length < ${each}) got.push(uids.claim().uid) } catch (error) { if (error.code !== 'SANDBOX_UNAVAILABLE') throw error }
        process.stdout.write(JSON.stringify(got) + '\\n')
      })
      process.stdout.write('ready\\n')
    `
    const children = Array.from({ length: count }, () =>
      spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    for (const { stdin } of children) stdin.write('go\n')
    const said = await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    await Promise.all(
      children.map((child) => {
        child.kill('SIGKILL')
        return once(child, 'exit')
      }),
    )
    return said.map(([text]) => numbers(JSON.parse(String(text))))
  }

  it('gives each session its own, and one that was given back comes again last', () => {
    const mine = uids(300_000, 300_003, 300_002)
    const leases = Array.from({ length: 4 }, () => mine.claim())
    assert.deepEqual(
      leases.map(({ uid }) => uid),
      [300_002, 300_003, 300_000, 300_001],
    )
    for (const { uid, gid } of leases) assert.equal(uid, gid)
    assert.throws(() => mine.claim(), left('SANDBOX_UNAVAILABLE'))
    const [first] = leases
    assert.ok(first)
    assert.equal(first.release(), true)
    assert.equal(first.release(), true)
    const again = mine.claim()
    assert.equal(again.uid, 300_002)
    assert.equal(first.release(), true, 'what was given back is not ours to give back')
    assert.throws(() => mine.claim(), left('SANDBOX_UNAVAILABLE'))
    for (const lease of [...leases, again]) lease.release()
    assert.deepEqual(readdirSync(folder), [])
  })

  it('starts anywhere', () => {
    const begins = Array.from({ length: 20 }, () => {
      const lease = new SessionUids({ folder, etc: base }).claim()
      lease.release()
      return lease.uid
    })
    assert.ok(new Set(begins).size > 10)
    for (const uid of begins) assert.ok(uid >= 200_000 && uid <= 265_535)
  })

  it('leaves out whom the machine knows', () => {
    const etc = mkdtempSync(join(base, 'etc-'))
    writeFileSync(join(etc, 'passwd'), 'root:x:0:0:root:/root:/bin/bash\na:x:400001:5::/:/x\nbroken\n')
    writeFileSync(join(etc, 'group'), 'g:x:400003:\n')
    writeFileSync(join(etc, 'subuid'), 'a:400005:2\nb:9\n')
    writeFileSync(join(etc, 'subgid'), 'a:400008:1\n')
    const mine = new SessionUids({ folder, etc, range: { first: 400_000, last: 400_009 }, begin: 400_000 })
    const got = Array.from({ length: 5 }, () => mine.claim().uid)
    assert.deepEqual(got, [400_000, 400_002, 400_004, 400_007, 400_009])
    assert.throws(() => mine.claim(), left('SANDBOX_UNAVAILABLE'))
  })

  it('gives none to two processes, also when they take over those of the dead at once', async () => {
    const range = [310_000, 310_039] as const
    for (let round = 0; round < 3; round++) {
      // From the second round on every one has an owner that was killed.
      const got = (await compete(4, range, 12)).flat()
      assert.equal(got.length, 40)
      assert.equal(new Set(got).size, 40)
    }
    assert.equal(readdirSync(folder).length, 40, 'no lock is left')
  })

  it('does not take over what it cannot judge', () => {
    const owner = thisOwner()
    assert.ok(owner)
    symlinkSync('something else', join(folder, '320000'))
    symlinkSync(boxName({ ...owner, pidNamespace: 1 }, 'uid'), join(folder, '320001'))
    symlinkSync(boxName(owner, 'uid'), join(folder, '320002'))
    writeFileSync(join(folder, '320003'), '')
    const dead = boxName({ ...owner, startTime: owner.startTime - 1 }, 'uid')
    symlinkSync(dead, join(folder, '320004'))
    symlinkSync('lock', join(folder, `320004.${dead}`))
    assert.throws(() => uids(320_000, 320_004).claim(), left('SANDBOX_UNAVAILABLE'))
  })

  it('keeps one while its processes run', { skip: asRoot ? false : 'only root can be two users' }, async () => {
    const mine = uids(330_000, 330_001)
    const lease = mine.claim()
    const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', env: {}, ...dropFor(isRoot(), lease) })
    assert.equal(lease.release(), false)
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    assert.equal(lease.release(), true)
  })

  it('refuses a range that is none, and a folder that others can change', () => {
    for (const [first, last] of [
      [0, 10],
      [2000, 1999],
      [1.5, 5000],
      [200_000, 2 ** 32],
    ] as const) {
      assert.throws(() => uids(first, last), left('CONFIG_INVALID'))
    }
    chmodSync(folder, 0o777)
    assert.throws(() => uids(340_000, 340_001), left('SANDBOX_UNAVAILABLE'))
    const aside = join(base, 'aside')
    symlinkSync(folder, aside)
    chmodSync(folder, 0o700)
    assert.throws(() => new SessionUids({ folder: aside }), left('SANDBOX_UNAVAILABLE'))
    assert.throws(() => new SessionUids({ folder: '/proc/none' }), left('SANDBOX_UNAVAILABLE'))
  })

  it('is tried out', async () => {
    const probe = await probeUids({ folder, etc: base })
    assert.equal(probe.ok, true, probe.detail)
    assert.equal(probe.root, asRoot)
    assert.match(probe.detail, asRoot ? /200000 to 265535/ : /this user/)
    assert.deepEqual(readdirSync(folder), [])
    if (asRoot) {
      const broken = await probeUids({ folder: '/proc/none' })
      assert.ok(!broken.ok)
      assert.match(broken.detail, /\/proc\/none/)
    }
  })
})

describe('dropFor', () => {
  it('never lets a box be root', () => {
    assert.deepEqual(dropFor(true, { uid: 200_001, gid: 200_001 }), { uid: 200_001, gid: 200_001 })
    assert.deepEqual(dropFor(false), {})
    for (const lease of [undefined, { uid: 0, gid: 200_001 }, { uid: 200_001, gid: 0 }, { uid: Number.NaN, gid: 1 }]) {
      assert.throws(() => dropFor(true, lease), /as root/)
    }
  })
})

function numbers(value: unknown): readonly number[] {
  assert.ok(Array.isArray(value))
  return value.map(Number)
}
