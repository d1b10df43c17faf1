import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { hasNoOwner, ownerLabel } from './owner-label.ts'

it('knows whose process lives, whose has ended, and of whom nothing can be known', () => {
  const mine = ownerLabel()
  assert.equal(hasNoOwner(mine), false)
  const [machine, namespace, pid, startTime] = mine.split(' ')
  const { pid: ended } = spawnSync(process.execPath, ['-e', ''])
  assert.equal(hasNoOwner([machine, namespace, ended, startTime].join(' ')), true)
  assert.equal(hasNoOwner([machine, namespace, pid, Number(startTime) + 1].join(' ')), true, 'another process with its number')
  for (const unknown of [
    '',
    'x',
    [`${machine}-2`, namespace, ended, startTime].join(' '),
    [machine, '1', ended, startTime].join(' '),
    `${machine} ${namespace} x y`,
  ])
    assert.equal(hasNoOwner(unknown), false, unknown)
})
