import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { LanePool } from './lane-pool.ts'
import { runInLane } from './lane-run.ts'
import type { RunMessage } from './protocol.ts'
import { wasm } from './web-assembly.ts'
import { WorkerLane } from './worker-lane.ts'

const module = await wasm.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))
const program = (code: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort as port } from 'node:worker_threads'; ${code}`)}`)
const READY = 'port.postMessage({ type: "ready", cpuMs: 0 });'
const message: RunMessage = {
  type: 'run',
  code: '',
  stdin: undefined,
  cwd: '',
  env: {},
  files: [],
  fileLimits: { bytes: 1, files: 1 },
  limits: { wallMs: 60_000, cpuMs: 60_000, outputBytes: 3, memoryBytes: 1 },
  session: false,
  grants: [],
  now: 0,
}
const code = (expected: string) => (error: unknown) => AdjutantError.isInstance(error) && error.code === expected

function run(lane: WorkerLane, signal = new AbortController().signal): ReturnType<typeof runInLane> {
  const options = { backend: 'test', clock: systemClock, lane, mode: 'warm', message, grants: {}, output: undefined, signal } as const
  return runInLane({ ...options, files: () => {} })
}

describe('a worker', () => {
  it('that does not come up is no box', async () => {
    for (const broken of ['process.exit(3)', 'throw new Error("no")', 'syntax error here']) {
      const lane = new WorkerLane(program(broken), module)
      await assert.rejects(lane.whenReady(), code('SANDBOX_UNAVAILABLE'))
      await lane.terminate()
    }
  })

  it('that breaks in the middle is told as a box that broke, not as what the code did', async () => {
    for (const broken of ['process.exit(0)', 'throw new Error("flaw")', 'Promise.reject(new Error("flaw"))']) {
      const lane = new WorkerLane(program(`port.on('message', () => { ${broken} }); ${READY}`), module)
      await lane.whenReady()
      await assert.rejects(run(lane), code('SANDBOX_FAILED'))
      assert.equal(lane.gone, true)
    }
  })

  it('that uses up its own memory is told as out of memory', async () => {
    const lane = new WorkerLane(
      program(`port.on('message', () => { const a = []; for (;;) a.push(new Array(1e5).fill({})) }); ${READY}`),
      module,
    )
    await lane.whenReady()
    const { report, clean } = await run(lane)
    assert.deepEqual([report.limit, report.oom, report.exitCode, clean], ['memory', true, undefined, false])
  })

  it('that says more than it may is not believed', async () => {
    const talk = `port.on('message', () => {
      for (const odd of [null, 5, {}, { type: 'x' }, { type: '__proto__' }]) port.postMessage(odd)
      port.postMessage({ type: 'output', stream: 'stdout', bytes: new Uint8Array(9) })
      port.postMessage({ type: 'call', call: 1, name: '__proto__', text: '[]' })
      port.postMessage({ type: 'end', exitCode: 0, cpuMs: 0, memoryBytes: 0, truncated: false, broken: false })
    }); ${READY}`
    const lane = new WorkerLane(program(talk), module)
    await lane.whenReady()
    const { report } = await run(lane)
    assert.deepEqual([report.stdout.byteLength, report.truncated, report.exitCode], [3, true, 0])
    await lane.terminate()
  })

  it('sees nothing of the environment, the arguments and the streams of the process', async () => {
    const look = `process.stdout.write('leak'); port.postMessage({ type: 'output', stream: 'stdout', bytes: new Uint8Array() });
      port.on('message', () => port.postMessage({ type: 'end', exitCode: Object.keys(process.env).length + process.argv.slice(2).length, cpuMs: 0, memoryBytes: 0, truncated: false, broken: false }));
      ${READY}`
    const lane = new WorkerLane(program(look), module)
    await lane.whenReady()
    assert.equal((await run(lane)).report.exitCode, 0)
    await lane.terminate()
  })
})

describe('a pool of workers', () => {
  it('gives them out in line, never more than it has, and forgets who no longer waits', async () => {
    let made = 0
    const pool = new LanePool({
      size: 2,
      after: (ms, callback) => systemClock.after(ms, callback),
      make: () => {
        made += 1
        return new WorkerLane(program(`port.on('message', () => {}); ${READY}`), module)
      },
    })
    const never = new AbortController()
    const a = await pool.acquire(never.signal)
    const b = await pool.acquire(never.signal)
    const leaving = new AbortController()
    const left = pool.acquire(leaving.signal)
    const next = pool.acquire(never.signal)
    leaving.abort()
    await assert.rejects(left, code('CANCELLED'))
    assert.equal(made, 2)
    pool.release(a, true)
    assert.equal(await next, a)
    pool.release(b, false)
    const fresh = await pool.acquire(never.signal)
    assert.ok(fresh !== a && fresh !== b)
    assert.equal(made, 3)
    pool.detach(fresh)
    assert.equal(made, 4)
    await pool.acquire(never.signal)
    const [waited] = await Promise.allSettled([pool.acquire(never.signal), pool.close()])
    assert.ok(waited.status === 'rejected' && code('CANCELLED')(waited.reason))
    await assert.rejects(pool.acquire(never.signal), code('CANCELLED'))
    assert.equal(pool.size, 0)
    assert.equal(fresh.gone, false)
    await fresh.terminate()
  })

  it('ends those that nobody uses for a time, and makes new ones when somebody comes', async () => {
    const clock = new ManualClock()
    const made: WorkerLane[] = []
    const pool = new LanePool({
      size: 2,
      after: (ms, callback) => clock.after(ms, callback),
      idleMs: 1_000,
      make: () => {
        const lane = new WorkerLane(program(`port.on('message', () => {}); ${READY}`), module)
        made.push(lane)
        return lane
      },
    })
    pool.fill()
    const { signal } = new AbortController()
    const lent = await pool.acquire(signal)
    await clock.advance(1_000)
    assert.deepEqual(
      made.map((lane) => [lane === lent, lane.gone]).sort(),
      [
        [false, true],
        [true, false],
      ],
      'one that is lent is not idle',
    )
    pool.release(lent, true)
    await clock.advance(999)
    assert.equal(await pool.acquire(signal), lent)
    pool.release(lent, true)
    await clock.advance(1_000)
    assert.equal(lent.gone, true)
    const fresh = await pool.acquire(signal)
    assert.deepEqual([fresh.gone, made.includes(fresh), made.length > 2], [false, true, true])
    pool.release(fresh, true)
    await pool.close()
    assert.equal(pool.size, 0)
    assert.ok(made.every((lane) => lane.gone))
  })
})
