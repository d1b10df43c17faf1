import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type CallState, type CallStatus, type Outcome, TRANSITIONS, transition } from './call-state.ts'
import { callId } from './ids.ts'

const EXAMPLES: Readonly<Record<CallStatus, CallState>> = {
  received: { status: 'received' },
  refused: { status: 'refused', code: 'UNKNOWN_TOOL' },
  held: { status: 'held', reason: 'it writes' },
  denied: { status: 'denied', reason: 'no' },
  expired: { status: 'expired' },
  admitted: { status: 'admitted' },
  queued: { status: 'queued' },
  running: { status: 'running', attempt: 1 },
  adopted: { status: 'adopted', from: callId('c') },
  restored: { status: 'restored' },
  succeeded: { status: 'succeeded' },
  failed: { status: 'failed', code: 'TOOL_FAILED' },
  'timed-out': { status: 'timed-out' },
  cancelled: { status: 'cancelled' },
  unknown: { status: 'unknown', code: 'OUTCOME_UNKNOWN' },
  settled: { status: 'settled', outcome: 'ok' },
}

const OUTCOMES: readonly Outcome[] = ['ok', 'failed', 'not-run', 'unknown']
const anyState = fc.oneof(
  fc.constantFrom(...Object.values(EXAMPLES)),
  fc.constantFrom(...OUTCOMES).map((outcome): CallState => ({ status: 'settled', outcome })),
)

describe('the life of a call', () => {
  it('is a frozen table that covers every status', () => {
    assert.ok(Object.isFrozen(TRANSITIONS))
    for (const [status, next] of Object.entries(TRANSITIONS)) {
      assert.ok(Object.isFrozen(next), `${status} can be changed`)
    }
    assert.deepEqual(Object.keys(TRANSITIONS).sort(), Object.keys(EXAMPLES).sort())
  })

  it('lets pass exactly what the table has, and gives the next state itself', () => {
    fc.assert(
      fc.property(anyState, anyState, (from, to) => {
        const step = transition(from, to)
        if (step.ok) {
          assert.ok(TRANSITIONS[from.status].includes(to.status))
          assert.equal(step.state, to)
        } else {
          assert.equal(step.error.code, 'INTERNAL')
        }
      }),
    )
  })

  it('always ends: every path reaches settled, and nothing leaves it', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (attempts) => {
        let state: CallState = { status: 'received' }
        let settledAs: Outcome | undefined
        for (const attempt of attempts) {
          const step = transition(state, attempt)
          if (settledAs !== undefined) assert.equal(step.ok, false)
          if (!step.ok) continue
          state = step.state
          if (state.status === 'settled') settledAs = state.outcome
        }
      }),
    )
    const reaches = (status: CallStatus, seen = new Set<CallStatus>()): boolean =>
      status === 'settled' || TRANSITIONS[status].some((next) => !seen.has(next) && reaches(next, new Set([...seen, status])))
    for (const status of Object.values(EXAMPLES).map((state) => state.status)) assert.ok(reaches(status), `${status} is a dead end`)
  })

  it('never settles a call as something it was not', () => {
    const wrong: readonly (readonly [CallStatus, Outcome])[] = [
      ['refused', 'ok'],
      ['denied', 'failed'],
      ['succeeded', 'not-run'],
      ['unknown', 'failed'],
      ['failed', 'ok'],
      ['cancelled', 'ok'],
    ]
    for (const [from, outcome] of wrong) {
      assert.equal(transition(EXAMPLES[from], { status: 'settled', outcome }).ok, false, `${from} settled as ${outcome}`)
    }
  })
})
