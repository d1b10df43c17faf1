/** The walk: a run that waits for a person is killed; somebody else approves; a third process goes on, and what was approved runs once. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { postgresMissing, startPostgres, type TestPostgres } from '@adjutant/testkit'
import { recording } from '../../test/recording.ts'
import { COMMAND, type JsonLine, runMain, spawnCommand } from '../../test/run-command.ts'

let folder: string
let postgres: TestPostgres | undefined
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walk-'))
  if (postgresMissing() === undefined) postgres = await startPostgres()
})
after(async () => {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Place {
  readonly workspace: string
  readonly store: string
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function place(store: string, rounds: Parameters<typeof recording>[0]): Promise<Place> {
  const base = await mkdtemp(join(folder, 'place-'))
  const workspace = await mkdtemp(join(base, 'workspace-'))
  await writeFile(join(base, 'talk.jsonl'), recording(rounds))
  await writeFile(join(workspace, 'notes.txt'), 'milk\n')
  const model = ['--model', `replay:${join(base, 'talk.jsonl')}`]
  const shared = ['--workspace', workspace, '--store', store.replace('BASE', base)]
  return {
    workspace,
    store: store.replace('BASE', base),
    options: [...shared, ...model],
    env: { XDG_STATE_HOME: join(base, 'state'), ADJUTANT_REPLAY_PACE: '0' },
  }
}

const ROUNDS: Parameters<typeof recording>[0] = [
  { text: 'I look first.', calls: [['read_file', { path: 'notes.txt' }]] },
  {
    text: 'Now I write both.',
    calls: [
      ['write_file', { path: 'a.txt', content: 'first' }],
      ['write_file', { path: 'b.txt', content: 'second' }],
    ],
  },
  { text: 'Both are written.' },
]

/** Runs until the first question is announced, then kills it. */
async function runAndKill({ options, env, workspace }: Place): Promise<string> {
  const [program, ...args] = COMMAND
  const child = spawn(program, [...args, 'run', 'write two files', '--detach', '--json', '--approve', 'ask', ...options], {
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
  let session = ''
  for await (const text of createInterface(child.stdout)) {
    const line: JsonLine = JSON.parse(text)
    if (line.type === 'session') session = String(line.id)
    if (line.type === 'question') {
      child.kill('SIGKILL')
      break
    }
  }
  assert.equal(await ended, 'SIGKILL')
  return session
}

function theWalk(name: string, store: () => Promise<string>): void {
  it(`${name}: killed, approved from another process in the other order, carried on in a third`, async () => {
    const here = await place(await store(), ROUNDS)
    const session = await runAndKill(here)
    const desk = ['--workspace', here.workspace, '--store', here.store, '--json']

    const listed = await runMain(['approvals', 'list', ...desk], { env: here.env, cwd: here.workspace })
    assert.equal(listed.code, 0, listed.stderr)
    const { items } = JSON.parse(listed.stdout)
    assert.deepEqual(
      items.map((each: JsonLine) => [each.tool, each.state, each.shown]),
      [
        ['write_file', 'pending', { path: 'a.txt', content: 'first' }],
        ['write_file', 'pending', { path: 'b.txt', content: 'second' }],
      ],
    )
    await assert.rejects(readFile(join(here.workspace, 'a.txt')), { code: 'ENOENT' })

    const early = await spawnCommand(['sessions', 'resume', session, '--detach', '--json', ...here.options], {
      env: here.env,
      cwd: here.workspace,
    })
    assert.equal(early.code, 0, early.stderr)
    assert.equal(early.lines.at(-1)?.reason, 'paused')
    assert.deepEqual(early.lines.at(-1)?.waiting, [items[0].id])

    for (const { id } of [...items].reverse()) {
      const decided = await spawnCommand(['approvals', 'approve', id, '--by', 'eve', ...desk], { env: here.env, cwd: here.workspace })
      assert.equal(decided.code, 0, decided.stderr)
    }
    const again = await runMain(['approvals', 'deny', items[0].id, '--by', 'bob', ...desk], { env: here.env, cwd: here.workspace })
    assert.equal(again.code, 1)
    assert.equal(JSON.parse(again.stdout).conflict.decidedBy, 'eve')

    const resumed = await spawnCommand(['sessions', 'resume', session, '--json', ...here.options], { env: here.env, cwd: here.workspace })
    assert.equal(resumed.code, 0, `${resumed.stdout}\n${resumed.stderr}`)
    const answer = resumed.lines.at(-1)
    assert.equal(answer?.text, 'Both are written.')
    assert.equal(answer?.reason, 'answer')
    assert.equal(answer?.rounds, 3)
    assert.equal(await readFile(join(here.workspace, 'a.txt'), 'utf8'), 'first')
    assert.equal(await readFile(join(here.workspace, 'b.txt'), 'utf8'), 'second')

    const shown = await runMain(['sessions', 'replay', session, ...desk], { env: here.env, cwd: here.workspace })
    const steps = shown.lines.map(({ type }) => type)
    assert.equal(steps.filter((type) => type === 'call').length, 3)
    assert.equal(steps.filter((type) => type === 'started').length, 2)
    assert.equal(steps.at(-1), 'answer')
    const over = await runMain(['sessions', 'resume', session, ...here.options], { env: here.env, cwd: here.workspace })
    assert.equal(over.code, 1)
    assert.match(over.stderr, /no task to go on with/)
  })
}

describe('a run that outlives its processes', () => {
  theWalk('SQLite', async () => 'sqlite:BASE/store.db')
  const missing = postgresMissing()
  if (missing === undefined) theWalk('PostgreSQL', async () => (await postgres?.createDatabase('walk')) ?? assert.fail('no server'))
  else it('PostgreSQL', { skip: missing }, () => {})

  it('takes the next task on the same talk, and keeps a no', async () => {
    const here = await place('sqlite:BASE/store.db', [...ROUNDS.slice(1, 2), { text: 'I could not write a.txt.' }, { text: 'As I said.' }])
    const run = await runMain(['run', 'write', '--detach', '--json', ...here.options], { env: here.env, cwd: here.workspace })
    assert.equal(run.lines.at(-1)?.reason, 'paused')
    const session = String(run.lines.find(({ type }) => type === 'session')?.id)
    const desk = ['--workspace', here.workspace, '--store', here.store]
    const { items } = JSON.parse((await runMain(['approvals', 'list', '--json', ...desk], { env: here.env, cwd: here.workspace })).stdout)
    await runMain(['approvals', 'deny', items[0].id, '--reason', 'not a.txt', ...desk], { env: here.env, cwd: here.workspace })
    const edited = JSON.stringify({ path: 'c.txt', content: 'edited' })
    await runMain(['approvals', 'approve', items[1].id, '--edit', edited, ...desk], { env: here.env, cwd: here.workspace })
    const resumed = await runMain(['sessions', 'resume', session, '--json', ...here.options], { env: here.env, cwd: here.workspace })
    const { results } = resumed.lines.find(({ type }) => type === 'results') ?? {}
    assert.match(JSON.stringify(results), /not a\.txt/)
    assert.equal(await readFile(join(here.workspace, 'c.txt'), 'utf8'), 'edited')
    const next = await runMain(['sessions', 'resume', session, 'say it again', '--json', ...here.options], {
      env: here.env,
      cwd: here.workspace,
    })
    assert.equal(next.lines.at(-1)?.text, 'As I said.')
    const listed = await runMain(['sessions', 'list', ...desk], { env: here.env, cwd: here.workspace })
    assert.match(listed.stdout, new RegExp(`${session}\\s+idle`))
    assert.equal((await runMain(['sessions', 'erase', session, ...desk], { env: here.env, cwd: here.workspace })).code, 2)
    assert.equal((await runMain(['sessions', 'erase', session, '--yes', ...desk], { env: here.env, cwd: here.workspace })).code, 0)
    assert.equal((await runMain(['sessions', 'show', session, ...desk], { env: here.env, cwd: here.workspace })).code, 1)
  })

  it('has its audit records in the store where the configuration says so: whole, shown, and of an erased session only their places', async () => {
    const here = await place('sqlite:BASE/store.db', ROUNDS)
    const config = join(here.workspace, '..', 'mine.yaml')
    await writeFile(config, 'audit: { store: true }\n')
    const options = ['--config', config, ...here.options]
    const env = { ...here.env, ADJUTANT_AUDIT_KEY: 'a key that is long enough to seal records' }
    const run = await runMain(['run', 'write', '--detach', '--json', ...options], { env, cwd: here.workspace })
    assert.equal(run.code, 0, run.stderr)
    const session = String(run.lines.find(({ type }) => type === 'session')?.id)
    const desk = ['--config', config, '--workspace', here.workspace, '--store', here.store]
    const { items } = JSON.parse((await runMain(['approvals', 'list', '--json', ...desk], { env, cwd: here.workspace })).stdout)
    await runMain(['approvals', 'approve', items[0].id, '--by', 'eve', ...desk], { env, cwd: here.workspace })

    const verified = await runMain(['audit', 'verify', '--json', ...desk], { env, cwd: here.workspace })
    const report = JSON.parse(verified.stdout)
    assert.equal(verified.code, 0, verified.stdout)
    assert.deepEqual(
      report.logs.map((log: JsonLine) => [log.sessionId, log.ok, log.keyed]),
      [
        ['approval-desk', true, true],
        [session, true, true],
      ],
    )
    const shown = await runMain(['audit', 'show', session, '--calls', ...desk], { env, cwd: here.workspace })
    assert.match(shown.stdout, /read_file/)
    const decision = await runMain(['audit', 'show', 'approval-desk', '--json', ...desk], { env, cwd: here.workspace })
    assert.match(decision.stdout, /eve/)

    await runMain(['sessions', 'erase', session, '--yes', ...desk], { env, cwd: here.workspace })
    const after = await runMain(['audit', 'verify', session, ...desk], { env, cwd: here.workspace })
    assert.equal(after.code, 0, after.stdout)
    assert.match(after.stdout, /erased on request/)
    assert.doesNotMatch((await runMain(['audit', 'show', session, ...desk], { env, cwd: here.workspace })).stdout, /read_file/)
  })
})
