import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.UTC(2026, 10, 30, 16, 0, 0)

describe('retryAfterMs', () => {
  it('reads seconds, milliseconds and the three forms of an HTTP date', () => {
    const cases: readonly (readonly [unknown, number | undefined])[] = [
      [new Headers({ 'Retry-After': '120' }), 120_000],
      [new Map([['retry-after', '1.5']]), 1_500],
      [{ 'RETRY-AFTER': ['7', '9'] }, 7_000],
      [{ 'retry-after': 3 }, 3_000],
      [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
      [{ 'retry-after': 'Mon, 30 Nov 2026 16:00:30 GMT' }, 30_000],
      [{ 'retry-after': 'Monday, 30-Nov-26 16:00:30 GMT' }, 30_000],
      [{ 'retry-after': 'Mon Nov 30 16:00:30 2026' }, 30_000],
      [{ 'retry-after': 'Mon, 30 Nov 2026 15:00:00 GMT' }, 0],
      [{ 'retry-after': 'in 5 minutes' }, undefined],
      [{ 'retry-after': '-5' }, undefined],
      [{ 'retry-after': '1e9' }, undefined],
      [{ 'retry-after': '' }, undefined],
      [{ 'retry-after': '1'.repeat(1_000_000) }, undefined],
      [{}, undefined],
      [null, undefined],
      ['retry-after: 5', undefined],
      [
        {
          get() {
            throw new Error('hostile')
          },
        },
        undefined,
      ],
    ]
    for (const [headers, expected] of cases) assert.equal(retryAfterMs(headers, NOW), expected, String(headers))
  })

  it('gives a time that is no time before now, or nothing, for any value', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (value, text) => {
        for (const headers of [value, { 'retry-after': value }, { 'retry-after': text }]) {
          const ms = retryAfterMs(headers, NOW)
          assert.ok(ms === undefined || ms >= 0)
        }
      }),
    )
  })
})
