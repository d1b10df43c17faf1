/** Runs the suites that make boxes once more as a user without any right, with a home of its own that is thrown away: nothing may need root. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const USER = 64_999
const FILES = ['conformance.test.ts', 'runs.test.ts', 'box-walls.test.ts', 'leftovers.test.ts']
const skip = process.getuid?.() === 0 ? false : 'is run by an ordinary user already'

describe('boxes of an ordinary user', { skip }, () => {
  for (const file of FILES) {
    it(file, { timeout: 120_000 }, async () => {
      const home = mkdtempSync(join(tmpdir(), 'adjutant-user-'))
      try {
        chownSync(home, USER, USER)
        const args = [
          '--conditions=adjutant-source',
          '--disable-warning=ExperimentalWarning',
          fileURLToPath(new URL(file, import.meta.url)),
        ]
        const child = spawn(process.execPath, args, {
          uid: USER,
          gid: USER,
          cwd: '/',
          env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let said = ''
        child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
        child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
        const code = await new Promise((resolve) => child.on('close', resolve))
        assert.equal(code, 0, said)
        assert.match(said, /\bpass [1-9]/)
        assert.deepEqual(
          readdirSync(home, { recursive: true }).filter((name) => !/^adjutant-sandbox-\d+(\/(users|lent))?$/.test(String(name))),
          [],
        )
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    })
  }
})
