import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { failureOf } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { CodeBench, errorOf, skip } from '../../test/code-tools.ts'

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

describe('bash', { skip }, () => {
  it('keeps folder, variables and functions from call to call', async () => {
    await bench.bash('mkdir -p sub && cd sub && export A=1 && B=2 && f() { echo f; }')
    const { text, isError, structured } = await bench.bash('pwd; echo $A$B; f')
    assert.deepEqual([text, isError], ['/workspace/sub\n12\nf', false])
    assert.deepEqual([structured.exitCode, structured.backend], [0, 'bubblewrap'])
    await bench.bash('cd /workspace')
  })

  it('tells both streams in order and the exit code, which hints are looked up by', async () => {
    const { text, isError, structured } = await bench.bash('echo one; echo two >&2; nosuchprogram; (exit 127)')
    assert.match(text, /^one\ntwo\n.*nosuchprogram: command not found\n\[exit code 127\]$/s)
    assert.deepEqual([isError, structured.exitCode], [true, 127])
    assert.equal(failureOf(text, { exitCode: 127, command: 'nosuchprogram' })?.code, 'COMMAND_NOT_FOUND')
    assert.equal((await bench.bash('true')).text, '(no output)')
  })

  it('says what was read of the command before it runs', () => {
    const { effect, marks } = bench.toolOf('bash')
    assert.ok(typeof effect === 'function')
    assert.equal(effect({ command: 'ls | head' }), 'read')
    assert.equal(effect({ command: 'ls', background: true }), 'write')
    assert.equal(effect({ command: 'mkdir a' }), 'write')
    assert.equal(effect({ command: 'rm -rf a' }), 'dangerous')
    assert.throws(() => effect({ command: 1 }))
    const [mark] = marks?.({ command: 'ls; rm -rf a' }) ?? []
    assert.deepEqual([mark?.path, mark?.effect, 'ls; rm -rf a'.slice(mark?.start, mark?.end)], ['/command', 'dangerous', 'rm -rf a'])
    assert.deepEqual(marks?.({}), [])
  })

  it('ends at its time, keeps what was printed, and says that the shell is new', async () => {
    const late = await bench.bash('X=1; echo begun; sleep 1000', { timeout_ms: 500 })
    assert.match(late.text, /^begun\n\[ended after 500 ms, before it was done: .*\]\n\[the shell that kept variables/)
    assert.deepEqual([late.isError, late.structured.timedOut], [true, true])
    assert.equal((await bench.bash('echo "x$X"')).text.split('\n')[0], 'x')
  })

  it('says so when the command ends the shell itself', async () => {
    const { text } = await bench.bash('exit 3')
    assert.match(text, /^\[exit code 3\]\n\[the shell that kept variables/)
    assert.equal((await bench.bash('echo new')).text, 'new')
  })

  it('finds nobody to answer, and says what to do', async () => {
    const { text } = await bench.call('python', { code: 'input("Name? ")' })
    assert.match(text, /EOFError.*\[exit code 1\]\n\[nobody can type here/s)
    const quiet = await bench.bash('read -r answer; echo "got $?"')
    assert.equal(quiet.text, 'got 1')
  })

  it('ends what waits for an answer, without waiting for its time', async () => {
    const clock = new ManualClock()
    const of = bench.make({ clock })
    const waiting = bench.call('bash', { command: 'echo working; printf "Continue? [y/N] "; read -r x < <(sleep 1000)' }, { of })
    // Time goes on while it runs, whenever its output comes.
    const ticking = (async () => {
      for (;;) {
        const done = await Promise.race([waiting.then(() => true), new Promise<false>((next) => setImmediate(() => next(false)))])
        if (done) return
        await clock.advance(250)
      }
    })()
    const { text, isError, structured } = await waiting
    await ticking
    assert.match(
      text,
      /^working\nContinue\? \[y\/N\] ?\n\[ended: it was waiting for an answer to "Continue\? \[y\/N\]"\]\n\[nobody can type here/,
    )
    assert.deepEqual([isError, structured.waitedForInput], [true, true])
    await of.close()
  })

  it('shows the last line while it runs', async () => {
    const told: string[] = []
    await bench.call(
      'bash',
      { command: 'printf "\\033[32mstep 1 of 2\\033[0m\\n"' },
      { cx: { ...bench.cx, progress: ({ message = '' }) => void told.push(message) } },
    )
    assert.deepEqual(told, ['step 1 of 2'])
  })

  it('stops with the call', async () => {
    const stop = new AbortController()
    const stopped = bench.call(
      'bash',
      { command: 'echo x; sleep 1000' },
      { cx: { ...bench.cx, signal: stop.signal, progress: () => stop.abort() } },
    )
    assert.equal((await errorOf(stopped)).code, 'CANCELLED')
    assert.equal((await bench.bash('echo again')).text.split('\n')[0], 'again')
  })

  it('takes a lot, and what is no text', async () => {
    const { text, isError } = await bench.bash('head -c 300000 /dev/zero | tr "\\0" x; printf "\\xff\\xfe\\x00"')
    assert.equal(isError, false)
    assert.ok(text.startsWith('x'.repeat(300_000)))
    assert.match(text.slice(300_000), /^\ufffd\ufffd/)
    const flood = await bench.bash('yes')
    assert.match(flood.text.slice(-400), /\[ended: it printed more than is kept/)
    assert.equal(flood.structured.limit, 'output')
  })

  it('refuses what is no command', async () => {
    assert.throws(() => bench.toolOf('bash').execute({ command: 7 }, bench.cx), /"command" must be a text/)
    assert.throws(() => bench.toolOf('bash').execute({ command: 'ls', timeout_ms: 0 }, bench.cx), /"timeout_ms" must be a whole number/)
  })
})

/** What a job is called in its box. */
function numberOf(handle: string): number {
  return Number.parseInt(Buffer.from(handle.slice(4).split('.')[0] ?? '', 'base64url').toString(), 10)
}

describe('background jobs', { skip }, () => {
  it('start, are listed, show their output, and are stopped with all that they started', async () => {
    const started = await bench.bash('echo ready $((6 * 7)); sleep 1000 & sleep 1000; echo "it\'s over"', { background: true })
    const job = String(started.structured.job)
    assert.match(started.text, /^Started job_[\w-]+\.[\w-]{22} in the background/)
    assert.match((await bench.call('background_jobs', {})).text, new RegExp(`^${job.replace('.', '\\.')}  running  echo ready`, 'm'))
    await bench.bash(`until [ -s /tmp/.adjutant-jobs/${numberOf(job)}.log ]; do sleep 0.01; done`)
    assert.equal((await bench.call('background_jobs', { action: 'output', job })).text, 'ready 42\n')
    assert.match(
      (await bench.call('background_jobs', { action: 'stop', job })).text,
      new RegExp(`^${job.replace('.', '\\.')}  stopped`, 'm'),
    )
    assert.equal((await bench.bash('pgrep -c "^sleep$"')).text.split('\n')[0], '0')
  })

  it('tell how they ended', async () => {
    const { structured } = await bench.bash('exit 4', { background: true })
    const job = String(structured.job)
    await bench.bash(`until [ -s /tmp/.adjutant-jobs/${numberOf(job)}.exit ]; do sleep 0.01; done`)
    assert.match((await bench.call('background_jobs', {})).text, new RegExp(`^${job.replace('.', '\\.')}  ended, exit code 4`, 'm'))
  })

  it('are gone with the shell', async () => {
    await bench.bash('sleep 1000', { background: true })
    await bench.bash('exit 0')
    assert.equal((await bench.call('background_jobs', {})).text, 'There are no background jobs.')
    const missing = await errorOf(bench.call('background_jobs', { action: 'output', job: 'job_9; rm x' }))
    assert.equal(missing.code, 'NOT_FOUND')
  })

  it('only stopping one changes anything', () => {
    const { effect } = bench.toolOf('background_jobs')
    assert.ok(typeof effect === 'function')
    assert.deepEqual([effect({}), effect({ action: 'output' }), effect({ action: 'stop' })], ['read', 'read', 'write'])
  })
})
