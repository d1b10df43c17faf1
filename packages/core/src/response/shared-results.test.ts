import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { AdjutantError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import type { ResultStore } from '../contract/result-store.ts'
import { MemoryResultStore } from '../session/durable/memory-result-store.ts'
import { SharedResults } from './shared-results.ts'
import { SPILL_LIMITS } from './spill-settings.ts'

const folder = await mkdtemp(join(tmpdir(), 'shared-results-'))
after(() => rm(folder, { recursive: true, force: true }))

const OWNER = { tenantId: 'acme', userId: 'ann', sessionId: sessionId('s') }

interface Bench {
  readonly store: MemoryResultStore
  readonly shared: SharedResults
  readonly failed: string[]
  readonly now: number
  away: boolean
}

function bench(): Bench {
  const clock = new ManualClock()
  const store = new MemoryResultStore({ clock })
  const failed: string[] = []
  const guarded: ResultStore = {
    open: (owner, fence) => store.open(owner, fence),
    secret: (owner, proposed) => store.secret(owner, proposed),
    find: (owner, id) => store.find(owner, id),
    read: (owner, id) => store.read(owner, id),
    put: (...given) => (made.away ? Promise.reject(new AdjutantError('STORE_FAILED', 'the database is away')) : store.put(...given)),
  }
  const shared = new SharedResults({ store: guarded, owner: OWNER, fence: 1, clock, failed: (message) => failed.push(message) })
  const made: Bench = { store, shared, failed, now: clock.now(), away: false }
  return made
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('kept results on their way to other machines', () => {
  it('are sent once more at the end of the next turn when the store was away, and it is told', async () => {
    const made = bench()
    made.away = true
    made.shared.send({ id: 'a', path: await file('a', 'text'), time: made.now + 0.5 }, SPILL_LIMITS)
    await made.shared.sent()
    assert.equal(made.failed.length, 1)
    assert.match(made.failed[0] ?? '', /kept result a is on this machine only: the database is away/)
    made.away = false
    await made.shared.sent()
    assert.deepEqual(await made.store.find(OWNER, 'a'), { id: 'a', bytes: 4, createdAt: made.now })
    await made.shared.sent()
    assert.equal(made.failed.length, 1)
  })

  it('are not missed when they were removed before their turn came, and not sent when they are too large', async () => {
    const made = bench()
    made.shared.send({ id: 'gone', path: join(folder, 'not there'), time: 1 }, SPILL_LIMITS)
    made.shared.send({ id: 'large', path: await file('large', 'x'.repeat(100)), time: 1 }, { ...SPILL_LIMITS, totalBytes: 99 })
    made.shared.send({ id: 'fits', path: await file('fits', 'x'), time: 1 }, SPILL_LIMITS)
    await made.shared.sent()
    assert.equal(made.failed.length, 1)
    assert.match(made.failed[0] ?? '', /large/)
    assert.deepEqual(
      (await made.store.open(OWNER, 1)).map(({ id }) => id),
      ['fits'],
    )
  })
})
