/** Cgroups of the kernel that runs the tests: bombs go off in boxes only, and each box must be gone afterwards. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError } from '@adjutant/core/contract'
import { readBoxStatus } from '../process/box-status.ts'
import { endBox, waitUntil } from '../process/pid-namespace.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from '../process/process-identity.ts'
import { boxMissing, startBox, type TestBox, type TestBoxOptions } from '../test-box.test-helper.ts'
import { thisOwner } from './box-name.ts'
import type { CgroupBox, CgroupControl, CgroupDriver, CgroupHierarchy } from './cgroup.ts'
import { cgroupFiles } from './cgroup-files.ts'
import { cgroupMounts } from './cgroup-mounts.ts'
import { probeCgroups } from './find-cgroups.ts'
import { KernelCgroupDriver } from './kernel-cgroup-driver.ts'

const probe = process.platform === 'linux' ? await probeCgroups({ clock: systemClock }) : undefined
const skip = boxMissing() ?? (probe?.ok === true && probe.driver.enforces.has('memory') ? false : `no cgroups: ${probe?.detail}`)
const owner = thisOwner()

/** Folders of this process in every hierarchy. */
function leftovers(): readonly string[] {
  const mounts = cgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'))
  return mounts.flatMap(({ own }) => readdirSync(own).filter((name) => name.includes(`-${owner?.pid}-${owner?.startTime}-`)))
}

function driver(): CgroupDriver {
  assert.ok(probe?.ok)
  return probe.driver
}

/** Only v1, so that killing goes by the freezer. */
function versionOneDriver(controls: readonly CgroupControl[]): CgroupDriver | undefined {
  const mounts = cgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'))
  const hierarchies: CgroupHierarchy[] = []
  for (const control of controls) {
    const mount = mounts.find(({ version, controllers }) => version === 1 && controllers.includes(control))
    if (mount === undefined) return undefined
    hierarchies.push({ version: 1, folder: mount.own, controls: new Set([control]) })
  }
  return owner && new KernelCgroupDriver(hierarchies, owner, cgroupFiles, systemClock)
}

interface Placed {
  readonly box: TestBox
  readonly inner: ProcessIdentity
}

/** Starts a program in a box that is in the cgroup before its first instruction. */
async function startIn(cgroup: CgroupBox, command: readonly string[], options: TestBoxOptions = {}): Promise<Placed> {
  const box = startBox(command, { ...options, block: true })
  const started = await readBoxStatus(box.status).started
  const inner = started && identifyProcess(started.pid)
  assert.ok(inner, 'the box did not start')
  await cgroup.add(inner.pid)
  box.release()
  return { box, inner }
}

/** The kernel takes a process out of its cgroup shortly before it ends. */
async function assertGone(identity: ProcessIdentity): Promise<void> {
  assert.ok(await waitUntil(() => !isRunning(identity), { clock: systemClock }))
}

const python = (code: string): readonly string[] => ['/usr/bin/python3', '-I', '-S', '-c', code]

