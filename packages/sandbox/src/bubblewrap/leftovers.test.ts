/** That nothing is left: after many runs, after failures, after the host was killed. Also run by an ordinary user, see as-ordinary-user.test.ts. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError } from '@adjutant/core/contract'
import { bubblewrapBackend } from './bubblewrap-backend.ts'

const isRoot = process.getuid?.() === 0
let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'adjutant-state-'))
  // The users of boxes pass through.
  chmodSync(root, 0o711)
})
after(() => rmSync(root, { recursive: true, force: true }))

const open = (): ReturnType<typeof bubblewrapBackend> =>
  bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot: `${root}/boxes` })

/** Processes, mounts, control groups and files with this host's mark, whoever they belong to. */
function left(mark: string): readonly string[] {
  const processes = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
    try {
      // One that has ended and waits for init has no command line any more.
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark)
    } catch {
      return false
    }
  })
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(mark))
  return [...processes.map((pid) => `process ${pid}`), ...mounts, ...files(`${root}/boxes`)]
}

function files(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => name !== 'users' && name !== 'lent')
    : []
}

function groups(owner: string): readonly string[] {
  const hierarchies = readdirSync('/sys/fs/cgroup', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return hierarchies.flatMap(({ name }) => find(`/sys/fs/cgroup/${name}`, owner, 3))
}

function find(folder: string, owner: string, depth: number): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => (name.includes(owner) ? [`${folder}/${name}`] : depth > 0 ? find(`${folder}/${name}`, owner, depth - 1) : []))
  } catch {
    return []
  }
}

async function until(done: () => boolean): Promise<void> {
  for (let turns = 0; turns < 2_000_000 && !done(); turns++) await new Promise((resolve) => setImmediate(resolve))
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length
}

/** This process, as control groups are marked. */
const owner = (pid: number): string => `-${pid}-`

