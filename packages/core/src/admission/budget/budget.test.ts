import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { AdjutantError } from '../../contract/errors.ts'
import { Budget, type BudgetLimits, type Spendable } from './budget.ts'
import { priceOf } from './pricing.ts'

const clock = new ManualClock()
const made = (limits: BudgetLimits): Budget => new Budget(limits, { clock })
const notes = (budget: Budget): string[] => budget.near().map(({ note }) => note)

describe('a budget', () => {
  it('lets exactly as many calls run as it has, then says which, used and limit', () => {
    const budget = made({ calls: 20, rounds: 100 })
    let ran = 0
    for (let at = 0; at < 30 && budget.check() === undefined; at++) {
      budget.spend('calls')
      ran++
    }
    assert.equal(ran, 20)
    const error = budget.check()
    assert.equal(error?.code, 'BUDGET_EXHAUSTED')
    assert.equal(error?.message, 'the run has used up its budget: 20 of 20 calls')
    assert.deepEqual(budget.exhausted(), { budget: 'calls', used: 20, limit: 20, note: error?.message })
  })

  it('tells once that it is near, from 80 % or the last one', () => {
    const budget = made({ calls: 20, rounds: 3 })
    budget.spend('calls', 15)
    assert.deepEqual(notes(budget), [])
    budget.spend('calls', 3)
    assert.deepEqual(notes(budget), ['2 of 20 calls are left'])
    budget.spend('calls')
    assert.deepEqual(notes(budget), [])
    budget.spend('rounds', 2)
    assert.deepEqual(budget.near(), [{ budget: 'rounds', used: 2, limit: 3, note: '1 of 3 rounds is left' }])
    budget.spend('rounds')
    assert.deepEqual(notes(budget), [])
    const atOnce = made({ tokens: 100 })
    atOnce.spend('tokens', 500)
    assert.deepEqual(notes(atOnce), [])
  })

  it('counts time by the clock', async () => {
    const own = new ManualClock()
    const budget = new Budget({ wallMs: 300_000 }, { clock: own })
    await own.advance(239_999)
    assert.deepEqual(budget.near(), [])
    await own.advance(10_001)
    assert.deepEqual(notes(budget), ['50 s of 5 min are left'])
    await own.advance(50_000)
    assert.equal(budget.check()?.message, 'the run has used up its budget: 5 min of 5 min')
  })

  it('counts tokens and money as they come', () => {
    const pricing = { inputMicroPrice: 3_000_000, outputMicroPrice: 15_000_000 }
    const budget = made({ microPrice: 1_000_000, tokens: 300_000 })
    budget.spend('microPrice', priceOf({ inputTokens: 200_000, outputTokens: 20_000 }, pricing))
    assert.equal(budget.used('microPrice'), 900_000)
    budget.spend('tokens', 250_000)
    assert.deepEqual(notes(budget), ['50000 of 300000 tokens are left', '0.10 of 1.00 is left of the money for this run'])
    budget.spend('microPrice', 150_000)
    assert.equal(budget.check()?.message, 'the run has used up its budget: 1.05 of 1.00 of money')
  })

  it('refuses what would pass a limit', () => {
    const budget = made({ microPrice: 100 })
    budget.spend('microPrice', 60)
    assert.equal(budget.check({ microPrice: 40 }), undefined)
    assert.match(budget.check({ microPrice: 41 })?.message ?? '', /has not enough left/)
    assert.equal(budget.check(), undefined)
  })

  it('without limits never says anything; with 0 says no at once', () => {
    const free = made({})
    free.spend('calls', 1e9)
    assert.equal(free.check(), undefined)
    assert.deepEqual(free.near(), [])
    assert.equal(made({ calls: 0 }).check()?.code, 'BUDGET_EXHAUSTED')
  })

  it('refuses limits that are no number, by name', () => {
    for (const limit of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(
        () => made({ tokens: limit }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && error.message.includes('tokens'),
      )
    }
    assert.throws(() => new Budget({}, { clock, nearAt: 1 }), /nearAt/)
  })

  it('whatever is spent, used never falls, and what was exhausted stays so, over a restart too', () => {
    const spending = fc.record({
      name: fc.constantFrom<Spendable>('rounds', 'calls', 'tokens', 'microPrice'),
      amount: fc.double(),
      again: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(spending, { maxLength: 40 }), fc.integer({ min: 0, max: 50 }), (spent, limit) => {
        const limits: BudgetLimits = { calls: limit, tokens: limit * 10 }
        let budget = made(limits)
        let before = 0
        let exhausted = false
        for (const { name, amount, again } of spent) {
          budget.spend(name, amount)
          const told = budget.near().length
          if (again) budget = Budget.restore(JSON.parse(JSON.stringify(budget.snapshot())), limits, { clock })
          if (told > 0) assert.equal(budget.near().length, 0)
          const used = budget.used('calls') + budget.used('tokens') + budget.used('rounds') + budget.used('microPrice')
          assert.ok(used >= before)
          before = used
          if (exhausted) assert.notEqual(budget.check(), undefined)
          exhausted = budget.check() !== undefined
        }
      }),
    )
  })

  it('goes on with the time it has used, not with the time between', async () => {
    const own = new ManualClock()
    const first = new Budget({ wallMs: 1_000 }, { clock: own })
    await own.advance(600)
    const kept = first.snapshot()
    await own.advance(100_000)
    const second = Budget.restore(kept, { wallMs: 1_000 }, { clock: own })
    assert.equal(second.used('wallMs'), 600)
    for (const bad of [{}, { ...kept, version: 9 }, { ...kept, calls: -1 }, { ...kept, told: 1 }]) {
      assert.throws(
        () => Budget.restore(bad, {}, { clock: own }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID',
      )
    }
  })
})
