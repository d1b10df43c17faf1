import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findMembers } from './process-members.ts'
import type { ProcessEntry } from './process-table.ts'

const ROOT = 10
const tree = { marker: 'm', pid: ROOT, started: 100 }

function entry(
  pid: number,
  parent: number,
  group: number,
  more: { readonly started?: number; readonly dead?: boolean } = {},
): ProcessEntry {
  return { pid, parent, group, started: more.started ?? 100 + pid, dead: more.dead ?? false }
}

const root = entry(ROOT, 1, ROOT, { started: 100 })
const pids = (members: readonly ProcessEntry[]): readonly number[] => members.map((member) => member.pid).sort((a, b) => a - b)
const noMarker = (): undefined => undefined

describe('members of a process tree', () => {
  it('are found by group, by parent and by marker', () => {
    const byGroup = entry(11, 1, ROOT)
    const byParent = entry(12, 11, 12)
    const byMarker = entry(13, 1, 13)
    const childOfMarked = entry(14, 13, 14)
    const stranger = entry(15, 1, 15)
    const marker = (pid: number): string | undefined => (pid === 13 ? 'm' : pid === 15 ? 'mm' : undefined)
    assert.deepEqual(pids(findMembers([stranger, childOfMarked, byMarker, byParent, byGroup, root], tree, marker)), [10, 11, 12, 13, 14])
  })

  it('include those of a tree inside the tree', () => {
    assert.deepEqual(pids(findMembers([entry(13, 1, 13)], tree, () => 'm/inner')), [13])
  })

  it('do not include a stranger that was given the number of a tree that is gone', () => {
    const stranger = entry(ROOT, 1, ROOT, { started: 5_000 })
    assert.deepEqual(findMembers([stranger, entry(11, ROOT, ROOT, { started: 5_001 })], tree, noMarker), [])
  })

  it('include one that was seen before and lost every sign, but not another with its number', () => {
    assert.deepEqual(pids(findMembers([entry(30, 1, 30, { started: 130 })], tree, noMarker, new Map([[30, 130]]))), [30])
    assert.deepEqual(findMembers([entry(30, 1, 30, { started: 999 })], tree, noMarker, new Map([[30, 130]])), [])
  })

  it('are alive, and closed under parenthood, whatever the table', () => {
    const table = fc.uniqueArray(
      fc.record({
        pid: fc.integer({ min: 2, max: 40 }),
        parent: fc.integer({ min: 1, max: 40 }),
        group: fc.integer({ min: 1, max: 40 }),
        started: fc.integer({ min: 90, max: 110 }),
        dead: fc.boolean(),
      }),
      { selector: (item) => item.pid, maxLength: 30 },
    )
    fc.assert(
      fc.property(table, fc.uniqueArray(fc.integer({ min: 2, max: 40 })), (entries, marked) => {
        const members = findMembers(entries, tree, (pid) => (marked.includes(pid) ? 'm' : undefined))
        const found = new Set(members.map((member) => member.pid))
        assert.equal(found.size, members.length)
        for (const item of entries) {
          if (item.dead) assert.ok(!found.has(item.pid))
          else if (found.has(item.parent)) assert.ok(found.has(item.pid))
          else if (marked.includes(item.pid) && item.started >= tree.started) assert.ok(found.has(item.pid))
        }
      }),
      { numRuns: 300 },
    )
  })
})
