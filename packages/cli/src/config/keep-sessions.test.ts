import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { AdjutantError, LOCAL_PRINCIPAL, namespaceKey, openNamespace, sessionId, systemClock } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { COMMAND, runMain } from '../../test/run-command.ts'
import { leaseSession, startSweep } from './keep-sessions.ts'

const DAY = 86_400_000

let root = ''
let sessions = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-keep-')))
  sessions = join(root, 'sessions')
  await mkdir(join(root, 'work'))
  await writeFile(join(root, 'plain.yaml'), 'sessionsFolder: sessions\nsessions: { keepDays: 30 }\n')
  await writeFile(join(root, 'mine.yaml'), 'sessionsFolder: sessions\nsessions: { keepDays: 30 }\ntools: { code: true }\n')
})
after(() => rm(root, { recursive: true, force: true }))

const words = ['exec', '--many', '--json', '--approve', 'allow', '--config', '../mine.yaml', '--workspace', '.'] as const
/** Prints more than fits into one answer, so that the session keeps a file. */
const PRINT = `${JSON.stringify({ action: 'call_tool', tool_name: 'javascript', parameters: { code: "console.log('0123456789\\n'.repeat(2_000))" } })}\n`

async function age(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY)
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await utimes(join(entry.parentPath, entry.name), then, then)
  await utimes(path, then, then)
}

const ids = async (): Promise<readonly string[]> => (await readdir(sessions)).filter((name) => !name.startsWith('.')).toSorted()
/** A command that is over soon. */
const exec = () =>
  runMain(['exec', '--json', '--approve', 'allow', '--config', '../plain.yaml', '--workspace', '.'], {
    cwd: join(root, 'work'),
    stdin: JSON.stringify({ action: 'call_tool', tool_name: 'list_directory', parameters: { path: '.' } }),
  })
/** As if an hour had passed. */
const anew = () => rm(join(sessions, '.adjutant-swept'), { force: true })

async function makeOld(id: string, days: number): Promise<void> {
  const namespace = openNamespace({ root: sessions, sessionId: sessionId(id) })
  await namespace.writeFile('results/a.txt', new TextEncoder().encode('kept'))
  await age(await namespace.directory(), days)
}

/** A command that has a session in hand, in a process of its own, waiting for its next line. */
async function living(): Promise<{ readonly child: ChildProcess; readonly id: string }> {
  const before = new Set(await ids().catch(() => []))
  const child = spawn(COMMAND[0], [...COMMAND.slice(1), ...words], {
    cwd: join(root, 'work'),
    stdio: ['pipe', 'pipe', 'inherit'],
    env: process.env,
  })
  child.stdin.write(PRINT)
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"type":"results"')) break
  const id = (await ids()).find((one) => !before.has(one))
  if (id === undefined) {
    child.kill('SIGKILL')
    assert.fail('it keeps nothing')
  }
  return { child, id }
}

