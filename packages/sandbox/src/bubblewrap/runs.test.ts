/** Boxes for real: how runs are started, what stays and what does not, what a box may see and take. Also run by an ordinary user, see as-ordinary-user.test.ts. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type ErrorCode, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'
import { type BubblewrapBackend, bubblewrapBackend } from './bubblewrap-backend.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const rejectsWith = (code: ErrorCode) => (error: unknown) => AdjutantError.isInstance(error) && error.code === code

let backend: BubblewrapBackend
before(async () => {
  backend = bubblewrapBackend({ clock: systemClock, ids: randomIds })
  const probe = await backend.probe()
  assert.ok(probe.ok, `${probe.detail} ${probe.fix ?? ''}`)
  assert.match(probe.detail, /^bubblewrap \d.*, bash python js$/)
})
after(() => backend[Symbol.asyncDispose]())

/** What a program in a box of its own says. */
async function inBox(code: string, more: Partial<SandboxRun> = {}): Promise<{ readonly out: string; readonly report: SandboxReport }> {
  await using box = await backend.open({})
  const report = await box.run({ lang: 'bash', code, ...more })
  return { out: text(report.stdout), report }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

describe('how runs are started', () => {
  it('cold at first, then in a box that waited, once', async () => {
    await using box = await backend.open({})
    const modes: string[] = []
    let pid = ''
    for (let run = 0; run < 4; run++) {
      const report = await box.run({ lang: 'bash', code: 'echo x >> marks; echo $$ $left; left=behind' })
      modes.push(report.mode)
      assert.match(text(report.stdout), /^\d+\n$/)
      pid = text(report.stdout)
      // The next box comes in the background; a run of another kind takes the time.
      await box.run({ lang: 'python', code: 'import time; time.sleep(0.3)' })
    }
    assert.match(pid, /\d/)
    assert.equal(modes[0], 'cold')
    assert.ok(modes.includes('warm'), modes.join())
    assert.equal(text(await box.readFile('marks')), 'x\nx\nx\nx\n')
  })

  it('in a box that was prepared, which holds nothing of another sandbox', async () => {
    const spec = { env: { PREPARED: 'yes' } }
    await backend.prepare(spec, [{ lang: 'bash' }, { lang: 'bash', session: true }])
    await using first = await backend.open(spec)
    await using second = await backend.open(spec)
    const reports = await Promise.all(
      [first, second].map((box) => box.run({ lang: 'bash', code: 'ls; echo mine > mine; echo $PREPARED; cat /proc/self/uid_map' })),
    )
    for (const report of reports) assert.match(text(report.stdout), /^yes\n/)
    assert.deepEqual(
      (await first.list()).map(({ path }) => path),
      ['mine'],
    )
  })

  it('never more than the pool allows, and none when it allows none', async () => {
    await using small = bubblewrapBackend({ clock: systemClock, ids: randomIds, pool: { number: 0 } })
    await using box = await small.open({})
    for (let run = 0; run < 3; run++) assert.equal((await box.run({ lang: 'bash', code: 'echo' })).mode, 'cold')
  })
})

describe('a session', () => {
  it('begins anew after its shell has ended, and says so', async () => {
    await using box = await backend.open({})
    const run = (code: string, more: Partial<SandboxRun> = {}): Promise<SandboxReport> =>
      box.run({ lang: 'bash', code, session: true, ...more })
    const first = await run('kept=1; cd /tmp')
    assert.deepEqual([first.exitCode, first.stateLost, first.mode], [0, undefined, 'session'])
    const ended = await run('exit 3')
    assert.deepEqual([ended.exitCode, ended.stateLost], [3, true])
    const anew = await run('echo "[$kept]" $PWD')
    // Once for each loss: it was told with the run that it ended in.
    assert.deepEqual([text(anew.stdout), anew.stateLost], ['[] /workspace\n', undefined])
    const again = await run('exit 4')
    assert.deepEqual([again.exitCode, again.stateLost], [4, true])
    const stuck = await run('kept=2; while :; do :; done', { limits: { wallMs: 300 } })
    assert.deepEqual([stuck.limit, stuck.timedOut, stuck.stateLost], ['wall', true, true])
    assert.equal((await run('echo')).stateLost, undefined)
    await assert.rejects(run('kept=3; sleep 99', { signal: AbortSignal.timeout(50) }), { code: 'CANCELLED' })
    const next = await run('echo "[$kept]"')
    assert.deepEqual([text(next.stdout), next.stateLost], ['[]\n', true], 'a stopped run has no report to say it in')
    assert.equal((await run('(sleep 0.05; kill -9 $$) & disown')).stateLost, undefined)
    for (let turns = 0, lost: boolean | undefined; lost !== true; turns++) {
      assert.ok(turns < 1_000)
      lost = (await run('sleep 0.01')).stateLost
    }
    assert.equal((await run('echo')).stateLost, undefined)
  })

  it('cannot be told by what is printed that a run has ended', async () => {
    await using box = await backend.open({})
    // Programs that even know the word have nowhere to say it.
    const program = [
      'for fd in $(ls /proc/self/fd) $(seq 0 255); do printf "%s 0\\0" "$word" >&"$fd"; done',
      'for fd in /proc/$PPID/fd/* /proc/1/fd/*; do printf "%s 0\\0" "$word" > "$fd"; done',
    ].join('\n')
    const forge = `printf "%s 0\\0" "$__adjutant_id"; word=$__adjutant_id bash -c '${program}' 2>/dev/null; sleep 0.1; (exit 7)`
    const report = await box.run({ lang: 'bash', code: forge, session: true })
    assert.match(text(report.stdout), /^[0-9a-f]{32} 0\0/)
    assert.equal(report.exitCode, 7)
    const next = await box.run({ lang: 'bash', code: 'sleep 0.2; echo whole; (exit 4)', session: true })
    assert.deepEqual([next.exitCode, text(next.stdout)], [4, 'whole\n'])
  })

  it('is not told by what an earlier run left behind', async () => {
    await using box = await backend.open({})
    await box.run({ lang: 'bash', session: true, code: '(while :; do printf "0 0\\0"; sleep 0.05; done) & disown' })
    const report = await box.run({ lang: 'bash', session: true, code: 'sleep 0.2; (exit 5)' })
    assert.equal(report.exitCode, 5)
  })

  it('of Python keeps names, survives exit and errors, and begins anew when it is killed', async () => {
    await using box = await backend.open({})
    const run = (code: string, more: Partial<SandboxRun> = {}): Promise<SandboxReport> =>
      box.run({ lang: 'python', code, session: true, ...more })
    await run('import os, sys\nx = {"kept": 1}\ndef f(): return x\nos.chdir("/tmp")')
    assert.equal((await run('sys.exit(3)')).exitCode, 3)
    const failed = await run('y = 2\nf()["none"]')
    assert.equal(failed.exitCode, 1)
    assert.match(text(failed.stderr), /File "<code 3>", line 2[\s\S]*f\(\)\["none"\][\s\S]*KeyError: 'none'/)
    assert.equal(text((await run('print(f(), y, os.getcwd(), sys.stdin.read())', { stdin: 'in é' })).stdout), "{'kept': 1} 2 /tmp in é\n")
    assert.equal((await run('def broken(:')).exitCode, 1)
    const killed = await run('os._exit(9)')
    assert.deepEqual([killed.exitCode, killed.stateLost], [9, true])
    const anew = await run('print("x" in globals())')
    assert.deepEqual([text(anew.stdout), anew.stateLost], ['False\n', undefined])
  })

  it('is refused for JavaScript', async () => {
    await using box = await backend.open({})
    await assert.rejects(box.run({ lang: 'js', code: '1', session: true }), rejectsWith('UNSUPPORTED'))
  })
})

describe('input and output', () => {
  it('can be opened again by name', async () => {
    const code = 'cat /dev/stdin; cat /dev/stdin > /dev/stdout; echo out > /dev/stdout; echo err > /dev/stderr'
    const { report } = await inBox(code, { stdin: 'twice\n' })
    assert.deepEqual([text(report.stdout), text(report.stderr)], ['twice\ntwice\nout\n', 'err\n'])
  })

  it('of one box is not read by another that keeps its own end open', async () => {
    await using thief = await backend.open({})
    const code = 'exec 5</proc/self/fd/1 6</proc/self/fd/2 >&- 2>&-; timeout 60 cat <&5 > stolen; timeout 60 cat <&6 >> stolen'
    const stop = new AbortController()
    const stealing = thief.run({ lang: 'bash', code, signal: stop.signal })
    for (let run = 0; run < 20; run++) assert.equal((await inBox('echo mine; echo mine >&2')).out, 'mine\n')
    stop.abort()
    await assert.rejects(stealing, rejectsWith('CANCELLED'))
    assert.equal(text(await thief.readFile('stolen')), '')
  })

  it('of a gigabyte is cut, and the run ended', async () => {
    await using box = await backend.open({})
    for (const lang of ['bash', 'python', 'js'] as const) {
      const code = {
        bash: 'head -c 1G /dev/zero',
        python: 'import sys\nfor i in range(1024): sys.stdout.write("x" * (1 << 20))',
        js: 'for (let i = 0; i < 1024; i++) process.stdout.write("x".repeat(1 << 20))',
      }[lang]
      const report = await box.run({ lang, code, limits: { outputBytes: 100_000 } })
      assert.deepEqual([lang, report.limit, report.truncated, report.stdout.length], [lang, 'output', true, 100_000])
    }
  })

  it('keeps every byte, without a line end, in both kinds of run', async () => {
    await using box = await backend.open({})
    const every = Array.from({ length: 256 }, (_, byte) => byte)
    for (const session of [true, false]) {
      const report = await box.run({ lang: 'python', session, code: 'import sys\nsys.stdout.buffer.write(bytes(range(256)) * 300)' })
      assert.deepEqual(Buffer.from(report.stdout), Buffer.concat(Array.from({ length: 300 }, () => Buffer.from(every))))
    }
  })

  it('of what went on in the background does not reach the next run by itself', async () => {
    const { report } = await inBox('(sleep 60; echo late) & echo early')
    assert.equal(text(report.stdout), 'early\n')
  })
})

describe('stopping', () => {
  it('at every moment ends all, within a second, and the box goes on', async () => {
    await using box = await backend.open({})
    for (const session of [false, true]) {
      for (const afterTurns of [0, 1, 3, 10, 40, 200]) {
        const stop = new AbortController()
        const running = box.run({ lang: 'bash', session, code: 'setsid sleep 1234.5 & sleep 1234.5', signal: stop.signal })
        let turns = 0
        await until(() => turns++ >= afterTurns)
        stop.abort()
        await assert.rejects(running, rejectsWith('CANCELLED'))
        assert.deepEqual(sleepers(), [])
      }
      assert.equal(text((await box.run({ lang: 'bash', session, code: 'echo on' })).stdout), 'on\n')
    }
  })

  it('by closing ends a run that goes on', async () => {
    const box = await backend.open({})
    const running = box.run({ lang: 'bash', code: 'sleep 1000' })
    await Promise.all([box.close(), assert.rejects(running, rejectsWith('SANDBOX_FAILED'))])
    await assert.rejects(box.run({ lang: 'bash', code: 'echo' }), rejectsWith('SANDBOX_FAILED'))
    await box.close()
  })
})

/** Processes of what is stopped here. */
function sleepers(): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').startsWith('sleep\0' + '1234.5')
    } catch {
      return false
    }
  })
}
