import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import type { Clock } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { openStore as openDatabase, STORE_KINDS } from '../../test/open-stores.ts'
import type { ChangeBell } from './change-bell.ts'
import { LocalBell } from './local-bell.ts'
import { openBell } from './open-bell.ts'
import { SqliteBell } from './sqlite-bell.ts'

const never = new AbortController().signal
const LONG = 60_000

/** @returns a look at whether it has rung */
function waiting(bell: ChangeBell, topic: string, signal = never): () => boolean {
  let rung = false
  void bell.heard(topic, { signal, maxMs: LONG }).then(() => {
    rung = true
  })
  return () => rung
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a bell in one process', () => {
  it('wakes those who wait for its topic, those who stop, and those who have waited long enough; nothing is left', async () => {
    const clock = new ManualClock()
    const bell = new LocalBell(clock)
    const stop = new AbortController()
    const [a, again, b, stopped, late] = [
      waiting(bell, 'a'),
      waiting(bell, 'a'),
      waiting(bell, 'b'),
      waiting(bell, 'c', stop.signal),
      waiting(bell, 'd'),
    ]
    bell.ring('a')
    bell.ring('nobody')
    stop.abort()
    await turn()
    assert.deepEqual([a(), again(), b(), stopped(), late()], [true, true, false, true, false])
    await clock.advance(LONG)
    assert.deepEqual([b(), late()], [true, true])
    assert.equal(clock.pending, 0)
    assert.equal(bell.awaited, false)
    await bell.heard('e', { signal: AbortSignal.abort(), maxMs: LONG })
  })
})

describe('a bell on a file', () => {
  it('rings for everybody when another process has written, and looks only while somebody waits', async () => {
    const clock = new ManualClock()
    let version: number | undefined = 1
    let looks = 0
    const bell = new SqliteBell({
      clock,
      version: () => {
        looks += 1
        return version
      },
    })
    bell.ring('a')
    await clock.advance(1_000)
    assert.deepEqual([looks, clock.pending], [0, 0])
    const [a, b] = [waiting(bell, 'a'), waiting(bell, 'b')]
    await clock.advance(1_000)
    assert.deepEqual([a(), b()], [false, false])
    version = 2
    await clock.advance(100)
    assert.deepEqual([a(), b()], [true, true])
    await clock.advance(200)
    assert.equal(clock.pending, 0)
    const before = looks
    // What was written while nobody waited is what whoever begins to wait looks at first.
    version = 3
    const c = waiting(bell, 'c')
    await clock.advance(500)
    assert.equal(c(), false)
    assert.ok(looks > before)
    await bell[Symbol.asyncDispose]()
    await turn()
    assert.equal(c(), true)
    assert.equal(clock.pending, 0)
  })
})

describe('a bell on PostgreSQL', { skip: !STORE_KINDS.includes('postgres') }, () => {
  /** Whoever waits does not look again by itself: what is heard here was rung. */
  const restless: Clock = { ...systemClock, after: (ms, callback) => (ms >= 10_000 ? () => {} : systemClock.after(ms, callback)) }

  it('is heard by other processes: one topic, very many at once, and the last words of one that ends', { timeout: 60_000 }, async () => {
    const db = await openDatabase('postgres', { clock: restless })
    const silent = (): void => {}
    await using here = openBell(db, silent)
    const there = openBell(db, silent)
    const heard = (topic: string): Promise<void> => here.heard(topic, { signal: never, maxMs: LONG })
    // The first one to wait is woken when the connection listens.
    await heard('connecting')
    const one = heard('one')
    there.ring('other')
    there.ring('one')
    await one
    const many = heard('topic 4999')
    for (let n = 0; n < 9_000; n += 1) there.ring(`topic ${n}`)
    await many
    const last = heard('last')
    there.ring('last')
    await there[Symbol.asyncDispose]()
    await last
  })

  it('says once why it cannot hear, and tries again for whoever waits', { timeout: 60_000 }, async () => {
    const db = await openDatabase('postgres', { clock: restless })
    const warnings: string[] = []
    const { postgres } = db
    assert.ok(postgres !== undefined)
    const { PostgresBell } = await import('./postgres-bell.ts')
    const thrice = Promise.withResolvers<void>()
    let tries = 0
    const clock: Clock = {
      ...restless,
      after: (ms, callback) => {
        if (ms < 10_000) tries += 1
        if (tries === 3) thrice.resolve()
        return restless.after(ms, callback)
      },
    }
    const bell = new PostgresBell({
      ...postgres,
      connectionString: 'postgres://nobody:wrong@127.0.0.1:1/none',
      clock,
      tag: 'x',
      warn: (message) => void warnings.push(message),
    })
    const heard = bell.heard('a', { signal: never, maxMs: LONG })
    await thrice.promise
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /cannot be heard/)
    assert.ok(!warnings[0]?.includes('wrong'), 'the password is not told')
    // What is rung in this process is heard without the server.
    bell.ring('a')
    await heard
    await bell[Symbol.asyncDispose]()
  })
})
