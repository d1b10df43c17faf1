import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runReport } from './run-report.ts'
import type { WatchedRun } from './watch-run.ts'

const RUN: WatchedRun = {
  exitCode: 0,
  failed: false,
  oom: false,
  refusedForks: false,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  truncated: false,
  durationMs: 1,
  usage: {},
}
const full = { freeBytes: 0, freeFiles: 5, usedMB: 1 }
const noFiles = { freeBytes: 1e6, freeFiles: 0, usedMB: 1 }

describe('runReport', () => {
  it('says exit code or signal, never both, never none', () => {
    fc.assert(
      fc.property(
        fc.option(fc.nat({ max: 255 }), { nil: undefined }),
        fc.constantFrom('cold' as const, 'warm' as const, 'session' as const),
        (exitCode, mode) => {
          const { exitCode: none, ...rest } = RUN
          assert.equal(none, 0)
          const report = runReport({ ...rest, ...(exitCode === undefined ? {} : { exitCode }) }, { mode, cpuMsLimit: 1000 })
          assert.notEqual(report.exitCode === undefined, report.signal === undefined)
          if (exitCode !== undefined && (exitCode <= 128 || mode === 'session')) assert.equal(report.exitCode, exitCode)
        },
      ),
    )
    assert.equal(runReport({ ...RUN, exitCode: 143 }, { mode: 'cold', cpuMsLimit: 1 }).signal, 'SIGTERM')
    assert.equal(runReport({ ...RUN, exitCode: 143 }, { mode: 'session', cpuMsLimit: 1 }).exitCode, 143)
    assert.equal(runReport({ ...RUN, exitCode: 255 }, { mode: 'cold', cpuMsLimit: 1 }).exitCode, 255)
  })

  it('names a limit only where it was met', () => {
    const limit = (run: Partial<WatchedRun>, room?: typeof full): string | undefined =>
      runReport({ ...RUN, ...run }, { mode: 'cold', cpuMsLimit: 1000, ...(room === undefined ? {} : { room }) }).limit
    assert.equal(limit({ hit: 'wall', oom: true }), 'wall')
    assert.equal(limit({ oom: true }), 'memory')
    assert.equal(limit({ exitCode: 152 }), 'cpu')
    assert.equal(limit({ exitCode: 137, usage: { cpuMs: 1000 } }), 'cpu')
    assert.equal(limit({ exitCode: 137, usage: { cpuMs: 10 } }), undefined)
    assert.equal(limit({ exitCode: 153 }), 'disk')
    assert.equal(limit({ exitCode: 1, refusedForks: true }), 'processes')
    assert.equal(limit({ exitCode: 1 }, full), 'disk')
    assert.equal(limit({ exitCode: 1 }, noFiles), 'files')
    // It got on with what it had.
    assert.equal(limit({ refusedForks: true }), undefined)
    assert.equal(limit({}, full), undefined)
    assert.equal(limit({ exitCode: 1 }), undefined)
  })
})
