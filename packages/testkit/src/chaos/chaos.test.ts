/** The kit itself, on what ends well and on what does not. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { MemoryDurableStore, systemClock } from '@adjutant/core'
import {
  type ApprovalDesk,
  approvalId,
  callId,
  type DurableStore,
  digest,
  type StepRecord,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import { ManualClock } from '../manual-clock.ts'
import { ChaosProcess } from './chaos-process.ts'
import { durableStoreFaults } from './durable-faults.ts'
import { dyingStore } from './dying-store.ts'
import { jumpingClock, ONE_DAY_MS } from './jumping-clock.ts'
import { ProcessHerd } from './process-herd.ts'
import { raceApprovers } from './race-approvers.ts'
import { seededRandom } from './seeded-random.ts'
import { smallDisk } from './small-disk.ts'
import { StartBook } from './start-book.ts'

const folder = mkdtempSync(join(tmpdir(), 'chaos-kit-'))
after(() => rmSync(folder, { recursive: true, force: true }))

durableStoreFaults('MemoryDurableStore', systemClock, async () => {
  const store = new Map<string, MemoryDurableStore>()
  return {
    // There is one memory: both ways lead to the same store, which goes by the first clock.
    open: async (clock) => {
      const kept = store.get('one') ?? new MemoryDurableStore({ clock })
      store.set('one', kept)
      return kept
    },
  }
})

function script(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const ASKED = {
  id: approvalId('approval_1'),
  sessionId: sessionId('s'),
  batch: 1,
  callId: callId('c'),
  tool: 'change',
  effect: 'write',
  shown: {},
  reason: 'it writes',
  rule: 'mode/ask',
  binding: {
    arguments: digest(`sha256:${'a'.repeat(64)}`),
    tool: digest(`sha256:${'b'.repeat(64)}`),
    principal: digest(`sha256:${'c'.repeat(64)}`),
  },
  createdAt: 0,
  state: 'approved',
  version: 2,
} as const
const STEP: StepRecord = { version: 1, type: 'user', at: 0, text: 'hello' }
const KEY = { tenantId: 'local', sessionId: sessionId('s') }

function held(store: DurableStore) {
  const principal = { tenantId: 'local', userId: 'u', roles: [] }
  return store.hold(KEY, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n' })
}

describe('a store that dies at a step', () => {
  it('keeps that step or not, as it was told, and nothing after it', async () => {
    for (const moment of ['before', 'after'] as const) {
      const store = new MemoryDurableStore({ clock: new ManualClock() })
      const dead = Promise.withResolvers<void>()
      const dying = dyingStore(store, { at: 2, moment, die: () => dead.resolve() })
      const hold = await held(dying)
      assert.equal(await hold.keep([STEP]), 1)
      let settled = false
      for (const write of [hold.keep([STEP]), hold.keep([STEP])]) void write.then(() => (settled = true))
      await dead.promise
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(settled, false)
      assert.equal((await store.find(KEY))?.session.steps, moment === 'before' ? 1 : 2)
      assert.equal(dying.persisted, 3)
    }
  })
})

describe('a race of approvers', () => {
  it('says it of a desk that lets both win', async () => {
    const store = new MemoryDurableStore({ clock: new ManualClock() })
    const careless: ApprovalDesk = {
      get: (tenant, id) => store.approvals.get(tenant, id),
      list: (tenant, filter) => store.approvals.list(tenant, filter),
      settled: (tenant, id, options) => store.approvals.settled(tenant, id, options),
      decide: async (tenantId, _, { by }) => ({ ...ASKED, tenantId, decidedBy: by }),
    }
    const yes = { decision: { type: 'approve', scope: 'once' }, by: 'a' } as const
    const race = await raceApprovers([careless], 'local', ASKED.id, [yes, { ...yes, by: 'b' }])
    assert.equal(race.won.length, 2)
    const none = await raceApprovers([store.approvals], 'local', ASKED.id, [yes])
    assert.equal(none.failed.length, 1)
  })
})

describe('random numbers of a seed', () => {
  it('are the same again, lie from 0 up to 1, and differ between seeds', () => {
    const draw = (seed: number) =>
      Array.from(
        { length: 1_000 },
        (
          (random) => () =>
            random()
        )(seededRandom(seed)),
      )
    assert.deepEqual(draw(7), draw(7))
    assert.notDeepEqual(draw(7), draw(8))
    assert.ok(draw(7).every((number) => number >= 0 && number < 1))
    const tenths = new Set(draw(7).map((number) => Math.floor(number * 10)))
    assert.equal(tenths.size, 10)
  })
})

describe('a clock that is set', () => {
  it('leaps for who asks the time, and not for who measures or waits', async () => {
    const below = new ManualClock()
    const clock = jumpingClock(below)
    const [before, measured] = [clock.now(), clock.monotonic()]
    let rang = 0
    clock.after(100, () => {
      rang += 1
    })
    clock.jump(ONE_DAY_MS)
    assert.deepEqual([clock.now() - before, clock.monotonic() - measured, rang], [ONE_DAY_MS, 0, 0])
    clock.jump(-2 * ONE_DAY_MS)
    assert.equal(clock.now() - before, -ONE_DAY_MS)
    await below.advance(100)
    assert.equal(rang, 1)
  })
})

describe('a book of starts', () => {
  it('has what a process noted before it was killed, and leaves out a line that is not whole', async () => {
    const file = join(folder, 'book')
    const book = new StartBook(file)
    assert.equal(book.read().size, 0)
    const module = JSON.stringify(new URL('./start-book.ts', import.meta.url).href)
    const child = new ChaosProcess({
      script: script(
        'note.mjs',
        `const { StartBook } = await import(${module})
const book = new StartBook(${JSON.stringify(file)})
book.started('k', 'change'); book.ended('k', 'change'); book.started('k', 'change'); process.kill(process.pid, 'SIGKILL')`,
      ),
    })
    const end = await child.ended
    assert.deepEqual([end.signal, end.killed], ['SIGKILL', false])
    writeFileSync(file, 's\tanother', { flag: 'a' })
    assert.deepEqual([...book.read().values()], [{ key: 'k', name: 'change', starts: 2, ends: 1 }])
  })
})

describe('a herd of processes', () => {
  it('replaces whoever ends, tells killed ones from those that fell over, and leaves none', async () => {
    const file = script('beat.mjs', "process.stdout.write('up\\n'); if (process.argv[2] === '1') process.exit(3); process.stdin.resume()")
    const pids: number[] = []
    let up = 0
    let changed = Promise.withResolvers<void>()
    const herd = new ProcessHerd({
      clock: systemClock,
      size: 2,
      random: seededRandom(1),
      start: (number) => {
        const child = new ChaosProcess({
          script: file,
          args: [String(number)],
          nodeArgs: [],
          onLine: () => {
            up += 1
            changed.resolve()
            changed = Promise.withResolvers()
          },
        })
        if (child.pid !== undefined) pids.push(child.pid)
        return child
      },
    })
    // The first falls over and is replaced: three have come up.
    while (up < 3) await changed.promise
    herd.sleepOne(1)
    herd.killOne()
    while (up < 4) await changed.promise
    await herd.sendHome()
    assert.deepEqual([herd.started, herd.killed, herd.slept], [4, 1, 1])
    assert.deepEqual(
      herd.faults.map(({ code }) => code),
      [3],
    )
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})

const disk = smallDisk(65_536, join(folder, 'disk'))
if ('missing' in disk) process.stderr.write(`chaos: NO SMALL DISK WAS TRIED: ${disk.missing}\n`)

describe('a small disk', { skip: 'missing' in disk }, () => {
  it('is full for the process that has it, and not there for others', async () => {
    if ('missing' in disk) return
    const lines: string[] = []
    const child = new ChaosProcess({
      script: script(
        'fill.mjs',
        `import { writeFileSync } from 'node:fs'
try { for (;;) writeFileSync(${JSON.stringify(join(disk.folder, 'f'))}, Buffer.alloc(4096), { flag: 'a' }) } catch (error) { console.log(error.code) }`,
      ),
      within: disk.command,
      nodeArgs: [],
      onLine: (line) => lines.push(line),
    })
    const end = await child.ended
    assert.equal(end.code, 0, end.said)
    assert.deepEqual(lines, ['ENOSPC'])
    assert.deepEqual(readdirSync(disk.folder), [])
  })
})
