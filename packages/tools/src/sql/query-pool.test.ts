import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ManualClock, testContext } from '@adjutant/testkit'
import { isRunning, untilGone } from '../../test/running.ts'
import { programUrl } from '../program-url.ts'
import { createSqlTool, type SqlTool } from './create-sql-tool.ts'

const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'

let folder: string
let file: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-pool-'))
  file = join(folder, 'a.db')
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE t (a)')
  database.close()
})
after(() => rm(folder, { recursive: true, force: true }))

function open(clock: ManualClock, pool = 1): SqlTool {
  return createSqlTool({ databases: { main: file }, pool, clock })
}

async function query(sql: SqlTool, text: string, signal?: AbortSignal): Promise<string> {
  await using cx = await testContext(signal === undefined ? {} : { signal })
  return String(await sql.tool.execute({ sql: text }, cx))
}

/** Lets the host work until the query has its process and its time limit is set. */
async function untilRunning(clock: ManualClock): Promise<void> {
  while (clock.pending === 0) await clock.advance(0)
}

describe('the pool of query processes', { timeout: 60_000 }, () => {
  it('is open at the start and gone at the end', async (test) => {
    const sql = open(new ManualClock(), 3)
    const { pids } = sql
    assert.equal(pids.length, 3)
    await sql.close()
    await sql.close()
    for (const pid of pids) await untilGone(pid, test.signal)
    await assert.rejects(query(sql, 'SELECT 1'), { code: 'CANCELLED' })
  })

  it('really ends a query that takes too long, and goes on', async (test) => {
    const clock = new ManualClock()
    await using sql = open(clock)
    await query(sql, 'SELECT 1')
    const [pid] = sql.pids
    assert.ok(pid !== undefined)
    const refused = assert.rejects(query(sql, ENDLESS), { code: 'TIMEOUT', message: /10 s/ })
    await untilRunning(clock)
    assert.ok(await isRunning(pid))
    await clock.advance(10_000)
    await refused
    await untilGone(pid, test.signal)
    assert.match(await query(sql, 'SELECT 1'), /\[1 row\]/)
    assert.equal(clock.pending, 0)
  })

  it('really ends a query whose call is stopped', async (test) => {
    const clock = new ManualClock()
    await using sql = open(clock)
    const [pid] = sql.pids
    assert.ok(pid !== undefined)
    const stop = new AbortController()
    const refused = assert.rejects(query(sql, ENDLESS, stop.signal), { code: 'CANCELLED' })
    await untilRunning(clock)
    stop.abort()
    await refused
    await untilGone(pid, test.signal)
    assert.match(await query(sql, 'SELECT 1'), /\[1 row\]/)
  })

  it('lets a stopped query leave the queue, and serves the rest in order', async () => {
    const clock = new ManualClock()
    await using sql = open(clock)
    const stopFirst = new AbortController()
    const stopSecond = new AbortController()
    const first = assert.rejects(query(sql, ENDLESS, stopFirst.signal), { code: 'CANCELLED' })
    await untilRunning(clock)
    const second = assert.rejects(query(sql, 'SELECT 2', stopSecond.signal), { code: 'CANCELLED' })
    const order: number[] = []
    const rest = [3, 4, 5].map((number) => query(sql, `SELECT ${number}`).then(() => order.push(number)))
    await clock.advance(0)
    stopSecond.abort()
    await second
    stopFirst.abort()
    await Promise.all([first, ...rest])
    assert.deepEqual(order.toSorted(), [3, 4, 5])
    await assert.rejects(query(sql, 'SELECT 1', AbortSignal.abort()), { code: 'CANCELLED' })
  })

  it('says so when a process dies in the middle, and goes on', async () => {
    const clock = new ManualClock()
    await using sql = open(clock)
    const [pid] = sql.pids
    assert.ok(pid !== undefined)
    const refused = assert.rejects(query(sql, ENDLESS), { code: 'TOOL_FAILED', message: /died/ })
    await untilRunning(clock)
    process.kill(pid, 'SIGKILL')
    await refused
    assert.match(await query(sql, 'SELECT 1'), /\[1 row\]/)
  })

  it('replaces a process that died while nobody used it', async (test) => {
    await using sql = open(new ManualClock())
    const [pid] = sql.pids
    assert.ok(pid !== undefined)
    process.kill(pid, 'SIGKILL')
    await untilGone(pid, test.signal)
    while (sql.pids.includes(pid)) await new Promise((resolve) => setImmediate(resolve))
    assert.match(await query(sql, 'SELECT 1'), /\[1 row\]/)
  })

  it('fails what runs and what waits when it is closed', async () => {
    const clock = new ManualClock()
    const sql = open(clock)
    const ends = ['a', 'b'].map(() => assert.rejects(query(sql, ENDLESS), { code: 'CANCELLED' }))
    await untilRunning(clock)
    await sql.close()
    await Promise.all(ends)
    assert.deepEqual(sql.pids, [])
  })

  for (const how of ['SIGKILL', 'SIGTERM'] as const) {
    it(`leaves no process behind when the host goes by ${how} in the middle of a query`, async (test) => {
      const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
      const host = spawn(process.execPath, [...conditions, fileURLToPath(programUrl(import.meta.url, '../../test/sql-host')), file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = await once(createInterface(host.stdout), 'line')
      const pids: unknown = JSON.parse(String(line))
      assert.ok(Array.isArray(pids) && pids.length === 2)
      host.kill(how)
      await once(host, 'exit')
      for (const pid of pids) await untilGone(Number(pid), test.signal)
    })
  }

  it('does not keep its host alive', async () => {
    const module = programUrl(import.meta.url, 'create-sql-tool')
    const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
    const program = `const { createSqlTool } = await import(process.argv[1]); const sql = createSqlTool({ databases: { main: process.argv[2] } }); process.stdout.write(String(sql.pids.length))`
    const host = spawn(process.execPath, [...conditions, '--input-type=module', '-e', program, module.href, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await once(host.stdout, 'data')
    assert.equal(String(said), '2')
    const [code] = await once(host, 'exit')
    assert.equal(code, 0)
  })
})
