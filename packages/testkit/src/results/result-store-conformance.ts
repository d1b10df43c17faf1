import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  AdjutantError,
  type DurableStore,
  type ErrorCode,
  type NewResult,
  type ResultOwner,
  type ResultStore,
  type SessionHold,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import type { ManualClock } from '../manual-clock.ts'

/** A store under test, beside the sessions whose results it keeps. */
export interface ResultStoreBench {
  readonly sessions: DurableStore
  readonly results: ResultStore
  readonly clock: ManualClock
  /** The same results, as another machine has them. Default: the same store. */
  readonly elsewhere?: ResultStore
}

const LIMITS = { totalBytes: 20_000_000, files: 100 }

/**
 * What every {@link ResultStore} must do. Call it inside a test file.
 *
 * @param open disposed of when the suite is over
 * @example
 * ```ts
 * resultStoreConformance('MemoryResultStore', async () => {
 *   const clock = new ManualClock()
 *   return { clock, sessions: new MemoryDurableStore({ clock }), results: new MemoryResultStore({ clock }) }
 * })
 * ```
 */
export function resultStoreConformance(name: string, open: () => Promise<ResultStoreBench & Partial<AsyncDisposable>>): void {
  describe(`kept results in ${name}`, () => {
    let bench: Bench | undefined
    let disposed: Partial<AsyncDisposable> = {}
    before(async () => {
      const opened = await open()
      disposed = opened
      bench = new Bench(opened)
    })
    after(async () => {
      await disposed[Symbol.asyncDispose]?.()
    })
    for (const [index, { what, run }] of CASES.entries()) {
      it(what, { timeout: 60_000 }, async () => {
        if (bench === undefined) throw new Error('the store was not opened')
        await run(bench, `tenant ${index}`)
      })
    }
  })
}

class Bench {
  readonly results: ResultStore
  readonly elsewhere: ResultStore
  readonly clock: ManualClock
  readonly #sessions: DurableStore

  constructor({ sessions, results, clock, elsewhere = results }: ResultStoreBench) {
    this.#sessions = sessions
    this.results = results
    this.elsewhere = elsewhere
    this.clock = clock
  }

  /** A session of somebody, in hand. */
  async take(tenantId: string, userId = 'ann', id = 's'): Promise<{ readonly owner: ResultOwner; readonly hold: SessionHold }> {
    const hold = await this.#sessions.hold(
      { tenantId, sessionId: sessionId(id) },
      { principal: { tenantId, userId, roles: [] }, traceId: traceId('1'.padStart(32, '0')), node: 'host:1', leaseMs: 60_000 },
    )
    return { owner: { tenantId, userId, sessionId: sessionId(id) }, hold }
  }

  /** Time goes by until it is done: one writer may wait for the other. */
  async passing<T>(work: Promise<T>): Promise<T> {
    let over = false
    const end = (): void => {
      over = true
    }
    work.then(end, end)
    while (!over) {
      for (let turn = 0; turn < 20 && !over; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await this.clock.advance(1)
    }
    return await work
  }

  async put(owner: ResultOwner, fence: number, id: string, content: Uint8Array, limits: NewResult['limits'] = LIMITS): Promise<void> {
    await this.results.put(owner, fence, { id, createdAt: this.clock.now(), limits }, inParts(content))
  }
}

