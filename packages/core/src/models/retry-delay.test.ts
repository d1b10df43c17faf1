import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retryDelay } from './retry-delay.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const delay = (headers: Record<string, string>, attempt = 0): number | undefined => retryDelay(new Headers(headers), attempt, NOW)

describe('retryDelay', () => {
  it('takes what the provider says', () => {
    assert.equal(delay({ 'retry-after': '3' }), 3_000)
    assert.equal(delay({ 'retry-after': '0.5' }), 500)
    assert.equal(delay({ 'retry-after-ms': '120', 'retry-after': '3' }), 120)
    assert.equal(delay({ 'retry-after': 'Mon, 30 Nov 2026 12:00:07 GMT' }), 7_000)
    assert.equal(delay({ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }), 0)
  })

  it('waits half a second, then one, when nothing usable is said', () => {
    assert.equal(retryDelay(undefined, 0, NOW), 500)
    assert.equal(retryDelay(undefined, 1, NOW), 1_000)
    for (const value of ['soon', '-1', 'in 5 minutes', '1e9', '']) assert.equal(delay({ 'retry-after': value }), 500, value)
  })

  it('does not wait for more than a minute', () => {
    assert.equal(delay({ 'retry-after': '61' }), undefined)
    assert.equal(delay({ 'retry-after': '60' }), 60_000)
  })
})
