import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DurableStore, type JobQueue, type SessionHold, sessionId } from '@adjutant/core/contract'
import { dyingStore } from '../chaos/dying-store.ts'
import type { ManualClock } from '../manual-clock.ts'
import { CaseContext } from './case-context.ts'
import { carryOn, jobWorker, MemoryBatchBook, mortalFolder, mortalTools } from './mortal-batch.ts'
import { allowAll, checkMortalBatch } from './mortal-checks.ts'

export interface PersistedStepsBench {
  readonly store: DurableStore
  /** Where calls that go on behind the session become jobs. */
  readonly jobs: JobQueue
  /** Of both. Moved by the suite alone. */
  readonly clock: ManualClock
}

/** The fewest steps that a batch like this persists; fewer were not enumerated. */
const FEWEST = 12

/**
 * Kills a process before and after every single step that it persists of a batch with reads, writes, approvals and a job, and has others carry it on. Every
 * call has its result once, nothing that must not be repeated begins twice, each answer is taken once. Enumerated, not sampled. Call it inside a test file.
 *
 * @example
 * ```ts
 * everyPersistedStep('MemoryDurableStore', async () => {
 *   const clock = new ManualClock()
 *   return { clock, store: new MemoryDurableStore({ clock }), jobs: memoryJobQueue({ clock }) }
 * })
 * ```
 */
export function everyPersistedStep(name: string, open: () => Promise<PersistedStepsBench & Partial<AsyncDisposable>>): void {
  describe(`a process that works on ${name} and dies`, () => {
    let bench: (PersistedStepsBench & Partial<AsyncDisposable>) | undefined
    before(async () => {
      bench = await open()
    })
    after(async () => {
      await bench?.jobs[Symbol.asyncDispose]()
      await bench?.[Symbol.asyncDispose]?.()
    })
    for (const moment of ['before', 'after'] as const) {
      it(`${moment} each step that it persists leaves what others carry on to one result for each call`, { timeout: 110_000 }, async () => {
        assert.ok(bench !== undefined)
        assert.ok((await dieAtEachStep(bench, moment)) >= FEWEST)
      })
    }
  })
}

/** @returns at how many steps it died. @throws AssertionError for the first death after which something was lost, or done twice */
export async function dieAtEachStep(bench: PersistedStepsBench, moment: 'before' | 'after'): Promise<number> {
  for (let at = 1; ; at += 1) if ((await dieAt(bench, at, moment)) < at) return at - 1
}

/** @returns how many steps the mortal process has persisted: fewer than `at` when it did not die */
async function dieAt(bench: PersistedStepsBench, at: number, moment: 'before' | 'after'): Promise<number> {
  const { store, jobs, clock } = bench
  const id = sessionId(`${moment}_${at}`)
  const book = new MemoryBatchBook()
  const tools = mortalTools(book)
  using folder = mortalFolder()
  await using _worker = jobWorker(jobs, tools, folder.path, clock)
  const cx = new CaseContext(bench, 'local')
  const dead = Promise.withResolvers<'dead'>()
  const holds: SessionHold[] = []
  const die = async (): Promise<void> => {
    // Nobody renews the lease of a dead process: as if it had run out.
    for (const hold of holds) await hold.close()
    dead.resolve('dead')
  }
  const mortal = dyingStore(rememberingHolds(store, holds), { at, moment, die })
  let alive = true
  for (let process = 1; ; process += 1) {
    assert.ok(process < 20, `it does not come to an end, ${moment} ${at}`)
    const run = carryOn({ store: alive ? mortal : store, jobs, clock, id, tools, folder: folder.path })
    const came = await cx.passing(alive ? Promise.race([run, dead.promise]) : run)
    if (came === 'done') break
    if (came === 'dead') alive = false
    await allowAll(store, id)
  }
  await checkMortalBatch(store, id, book, `killed ${moment} step ${at}`)
  return mortal.persisted
}

function rememberingHolds(store: DurableStore, holds: SessionHold[]): DurableStore {
  return {
    approvals: store.approvals,
    hold: async (...args) => {
      const hold = await store.hold(...args)
      holds.push(hold)
      return hold
    },
    find: (...args) => store.find(...args),
    list: (...args) => store.list(...args),
    steps: (...args) => store.steps(...args),
    follow: (...args) => store.follow(...args),
  }
}
