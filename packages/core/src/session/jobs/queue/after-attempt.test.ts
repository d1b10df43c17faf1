import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Job } from '../../../contract/job.ts'
import { afterAttempt } from './after-attempt.ts'
import type { AttemptEnd } from './job-book.ts'

const NOW = 1_700_000_000_000
const error = { code: 'TOOL_FAILED', message: 'no' }
const ends: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.constant<AttemptEnd>({ type: 'done', result: null }),
  fc.constant<AttemptEnd>({ type: 'cancelled' }),
  fc.constant<AttemptEnd>({ type: 'left', why: 'gone' }),
  fc.boolean().map((final): AttemptEnd => ({ type: 'failed', error, final })),
)

function running(maxAttempts: number, attempt: number, cancelling: boolean, retryDelayMs: number): Job {
  return {
    id: 'job_1',
    tenantId: 'a',
    kind: 'work',
    payload: {},
    state: 'running',
    priority: 0,
    maxAttempts,
    attempt,
    retryDelayMs,
    runAt: 0,
    createdAt: 0,
    ...(cancelling ? { cancelling } : {}),
  }
}

describe('afterAttempt', () => {
  it('ends a job or queues it again while it may be, never both and never too often', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.nat({ max: 19 }),
        fc.boolean(),
        fc.nat({ max: 86_400_000 }),
        ends,
        (most, nth, cancelling, delay, end) => {
          const attempt = (nth % most) + 1
          const change = afterAttempt(running(most, attempt, cancelling, delay), end, NOW)
          assert.equal(change.state === 'queued', change.runAt !== undefined)
          if (change.state === 'queued') assert.ok(attempt < most && !cancelling)
          if (change.runAt !== undefined) assert.ok(change.runAt >= NOW && change.runAt <= NOW + 86_400_000)
          // Of what may not be done again nobody says more than is known.
          if (end.type === 'left' && attempt === most) assert.equal(change.state, 'lost')
          assert.equal(change.deadLetter, change.state === 'dead' || change.state === 'lost')
          assert.equal(change.state === 'succeeded', end.type === 'done')
        },
      ),
    )
  })

  it('doubles the pause', () => {
    const pauses = [1, 2, 3, 4].map((attempt) => {
      const { runAt = 0 } = afterAttempt(running(20, attempt, false, 250), { type: 'failed', error, final: false }, NOW)
      return runAt - NOW
    })
    assert.deepEqual(pauses, [250, 500, 1_000, 2_000])
  })
})
