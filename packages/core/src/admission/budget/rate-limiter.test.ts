import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { AdjutantError } from '../../contract/errors.ts'
import { sessionId } from '../../contract/ids.ts'
import type { Clock } from '../../contract/ports.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool, RateLimit } from '../../contract/tool.ts'
import { FlexibleRateStore } from './flexible-rate-store.ts'
import { type RatedCall, RateLimiter } from './rate-limiter.ts'
import { MemoryRateStore, type RateStore } from './rate-store.ts'

function tool(name: string, rate?: RateLimit): AgentTool {
  return {
    name,
    description: 'For tests.',
    inputSchema: true,
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    ...(rate === undefined ? {} : { limits: { rate } }),
    execute: async () => undefined,
  }
}

const who = (tenantId: string, userId: string): Principal => ({ tenantId, userId, roles: [] })
const call = (used: AgentTool, principal = who('t', 'u'), session = 's'): RatedCall => ({
  tool: used,
  principal,
  sessionId: sessionId(session),
})

/** Both stores keep one promise; the library's own clock and timers are moved by fake ones. */
const stores: readonly {
  readonly name: string
  open(): { readonly store: RateStore; readonly clock: Clock; advance(ms: number): Promise<void>; close(): void }
}[] = [
  {
    name: 'in this process',
    open() {
      const clock = new ManualClock()
      return { store: new MemoryRateStore(clock), clock, advance: (ms) => clock.advance(ms), close: () => undefined }
    },
  },
  {
    name: 'by rate-limiter-flexible',
    open() {
      mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_700_000_000_000 })
      const store = new FlexibleRateStore(
        (limits) => new RateLimiterMemory({ ...limits, keyPrefix: `${limits.points}/${limits.duration}` }),
      )
      return { store, clock: new ManualClock(), advance: async (ms) => mock.timers.tick(ms), close: () => mock.timers.reset() }
    },
  },
]

