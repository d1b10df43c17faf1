/** The watch over real boxes, by a clock that moves when the box says that it is ready. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { readBoxStatus } from '../process/box-status.ts'
import { endBox } from '../process/pid-namespace.ts'
import { identifyProcess, type ProcessIdentity } from '../process/process-identity.ts'
import { boxMissing, startBox } from '../test-box.test-helper.ts'
import { BoxProcesses } from './box-processes.ts'
import { type Watch, type WatchLimits, type WatchOptions, type WatchUsage, watch } from './watch.ts'

interface Outcome {
  readonly hits: readonly (readonly [string, WatchUsage])[]
  readonly usage: WatchUsage
  readonly pending: number
}

/** Runs Python in a box until it says `ready`, then lets the watch look once. */
async function look(code: string, limits: WatchLimits, options: Partial<WatchOptions> = {}): Promise<Outcome> {
  return inBox(code, async (inner) => {
    const clock = new ManualClock()
    const hits: (readonly [string, WatchUsage])[] = []
    const watching = watch(inner.pid, limits, { clock, hit: (limit, usage) => hits.push([limit, usage]), ...options })
    await clock.advance(0)
    const usage = watching.usage()
    watching.stop()
    watching.stop()
    return { hits, usage, pending: clock.pending }
  })
}

async function inBox<T>(code: string, use: (inner: ProcessIdentity) => Promise<T>): Promise<T> {
  const box = startBox(
    ['/usr/bin/python3', '-I', '-S', '-c', `import os, signal, time\n${code}\nprint('ready', flush=True)\ntime.sleep(60)`],
    {
      keepOutput: false,
    },
  )
  const started = await readBoxStatus(box.status).started
  const inner = started && identifyProcess(started.pid)
  assert.ok(inner)
  try {
    assert.ok(box.process.stdout)
    const [said] = await Promise.race([once(box.process.stdout, 'data'), once(box.process, 'exit')])
    if (String(said).trim() !== 'ready') assert.fail(await box.stderr)
    return await use(inner)
  } finally {
    assert.deepEqual(await endBox(inner, { clock: systemClock }), { ended: true })
    await box.ended
  }
}

/** A line of Python that takes memory and keeps it. */
const take = (megabytes: number, name = 'b'): string =>
  `${name} = bytearray(${megabytes} << 20)\nfor i in range(0, len(${name}), 4096): ${name}[i] = 1`
const FORK = 'if os.fork() == 0:'
const indented = (code: string): string => code.replaceAll(/^/gm, '    ')
/** Children say so by a byte, and the box is ready when all have. */
const children = (count: number, code: string): string => `
r, w = os.pipe()
for child in range(${count}):
  ${FORK}
${indented(code)}
    os.write(w, b'x'); time.sleep(60); os._exit(0)
got = 0
while got < ${count}: got += len(os.read(r, ${count}))
`

