/** What an ordinary user can do with cgroups: nothing without delegation, everything with it. Root makes and removes the delegated folders. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { boxMissing, TEST_UID } from '../test-box.test-helper.ts'
import { cgroupMounts } from './cgroup-mounts.ts'

const UID = TEST_UID + 2
const skip = boxMissing() ?? (process.getuid?.() === 0 ? false : 'only root can delegate')

/** Hierarchies of v1 with one of these controllers. */
function hierarchies(): readonly string[] {
  const mounts = cgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'))
  const wanted = ['memory', 'pids', 'cpuacct']
  return mounts.filter((mount) => mount.controllers.some((name) => wanted.includes(name))).map(({ mountPoint }) => mountPoint)
}

const module = (path: string): string => new URL(path, import.meta.url).href

/** Uses the cgroup that it was given, and says as JSON how that went. */
const PROGRAM = `
import { spawn } from 'node:child_process'
import { systemClock } from '${import.meta.resolve('@adjutant/core')}'
import { waitUntil } from '${module('../process/pid-namespace.ts')}'
import { identifyProcess, isRunning } from '${module('../process/process-identity.ts')}'
import { probeCgroups } from '${module('find-cgroups.ts')}'

const [, parent] = process.argv
const probe = await probeCgroups({ clock: systemClock, ...(parent === undefined || parent === '' ? {} : { parent }) })
const answer = { ok: probe.ok, detail: probe.detail, problems: probe.problems, uid: process.getuid?.() }
if (!probe.ok) answer.fix = probe.fix
else {
  answer.enforces = [...probe.driver.enforces].sort()
  const box = await probe.driver.create('ordinary', { memoryMB: 64, processes: 10 })
  answer.name = box.name
  // Waits for its line, so that it takes its memory only in the box.
  const code = 'import sys\\nsys.stdin.readline()\\nb = bytearray(200 << 20)\\nfor i in range(0, len(b), 4096): b[i] = 1'
  const child = spawn('/usr/bin/python3', ['-I', '-S', '-c', code], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  const ended = new Promise((resolve) => child.once('close', (exitCode, signal) => resolve(signal ?? exitCode)))
  const waits = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  const other = identifyProcess(waits.pid ?? 0)
  await box.add(child.pid ?? 0)
  await box.add(waits.pid ?? 0)
  child.stdin.end('\\n')
  answer.bomb = await ended
  answer.oomKills = box.oomKills()
  await box.remove()
  answer.otherGone = other !== undefined && (await waitUntil(() => !isRunning(other), { clock: systemClock }))
}
process.stdout.write(JSON.stringify(answer))
`

function asOrdinaryUser(parent: string): Readonly<Record<string, unknown>> {
  const run = spawnSync(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', PROGRAM, '--', parent], {
    uid: UID,
    gid: UID,
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(run.status, 0, run.stderr)
  const answer: unknown = JSON.parse(run.stdout)
  assert.ok(typeof answer === 'object' && answer !== null)
  return { ...answer }
}

describe('cgroups of an ordinary user', { skip }, () => {
  it('are none without delegation, and it is said what helps', () => {
    const answer = asOrdinaryUser('')
    assert.equal(answer.uid, UID)
    assert.equal(answer.ok, false)
    assert.match(String(answer.detail), /EACCES|EROFS/)
    assert.match(String(answer.fix), /chown/)
  })

  it('limit and kill where they were delegated', (context) => {
    const mounts = hierarchies()
    if (mounts.length === 0) return context.skip('no v1 hierarchies')
    const parent = `adjutant-test-${randomBytes(8).toString('hex')}`
    try {
      for (const mount of mounts) {
        mkdirSync(`${mount}/${parent}`)
        for (const name of ['', '/cgroup.procs']) chownSync(`${mount}/${parent}${name}`, UID, UID)
      }
      const answer = asOrdinaryUser(`/${parent}`)
      assert.equal(answer.ok, true, String(answer.detail))
      assert.deepEqual(answer.enforces, ['memory', 'process-count'])
      assert.equal(answer.bomb, 'SIGKILL')
      assert.ok(Number(answer.oomKills) >= 1)
      assert.equal(answer.otherGone, true)
      const left = mounts.flatMap((mount) =>
        readdirSync(`${mount}/${parent}`, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
      )
      assert.deepEqual(left, [])
    } finally {
      for (const mount of mounts) rmdirSync(`${mount}/${parent}`)
    }
  })
})
