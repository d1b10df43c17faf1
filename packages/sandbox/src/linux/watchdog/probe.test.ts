import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { probeProcesses } from '../process/probe.ts'
import { probeWatch } from './probe.ts'

describe('probeWatch', () => {
  it('says what the kernel has', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
    assert.equal(probeProcesses().ok, true)
    const { ok, detail } = probeWatch()
    assert.equal(ok, true)
    const [rollup, children] = ['/proc/self/smaps_rollup', `/proc/self/task/${process.pid}/children`].map((file) => existsSync(file))
    assert.equal(detail.includes('counted once'), rollup === true && readFileSync('/proc/self/smaps_rollup', 'latin1').includes('Pss_Anon'))
    assert.equal(/, lists of children$/.test(detail), children)
  })

  it('says that there is nothing to see', { skip: existsSync('/proc/self/stat') ? '/proc is here' : false }, () => {
    const probe = probeWatch()
    assert.ok(!probe.ok)
    assert.match(probe.fix, /proc/)
  })
})
