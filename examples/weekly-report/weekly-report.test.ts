import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { parseRecording, startReplay } from '@adjutant/core'
import { type CallStep, readCalls } from './call-table.ts'
import { callIdOf } from './chat-stream.ts'
import { conversation } from './make-conversation.ts'
import { FOLDERS } from './prepare.ts'

const HERE = import.meta.dirname

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `npm start` as a script sees it: nobody at a terminal. */
function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const conditions = process.execArgv.filter((word) => word.startsWith('--conditions'))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...conditions, join(HERE, 'start.js'), ...args], {
      cwd: join(HERE, '..', '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ADJUTANT_REPLAY_PACE: '0', ...env },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Read without the example's own code: a fault there must not be in the truth too. */
async function seattle(from: string, to: string): Promise<readonly (readonly string[])[]> {
  const file = new URL('../data/weather.csv', import.meta.resolve('vega-datasets'))
  const rows = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  return rows.filter(([place, date = '']) => place === 'Seattle' && date >= from && date <= to)
}

describe('the weekly report', () => {
  let run: Run
  let calls: readonly CallStep[] = []
  let report = ''
  before(async () => {
    // Twice: a run must not trip over what the one before it left.
    await start()
    run = await start()
    calls = await readCalls(FOLDERS.sessions)
    report = existsSync(FOLDERS.report) ? await readFile(FOLDERS.report, 'utf8') : ''
  })

  it('ends well, and says that recorded answers were taken', () => {
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stderr, /nobody is at a terminal: questions are answered as the recording was/)
    assert.match(run.stdout, /report\.md is written\. Keep the centres open until 22:00/)
  })

  it('sums up each call and names the report', () => {
    const lines = run.stdout.split('\n')
    const head = lines.findIndex((line) => /^call +outcome +began +ms$/.test(line))
    const names = lines.slice(head + 1, head + 1 + calls.length).map((line) => line.split(' ')[0])
    assert.deepEqual(
      names,
      calls.map((step) => step.call.name),
    )
    assert.match(run.stdout, /write_file +not-run \(DENIED_BY_PERSON\) +– +–/)
    assert.match(run.stdout, /The report: examples\/weekly-report\/out\/report\.md/)
  })

  it('wrote a report that is true to the data', async () => {
    const [now, past] = await Promise.all([seattle('2015-06-29', '2015-07-05'), seattle('2015-06-22', '2015-06-28')])
    assert.equal(now.length + past.length, 14)
    const column = (rows: readonly (readonly string[])[], at: number): readonly number[] => rows.map((row) => Number(row[at]))
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
    const figures = (rows: readonly (readonly string[])[]): readonly string[] => [
      String(column(rows, 3).filter((value) => value >= 30).length),
      Math.max(...column(rows, 3)).toFixed(1),
      mean(column(rows, 3)).toFixed(1),
      mean(column(rows, 4)).toFixed(1),
      column(rows, 2)
        .reduce((sum, value) => sum + value, 0)
        .toFixed(1),
    ]
    const rows = report.split('\n').flatMap((line) => (/^\| (?!Figure|---)/.test(line) ? [line.split('|').map((cell) => cell.trim())] : []))
    assert.deepEqual(
      rows.map((cells) => cells[2]),
      figures(now),
    )
    assert.deepEqual(
      rows.map((cells) => cells[3]),
      figures(past),
    )
    for (const [, title, shown = '', earlier = '', change = ''] of rows) {
      assert.equal(Number(change.replace('−', '-')), Number((Number(shown) - Number(earlier)).toFixed(1)), title)
    }
    const hottest = now.find((row) => Number(row[3]) === Math.max(...column(now, 3)))
    assert.equal(hottest?.[1], '2015-07-02')
    assert.match(report, /2 July: the highest maximum, 33\.9 °C/)
    assert.deepEqual(
      now.filter((row) => Number(row[3]) >= 30).map((row) => row[1]),
      ['2015-06-30', '2015-07-01', '2015-07-02', '2015-07-03', '2015-07-04', '2015-07-05'],
    )
    assert.match(report, /30 June to 5 July: 6 hot days in a row/)
    assert.ok(column(now, 2).every((value) => value === 0))
    assert.match(report, /No day of this week had rain/)
  })

  it('asked the database for the same figures', () => {
    const text = calls[5]?.result.text ?? ''
    assert.match(text, /\[0,7,3,33\.3,28\.7,15\.6,0\.3\]/)
    assert.match(text, /\[1,7,6,33\.9,32\.1,16\.7,0(?:\.0)?\]/)
  })

  it('kept every result under its call, in the order of the calls', () => {
    const ids = [2, 2, 1, 1, 1, 1].flatMap((count, round) => Array.from({ length: count }, (_, index) => callIdOf(round + 1, index)))
    assert.deepEqual(
      calls.map((step) => [step.call.id, step.result.id]),
      ids.map((id) => [id, id]),
    )
    assert.deepEqual(
      calls.map((step) => [step.call.name, step.result.outcome, step.result.code]),
      [
        ['sql_query', 'ok', undefined],
        ['sql_query', 'ok', undefined],
        ['report-style', 'ok', undefined],
        ['mcp__memory__open_nodes', 'ok', undefined],
        ['sql_query', 'not-run', 'INVALID_ARGUMENTS'],
        ['sql_query', 'ok', undefined],
        ['write_file', 'not-run', 'DENIED_BY_PERSON'],
        ['write_file', 'ok', undefined],
      ],
    )
  })

  it('ran the reads of one decision side by side, and the writes alone', () => {
    const times = calls.map(({ result }) => ({ from: result.startedAt ?? Number.NaN, to: result.endedAt ?? Number.NaN }))
    const overlap = (a: number, b: number): boolean => {
      const [one, other] = [times[a], times[b]]
      assert.ok(one !== undefined && other !== undefined)
      return one.from < other.to && other.from < one.to
    }
    assert.ok(overlap(0, 1), 'both weeks were read at the same time')
    assert.ok(overlap(2, 3), 'skill and memory were read at the same time')
    for (const at of [0, 1, 2, 3, 5]) assert.ok(!overlap(at, 7), 'nothing ran beside the write')
  })

  it('told the model what was wrong with its argument', () => {
    const result = calls[4]?.result
    assert.match(result?.text ?? '', /limit/)
    assert.match(result?.text ?? '', /integer/)
  })

  it('did not write what the person denied, and told the model why', () => {
    assert.equal(existsSync(join(FOLDERS.out, 'summary.csv')), false)
    assert.match(calls[6]?.result.text ?? '', /nobody reads attachments/)
  })

  it('got the skill and the memory from where they are', () => {
    assert.match(calls[2]?.result.text ?? '', /Weekly report: house style/)
    assert.match(calls[3]?.result.text ?? '', /stay open until 22:00/)
  })
})

describe('the weekly report with another model', () => {
  it('runs against a provider with the key of the environment', async () => {
    await using provider = await startReplay(join(HERE, 'conversation.jsonl'), { pace: 'off' })
    const env = { OPENAI_API_KEY: 'sk-of-a-person', OPENAI_BASE_URL: provider.baseUrl }
    const run = await start(['--model', 'openai:weekly-report-recording', '--approve', 'allow'], env)
    assert.equal(run.code, 0, run.stderr)
    assert.equal(provider.remaining, 0)
    assert.match(run.stderr, /A live model decides/)
    assert.doesNotMatch(run.stdout + run.stderr, /sk-of-a-person|recording was/)
    // Nobody said no this time: what was allowed was written.
    assert.ok(existsSync(FOLDERS.report) && existsSync(join(FOLDERS.out, 'summary.csv')))
  })

  it('says what is missing without a key, and that nothing was written', async () => {
    const run = await start(['--model', 'anthropic:claude'], { ANTHROPIC_API_KEY: '' })
    assert.notEqual(run.code, 0)
    assert.match(run.stderr, /ANTHROPIC_API_KEY is not set/)
    assert.match(run.stdout, /There is no .*report\.md: nothing was written/)
    assert.equal(existsSync(FOLDERS.report), false)
  })
})

describe('the recorded conversation', () => {
  it('is the one that make-conversation.ts writes from the data', async () => {
    const file = join(HERE, 'conversation.jsonl')
    const kept = await readFile(file, 'utf8')
    assert.equal(kept, await conversation(), 'run: node examples/weekly-report/make-conversation.ts')
    assert.equal(parseRecording(kept, file).replies.length, 7)
  })
})
