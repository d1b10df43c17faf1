/** That a session of Python speaks again in each run, whatever the run before did to its output. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { type BubblewrapBackend, bubblewrapBackend } from './bubblewrap-backend.ts'

let backend: BubblewrapBackend
before(() => {
  backend = bubblewrapBackend({ clock: systemClock, ids: randomIds })
})
after(() => backend[Symbol.asyncDispose]())

describe('a session of Python', () => {
  it('is silenced by no run for the next one', async () => {
    await using box = await backend.open({})
    const run = (code: string): ReturnType<typeof box.run> => box.run({ lang: 'python', code, session: true })
    const silencing = [
      'import os, sys, io; os.close(1); os.close(2)',
      'sys.stdout.close(); sys.stderr.close()',
      'sys.stdout.detach()',
      'sys.stdout = io.StringIO(); sys.stderr = None; print("into it")',
      'os.dup2(os.open("/dev/null", os.O_WRONLY), 1)',
    ]
    for (const code of silencing) {
      await run(`${code}\nkept = ${code.length}`)
      const next = await run('print(kept, "ü"); print("err", file=sys.stderr); sys.stdout.write("\\udcff")')
      assert.deepEqual(
        [Buffer.from(next.stdout), Buffer.from(next.stderr).toString(), next.exitCode, next.stateLost],
        [Buffer.concat([Buffer.from(`${code.length} ü\n`), Buffer.from([0xff])]), 'err\n', 0, undefined],
        code,
      )
    }
  })
})