describe('nothing is left', () => {
  it('after 200 runs in all ways, eight at once', async () => {
    // What Node opens for itself at the first use stays.
    const first = open()
    await (await first.open({})).run({ lang: 'bash', code: 'echo' })
    await first[Symbol.asyncDispose]()
    const descriptors = openDescriptors()
    const backend = open()
    assert.ok((await backend.probe()).ok)
    const outcomes = new Map<string, number>()
    const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const lane = async (): Promise<void> => {
      await using box = await backend.open({ limits: { wallMs: 10_000 } })
      for (let run = 0; run < 25; run++) {
        const common = { lang: 'bash', session: run % 3 === 0 } as const
        try {
          switch (run % 10) {
            case 4: {
              const { limit } = await box.run({ ...common, code: 'trap "" TERM; (setsid sleep 99 &); sleep 99', limits: { wallMs: 40 } })
              count(`limit ${limit}`)
              break
            }
            case 7: {
              const { exitCode, signal } = await box.run({ ...common, code: '(sleep 99 &); kill -9 $$' })
              count(`ended itself ${exitCode ?? signal}`)
              break
            }
            case 9:
              await box.run({ ...common, code: 'setsid sleep 99 & sleep 99', signal: AbortSignal.timeout(5) })
              break
            default:
              count(`said ${Buffer.from((await box.run({ ...common, code: 'echo $((20 + 1)); (sleep 99 &)' })).stdout)}`)
          }
        } catch (error) {
          assert.ok(AdjutantError.isInstance(error) && error.code === 'CANCELLED', String(error))
          count('stopped')
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    const sum = (what: string): number => [...outcomes].reduce((all, [outcome, times]) => all + (outcome.startsWith(what) ? times : 0), 0)
    assert.deepEqual(
      [sum('limit wall'), sum('ended itself'), sum('stopped'), sum('said 21\n')],
      [24, 16, 16, 144],
      JSON.stringify([...outcomes]),
    )
    await backend[Symbol.asyncDispose]()
    assert.deepEqual(left(`${root}/boxes`), [])
    assert.deepEqual(groups(owner(process.pid)), [])
    assert.deepEqual(isRoot ? readdirSync(`${root}/boxes/users`) : [], [], 'users')
    await until(() => openDescriptors() <= descriptors)
    assert.ok(openDescriptors() <= descriptors, `${openDescriptors()} descriptors, ${descriptors} before`)
  })

  it('after boxes that could not be made', async () => {
    const backend = bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot: `${root}/boxes`, bubblewrap: '/usr/bin/false' })
    const probe = await backend.probe()
    assert.equal(probe.ok, false)
    assert.ok(probe.fix)
    assert.deepEqual(await backend.probe(), probe)
    await assert.rejects(backend.open({}), (error) => AdjutantError.isInstance(error) && error.code === 'SANDBOX_UNAVAILABLE')
    await backend[Symbol.asyncDispose]()
    assert.deepEqual(left(`${root}/boxes`), [])
  })

  it('of a host that was killed: processes and mounts at once, files when the next one comes', async () => {
    const program = `
      import { bubblewrapBackend } from ${JSON.stringify(new URL('./bubblewrap-backend.ts', import.meta.url).href)}
      import { randomIds, systemClock } from '@adjutant/core'
      const backend = bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot: ${JSON.stringify(`${root}/boxes`)} })
      const box = await backend.open({})
      await box.run({ lang: 'bash', session: true, code: 'trap "" TERM HUP; (setsid sleep 9876.5 &)' })
      void box.run({ lang: 'bash', code: 'trap "" TERM HUP; setsid sleep 9876.5 & echo running; sleep 9876.5', output: () => console.log('running') })
    `
    const host = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module-typescript', '-e', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => host.stdout.once('data', resolve))
    assert.notDeepEqual(left('9876.5'), [])
    const killed = new Promise((resolve) => host.once('exit', resolve))
    host.kill('SIGKILL')
    await killed
    const gone = (): boolean =>
      left('9876.5').every((what) => !what.startsWith('process')) &&
      left(`${root}/boxes/host-${host.pid}-`).every((what) => !/^process|^\d+ \d+ /.test(what))
    await until(gone)
    assert.ok(gone(), left(`${root}/boxes/host-${host.pid}-`).slice(0, 5).join('\n'))
    const next = open()
    assert.ok((await next.probe()).ok)
    assert.deepEqual(
      files(`${root}/boxes`).filter((name) => name.includes(`host-${host.pid}-`)),
      [],
    )
    await next[Symbol.asyncDispose]()
    assert.deepEqual(left(`${root}/boxes`), [])
    assert.deepEqual(groups(owner(host.pid ?? 0)), [])
  })

  it('by a host that ends without closing anything', async () => {
    const program = `
      import { bubblewrapBackend } from ${JSON.stringify(new URL('./bubblewrap-backend.ts', import.meta.url).href)}
      import { randomIds, systemClock } from '@adjutant/core'
      const backend = bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot: ${JSON.stringify(`${root}/boxes`)} })
      const box = await backend.open({})
      await box.run({ lang: 'bash', session: true, code: 'sleep 8765.4 & echo' })
      process.exit(7)
    `
    const host = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module-typescript', '-e', program], {
      cwd: import.meta.dirname,
      stdio: 'ignore',
    })
    assert.equal(await new Promise((resolve) => host.once('exit', resolve)), 7)
    const mine = (): readonly string[] => [
      ...left('8765.4').filter((what) => what.startsWith('process')),
      ...left(`${root}/boxes/host-${host.pid}-`),
    ]
    await until(() => mine().every((what) => what.startsWith('users/')))
    assert.deepEqual(
      mine().filter((what) => !what.startsWith('users/')),
      [],
    )
  })

  it('in a folder that somebody else could have put there: it is not used', async () => {
    mkdirSync(`${root}/elsewhere`)
    symlinkSync(`${root}/elsewhere`, `${root}/link`)
    const backend = bubblewrapBackend({ clock: systemClock, ids: randomIds, stateRoot: `${root}/link` })
    const probe = await backend.probe()
    assert.deepEqual([probe.ok, /belongs to another user/.test(probe.detail)], [false, true])
    assert.deepEqual(readdirSync(`${root}/elsewhere`), [])
  })
})