const CASES: readonly { readonly what: string; readonly run: (bench: Bench, tenant: string) => Promise<void> }[] = [
  {
    what: 'gives the very bytes back on another machine, whatever their number and however they came',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      assert.deepEqual(await bench.results.open(owner, hold.fence), [])
      for (const size of [0, 1, 1_048_575, 1_048_576, 1_048_577, 5_000_003]) {
        const content = bytesOf(size)
        await bench.put(owner, hold.fence, `r${size}`, content)
        assert.equal((await bench.elsewhere.find(owner, `r${size}`))?.bytes, size)
        const read = await all(bench.elsewhere.read(owner, `r${size}`))
        assert.equal(digest(read), digest(content), `${size} bytes`)
      }
      await hold.close()
    },
  },
  {
    what: 'keeps a name for one result, and tells which there were to whoever takes the session next',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      await bench.results.open(owner, hold.fence)
      const odd = 'ü 🐝 \u0000 \ud800'
      for (const id of ['a', odd]) await bench.put(owner, hold.fence, id, bytesOf(3))
      await assert.rejects(bench.put(owner, hold.fence, 'a', bytesOf(4)), failsWith('CONFLICT'))
      assert.equal((await all(bench.results.read(owner, 'a'))).length, 3)
      await hold.close()
      const next = await bench.take(tenant)
      const ids = (await bench.elsewhere.open(owner, next.hold.fence)).map(({ id }) => id)
      assert.deepEqual(ids.toSorted(), ['a', odd].toSorted())
      await next.hold.close()
    },
  },
  {
    what: 'keeps nothing for whoever has lost the session',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      await bench.results.open(owner, hold.fence)
      await hold.close()
      const next = await bench.take(tenant)
      await bench.elsewhere.open(owner, next.hold.fence)
      await assert.rejects(bench.put(owner, hold.fence, 'late', bytesOf(10)), failsWith('SESSION_LOST'))
      await assert.rejects(bench.results.open(owner, hold.fence), failsWith('SESSION_LOST'))
      assert.equal(await bench.elsewhere.find(owner, 'late'), undefined)
      await next.hold.close()
    },
  },
  {
    what: 'keeps nothing of a result whose content ends with an error',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      await bench.results.open(owner, hold.fence)
      const limits = LIMITS
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield bytesOf(2_000_000)
        throw new Error('the disk broke')
      }
      await assert.rejects(bench.results.put(owner, hold.fence, { id: 'x', createdAt: 1, limits }, broken()), /the disk broke/)
      assert.equal(await bench.results.find(owner, 'x'), undefined)
      await assert.rejects(all(bench.results.read(owner, 'x')), failsWith('NOT_FOUND'))
      await bench.put(owner, hold.fence, 'x', bytesOf(5))
      assert.equal((await all(bench.results.read(owner, 'x'))).length, 5)
      await hold.close()
    },
  },
  {
    what: 'makes room by taking the oldest away, says why, and refuses what is larger than all the room',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      await bench.results.open(owner, hold.fence)
      const limits = { totalBytes: 100, files: 3 }
      for (const id of ['a', 'b', 'c', 'd']) {
        await bench.put(owner, hold.fence, id, bytesOf(10), limits)
        await bench.clock.advance(1)
      }
      assert.equal((await bench.elsewhere.find(owner, 'a'))?.removed, 'room')
      await assert.rejects(all(bench.elsewhere.read(owner, 'a')), failsWith('NOT_FOUND'))
      await bench.put(owner, hold.fence, 'e', bytesOf(85), limits)
      const state = async (id: string): Promise<string | undefined> => (await bench.results.find(owner, id))?.removed
      assert.deepEqual(await Promise.all(['b', 'c', 'd', 'e'].map(state)), ['room', 'room', undefined, undefined])
      await assert.rejects(bench.put(owner, hold.fence, 'f', bytesOf(101), limits), failsWith('TOO_LARGE'))
      await assert.rejects(bench.put(owner, hold.fence, 'a', bytesOf(1), limits), failsWith('CONFLICT'))
      await hold.close()
    },
  },
  {
    what: 'gives nothing that is too old',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      await bench.results.open(owner, hold.fence)
      await bench.put(owner, hold.fence, 'a', bytesOf(10), { ...LIMITS, maxAgeMs: 1_000 })
      await bench.clock.advance(999)
      assert.equal((await bench.elsewhere.find(owner, 'a'))?.removed, undefined)
      await bench.clock.advance(1)
      assert.equal((await bench.elsewhere.find(owner, 'a'))?.removed, 'age')
      await assert.rejects(all(bench.elsewhere.read(owner, 'a')), failsWith('NOT_FOUND'))
      await hold.close()
    },
  },
  {
    what: 'has one secret for a session, the first that was proposed, and another for each other session',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      const other = await bench.take(tenant, 'ann', 's2')
      const [mine, theirs] = [bytesOf(32), bytesOf(32, 7)]
      const proposals = await bench.passing(Promise.all([bench.results.secret(owner, mine), bench.elsewhere.secret(owner, theirs)]))
      assert.equal(digest(proposals[0]), digest(proposals[1]))
      assert.ok([digest(mine), digest(theirs)].includes(digest(proposals[0])))
      assert.equal(digest(await bench.elsewhere.secret(other.owner, bytesOf(32, 9))), digest(bytesOf(32, 9)))
      await hold.close()
      await other.hold.close()
    },
  },
  {
    what: 'gives nothing to another session, user or tenant, though all names are the same',
    async run(bench, tenant) {
      const { owner, hold } = await bench.take(tenant)
      const stranger = await bench.take(`${tenant} other`)
      const sibling = await bench.take(tenant, 'ann', 's2')
      await bench.results.open(owner, hold.fence)
      await bench.put(owner, hold.fence, 'r', bytesOf(10))
      await bench.results.secret(owner, bytesOf(32))
      for (const one of [stranger.owner, sibling.owner, { ...owner, userId: 'eve' }]) {
        assert.equal(await bench.elsewhere.find(one, 'r'), undefined)
        await assert.rejects(all(bench.elsewhere.read(one, 'r')), failsWith('NOT_FOUND'))
      }
      await assert.rejects(bench.elsewhere.secret({ ...owner, userId: 'eve' }, bytesOf(32, 3)), failsWith('NOT_FOUND'))
      await bench.results.open(stranger.owner, stranger.hold.fence)
      await bench.put(stranger.owner, stranger.hold.fence, 'r', bytesOf(20))
      assert.equal((await all(bench.elsewhere.read(owner, 'r'))).length, 10)
      for (const { hold: each } of [{ hold }, stranger, sibling]) await each.close()
    },
  },
]

/** The same each time; no two places alike for long. */
function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  let state = seed
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Handed out in parts of odd lengths, in one buffer that is written over. */
async function* inParts(content: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  const buffer = new Uint8Array(700_001)
  for (let from = 0; from < content.length; from += buffer.length) {
    const part = content.subarray(from, from + buffer.length)
    buffer.set(part)
    yield buffer.subarray(0, part.length)
  }
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(pieces))
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function failsWith(code: ErrorCode): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    return true
  }
}
