import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { matchesName } from './match-name.ts'

/** The same, by trying everything. */
function byTrying(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  const [head = '', rest] = [pattern.charAt(0), pattern.slice(1)]
  if (head !== '*') return name.startsWith(head) && byTrying(rest, name.slice(1))
  for (let skip = 0; skip <= name.length; skip += 1) if (byTrying(rest, name.slice(skip))) return true
  return false
}

describe('matchesName', () => {
  it('fits what trying everything fits', () => {
    const letters = (from: string) => fc.array(fc.constantFrom(...from), { maxLength: 8 }).map((all) => all.join(''))
    fc.assert(
      fc.property(letters('ab*'), letters('ab'), (pattern, name) => assert.equal(matchesName(pattern, name), byTrying(pattern, name))),
    )
  })

  it('takes all other characters as they are', () => {
    assert.equal(matchesName('a.c', 'abc'), false)
    assert.equal(matchesName('read_*', 'read_file'), true)
    assert.equal(matchesName('*', ''), true)
  })
})
