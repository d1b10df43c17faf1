import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { type Shelf, WarmPool } from './warm-pool.ts'

interface Thing {
  readonly shelf: number
  alive: boolean
}

/** A pool whose things are made when the test says so. */
function workshop(limits: ConstructorParameters<typeof WarmPool>[1] = {}) {
  const clock = new ManualClock()
  const pool = new WarmPool(clock, limits)
  const made: Thing[] = []
  const disposed: Thing[] = []
  const pending: ((works: boolean) => void)[] = []
  const shelf = (number: number, memoryMB = 1, wanted = 1): Shelf<Thing> =>
    pool.shelf<Thing>({
      memoryMB,
      wanted,
      make: () =>
        new Promise((resolve, reject) => {
          pending.push((works) => {
            if (!works) return reject(new Error('cannot'))
            const thing = { shelf: number, alive: true }
            made.push(thing)
            resolve(thing)
          })
        }),
      isAlive: (thing) => thing.alive,
      dispose: (thing) => {
        disposed.push(thing)
        return Promise.resolve()
      },
    })
  const finish = async (works = true): Promise<void> => {
    for (const one of pending.splice(0)) one(works)
    await clock.advance(0)
  }
  return { clock, pool, shelf, made, disposed, pending, finish }
}

describe('WarmPool', () => {
  it('makes what is wanted, beside, and gives each out once', async () => {
    const { shelf, finish, pool } = workshop()
    const one = shelf(1)
    assert.equal(one.take(), undefined)
    one.want()
    assert.equal(one.take(), undefined)
    await finish()
    assert.equal(one.ready, 1)
    assert.ok(one.take())
    assert.equal(one.take(), undefined)
    assert.deepEqual([pool.number, pool.memoryMB], [0, 0])
  })

  it('lets nothing grow old', async () => {
    const { clock, shelf, finish, disposed } = workshop({ idleMs: 1000 })
    const one = shelf(1)
    one.want()
    await finish()
    await clock.advance(999)
    assert.equal(one.ready, 1)
    await clock.advance(1)
    assert.deepEqual([one.ready, disposed.length, clock.pending], [0, 1, 0])
  })

  it('does not give out what has died', async () => {
    const { shelf, finish, made, disposed } = workshop()
    const one = shelf(1)
    one.want()
    await finish()
    for (const thing of made) thing.alive = false
    assert.equal(one.take(), undefined)
    assert.equal(disposed.length, 1)
  })

  it('does not try what failed again by itself', async () => {
    const { shelf, finish, pending, pool } = workshop()
    const one = shelf(1)
    one.want()
    await finish(false)
    assert.deepEqual([pending.length, pool.number], [0, 0])
    one.want()
    await finish()
    assert.equal(one.ready, 1)
  })

  it('lets small ones pass a big one, which comes when there is room', async () => {
    const { shelf, finish } = workshop({ memoryMB: 10 })
    const [first, big, small] = [shelf(1, 6), shelf(2, 8), shelf(3, 3)]
    for (const one of [first, big, small]) one.want()
    await finish()
    assert.deepEqual([first.ready, big.ready, small.ready], [1, 0, 1])
    first.take()
    small.take()
    await finish()
    assert.equal(big.ready, 1)
  })

  it('disposes of what comes after the end', async () => {
    const { shelf, finish, disposed, pool } = workshop()
    const one = shelf(1)
    one.want()
    const closed = pool.close()
    await finish()
    await closed
    assert.equal(disposed.length, 1)
    one.want()
    await finish()
    assert.deepEqual([one.ready, pool.number], [0, 0])
  })

  it('whatever happens is never more than allowed, never another’s, and loses nothing', async () => {
    const action = fc.oneof(
      fc.record({ type: fc.constant('want' as const), shelf: fc.nat({ max: 3 }) }),
      fc.record({ type: fc.constant('take' as const), shelf: fc.nat({ max: 3 }) }),
      fc.record({ type: fc.constant('close' as const), shelf: fc.nat({ max: 3 }) }),
      fc.record({ type: fc.constant('finish' as const), works: fc.boolean() }),
      fc.record({ type: fc.constant('wait' as const), ms: fc.nat({ max: 700 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { clock, pool, shelf, finish, made, disposed, pending } = workshop({ number: 4, memoryMB: 9, idleMs: 500, making: 2 })
        const shelves = [shelf(0, 1, 2), shelf(1, 2), shelf(2, 4), shelf(3, 9)]
        const taken: Thing[] = []
        const closing: Promise<void>[] = []
        for (const step of actions) {
          switch (step.type) {
            case 'want':
              shelves[step.shelf]?.want()
              break
            case 'take': {
              const thing = shelves[step.shelf]?.take()
              if (thing !== undefined) {
                assert.equal(thing.shelf, step.shelf)
                taken.push(thing)
              }
              break
            }
            case 'close': {
              const one = shelves[step.shelf]
              if (one !== undefined) closing.push(one.close())
              break
            }
            case 'finish':
              await finish(step.works)
              break
            case 'wait':
              await clock.advance(step.ms)
              break
            default:
              step satisfies never
          }
          assert.ok(pool.number <= 4 && pool.memoryMB <= 9 && pending.length <= 2)
        }
        const end = pool.close()
        await finish()
        await Promise.all([end, ...closing])
        assert.deepEqual([pool.number, pool.memoryMB, clock.pending], [0, 0, 0])
        assert.equal(new Set([...taken, ...disposed]).size, made.length)
        assert.equal(taken.length + disposed.length, made.length)
      }),
      { numRuns: 200 },
    )
  })
})
