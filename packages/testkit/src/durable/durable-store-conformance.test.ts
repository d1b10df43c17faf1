/** A suite that finds nothing proves nothing: each of these stores cheats in one point, and is found out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../manual-clock.ts'
import { CaseContext } from './case-context.ts'
import { CHEATS } from './cheating-stores.ts'
import { DURABLE_STORE_CASES } from './durable-store-conformance.ts'

describe('the conformance suite of durable stores finds a store that', () => {
  for (const { name, found, make } of CHEATS) {
    it(name, { timeout: 20_000 }, async () => {
      const cases = DURABLE_STORE_CASES.filter((each) => found.test(each.name))
      assert.equal(cases.length, 1, `${found} names one case`)
      for (const { run } of cases) {
        const clock = new ManualClock()
        await assert.rejects(run(new CaseContext({ clock, store: make(clock) }, 'tenant')))
      }
    })
  }
})