describe('cgroups of this kernel', { skip }, () => {
  after(() => assert.deepEqual(leftovers(), []))

  const bombs: Readonly<Record<string, string>> = {
    'one process': 'b = bytearray(200 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1',
    'many processes': `
import os, time
for i in range(8):
    if os.fork() == 0:
        b = bytearray(20 << 20)
        for i in range(0, len(b), 4096): b[i] = 1
        time.sleep(5)
        os._exit(0)
bad = 0
for i in range(8):
    if os.waitstatus_to_exitcode(os.wait()[1]) == -9: os.kill(os.getpid(), 9)
`,
    memfd: "import os\nf = os.memfd_create('a')\nfor i in range(200): os.write(f, b'x' * (1 << 20))",
    'files in memory': "f = open('/dev/shm/a', 'wb')\nfor i in range(200): f.write(b'x' * (1 << 20)); f.flush()",
  }
  for (const [name, code] of Object.entries(bombs)) {
    it(`keeps to the memory: ${name}`, async () => {
      const cgroup = await driver().create('bomb', { memoryMB: 64, processes: 40 })
      try {
        const { box } = await startIn(cgroup, python(code))
        assert.equal(await box.ended, 137, await box.stderr)
        assert.ok(cgroup.oomKills() >= 1)
        const { memoryMB, cpuMs, processes } = cgroup.usage()
        assert.ok(memoryMB !== undefined && memoryMB > 32 && memoryMB <= 64, `${memoryMB}`)
        assert.ok(cpuMs !== undefined && cpuMs > 0)
        assert.ok(processes !== undefined && processes >= 2)
      } finally {
        await cgroup.remove()
      }
      assert.ok(cgroup.oomKills() >= 1 && (cgroup.usage().cpuMs ?? 0) > 0, 'what was known stays known')
    })
  }

  it('says what was used since it was asked to forget, where the kernel can', async (context) => {
    const cgroup = await driver().create('peak', { memoryMB: 128, processes: 12 })
    try {
      const code =
        'import time\nb = bytearray(60 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\ndel b\nprint("freed", flush=True)\ntime.sleep(60)'
      const { box } = await startIn(cgroup, python(code), { keepOutput: false })
      assert.ok(box.process.stdout)
      await once(box.process.stdout, 'data')
      assert.ok((cgroup.usage().memoryMB ?? 0) >= 60)
      if (!(await cgroup.resetPeak())) return context.skip('this kernel keeps the most of all times')
      assert.ok((cgroup.usage().memoryMB ?? 128) < 40)
    } finally {
      await cgroup.remove()
    }
  })

  it('keeps to the number of processes, and counts those that were refused', async () => {
    const cgroup = await driver().create('forks', { memoryMB: 128, processes: 12 })
    try {
      const code = `
import os, time
made = 0
try:
    for i in range(100):
        if os.fork() == 0: time.sleep(30); os._exit(0)
        made += 1
except BlockingIOError: print(made, flush=True)
os._exit(0)
`
      const { box } = await startIn(cgroup, python(code))
      const made = Number(await box.stdout)
      assert.ok(made >= 8 && made <= 11, `${made}`)
      assert.ok(cgroup.refusedForks() >= 1)
      assert.equal(cgroup.oomKills(), 0)
      assert.equal(cgroup.usage().processes, 12)
    } finally {
      await cgroup.remove()
    }
  })

  it('holds back who wants more than its share of the processor', async () => {
    const cgroup = await driver().create('share', { memoryMB: 128, processes: 12, cpuShare: 0.1 })
    try {
      const { inner, box } = await startIn(cgroup, python('import time\nwhile time.process_time() < 0.15: pass\nprint("done", flush=True)'))
      const path = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(readFileSync(`/proc/${inner.pid}/cgroup`, 'utf8'))?.[1] ?? ''
      assert.ok(path.includes(cgroup.name))
      assert.equal((await box.stdout).trim(), 'done')
      const throttled = /^nr_throttled (\d+)$/m.exec(readFileSync(`/sys/fs/cgroup/cpu${path}/cpu.stat`, 'utf8'))?.[1]
      assert.ok(Number(throttled) > 0)
      assert.ok((cgroup.usage().cpuMs ?? 0) >= 140)
    } finally {
      await cgroup.remove()
    }
  })

  it('stops all and lets them go on', async () => {
    const cgroup = await driver().create('freeze', { memoryMB: 128, processes: 12 })
    try {
      const { inner } = await startIn(cgroup, ['/bin/sh', '-c', 'while :; do :; done'])
      assert.equal(await cgroup.freeze(), true)
      const spent = cgroup.usage().cpuMs ?? 0
      for (let index = 0; index < 20; index++) readFileSync('/proc/self/maps')
      assert.ok((cgroup.usage().cpuMs ?? 0) - spent <= 1)
      assert.ok(isRunning(inner))
      await cgroup.thaw()
      assert.ok(await waitUntil(() => (cgroup.usage().cpuMs ?? 0) > spent + 5, { clock: systemClock }))
      await cgroup.freeze()
      assert.equal(await cgroup.kill(), true, 'also while it is frozen')
      await assertGone(inner)
    } finally {
      await cgroup.remove()
    }
  })

  // At the limit always, with new pids all the time, out of its session, and deaf to what can be ignored.
  const storm = `
import os, signal, time
for number in (1, 2, 15, 17): signal.signal(number, signal.SIG_IGN)
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(0.02)
            try: os.fork(); time.sleep(0.02)
            finally: os._exit(0)
    except OSError: pass
`
  const ways: Readonly<Record<string, () => CgroupDriver | undefined>> = {
    'the way of this machine': driver,
    'the freezer of v1': () => versionOneDriver(['memory', 'pids', 'freezer']),
    'the number of processes alone': () => versionOneDriver(['pids']),
    'nothing but the memory': () => versionOneDriver(['memory']),
  }
  for (const [name, make] of Object.entries(ways)) {
    it(`kills all of what forks as fast as it can, by ${name}`, async (context) => {
      const made = make()
      if (made === undefined) return context.skip('no such hierarchies')
      const cgroup = await made.create('storm', { memoryMB: 256, processes: 40 })
      try {
        // Where the cgroup does not count processes, the box's own limit does.
        const { box, inner } = await startIn(cgroup, ['/usr/bin/prlimit', '--nproc=40', '--', ...python(storm)])
        assert.ok(await waitUntil(() => cgroup.pids().length >= 20, { clock: systemClock }))
        assert.equal(await cgroup.kill(), true)
        assert.deepEqual(cgroup.pids(), [])
        await assertGone(inner)
        assert.equal(await box.ended, 137)
      } finally {
        await cgroup.remove()
      }
    })
  }

  it('removes a box with all that runs in it, twice, and while others are made', async () => {
    const boxes = await Promise.all(Array.from({ length: 6 }, () => driver().create('many', { memoryMB: 64, processes: 10 })))
    const running = await Promise.all(boxes.slice(0, 2).map((cgroup) => startIn(cgroup, ['/bin/sleep', '60'])))
    await Promise.all([...boxes, ...boxes].map((cgroup) => cgroup.remove()))
    for (const { inner } of running) await assertGone(inner)
    const [first] = boxes
    assert.ok(first)
    await assert.rejects(
      first.add(running[0]?.inner.pid ?? 0),
      (error) => AdjutantError.isInstance(error) && error.code === 'SANDBOX_FAILED',
    )
    assert.deepEqual(first.pids(), [])
    assert.equal(await first.kill(), true)
  })

  it('refuses a process that has ended, itself, and limits that are none', async () => {
    const cgroup = await driver().create('../../odd name\n', { memoryMB: 64, processes: 10 })
    try {
      assert.match(cgroup.name, /-oddname$/)
      await assert.rejects(cgroup.add(0x7fff_fff0), /it has ended/)
      await assert.rejects(cgroup.add(process.pid), /cannot put itself/)
    } finally {
      await cgroup.remove()
    }
    for (const limits of [
      { memoryMB: 0, processes: 1 },
      { memoryMB: 1.5, processes: 1 },
      { memoryMB: 1, processes: Number.NaN },
      { memoryMB: 1, processes: 1, cpuShare: 0 },
      { memoryMB: Number.POSITIVE_INFINITY, processes: 1 },
    ]) {
      await assert.rejects(driver().create('a', limits), (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID')
    }
  })

  it('sweeps what a process that was killed left, and nothing of the living', async () => {
    const mine = await driver().create('mine', { memoryMB: 64, processes: 10 })
    const program = `
      import { spawn } from 'node:child_process'
      import { systemClock } from ${JSON.stringify(import.meta.resolve('@adjutant/core'))}
      import { probeCgroups } from ${JSON.stringify(new URL('find-cgroups.ts', import.meta.url).href)}
      const { driver } = await probeCgroups({ clock: systemClock })
      const family = await driver.family('several', 64)
      const box = await family.create('left', { memoryMB: 64, processes: 10 })
      const child = spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore', env: {} })
      await box.add(child.pid)
      process.stdout.write(box.name + ' ' + child.pid + '\\n', () => process.kill(process.pid, 'SIGKILL'))
    `
    const host = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    for await (const part of host.stdout) said += String(part)
    const [name = '', pid] = said.trim().split(' ')
    const orphan = identifyProcess(Number(pid))
    assert.ok(orphan && name.startsWith('adjutant-'), said)
    try {
      await waitUntil(() => host.exitCode !== null || host.signalCode !== null, { clock: systemClock })
      const mounts = cgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'))
      const there = (): boolean => mounts.some(({ own }) => readdirSync(own).some((one) => one === name || one.includes(`-${host.pid}-`)))
      assert.ok(there())
      await driver().sweep()
      assert.ok(!there())
      await assertGone(orphan)
      assert.ok(leftovers().length > 0, 'the box of the living is still there')
    } finally {
      await endBox(orphan, { clock: systemClock })
      await mine.remove()
    }
  })
})
