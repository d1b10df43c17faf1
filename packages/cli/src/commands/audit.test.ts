import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { auditObserver, callId, FileAuditSink, LOCAL_PRINCIPAL, type SessionEvent, sessionId, traceId } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { Command } from 'commander'
import type { ExitCode } from '../cli-io.ts'
import { auditFolderBeside } from '../config/audit-folder.ts'
import { describeError } from '../report-error.ts'
import { addAuditCommand } from './audit.ts'

let folder = ''
const START = Date.parse('2023-11-30T08:00:00Z')

function events(task: string): readonly SessionEvent[] {
  const call = {
    id: callId('c1'),
    index: 0,
    name: 'read_file',
    arguments: { ok: true, value: { path: 'a.txt' } },
    idFromProvider: true,
  } as const
  const tool = {
    name: 'read_file',
    description: '',
    inputSchema: true,
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => '',
  } as const
  return [
    { type: 'task', text: task, at: 0 },
    {
      type: 'judged',
      call: { call, tool, input: { path: 'a.txt' }, conversions: [], effect: 'read' },
      decision: { effect: 'allow', rule: 'mode/ask', tier: 'mode', reason: 'reads run' },
      at: 1,
    },
    {
      type: 'results',
      results: [
        {
          id: call.id,
          name: call.name,
          outcome: 'ok',
          isError: false,
          text: 'hello',
          parts: [],
          startedAt: 1,
          endedAt: 1_501,
          attempts: 1,
        },
      ],
      at: 1_502,
    },
    { type: 'ended', reason: 'answer', text: 'Done', at: 3_600_000 },
  ]
}

async function log(name: string, task: string, options: { readonly key?: string; readonly close?: boolean } = {}): Promise<void> {
  const sink = new FileAuditSink(folder)
  const observer = auditObserver({ sink, clock: new ManualClock(START), ...(options.key === undefined ? {} : { key: options.key }) })
  const follower = observer.follow({
    sessionId: sessionId(name),
    traceId: traceId('a'.repeat(32)),
    principal: LOCAL_PRINCIPAL,
    startedAt: START,
  })
  for (const event of events(task)) follower.event(event)
  await follower.flush?.()
  if (options.close === false) await sink.close(sessionId(name))
  else await follower.close?.()
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-audit-'))
  await log('old', 'Tidy up')
  await utimes(join(folder, 'old.jsonl'), 1, 1)
  await log('new', 'wipe \u001b[2J the screen\nand more')
})
after(() => rm(folder, { recursive: true, force: true }))

async function audit(...args: readonly string[]): Promise<{ readonly code: ExitCode; readonly out: string; readonly err: string }> {
  return auditWith({}, ...args)
}

async function auditWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly code: ExitCode; readonly out: string; readonly err: string }> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const said = { out: '', err: '' }
  streams.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString()
  })
  streams.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString()
  })
  let code: ExitCode = 0
  const exit = (wanted: ExitCode): void => {
    code = wanted
  }
  const program = new Command('adjutant').exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} })
  const io = { ...streams, env, cwd: folder, signal: new AbortController().signal, exit }
  addAuditCommand(program, io)
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} })
  try {
    await program.parseAsync(['audit', ...args], { from: 'user' })
  } catch (error) {
    const report = describeError(error, 'adjutant audit')
    said.err += report.text
    code = report.exitCode
  }
  await new Promise((resolve) => setImmediate(resolve))
  return { code, ...said }
}