for (const { name, open } of stores) {
  describe(`rates counted ${name}`, () => {
    it('take as many as there are in a window, say how long to wait, and begin anew', async () => {
      const { store, clock, advance, close } = open()
      try {
        const limiter = new RateLimiter({ clock, store })
        const used = tool('search', { calls: 3, perMs: 60_000 })
        for (let at = 0; at < 3; at++) assert.equal(await limiter.take(call(used)), undefined)
        await advance(47_700)
        const error = await limiter.take(call(used))
        assert.equal(error?.code, 'RATE_LIMITED')
        assert.equal(error?.message, 'search may be called 3 times in 1 min by one user; the next call of search is possible in 12300 ms')
        assert.equal(error?.hint, 'Wait 13 s before calling search again, or go on without it.')
        await advance(12_299)
        assert.notEqual(await limiter.take(call(used)), undefined)
        await advance(1)
        assert.equal(await limiter.take(call(used)), undefined)
      } finally {
        close()
      }
    })

    it('giving back more than was taken, or from a window that is over, makes no place too many', async () => {
      const { store, advance, close } = open()
      try {
        const taken = async (key: string): Promise<number> => {
          let count = 0
          for (let at = 0; at < 5; at++) if ((await store.take(key, 2, 1_000, 't')).taken) count++
          return count
        }
        await store.take('often', 2, 1_000, 't')
        for (let at = 0; at < 3; at++) await store.giveBack('often', 2, 1_000, 't')
        assert.equal(await taken('often'), 2)
        await store.take('late', 2, 1_000, 't')
        await advance(1_001)
        await store.giveBack('late', 2, 1_000, 't')
        assert.equal(await taken('late'), 2)
        await store.giveBack('never', 2, 1_000, 't')
        assert.equal(await taken('never'), 2)
      } finally {
        close()
      }
    })

    it('count each tenant, user or session apart', async () => {
      const { store, clock, close } = open()
      try {
        for (const [per, same, other] of [
          ['tenant', call(tool('x'), who('t', 'u2'), 's2'), call(tool('x'), who('t2', 'u'))],
          ['user', call(tool('x'), who('t', 'u'), 's2'), call(tool('x'), who('t2', 'u'))],
          ['session', call(tool('x'), who('t', 'u'), 's'), call(tool('x'), who('t', 'u'), 's2')],
        ] as const) {
          const limiter = new RateLimiter({ clock, store })
          const used = tool(`by_${per}`, { calls: 1, perMs: 1_000, per })
          assert.equal(await limiter.take({ ...call(used) }), undefined, per)
          assert.notEqual(await limiter.take({ ...same, tool: used }), undefined, per)
          assert.equal(await limiter.take({ ...other, tool: used }), undefined, per)
        }
      } finally {
        close()
      }
    })

    it('of two hundred at once exactly fifty get a place', async () => {
      const { store, clock, close } = open()
      try {
        const limiter = new RateLimiter({ clock, store })
        const used = tool('busy', { calls: 50, perMs: 1_000 })
        const answers = await Promise.all(Array.from({ length: 200 }, () => limiter.take(call(used))))
        assert.equal(answers.filter((answer) => answer === undefined).length, 50)
      } finally {
        close()
      }
    })

    it('give back what was taken when another rule has no place', async () => {
      const { store, clock, close } = open()
      try {
        const narrow = tool('mcp__git__push', { calls: 1, perMs: 1_000 })
        const wide = tool('mcp__git__pull')
        const limiter = new RateLimiter({ clock, store, rules: [{ tools: 'mcp__git__*', calls: 3, perMs: 1_000, per: 'tenant' }] })
        assert.equal(await limiter.take(call(narrow)), undefined)
        assert.match((await limiter.take(call(narrow)))?.message ?? '', /^mcp__git__push may be called 1 times/)
        assert.equal(await limiter.take(call(wide)), undefined)
        assert.equal(await limiter.take(call(wide)), undefined)
        assert.match((await limiter.take(call(wide)))?.message ?? '', /^tools like mcp__git__\* may be called 3 times in 1 s by one tenant/)
        // Without giving back, its own two places would be gone at the third.
        const other = tool('mcp__git__log', { calls: 2, perMs: 1_000 })
        for (let at = 0; at < 5; at++) assert.match((await limiter.take(call(other)))?.message ?? '', /tools like/)
      } finally {
        close()
      }
    })
  })
}

