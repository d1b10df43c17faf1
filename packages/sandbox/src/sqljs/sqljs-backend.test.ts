import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxLimits, type SandboxReport, type SandboxRun } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { sqlJsBackend } from './sqljs-backend.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)
const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)'

describe('SQL in a box', () => {
  const backend = sqlJsBackend({ clock: systemClock, pool: 1 })
  after(() => backend[Symbol.asyncDispose]())

  async function run(
    code: string,
    options: Partial<SandboxRun> = {},
    limits: Partial<SandboxLimits> = {},
  ): Promise<SandboxReport & { out: string; err: string }> {
    await using box = await backend.open({ limits: { wallMs: 30_000, memoryMB: 96, ...limits } })
    const report = await box.run({ lang: 'sql', code, ...options })
    return { ...report, out: text(report.stdout), err: text(report.stderr) }
  }

  it('is there', async () => {
    const probe = await backend.probe()
    assert.equal(probe.ok, true, probe.detail)
  })

  it('gives rows as lines of JSON, of several statements one after the other', async () => {
    const { out, err, exitCode } = await run(`
      CREATE TABLE t(a, b); -- nothing to show
      INSERT INTO t VALUES (1, 'é'), (2, NULL);
      SELECT * FROM t;
      SELECT count(*) AS n, 1 AS n, 9007199254740993 AS big, x'00ff' AS raw, 1e999 AS much, char(0) || 'a"b' AS odd FROM t;
    `)
    assert.deepEqual(out.trimEnd().split('\n'), [
      '{"a":1,"b":"é"}',
      '{"a":2,"b":null}',
      '{"n":2,"n_2":1,"big":"9007199254740993","raw":{"base64":"AP8="},"much":"Infinity","odd":"\\u0000a\\"b"}',
    ])
    assert.equal(err, '2 rows changed by statement 2\n')
    assert.equal(exitCode, 0)
  })

  it('gives a table where that is asked for', async () => {
    const { out } = await run("SELECT 1 AS one, 'a|b' AS two UNION ALL SELECT NULL, 'c'", { env: { SQL_FORMAT: 'table' } })
    assert.equal(out, '| one  | two |\n|------|-----|\n| 1    | a¦b |\n| NULL | c   |\n')
  })

  it('says where an error is, and stops there', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['SELECT 1;\n\n  SELCT 2; SELECT 3', /^Error: near "SELCT": syntax error \(statement 2, line 3, column 3\)\n$/],
      ['SELECT a,\n  b FROM FROM t', /syntax error \(statement 1, line 1, column 1\)|line 2/],
      ['SELECT * FROM nowhere', /^Error: no such table: nowhere \(statement 1, line 1, column 1\)\n$/],
      ["SELECT 'open", /unrecognized token/],
      ['SELECT', /incomplete input/],
      ['SELECT 1 \0', /NUL/],
      ['CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (1)', /UNIQUE constraint failed: t\.a \(statement 2, line 1, column 27\)/],
    ]
    for (const [code, said] of cases) {
      const { err, exitCode } = await run(code)
      assert.match(err, said, code)
      assert.equal(exitCode, 1)
    }
  })

  it('has a table for each CSV file and for stdin, when the code names it', async () => {
    await using box = await backend.open({})
    await box.writeFile('data/sales.csv', bytes('city,amount,code\nUlm,3,007\n"Bad ""X"", y",4.5,\n'))
    await box.writeFile('unused.csv', bytes('a\n1'))
    const report = await box.run({
      lang: 'sql',
      stdin: 'k;v\na;1\n',
      code: 'SELECT * FROM sales; SELECT v FROM stdin; SELECT name FROM sqlite_master ORDER BY 1',
    })
    assert.equal(text(report.stderr), '')
    assert.deepEqual(text(report.stdout).trimEnd().split('\n'), [
      '{"city":"Ulm","amount":3,"code":"007"}',
      '{"city":"Bad \\"X\\", y","amount":4.5,"code":null}',
      '{"v":1}',
      '{"name":"sales"}',
      '{"name":"stdin"}',
    ])
  })

  it('keeps a database for a session, takes none from another run', async () => {
    await using box = await backend.open({})
    const session = async (code: string): Promise<string> => text((await box.run({ lang: 'sql', code, session: true })).stdout)
    await session('CREATE TABLE t(a); INSERT INTO t VALUES (1)')
    assert.equal(await session('SELECT a FROM t'), '{"a":1}\n')
    assert.match(text((await box.run({ lang: 'sql', code: 'SELECT a FROM t' })).stderr), /no such table/)
  })

  it('opens database files by their names, and leaves them as they were', async () => {
    const { DatabaseSync } = await import('node:sqlite')
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-sql-'))
    try {
      for (const name of ['main', 'other']) {
        const database = new DatabaseSync(join(folder, `${name}.sqlite`))
        database.exec(`CREATE TABLE t(a); INSERT INTO t VALUES ('${name}')`)
        database.close()
      }
      const image = readFileSync(join(folder, 'main.sqlite'))
      await using box = await backend.open({})
      await box.writeFile('main.sqlite', image)
      await box.writeFile('other.sqlite', readFileSync(join(folder, 'other.sqlite')))
      const report = await box.run({
        lang: 'sql',
        code: 'SELECT a FROM t UNION ALL SELECT a FROM other.t; DELETE FROM t; DELETE FROM other.t',
      })
      assert.equal(text(report.stdout), '{"a":"main"}\n{"a":"other"}\n')
      assert.ok(Buffer.from(await box.readFile('main.sqlite')).equals(image))
      assert.equal((await run('SELECT a FROM t', { stdin: image })).out, '{"a":"main"}\n')
      const broken = await run('SELECT a FROM t', { stdin: Uint8Array.from(image).fill(7, 100) })
      assert.equal(broken.exitCode, 1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('reaches no file of the host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-sql-'))
    try {
      const secret = join(folder, 'secret.txt')
      writeFileSync(secret, 'canary')
      const database = join(folder, 'new.sqlite')
      for (const code of [
        `ATTACH '${secret}' AS s; SELECT * FROM s.sqlite_master`,
        `ATTACH '${database}' AS n; CREATE TABLE n.t(a)`,
        `ATTACH 'file:${secret}?mode=ro' AS s`,
        `/* */ ; EXPLAIN ATTACH '${secret}' AS s`,
        `VACUUM INTO '${database}'`,
        `SELECT load_extension('${secret}')`,
        `SELECT readfile('${secret}')`,
        `SELECT writefile('${database}', 'x')`,
        `SELECT edit('${secret}')`,
        `PRAGMA temp_store_directory = '${folder}'`,
        `PRAGMA data_store_directory = '${folder}'`,
        `PRAGMA journal_mode = WAL`,
        `PRAGMA max_page_count = 4294967294`,
        `PRAGMA trusted_schema = 1`,
        `PRAGMA writable_schema = 1`,
        `CREATE VIRTUAL TABLE v USING csv(filename='${secret}')`,
        `CREATE VIRTUAL TABLE v USING fsdir('${folder}')`,
        `SELECT * FROM fsdir('${folder}')`,
        `SELECT fts3_tokenizer('simple', x'4141414141414141')`,
        '.read /etc/passwd',
        '.shell id',
      ]) {
        const { out, err, exitCode } = await run(code)
        assert.equal(exitCode, 1, code)
        assert.notEqual(err, '', code)
        assert.doesNotMatch(out + err, /canary|root:/, code)
      }
      assert.deepEqual(readdirSync(folder), ['secret.txt'])
      assert.equal(readFileSync(secret, 'utf8'), 'canary')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('ends queries that do not end, by CPU and by the clock', async () => {
    const byCpu = await run(`${ENDLESS} SELECT count(*) FROM c`, { limits: { cpuMs: 150 } })
    assert.deepEqual([byCpu.limit, byCpu.exitCode], ['cpu', undefined])
    const clock = new ManualClock()
    await using own = sqlJsBackend({ clock, pool: 1 })
    await using box = await own.open({})
    for (const query of [
      `SELECT 1; ${ENDLESS} SELECT count(*) FROM c`,
      `SELECT 1; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT count(*) FROM n a, n b, n c, n d`,
    ]) {
      const began = Promise.withResolvers<void>()
      const running = box.run({ lang: 'sql', code: query, output: () => began.resolve() })
      await began.promise
      await clock.advance(60_000)
      await clock.advance(250)
      const report = await running
      assert.deepEqual([report.limit, report.timedOut, text(report.stdout)], ['wall', true, '{"1":1}\n'])
    }
    assert.equal(text((await box.run({ lang: 'sql', code: 'SELECT 2' })).stdout), '{"2":2}\n')
    assert.equal(clock.pending, 0)
  })

  it('stays within its memory and its output', async () => {
    for (const code of [
      `CREATE TABLE b AS ${ENDLESS} SELECT x, randomblob(10000) FROM c`,
      `CREATE TEMP TABLE b AS ${ENDLESS} SELECT x, randomblob(10000) FROM c`,
      'SELECT hex(randomblob(900000000))',
      `${ENDLESS} SELECT group_concat(r) FROM (SELECT hex(zeroblob(10000)) r FROM c LIMIT 10000)`,
      `${ENDLESS} SELECT * FROM (SELECT x, randomblob(1000) r FROM c LIMIT 1000000) ORDER BY r`,
    ]) {
      const report = await run(code)
      assert.deepEqual([report.limit, report.oom, report.exitCode], ['memory', true, undefined], code)
    }
    await using box = await backend.open({ limits: { memoryMB: 64, wallMs: 30_000 } })
    await box.writeFile('wide.csv', bytes(`a\n${`${'x'.repeat(100_000)}\n`.repeat(400)}`))
    await box.writeFile('temp.sqlite', bytes('no database'))
    const loaded = await box.run({ lang: 'sql', code: 'SELECT count(*) FROM wide -- temp' })
    assert.deepEqual([loaded.limit, loaded.oom], ['memory', true], text(loaded.stderr))
    const flood = await run(`${ENDLESS} SELECT x FROM c`, {}, { outputBytes: 10_000 })
    assert.deepEqual([flood.limit, flood.truncated, flood.stdout.byteLength], ['output', true, 10_000])
  })

  it('runs no other language, and nothing after it is closed', async () => {
    const box = await backend.open({})
    await assert.rejects(
      box.run({ lang: 'js', code: '1' }),
      (error: unknown) => AdjutantError.isInstance(error) && error.code === 'UNSUPPORTED',
    )
    await box.close()
    await box.close()
    await assert.rejects(box.run({ lang: 'sql', code: 'SELECT 1' }), AdjutantError.isInstance)
  })
})
