import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parsePs, readProcess, readProcessTable, readTreeMarker } from './process-table.ts'

const hasPs = spawnSync('ps', ['-axo', 'pid=']).status === 0

describe('process table', () => {
  it('shows this process with its parent and group', () => {
    const own = readProcessTable().find((entry) => entry.pid === process.pid)
    assert.equal(own?.parent, process.ppid)
    assert.equal(own?.dead, false)
    assert.deepEqual(readProcess(process.pid), own)
  })

  it('knows nothing of a process that is not there', () => {
    assert.equal(readProcess(2 ** 30), undefined)
    assert.equal(readTreeMarker(2 ** 30), undefined)
  })

  it('reads ps like /proc', { skip: hasPs && existsSync('/proc/self/stat') ? false : 'needs both' }, () => {
    const run = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], {
      encoding: 'utf8',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    })
    const own = parsePs(run.stdout).find((entry) => entry.pid === process.pid)
    const truth = readProcess(process.pid)
    assert.equal(own?.parent, truth?.parent)
    assert.equal(own?.group, truth?.group)
    assert.ok(Number.isFinite(own?.started))
    assert.equal(own?.dead, false)
  })

  it('skips lines of ps that it does not know', () => {
    assert.deepEqual(parsePs('nonsense\n\n  12 1 12 Z+ Mon Nov 30 12:00:00 2026\n'), [
      { pid: 12, parent: 1, group: 12, started: Date.parse('Mon Nov 30 12:00:00 2026'), dead: true },
    ])
  })
})
