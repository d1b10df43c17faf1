import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { COMMAND, runMain } from '../../test/run-command.ts'
import { emptyFolder, place, start, stop } from '../../test/work-place.ts'

describe('work', () => {
  it('says what it cannot begin with', async () => {
    const folder = await emptyFolder()
    const env = { XDG_STATE_HOME: join(folder, 'state') }
    const work = (...words: readonly string[]) => runMain(['work', ...words], { cwd: folder, env })
    const none = await work()
    assert.equal(none.code, 2)
    assert.match(none.stderr, /no store is named/)
    const other = await emptyFolder()
    const store = ['--store', `sqlite:${join(other, 'x.db')}`]
    const odd = await work(...store, '--for', 'jobs,meals')
    assert.equal(odd.code, 2)
    assert.match(odd.stderr, /There are jobs, sessions, notifications/)
    const model = await work(...store, '--for', 'sessions')
    assert.equal(model.code, 2)
    assert.match(model.stderr, /no model is named/)
  })

  it('tells people what it does, and is on the list until it has left', async () => {
    const here = await place([])
    const listed = async (): Promise<string> => (await runMain(['work', '--list', ...here.desk], { cwd: here.base, env: here.env })).stdout
    const started = start(here, 'work', '--for', 'notifications')
    const ready = await started.line('ready')
    assert.match(await listed(), new RegExp(`^${ready.node}\\s+since .*0 sessions\\s+0 jobs\\s+notifications\\n$`))
    assert.equal(await stop(started), 143)
    assert.equal(await listed(), '')

    const [program, ...args] = COMMAND
    const child = spawn(program, [...args, 'work', ...here.desk], {
      cwd: here.base,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...here.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said: string[] = []
    for await (const line of createInterface(child.stderr)) {
      said.push(line)
      if (/ works on /.test(line)) child.kill('SIGTERM')
    }
    assert.match(
      said.join('\n'),
      / works on .*store\.db in .*workspace: jobs, sessions, notifications\n.* takes nothing more\n.* has left$/,
    )
  })

  it('does not begin when it is stopped before', async () => {
    const folder = await emptyFolder()
    const env = { XDG_STATE_HOME: join(folder, 'state') }
    const { code, stdout } = await runMain(['work', '--json', '--store', `sqlite:${join(await emptyFolder(), 'y.db')}`], {
      cwd: folder,
      env,
      signal: AbortSignal.abort(),
    })
    assert.equal(code, 130)
    assert.equal(stdout, '')
  })
})