describe('sessions that are over', () => {
  it('are removed when they are old, beside the work of a command; one that lives in another process never', async () => {
    const { child, id } = await living()
    try {
      await age(join(sessions, id), 90)
      await makeOld('old', 31)
      await makeOld('young', 29)
      await anew()
      assert.equal((await exec()).code, 0)
      const left = await ids()
      assert.ok(left.includes(id) && left.includes('young'), left.join())
      // A command that is over at once may not have got round to it: the next one does.
      for (let round = 0; round < 20 && (await ids()).includes('old'); round += 1) await exec()
      assert.ok(!(await ids()).includes('old'))
      assert.equal(await readFile(join(sessions, 'young', 'results', 'a.txt'), 'utf8'), 'kept')
      assert.ok((await ids()).includes(id))
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    // Nobody has it any more: its lease says nothing now.
    await age(join(sessions, id), 90)
    await anew()
    const config = { sessions: { keepDays: 30 }, sessionsFolder: sessions }
    const swept = await startSweep(config, { clock: systemClock, random: () => 0.5 }).done
    assert.deepEqual(swept, { removed: [namespaceKey(LOCAL_PRINCIPAL, sessionId(id))], failed: [] })
    assert.deepEqual(
      (await readdir(sessions)).filter((name) => name.endsWith('.lock')),
      [],
    )
  })

  it('are left alone within an hour of a sweep, and where nothing is said', async () => {
    await rm(sessions, { recursive: true, force: true })
    await makeOld('old', 400)
    const clock = new ManualClock(Date.now())
    const host = { clock, random: () => 0 }
    assert.equal(await startSweep({ sessions: {}, sessionsFolder: sessions }, host).done, undefined)
    const config = { sessions: { keepDays: 1 }, sessionsFolder: sessions }
    assert.equal((await startSweep(config, host).done)?.removed.length, 1)
    await makeOld('next', 400)
    assert.equal(await startSweep(config, host).done, undefined)
    clock.advance(3_600_000)
    assert.equal((await startSweep(config, host).done)?.removed.length, 1)
    assert.equal(await startSweep({ ...config, sessionsFolder: join(root, 'none') }, host).done.then((swept) => swept?.removed.length), 0)
  })

  it('stays where a sweep is stopped, and is found by the next wherever that begins', async () => {
    await rm(sessions, { recursive: true, force: true })
    for (let number = 0; number < 10; number += 1) await makeOld(`old${number}`, 50)
    const config = { sessions: { keepDays: 1 }, sessionsFolder: sessions }
    const stopped = startSweep(config, { clock: systemClock, random: () => 0.99 })
    await stopped.stop()
    const left = (await ids()).length
    assert.ok(left >= 9, `${left}`)
    // Not to its end: it is tried again at once.
    assert.equal((await startSweep(config, { clock: systemClock, random: () => 0.4 }).done)?.removed.length, left)
    assert.deepEqual(await ids(), [])
  })

  it('have one owner at a time', async () => {
    const clock = new ManualClock(0)
    const lease = await leaseSession(sessions, 'session:local:local:s1', systemClock)
    assert.ok(lease !== undefined)
    let error: unknown
    void leaseSession(sessions, 'session:local:local:s1', clock).catch((thrown: unknown) => {
      error = thrown
    })
    while (error === undefined) {
      clock.advance(20)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(AdjutantError.isInstance(error) && error.code === 'CONFLICT' && /in use by this process/.test(error.message))
    await lease.release()
    const again = await leaseSession(sessions, 'session:local:local:s1', systemClock)
    await again?.release()
    await writeFile(join(root, 'file'), '')
    assert.equal(await leaseSession(join(root, 'file', 'below'), 'k', systemClock), undefined)
  })

  it('keep no more results than the configuration says, the newest', async () => {
    await writeFile(join(root, 'small.yaml'), 'sessionsFolder: few\nsessions: { maxFiles: 2 }\ntools: { code: true }\n')
    const small = ['exec', '--many', '--json', '--approve', 'allow', '--config', '../small.yaml', '--workspace', '.']
    const { code } = await runMain(small, { cwd: join(root, 'work'), stdin: PRINT.repeat(4) })
    assert.equal(code, 0)
    const [id = ''] = (await readdir(join(root, 'few'))).filter((name) => !name.startsWith('.'))
    const kept = (await readdir(join(root, 'few', id), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.name.endsWith('.txt'),
    )
    assert.equal(kept.length, 2, kept.map(({ name }) => name).join())
  })

  it('are counted by the doctor', async () => {
    await rm(sessions, { recursive: true, force: true })
    await makeOld('one', 3)
    await makeOld('two', 5)
    const { lines } = await runMain(['doctor', '--json', '--config', '../mine.yaml', '--workspace', '.'], { cwd: join(root, 'work') })
    const checks = lines[0]?.checks
    assert.ok(Array.isArray(checks))
    const kept: { readonly detail: string } | undefined = checks.find(({ name }) => name === 'kept')
    assert.match(
      kept?.detail ?? '',
      /^2 sessions in .*sessions: 0\.0 MB in 6 files, the first of \d{4}-\d\d-\d\d; removed 30 days after they changed last$/,
    )
    assert.ok((await stat(join(sessions, 'one'))).isDirectory())
  })
})
