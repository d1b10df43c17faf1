import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admitted, makeTool } from '../../test/runner-bench.ts'
import type { ResourceClaim } from '../contract/tool.ts'
import { overlaps, resourcesOf } from './resource-keys.ts'

const claimed = (claims: unknown): ReturnType<typeof resourcesOf> =>
  resourcesOf(
    admitted({ ...makeTool({ execute: async () => 1 }), resources: (): readonly ResourceClaim[] => asClaims(claims) }, {}, 'read'),
  )

/** Anything a careless tool may give. */
function asClaims(claims: unknown): readonly ResourceClaim[] {
  if (claims instanceof Error) throw claims
  return JSON.parse(JSON.stringify(claims ?? null))
}

const meet = (a: string, b: string): boolean => {
  const one = claimed([{ key: a, mode: 'read' }])
  const other = claimed([{ key: b, mode: 'read' }])
  assert.ok(one !== undefined && other !== undefined)
  assert.equal(overlaps(one.reads, other.reads), overlaps(other.reads, one.reads))
  return overlaps(one.reads, other.reads)
}

describe('resource keys', () => {
  it('of files overlap where one lies in the other', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['file:/work/src', 'file:/work/src', true],
      ['file:/work/src', 'file:/work/src/a.ts', true],
      ['file:/work/src', 'file:/work/src/deep/er/a.ts', true],
      ['file:/work/src/', 'file:/work/src/a.ts', true],
      ['file:/', 'file:/a', true],
      ['file:/work/src', 'file:/work/srcx', false],
      ['file:/work/src/a', 'file:/work/src/b', false],
      ['file:/work/./src//a', 'file:/work/src/a', true],
      ['file:/work/other/../src', 'file:/work/src/a', true],
      ['file:/Work/A.txt', 'file:/work/a.TXT', true],
      ['file:/work/caf\u00e9', 'file:/work/cafe\u0301', true],
      ['file:C:\\work', 'file:c:/work/a', true],
      ['file:/work/a\\b', 'file:/work/a', false],
      ['file:/work', 'db:/work', false],
      ['db:users', 'db:users', true],
      ['db:users', 'db:users/1', false],
      ['db:users', 'db:Users', false],
      ['https://a/b', 'https://a/b/c', false],
    ]
    for (const [a, b, expected] of cases) assert.equal(meet(a, b), expected, `${a} ${b}`)
  })

  it('are not known where a tool gives something else', () => {
    const many = Array.from({ length: 1_001 }, () => ({ key: 'a', mode: 'read' }))
    for (const claims of [undefined, 'x', {}, [{ key: 1, mode: 'read' }], [{ key: 'a', mode: 'append' }], [null], new Error('no'), many]) {
      assert.equal(claimed(claims), undefined)
    }
    assert.deepEqual(claimed([]), { reads: [], writes: [] })
  })
})
