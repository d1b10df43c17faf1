import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runMain, spawnCommand } from '../../test/run-command.ts'
import { BUILD, command, look, place, start, stop, worker } from '../../test/work-place.ts'

describe('run with calls that go on in the background', { timeout: 120_000 }, () => {
  it('does them itself where nobody else does, and the model goes on with what came of them', async () => {
    const here = await place(BUILD)
    const ran = start(here, 'run', 'build it')
    const first = await ran.line('answer', { text: 'It is under way.' })
    const [id] = [first.jobs].flat()
    await writeFile(join(here.base, 'go'), '')
    const last = await ran.line('answer')
    assert.deepEqual([last.text, last.jobs], ['It is built.', undefined])
    assert.equal(await ran.ended(), 0)
    const [job] = (await look(here, 'jobs', 'show', String(id))).lines
    assert.deepEqual([job?.state, job?.attempt], ['succeeded', 1])
    assert.match(JSON.stringify(job?.result), /built it/)
  })

  it('lets go of them when it is interrupted: whoever goes on with the session has them done again', async () => {
    const here = await place(BUILD)
    const ran = start(here, 'run', 'build it')
    const first = await ran.line('answer', { text: 'It is under way.' })
    ran.child.kill('SIGINT')
    assert.equal(await ran.ended(), 130)
    const [id] = [first.jobs].flat().map(String)
    assert.equal((await look(here, 'jobs', 'show', id ?? '')).lines[0]?.state, 'queued')
    await writeFile(join(here.base, 'go'), '')
    const started = await worker(here)
    await started.line('job', { what: 'session.resume', outcome: 'done' })
    assert.equal(await stop(started), 143)
    const [job] = (await look(here, 'jobs', 'show', id ?? '')).lines
    assert.deepEqual([job?.state, job?.attempt], ['succeeded', 2])
  })

  it('leaves them with --detach, to be looked at and ended', async () => {
    const here = await place(BUILD)
    const ran = await command(here, 'run', 'build it', '--detach', '--json')
    const answer = ran.lines.findLast(({ type }) => type === 'answer')
    assert.equal(answer?.text, 'It is under way.')
    assert.match(ran.stderr, /build goes on in the background: adjutant jobs show job_/)
    const [id] = [answer?.jobs].flat().map(String)
    const session = String(ran.lines.find(({ type }) => type === 'session')?.id)
    const listed = await runMain(['jobs', 'list', '--session', session, ...here.desk], { env: here.env, cwd: here.base })
    assert.match(listed.stdout, new RegExp(`^${id}\\s+queued .*build\\n$`))
    assert.equal((await look(here, 'jobs', 'cancel', id ?? '')).lines[0]?.state, 'cancelled')
    const again = await look(here, 'jobs', 'cancel', id ?? '')
    assert.deepEqual([again.code, again.lines[0]?.code], [1, 'CONFLICT'])
    const none = await look(here, 'jobs', 'show', 'job_nothing')
    assert.deepEqual([none.code, none.lines[0]?.code], [1, 'NOT_FOUND'])
    const shown = await runMain(['jobs', 'show', id ?? '', ...here.desk], { env: here.env, cwd: here.base })
    assert.match(shown.stdout, /state\s+cancelled/)
    const resumed = await command(here, 'sessions', 'resume', session, '--json')
    assert.equal(resumed.lines.at(-1)?.text, 'It is built.', resumed.stderr)
  })

  it('prints what came of them after the results of exec', async () => {
    const here = await place([])
    const decision = JSON.stringify({ action: 'call_tool', tool_name: 'build', parameters: { what: 'it' } })
    const ran = await spawnCommand(['exec', '--json', ...here.desk], { stdin: decision, env: here.env, cwd: here.base })
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(
      ran.lines.filter(({ type }) => type === 'results' || type === 'job').map(({ type }) => type),
      ['results', 'job'],
    )
    assert.match(JSON.stringify(ran.lines.at(-1)), /built it/)
  })
})