describe('a rate limiter', () => {
  const clock = new ManualClock()

  it('answers at once where no rule speaks of the tool, and with a store that does', () => {
    const limiter = new RateLimiter({ clock, rules: [{ tools: 'paid_*', calls: 1, perMs: 10 }] })
    assert.equal(limiter.take(call(tool('free'))), undefined)
    const refused = [limiter.take(call(tool('paid_a'))), limiter.take(call(tool('paid_b')))]
    assert.equal(refused[0], undefined)
    assert.ok(AdjutantError.isInstance(refused[1]))
  })

  it('is shared by all that have one clock', () => {
    const used = tool('shared', { calls: 1, perMs: 1_000 })
    assert.equal(RateLimiter.shared(clock).take(call(used)), undefined)
    assert.ok(AdjutantError.isInstance(RateLimiter.shared(clock).take(call(used, who('t', 'u'), 'another'))))
    assert.equal(RateLimiter.shared(new ManualClock()).take(call(used)), undefined)
  })

  it('refuses when the store does not answer, whether it throws or rejects', async () => {
    for (const take of [
      () => {
        throw new Error('no connection')
      },
      () => Promise.reject(new Error('no connection')),
    ]) {
      const store: RateStore = { take, giveBack: take }
      const limiter = new RateLimiter({ clock, store, rules: [{ tools: '*', calls: 5, perMs: 10 }] })
      const error = await limiter.take(call(tool('any')))
      assert.equal(error?.code, 'RATE_LIMITED')
      assert.match(error?.message ?? '', /does not answer/)
    }
  })

  it('lets reads that cost nothing pass while the store does not answer, where the host says so: counted here meanwhile', async () => {
    const own = new ManualClock()
    let away = true
    const memory = new MemoryRateStore(own)
    const store: RateStore = {
      take: (key, calls, perMs) => (away ? Promise.reject(new Error('gone')) : memory.take(key, calls, perMs)),
      giveBack: (key) => memory.giveBack(key),
    }
    const limiter = new RateLimiter({ clock: own, store, unanswered: 'reads' })
    const look = tool('look', { calls: 2, perMs: 1_000 })
    const answers = [await limiter.take(call(look)), await limiter.take(call(look)), await limiter.take(call(look))]
    assert.deepEqual(
      answers.map((answer) => answer?.message),
      [undefined, undefined, 'look may be called 2 times in 1 s by one user; the next call of look is possible in 1000 ms'],
    )
    const paid: AgentTool = { ...look, name: 'paid', limits: { ...look.limits, cost: { microPrice: 1 } } }
    const write: AgentTool = { ...look, name: 'write', effect: 'write' }
    for (const refused of [call(paid), call(write), { ...call(look), effect: 'write' as const }]) {
      assert.match((await limiter.take(refused))?.message ?? '', /does not answer/)
    }
    away = false
    assert.equal(await limiter.take(call(look)), undefined)
  })

  it('a store that stops answering between two rules costs no place', async () => {
    const inner = new MemoryRateStore(clock)
    let down = true
    const store: RateStore = {
      take: (key, calls, perMs) => (down && key.includes('rule:') ? Promise.reject(new Error('gone')) : inner.take(key, calls, perMs)),
      giveBack: (key) => inner.giveBack(key),
    }
    const limiter = new RateLimiter({ clock, store, rules: [{ tools: '*', calls: 5, perMs: 10_000 }] })
    const used = tool('one', { calls: 1, perMs: 10_000 })
    assert.equal((await limiter.take(call(used)))?.code, 'RATE_LIMITED')
    down = false
    assert.equal(await limiter.take(call(used)), undefined)
  })

  it('no name can be made to count as another', async () => {
    const limiter = new RateLimiter({ clock })
    const used = tool('named', { calls: 1, perMs: 1_000 })
    for (const [tenant, user] of [
      ['a', 'b'],
      ['a","b', ''],
      ['a|b', ''],
      ['', 'a|b'],
      ['ab', ''],
    ] as const) {
      assert.equal(limiter.take(call(used, who(tenant, user))), undefined)
    }
  })

  it('refuses rules and rates that make no sense, by name', () => {
    for (const rate of [
      { calls: 0, perMs: 1 },
      { calls: 1.5, perMs: 1 },
      { calls: 1, perMs: 0 },
      { calls: 1, perMs: Number.NaN },
      { calls: Number.POSITIVE_INFINITY, perMs: 1 },
    ]) {
      assert.throws(
        () =>
          new RateLimiter({
            clock,
            rules: [
              { tools: '*', calls: 1, perMs: 1 },
              { tools: '*', ...rate },
            ],
          }),
        /rates: rule 2: (calls|perMs)/,
      )
      const answer = new RateLimiter({ clock }).take(call(tool('odd', rate)))
      assert.ok(AdjutantError.isInstance(answer) && answer.code === 'TOOL_INVALID')
    }
    assert.throws(() => new RateLimiter({ clock, rules: [{ tools: '', calls: 1, perMs: 1 }] }), /tools must not be empty/)
  })

  it('a window longer than any timer holds, and no timer is set', async () => {
    const own = new ManualClock()
    const limiter = new RateLimiter({ clock: own })
    const yearly = tool('yearly', { calls: 1, perMs: 365 * 86_400_000 })
    assert.equal(limiter.take(call(yearly)), undefined)
    await own.advance(300 * 86_400_000)
    assert.notEqual(limiter.take(call(yearly)), undefined)
    assert.equal(own.pending, 0)
  })

  it('does not keep what is over', async () => {
    const own = new ManualClock()
    const store = new MemoryRateStore(own)
    let most = 0
    for (let at = 0; at < 50_000; at++) {
      store.take(`user ${at}`, 1, 100)
      if (at % 500 === 499) await own.advance(100)
      most = Math.max(most, store.size)
    }
    assert.ok(most <= 2_048, String(most))
  })
})
