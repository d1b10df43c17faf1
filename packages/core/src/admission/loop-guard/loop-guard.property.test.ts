import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { callId } from '../../contract/ids.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { answer, failed, ok, run, type Step, times, tool } from './fixtures/steps.ts'
import { LoopGuard } from './loop-guard.ts'

const tools = [tool('look', 'read'), tool('change', 'write'), tool('risk', 'dangerous')]
const anyInput = fc.dictionary(fc.string(), fc.jsonValue()).map((value): JsonObject => JSON.parse(JSON.stringify(value)))

/** The same value with the keys of every object in the order that `pick` says. */
function shuffled(value: JsonValue, pick: (count: number) => number): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => shuffled(item, pick))
  if (typeof value !== 'object' || value === null) return value
  const left = Object.entries(value)
  const made: [string, JsonValue][] = []
  while (left.length > 0) {
    const [entry] = left.splice(pick(left.length), 1)
    if (entry !== undefined) made.push([entry[0], shuffled(entry[1], pick)])
  }
  return Object.fromEntries(made)
}

describe('for any calls', () => {
  it('the order of argument keys never matters', () => {
    fc.assert(
      fc.property(anyInput, fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), fc.constantFrom(...tools), (input, order, used) => {
        let at = 0
        const pick = (count: number): number => (order[at++ % order.length] ?? 0) % count
        const steps = times(6, (): Step => {
          const other = shuffled(input, pick)
          assert.ok(typeof other === 'object' && other !== null && !Array.isArray(other))
          return { tool: used, input: JSON.parse(JSON.stringify(other)), outcome: ok('the very same') }
        })
        assert.equal(run(new LoopGuard(), steps), 'pass 4, warn, stop')
      }),
      { numRuns: 200 },
    )
  })

  it('calls that differ in any argument of a write are different calls', () => {
    fc.assert(
      fc.property(anyInput, anyInput, (one, other) => {
        fc.pre(JSON.stringify(shuffled(one, () => 0)) !== JSON.stringify(shuffled(other, () => 0)))
        const steps = times(
          5,
          (at): Step => ({ tool: tools[1] ?? tool('x', 'write'), input: at === 2 ? { a: one } : { a: other }, outcome: ok('ok') }),
        )
        assert.equal(run(new LoopGuard(), steps), 'pass 5')
      }),
      { numRuns: 300 },
    )
  })

  it('no run in which every call has a new result and no error comes twice ever trips', () => {
    const step = fc.record({ which: fc.nat(2), input: anyInput, fails: fc.boolean(), equal: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 60 }), (messages) => {
        const guard = new LoopGuard()
        let serial = 0
        for (const message of messages) {
          const steps = message.map(({ which, input, fails, equal }): Step => {
            // Letters: digits in an error are taken for a number that comes from the arguments.
            const mark = (++serial).toString().replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))
            return {
              tool: tools[which] ?? tool('x', 'read'),
              input: equal ? {} : input,
              outcome: fails ? failed(`${mark}! went wrong`) : ok(`brought ${mark}`),
            }
          })
          for (const verdict of answer(guard, steps)) assert.equal(verdict.type, 'pass')
        }
      }),
      { numRuns: 150 },
    )
  })

  it('no run of writes in which every call is new and succeeds ever trips, whatever they say', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ say: fc.constantFrom('ok', 'The file was changed.', ''), many: fc.integer({ min: 1, max: 4 }) }), {
          maxLength: 100,
        }),
        (messages) => {
          const guard = new LoopGuard()
          let serial = 0
          for (const { say, many } of messages) {
            const steps = Array.from(
              { length: many },
              (): Step => ({ tool: tools[1] ?? tool('x', 'write'), input: { text: `line ${++serial}` }, outcome: ok(say) }),
            )
            for (const verdict of answer(guard, steps)) assert.equal(verdict.type, 'pass')
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('any input, outcome and order of settling is borne, and once stopped it stays stopped', () => {
    const act = fc.record({
      name: fc.oneof(fc.constantFrom('look', '__proto__', ''), fc.string()),
      input: fc.oneof(anyInput, fc.string()),
      text: fc.string(),
      code: fc.constantFrom(undefined, 'TIMEOUT', '__proto__', 'constructor', 'LOOP_DETECTED'),
      outcome: fc.constantFrom('ok', 'failed', 'not-run', 'unknown'),
      settle: fc.boolean(),
      begin: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const guard = new LoopGuard()
        let stopped = false
        for (const [at, { name, input, text, code, outcome, settle, begin }] of acts.entries()) {
          if (begin) guard.beginMessage()
          const call = { id: callId(`c${at % 7}`), name, input }
          const verdict = guard.judge(call)
          if (stopped) assert.equal(verdict.type, 'stop')
          stopped = verdict.type === 'stop'
          if (settle)
            guard.settled(call, {
              outcome: outcome === 'ok' || outcome === 'failed' || outcome === 'not-run' ? outcome : 'unknown',
              text,
              ...(code === undefined ? {} : { code }),
            })
        }
        LoopGuard.restore(JSON.parse(JSON.stringify(guard.snapshot())))
      }),
      { numRuns: 200 },
    )
  })
})

describe('bounds', () => {
  it('what is kept does not grow with the run', () => {
    const guard = new LoopGuard()
    let most = 0
    for (let at = 0; at < 100_000; at++) {
      guard.beginMessage()
      const used = tools[at % 3] ?? tool('x', 'read')
      const call = { id: callId(`call_${at}`), name: used.name, input: { path: `f${at}` }, tool: used }
      assert.equal(guard.judge(call).type, 'pass')
      // Every seventh never settles.
      if (at % 7 !== 0) guard.settled(call, at % 5 === 0 ? failed(`${'xyzuvw'.charAt(at % 6)} went wrong`) : ok(`text ${at}`))
      if (at % 10_000 === 0) most = Math.max(most, JSON.stringify(guard.snapshot()).length)
    }
    assert.ok(most < 4_000, `${most} characters`)
  })

  it('names, arguments and texts of any size are kept as digests only', () => {
    const guard = new LoopGuard()
    const huge = 'x'.repeat(100_000)
    for (let at = 0; at < 300; at++) {
      guard.beginMessage()
      const call = { id: callId(`c${at}`), name: `${huge}${at}`, input: { text: `${at}${huge}` } }
      if (guard.judge(call).type === 'pass') guard.settled(call, ok(`${huge}${at}`))
    }
    assert.ok(JSON.stringify(guard.snapshot()).length < 4_000)
  })

  it('deep and hostile values are borne', () => {
    let deep: JsonObject = {}
    for (let at = 0; at < 100_000; at++) deep = { a: deep }
    const odd: JsonObject = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "": 3}')
    for (const input of [deep, odd]) {
      const call: Step = {
        tool: tool('deep', 'read', { volatile: ['/__proto__/b', '/constructor/x'] }),
        input,
        outcome: failed(`${'.'.repeat(200_000)}!`),
      }
      assert.equal(
        run(
          new LoopGuard(),
          times(6, () => call),
        ),
        'pass 4, warn, stop',
      )
    }
  })
})
