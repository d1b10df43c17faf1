import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isRandom, isThisMoment, isTime, keyKind } from './volatile.ts'

const now = Date.parse('2026-11-30T15:00:00Z')

describe('names of arguments', () => {
  it('are read whatever their case and marks', () => {
    for (const name of ['requestId', 'request_id', 'REQUEST-ID', 'x-request-id', 'nonce', 'traceId', 'idempotencyKey'])
      assert.equal(keyKind(name), 'noise', name)
    for (const name of ['timestamp', 'ts', 'Now', 'current_time']) assert.equal(keyKind(name), 'clock', name)
    for (const name of ['since', 'until', 'startTime', 'end_date', 'timeMin', 'created_after']) assert.equal(keyKind(name), 'range', name)
    for (const name of ['path', 'file_path', 'orderId', 'ids', 'cursor', 'pageToken', 'url', 'commit', 'city'])
      assert.equal(keyKind(name), 'thing', name)
    for (const name of ['query', 'q', 'limit', 'offset', 'command', '__proto__', '', 'x'.repeat(10_000)])
      assert.equal(keyKind(name), 'plain', name)
  })
})

describe('values', () => {
  it('that are times', () => {
    for (const value of [
      '2026-11-30T15:00:00Z',
      '2020-01-01 10:00',
      '2026-11-30T15:00:00.123+01:00',
      now,
      now / 1_000,
      String(now),
      String(now / 1_000),
    ]) {
      assert.equal(isTime(value, now), true, String(value))
    }
    for (const value of [
      '2026-11-30',
      '15:00:00',
      'T'.repeat(20),
      12.5,
      0,
      1e9,
      now + 2 * 86_400_000,
      '1234567890',
      '2026-11-30T15:00:00Z and more words',
    ]) {
      assert.equal(isTime(value, now), false, String(value))
    }
  })

  it('that are the present moment', () => {
    assert.equal(isThisMoment('2026-11-30T15:01:59Z', now), true)
    assert.equal(isThisMoment('2026-11-30T15:02:01Z', now), false)
    assert.equal(isThisMoment(now / 1_000 - 100, now), true)
    assert.equal(isThisMoment(now, Number.NaN), false)
  })

  it('that look drawn at random: any UUID, 24 or more hex digits, most texts of random letters', () => {
    fc.assert(fc.property(fc.uuid(), (value) => isRandom(value) && isRandom(value.toUpperCase())))
    fc.assert(fc.property(fc.ulid(), (value) => isRandom(value)))
    for (const value of ['9f86d081884c7d659a2feaa0c55ad015', 'aZ3kQ9mX2pL7vB4nT8rYw1', 'dGhpcyBpcyBhIHNlY3JldA=='])
      assert.equal(isRandom(value), true, value)
  })

  it('that are words are not', () => {
    for (const value of [
      'getUserAccountByIdentifier2',
      'src/components/Button2/index.tsx',
      'find-all-orders-of-2026-and-2027',
      'The quick brown fox jumps over 13 dogs',
      'MAXIMUM_NUMBER_OF_RETRIES_3',
      '1234567890123456789012345',
      'abcdefabcdefabcdefabcdefab',
      'HttpRequestTimeout408Handler',
    ]) {
      assert.equal(isRandom(value), false, value)
    }
  })
})
