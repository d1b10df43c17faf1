/** What bash and background jobs promise a model, through `exec` with a configuration that asks for them. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { ExecSession, processesWith } from '../../test/exec-session.ts'
import type { JsonLine } from '../../test/run-command.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

describe('bash through exec', { skip }, () => {
  const told: string[] = []
  let session: ExecSession
  before(async () => {
    session = await ExecSession.open({
      line: (line: JsonLine) =>
        told.push(line.type === 'progress' ? `progress ${line.message}` : Array.isArray(line.results) ? 'result' : ''),
    })
  })
  after(() => session[Symbol.asyncDispose]())

  it('keeps folder, environment and functions from decision to decision, each language its own', async () => {
    await session.bash('mkdir -p a/b && cd a/b && export WORD=kept && say() { echo "said $1"; }')
    assert.equal((await session.bash('pwd; echo $WORD; say it; env | grep -c ^WORD=')).text, '/workspace/a/b\nkept\nsaid it\n1')
    await session.call('python', { code: 'import os\nos.chdir("/tmp")\nx = 41', session: true })
    assert.equal((await session.call('python', { code: 'print(x + 1, os.getcwd())', session: true })).text, '42 /tmp')
    await session.call('javascript', { code: 'globalThis.y = 6', session: true })
    assert.equal((await session.call('javascript', { code: 'console.log(y * 7)', session: true })).text, '42')
    assert.equal((await session.bash('pwd')).text, '/workspace/a/b')
  })

  it('lets what was started with & go on after its call, for the next one to use', async () => {
    await session.bash('cd /workspace; echo hello > page.html; python3 -m http.server 8123 >/dev/null 2>&1 &')
    const fetch = 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:8123/page.html").read().decode().strip())'
    const { text } = await session.bash(`cd /workspace; until python3 -c '${fetch}' 2>/dev/null; do sleep 0.05; done`, {
      timeout_ms: 20_000,
    })
    assert.equal(text, 'hello')
    const listed = await session.call('background_jobs', {})
    assert.match(listed.text, /^process \d+ {2}running {2}python3 -m http\.server 8123 .*kill \d+ in bash stops it/m)
  })

  it('tells the last line while it runs, before there is a result', async () => {
    told.length = 0
    await session.bash('printf "step 1 of 2\\n"; sleep 0.3; printf "step 2 of 2\\n"; sleep 0.3')
    const seen = told.filter((one) => one !== '')
    assert.deepEqual([seen[0], seen.at(-1)], ['progress step 1 of 2', 'result'])
    assert.ok(seen.includes('progress step 2 of 2'), seen.join())
  })

  it('ends what waits for somebody to type, and says what to do instead', async () => {
    const asked = await session.call('python', { code: 'name = input("Your name? ")' })
    assert.match(asked.text, /EOFError[\s\S]*\[nobody can type here: give the answer as an argument/)
    const terminal = await session.bash('read -r x < /dev/tty')
    assert.match(terminal.text, /\/dev\/tty[\s\S]*\[exit code 1\]/)
    const waits = await session.bash('printf "Overwrite? [y/N] "; read -r x < <(sleep 1000)', { timeout_ms: 60_000 })
    assert.match(waits.text, /\[ended: it was waiting for an answer to "Overwrite\? \[y\/N\]"\]\n\[nobody can type here/)
    assert.equal(waits.isError, true)
    assert.match((await session.bash('echo on')).text, /^on/)
  })

  it('reaches no process of the machine, whatever it kills; and a person is asked before', async () => {
    const killed = await session.bash(`killall -9 node; pkill -9 node; kill -9 ${process.pid} ${process.ppid} -1; echo still here`)
    assert.ok(killed.outcome === 'ok' || killed.outcome === 'failed')
    assert.match((await session.bash('echo next')).text, /^next/)
    await using careful = await ExecSession.open({ approve: 'deny' })
    for (const command of ['killall node', `kill -9 ${process.pid}`, 'pkill -f node']) {
      const refused = await careful.bash(command)
      assert.deepEqual([refused.code, refused.outcome], ['DENIED_BY_POLICY', 'not-run'], command)
    }
  })

  it('owns background jobs: lists them, shows their output, stops them, and ends them with the session', async () => {
    const word = `adjutant-job-${process.pid}`
    const session = await ExecSession.open()
    try {
      const started = await session.bash(`echo ready; exec -a ${word} sleep 1000`, { background: true })
      const job = /Started (job_\S+) in/.exec(started.text)?.[1] ?? ''
      assert.match((await session.call('background_jobs', {})).text, new RegExp(`${job.replace('.', '\\.')} {2}running {2}echo ready`))
      await session.bash('until [ -s /tmp/.adjutant-jobs/1.log ]; do sleep 0.01; done')
      assert.match((await session.call('background_jobs', { action: 'output', job })).text, /^ready/)
      const other = await session.bash(`exec -a ${word}-other sleep 1000`, { background: true })
      assert.match(other.text, /Started job_/)
      assert.match((await session.call('background_jobs', { action: 'stop', job })).text, / {2}stopped {2}/)
      assert.equal((await processesWith(`${word}\0`)).length, 0)
      await session.bash(`(setsid bash -c 'trap "" TERM HUP INT; exec -a ${word}-away sleep 1000' >/dev/null 2>&1 &)`)
      await session.bash(`until pgrep -f ${word}-away >/dev/null && pgrep -f ${word}-other >/dev/null; do sleep 0.01; done`)
      assert.ok((await processesWith(word)).length >= 2)
    } finally {
      await session.end()
      assert.deepEqual(await processesWith(word), [])
      await session[Symbol.asyncDispose]()
    }
  })

  it('leaves no child behind when it is interrupted', async () => {
    const word = `adjutant-child-${process.pid}`
    const session = await ExecSession.open({
      line: (line) => {
        if (line.type === 'progress') session.interrupt()
      },
    })
    const stopped = session.bash(`bash -c "exec -a ${word} python3 -c 'import time; print(1, flush=True); time.sleep(600)'"`)
    assert.equal((await stopped.catch(() => undefined))?.outcome ?? 'none', 'unknown')
    assert.equal(await session.end(), 130)
    assert.deepEqual(await processesWith(word), [])
    await session[Symbol.asyncDispose]()
  })
})
