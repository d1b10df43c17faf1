/** Enumerating finds nothing where there is nothing to find, and finds a store that forgets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MemoryDurableStore, memoryJobQueue } from '@adjutant/core'
import type { DurableStore, StepRecord } from '@adjutant/core/contract'
import { ManualClock } from '../manual-clock.ts'
import { dieAtEachStep, type PersistedStepsBench } from './every-persisted-step.ts'

/** Keeps only some of the steps, and says that it has kept all. */
function forgetful(type: StepRecord['type']): PersistedStepsBench {
  const clock = new ManualClock()
  const honest = new MemoryDurableStore({ clock })
  const store: DurableStore = {
    approvals: honest.approvals,
    hold: async (key, options) => {
      const hold = await honest.hold(key, options)
      return {
        fence: hold.fence,
        lost: hold.lost,
        load: () => hold.load(),
        keep: (steps, keep) =>
          hold.keep(
            steps.filter((step) => step.type !== type),
            keep,
          ),
        close: () => hold.close(),
        [Symbol.asyncDispose]: () => hold.close(),
      }
    },
    find: (key) => honest.find(key),
    list: (...args) => honest.list(...args),
    steps: (key) => honest.steps(key),
    follow: (...args) => honest.follow(...args),
  }
  return { store, clock, jobs: memoryJobQueue({ clock }) }
}

describe('a death at each persisted step finds a store that forgets', () => {
  for (const type of ['started', 'call', 'queued', 'answered', 'job'] as const) {
    it(`steps of type ${type}`, { timeout: 60_000 }, async () => {
      const bench = forgetful(type)
      await using _jobs = bench.jobs
      await assert.rejects(async () => {
        await dieAtEachStep(bench, 'after')
        await dieAtEachStep({ ...bench }, 'before')
      })
    })
  }
})
