import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionId } from '../contract/ids.ts'
import { randomIds } from './random-ids.ts'

describe('randomIds', () => {
  it('sort in the order in which they were made, are never the same, and name folders', () => {
    const ids = Array.from({ length: 100_000 }, () => randomIds.next('session'))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(new Set(ids.map((id) => id.slice(-16))).size, ids.length)
    for (const id of ids.slice(0, 100)) assert.equal(sessionId(id), id)
  })
})