describe('watch', { skip: boxMissing() }, () => {
  it('sees the memory of one process', async () => {
    const { hits, pending } = await look(take(90), { memoryMB: 60 })
    assert.equal(hits.length, 1)
    const [[limit, { memoryMB, processes }] = ['', { memoryMB: 0, processes: 0 }]] = hits
    assert.equal(limit, 'memory')
    assert.ok(memoryMB > 90 && memoryMB < 120, `${memoryMB}`)
    assert.equal(processes, 2)
    assert.equal(pending, 0)
  })

  it('adds up many processes', async () => {
    const { hits } = await look(children(5, take(20)), { memoryMB: 80 })
    assert.deepEqual(
      hits.map(([limit]) => limit),
      ['memory'],
    )
  })

  it('counts what processes share once', async () => {
    const { hits, usage } = await look(`${take(40)}\n${children(6, '')}`, { memoryMB: 90 })
    assert.deepEqual(hits, [])
    assert.ok(usage.memoryMB > 40 && usage.memoryMB < 90, `${usage.memoryMB}`)
    assert.equal(usage.processes, 8)
  })

  it('does not count files of the disk that are mapped', async () => {
    const code = `
import mmap
f = open('/node/node', 'rb')
m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
seen = sum(m[i] for i in range(0, len(m), 4096))
assert len(m) > 60 << 20
`
    const { hits, usage } = await look(code, { memoryMB: 40 })
    assert.deepEqual(hits, [])
    assert.ok(usage.memoryMB < 40)
  })

  it('sees files in memory: those of tmpfs, those without a name, and those that nobody has open', async () => {
    const write = "\nfor i in range(50): os.write(f, b'x' * (1 << 20))"
    const files: readonly string[] = [
      `f = os.open('/tmp/a', os.O_CREAT | os.O_RDWR)${write}\nos.close(f)`,
      `f = os.open('/tmp/a', os.O_CREAT | os.O_RDWR)\nos.unlink('/tmp/a')${write}`,
      `f = os.memfd_create('a')${write}`,
      `import mmap\nm = mmap.mmap(-1, 50 << 20)\nfor i in range(0, len(m), 4096): m[i] = 1`,
      `import mmap\nf = os.memfd_create('a')${write}\nm = mmap.mmap(f, 0)\nfor i in range(0, len(m), 4096): m[i]\nos.close(f)`,
    ]
    for (const code of files) {
      const { hits, usage } = await look(code, { memoryMB: 40 })
      assert.equal(hits[0]?.[0], 'memory', code)
      assert.ok(usage.memoryMB > 50 && usage.memoryMB < 90, `${usage.memoryMB}: ${code}`)
    }
    const unseen = await look(`f = os.memfd_create('a')${write}`, { memoryMB: 40 }, { memfd: false })
    assert.deepEqual(unseen.hits, [], 'only where it was asked for')
  })

  it('sees page tables: memory that is mapped and never written', async () => {
    const code =
      'import mmap\nm = mmap.mmap(-1, 40 << 30, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\nfor i in range(0, len(m), 2 << 20): m[i]'
    const { hits, usage } = await look(code, { memoryMB: 50 })
    assert.equal(hits[0]?.[0], 'memory')
    assert.ok(usage.memoryMB >= 80, `${usage.memoryMB}`)
  })

  it('sees the memory of a process whose first thread has ended', async () => {
    const code = `
import ctypes, threading
exit_thread = 60 if os.uname().machine == 'x86_64' else 93
r, w = os.pipe()
${FORK}
    def rest():
        time.sleep(0.05)
${take(90).replaceAll(/^/gm, '        ')}
        os.write(w, b'x')
        time.sleep(60)
    threading.Thread(target=rest).start()
    ctypes.CDLL(None).syscall(exit_thread, 0)
os.read(r, 1)
`
    const { hits } = await look(code, { memoryMB: 60 })
    assert.equal(hits[0]?.[0], 'memory')
  })

  it('counts processes that leave their parent and their session, and threads', async () => {
    const daemons = children(9, 'os.setsid()\nif os.fork() != 0: os._exit(0)')
    const { hits } = await look(daemons, { processes: 8 })
    assert.equal(hits[0]?.[0], 'processes')
    assert.equal(hits[0]?.[1].processes, 11)
    const threads = await look(
      'import threading\nfor i in range(9): threading.Thread(target=lambda: time.sleep(60), daemon=True).start()',
      { processes: 8 },
    )
    assert.equal(threads.hits[0]?.[0], 'processes')
    const few = await look(daemons, { processes: 11 })
    assert.deepEqual(few.hits, [])
  })

  it('counts the processor time of those that have ended', async () => {
    const spin = 'end = time.process_time() + 0.06\nwhile time.process_time() < end: pass'
    const code = `for child in range(4):\n  ${FORK}\n${indented(spin)}\n    os._exit(0)\n  os.wait()`
    const { hits, usage } = await look(code, { cpuMs: 200 })
    assert.equal(hits[0]?.[0], 'cpu')
    assert.ok(usage.cpuMs >= 200)
    assert.deepEqual((await look('', { cpuMs: 60_000, memoryMB: 4000, processes: 100 })).hits, [])
  })

  it('finds the same by the lists of children as by asking everyone', async () => {
    await inBox(children(5, 'os.setsid()\nif os.fork() != 0: os._exit(0)'), async (inner) => {
      const processes = new BoxProcesses(inner)
      const pids = (everywhere: boolean): readonly number[] => [...processes.look(everywhere)].map(({ pid }) => pid).sort((a, b) => a - b)
      const found = pids(false)
      assert.ok(found.length >= 7)
      assert.deepEqual(pids(true), found)
      assert.deepEqual(new BoxProcesses({ ...inner, startTime: inner.startTime - 1 }).look(true), [], 'another process has that pid')
    })
  })

  it('looks more often when the memory gets full, once at a time, and ends with the box', async () => {
    const waits: number[] = []
    const manual = new ManualClock()
    const clock: Clock = {
      now: () => manual.now(),
      monotonic: () => manual.monotonic(),
      after: (ms, callback) => {
        waits.push(ms)
        return manual.after(ms, callback)
      },
    }
    const hits: string[] = []
    const options: WatchOptions = { clock, hit: (limit) => hits.push(limit), intervalMs: 100 }
    let watching: Watch | undefined
    await inBox(take(40), async (inner) => {
      watching = watch(inner.pid, { memoryMB: 60 }, options)
      await manual.advance(20)
      assert.deepEqual(waits, [0, 20, 20])
      watching.stop()
      waits.length = 0
      watching = watch(inner.pid, { memoryMB: 600 }, options)
      await manual.advance(100)
      assert.deepEqual(waits, [0, 100, 100])
    })
    const before = watching?.usage()
    await manual.advance(1000)
    assert.equal(manual.pending, 0)
    assert.deepEqual(hits, [])
    assert.deepEqual(watching?.usage(), before, 'what was seen stays known')
    watch(0x7fff_fff0, {}, options)
    await manual.advance(0)
    assert.equal(manual.pending, 0, 'a process that is not there is not watched')
  })

  it('refuses limits that are none', () => {
    for (const limits of [{ memoryMB: 0 }, { processes: -1 }, { cpuMs: Number.NaN }]) {
      assert.throws(
        () => watch(1, limits, { clock: new ManualClock(), hit: () => {} }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID',
      )
    }
  })
})
