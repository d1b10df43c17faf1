import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runMain } from '../../test/run-command.ts'
import { emptyFolder } from '../../test/work-place.ts'

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
