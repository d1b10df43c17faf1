import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { hasEnded, parseProcessStat, readProcessStat } from './process-stat.ts'

const REST =
  'S 7 7 7 0 -1 4194560 100 20 3 4 11 22 33 44 20 0 5 0 998877 4096000 321 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n'

describe('parseProcessStat', () => {
  it('reads the fields whatever a program calls itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 15 }), fc.constantFrom(') R 1 1', '((', 'a) S 1 (b', '\n', '')), (name) => {
        assert.deepEqual(parseProcessStat(`42 (${name}) ${REST}`), {
          pid: 42,
          state: 'S',
          parent: 7,
          cpuTicks: 33,
          childCpuTicks: 77,
          threads: 5,
          startTime: 998_877,
          virtualBytes: 4_096_000,
          residentPages: 321,
        })
      }),
      { numRuns: 200 },
    )
  })

  it('gives nothing for what the kernel did not write', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 100 }), (text, cut) => {
        assert.equal(parseProcessStat(text), undefined)
        const short = `42 (a) ${REST}`.slice(0, cut)
        const parsed = parseProcessStat(short)
        assert.ok(parsed === undefined || short.length > `42 (a) ${REST.slice(0, 60)}`.length)
      }),
    )
  })
})

describe('readProcessStat', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  it('sees this process', () => {
    const stat = readProcessStat(process.pid)
    assert.ok(stat)
    assert.equal(stat.pid, process.pid)
    assert.equal(stat.parent, process.ppid)
    assert.ok(stat.residentPages > 1000 && stat.threads > 1 && stat.cpuTicks > 0 && stat.startTime > 0)
    assert.equal(hasEnded(stat), false)
  })

  it('sees nothing of a process that is gone', () => {
    const { pid } = spawnSync('/bin/true')
    assert.equal(readProcessStat(pid), undefined)
    assert.equal(readProcessStat(0), undefined)
  })
})