describe('audit verify', () => {
  it('says of each log that it is whole, and where its chain ends', async () => {
    const { code, out, err } = await audit('verify', '--folder', '.')
    assert.deepEqual([code, err], [0, ''])
    assert.match(
      out,
      /^whole {3}.*new\.jsonl\n {8}5 records, 2023-11-30 08:00:00 to 2023-11-30 09:00:00, closed|^whole {3}.*new\.jsonl\n {8}5 records/,
    )
    assert.equal(out.match(/head sha256:[0-9a-f]{64}/g)?.length, 2)
    const json = await audit('verify', 'old', '--folder', '.', '--json')
    const document = JSON.parse(json.out)
    assert.deepEqual([document.ok, document.logs.length, document.logs[0].records, document.logs[0].closed], [true, 1, 5, true])
  })

  it('names the file, the record and what is wrong, and fails', async () => {
    const text = await readFile(join(folder, 'old.jsonl'), 'utf8')
    await mkdir(join(folder, 'broken'), { recursive: true })
    await writeFile(join(folder, 'broken', 'old.jsonl'), text.replace('a.txt', 'b.txt'))
    const changed = await audit('verify', '--folder', 'broken')
    assert.equal(changed.code, 1)
    assert.match(changed.out, /^BROKEN {2}.*broken\/old\.jsonl\n {8}line 3: record 3 was changed: its hash does not fit\n/)
    await writeFile(join(folder, 'broken', 'old.jsonl'), text.split('\n').toSpliced(1, 2).join('\n'))
    const removed = await audit('verify', './broken/old.jsonl')
    assert.equal(removed.code, 1)
    assert.match(removed.out, /line 2: 2 records are missing before record 2 \(seq 4\)/)
    // A log in another one's place.
    await writeFile(join(folder, 'broken', 'old.jsonl'), await readFile(join(folder, 'new.jsonl')))
    assert.match((await audit('verify', 'old', '--folder', 'broken')).out, /record 1 is of session new, not of old/)
    await rm(join(folder, 'broken'), { recursive: true })
  })

  it('finds a cut off end by a hash that was noted, or when told to be strict', async () => {
    const head = /head (\S+)/.exec((await audit('verify', 'old', '--folder', '.')).out)?.[1] ?? ''
    assert.equal((await audit('verify', 'old', '--folder', '.', '--head', head, '--strict')).code, 0)
    const text = await readFile(join(folder, 'old.jsonl'), 'utf8')
    const cut = join(folder, 'cut.log.jsonl.txt')
    await writeFile(cut, text.split('\n').slice(0, 3).join('\n').concat('\n'))
    const plain = await audit('verify', cut)
    assert.equal(plain.code, 0)
    assert.match(plain.out, /3 records, .*, not closed: the session runs, was killed, or the end was cut off/)
    assert.equal((await audit('verify', cut, '--strict')).code, 1)
    const anchored = await audit('verify', cut, '--head', head)
    assert.equal(anchored.code, 1)
    assert.match(anchored.out, /log: the chain does not hold sha256:.*: its end was cut off/)
  })

  it('checks sealed logs with the key of the environment, and does not call them whole without', async () => {
    const key = 'a key of enough bytes'
    const before = folder
    folder = join(before, 'keyed')
    await log('sealed', 'x', { key, close: false })
    const without = await audit('verify', '--folder', '.')
    assert.equal(without.code, 1)
    assert.match(without.out, /4 records are sealed with a key and could not be checked without it/)
    const withKey = await auditWith({ ADJUTANT_AUDIT_KEY: key }, 'verify', '--folder', '.')
    assert.equal(withKey.code, 0)
    assert.match(withKey.out, /sealed with the key/)
    folder = before
  })

  it('says what was called wrongly', async () => {
    const wrong = await audit('verify', '--head', 'abc')
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /64 hex digits/)
    const several = await audit('verify', '--folder', '.', '--head', `sha256:${'a'.repeat(64)}`)
    assert.equal(several.code, 2)
    const missing = await audit('verify', 'ne', '--folder', '.')
    assert.equal(missing.code, 1)
    assert.match(missing.err, /there is no audit log of a session "ne"\n {2}Did you mean new\?/)
    const nothing = await audit('verify', '--folder', 'nowhere')
    assert.deepEqual([nothing.code, nothing.out], [0, ''])
    assert.match(nothing.err, /There are no audit logs in .*nowhere/)
    assert.equal((await audit('verify', './nowhere.jsonl')).code, 1)
  })
})

describe('audit show', () => {
  it('shows the log written last, control characters shown and not obeyed', async () => {
    const { code, out, err } = await audit('show', '--folder', '.')
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(out.split('\n').slice(0, 4), [
      `session new  user local  tenant local  trace ${'a'.repeat(32)}`,
      '2023-11-30 08:00:00.000  opened',
      '2023-11-30 08:00:00.000  task    wipe \\x1b[2J the screen and more',
      '2023-11-30 08:00:00.001  call    read_file {"path":"a.txt"} · read · allow by mode/ask · ok in 1.5 s · hello',
    ])
  })

  it('shows one row for each call', async () => {
    const { out } = await audit('show', 'old', '--folder', '.', '--calls')
    const [head, row, end] = out.split('\n')
    assert.match(head ?? '', /^time \(UTC\) +user +tool/)
    assert.match(row ?? '', /^2023-11-30 08:00:00 +local +read_file +read +allow by mode\/ask +- +ok +1\.5 s +\{"path":"a\.txt"\}$/)
    assert.equal(end, '')
    const json = JSON.parse((await audit('show', 'old', '--folder', '.', '--calls', '--json')).out)
    assert.deepEqual(json, {
      at: '2023-11-30T08:00:00.001Z',
      callId: 'c1',
      user: 'local',
      tool: 'read_file',
      effect: 'read',
      arguments: '{"path":"a.txt"}',
      decision: 'allow by mode/ask',
      approval: '',
      outcome: 'ok',
      durationMs: 1500,
    })
  })

  it('shows what is younger than a time, and records as they are', async () => {
    const { out } = await audit('show', 'old', '--folder', '.', '--since', '2023-11-30T08:30', '--json')
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
      ['ended'],
    )
    assert.equal((await audit('show', 'old', '--folder', '.', '--since', '1s')).out, '')
    assert.equal((await audit('show', '--folder', '.', '--since', 'yesterday')).code, 2)
  })

  it('shows a broken log as far as it can be read, and says that it is broken', async () => {
    await writeFile(join(folder, 'odd.jsonl'), `no record\n${(await readFile(join(folder, 'old.jsonl'), 'utf8')).slice(0, -20)}`)
    const { code, out, err } = await audit('show', './odd.jsonl')
    assert.equal(code, 0)
    assert.match(out, /task {4}Tidy up/)
    assert.match(err, /this log is broken: see adjutant audit verify .*odd\.jsonl/)
    await rm(join(folder, 'odd.jsonl'))
    assert.equal((await audit('show', '--folder', 'nowhere')).code, 1)
  })
})

describe('the folder of audit logs', () => {
  it('lies beside the folder of sessions', () => {
    assert.equal(auditFolderBeside('/state/adjutant/sessions'), '/state/adjutant/audit')
  })

  it('is the one of the configuration', async () => {
    await writeFile(join(folder, 'adjutant.yaml'), 'audit: ./kept\n')
    try {
      const { err } = await audit('verify')
      assert.match(err, /no audit logs in .*kept/)
    } finally {
      await rm(join(folder, 'adjutant.yaml'))
    }
  })
})
