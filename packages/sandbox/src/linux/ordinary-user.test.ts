/** Runs the tests that touch the kernel once more as a user without any right: what root may do hides what others may not. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { boxMissing, TEST_UID } from './test-box.test-helper.ts'

const FILES = [
  'seccomp/kernel.test.ts',
  'process/process-identity.test.ts',
  'process/pid-namespace.test.ts',
  'watchdog/watch.test.ts',
  'uids.test.ts',
]
const skip = boxMissing() ?? (process.getuid?.() === 0 ? false : 'is run by an ordinary user already')

describe('as an ordinary user', { skip }, () => {
  for (const file of FILES) {
    it(file, () => {
      const path = fileURLToPath(new URL(file, import.meta.url))
      const run = spawnSync(process.execPath, ['--conditions=adjutant-source', '--disable-warning=ExperimentalWarning', path], {
        uid: TEST_UID + 1,
        gid: TEST_UID + 1,
        env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
        cwd: '/',
        encoding: 'utf8',
        timeout: 60_000,
      })
      assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`)
      assert.match(run.stdout, /\bpass [1-9]/)
    })
  }
})
