import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { AdjutantError, type JsonObject } from '@adjutant/core/contract'
import { type TestContext, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { createSqlTool, type SqlTool } from './create-sql-tool.ts'

let folder: string
let file: string
let sql: SqlTool
let cx: TestContext

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-sql-'))
  file = join(folder, 'shop.db')
  const database = new DatabaseSync(file)
  database.exec(`
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, price REAL, picture BLOB);
    CREATE TABLE orders (id INTEGER, product_id INTEGER, week TEXT);
    CREATE VIEW dear AS SELECT name FROM products WHERE price > 2;
    CREATE VIRTUAL TABLE words USING fts5(word);
    INSERT INTO words VALUES ('hello world'), ('other');
    INSERT INTO products VALUES (1, 'A"b' || char(10, 9) || 'é', 1, x'00ff'), (2, '', 2.5, NULL), (9007199254740993, NULL, 1e300, NULL);
  `)
  database.exec(
    `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1500) INSERT INTO orders SELECT x, x % 3, 'week ' || x FROM n`,
  )
  database.close()
  await writeFile(join(folder, 'not.db'), 'this is no database, only text that is long enough to be one')
  sql = createSqlTool({ databases: { shop: file, missing: join(folder, 'no.db'), broken: join(folder, 'not.db') } })
  cx = await testContext()
})

after(async () => {
  await sql.close()
  await cx[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function ask(text: string, more: JsonObject = {}): Promise<string> {
  return String(await sql.tool.execute({ database: 'shop', sql: text, ...more }, cx))
}

describe('sql_query', () => {
  it('gives columns and rows, every kind of value apart from the others', async () => {
    assert.equal(
      await ask('SELECT * FROM products ORDER BY id'),
      '["id","name","price","picture"]\n[1,"A\\"b\\n\\té",1.0,<blob 2 bytes>]\n[2,"",2.5,null]\n[9007199254740993,null,1e+300,null]\n[3 rows]',
    )
    assert.equal(
      await ask("SELECT 1 AS a, 2 AS a, 'null', 9223372036854775807, -0.0"),
      '["a","a","\'null\'","9223372036854775807","-0.0"]\n[1,2,"null",9223372036854775807,0.0]\n[1 row]',
    )
    assert.equal(await ask('SELECT name FROM products WHERE 0'), '["name"]\n[0 rows]')
    assert.equal(await ask('SELECT * FROM dear WHERE name IS NOT NULL'), '["name"]\n[""]\n[1 row]')
    assert.equal(await ask("SELECT word FROM words WHERE words MATCH 'hello'"), '["word"]\n["hello world"]\n[1 row]')
    assert.match(await ask('SELECT name FROM sqlite_schema ORDER BY name'), /\["products"\]/)
    assert.match(await ask('EXPLAIN QUERY PLAN SELECT * FROM orders'), /SCAN orders/)
    assert.match(await ask('PRAGMA table_info(orders)'), /"product_id"/)
    assert.match(await ask('SELECT name FROM pragma_table_info(?)', { parameters: ['orders'] }), /"product_id"/)
  })

  it('binds values, whatever is in them (property)', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    )
    await fc.assert(
      fc.asyncProperty(value, async (bound) => {
        fc.pre(typeof bound !== 'string' || (bound.isWellFormed() && !bound.includes('\0')))
        const [, row] = (await ask('SELECT ?', { parameters: [bound] })).split('\n')
        const back: unknown = JSON.parse(row ?? '')
        const expected = typeof bound === 'boolean' ? Number(bound) : bound
        assert.deepEqual(back, [Object.is(expected, -0) ? 0 : expected])
      }),
      { numRuns: 60 },
    )
  })

  it('binds by position and by name, and counts them', async () => {
    assert.match(await ask('SELECT 5 / ?, typeof(?)', { parameters: [2, 1.5] }), /\n\[2,"real"\]\n/)
    assert.match(await ask('SELECT :a, @b', { parameters: { a: 'x', '@b': true } }), /\n\["x",1\]\n/)
    assert.match(await ask('SELECT name FROM products WHERE name = ?', { parameters: ["' OR 1=1 --"] }), /\[0 rows\]/)
    const wrong: readonly (readonly [string, JsonObject])[] = [
      ['SELECT ?', {}],
      ['SELECT ?', { parameters: [1, 2] }],
      ['SELECT ?', { parameters: { a: 1 } }],
      ['SELECT :a', { parameters: [1] }],
      ['SELECT :a', {}],
      ['SELECT :a', { parameters: { b: 1 } }],
      ['SELECT :a', { parameters: { a: 1, b: 1 } }],
      ['SELECT :constructor', { parameters: {} }],
      ['SELECT ?', { parameters: [[1]] }],
      ['SELECT ?', { parameters: [{}] }],
      ['SELECT 1', { parameters: 'x' }],
    ]
    for (const [text, more] of wrong) await assert.rejects(ask(text, more), { code: 'INVALID_ARGUMENTS' }, text)
  })

  it('is bounded in rows, cells and size', async () => {
    const rows = await ask('SELECT id FROM orders')
    assert.equal(rows.split('\n').length, 102)
    assert.match(rows, /\[100 rows; there are more: set limit/)
    assert.match(await ask('SELECT id FROM orders', { limit: 1_000 }), /\[1,000 rows; there are more: aggregate/)
    assert.match(await ask('SELECT id FROM orders LIMIT 100'), /\[100 rows\]$/)
    const cut = await ask("SELECT printf('%.*c', 5000, 'x')")
    assert.match(cut, /x"<cut, 3000 more characters>\]\n\[1 row; 1 text cut: read the rest with substr\(column, 2001\)\]$/)
    const wide = await ask("SELECT printf('%.*c', 1900, 'y') FROM orders", { limit: 1_000 })
    assert.ok(wide.length < 45_000)
    assert.match(wide, /the answer is full/)
  })

  it('changes nothing, whichever way it is tried', async () => {
    const statements = [
      'DELETE FROM products',
      'WITH a AS (SELECT 1) DELETE FROM products',
      'CREATE TEMP TABLE x (a)',
      `ATTACH '${join(folder, 'new.db')}' AS x`,
      'PRAGMA journal_mode = WAL',
      `VACUUM INTO '${join(folder, 'copy.db')}'`,
      'SELECT * FROM pragma_database_list',
    ]
    const bytes = await readFile(file)
    for (const text of statements) await assert.rejects(ask(text), { code: 'RULE_VIOLATED' }, text)
    assert.ok((await readFile(file)).equals(bytes))
    await assert.rejects(readFile(join(folder, 'copy.db')))
    await assert.rejects(readFile(join(folder, 'new.db')))
  })

  it('helps with wrong names', async () => {
    await assert.rejects(ask('SELECT * FROM product'), {
      code: 'TOOL_FAILED',
      message: /no such table: product/,
      hint: /^Did you mean products\? Tables: dear, orders, products/,
    })
    await assert.rejects(ask('SELECT prodct_id FROM orders'), { hint: /^Did you mean orders\.product_id\? Columns: orders\.id/ })
    await assert.rejects(ask('SELECT o.weeek FROM orders o'), { hint: /orders\.week/ })
    await assert.rejects(ask('SELECT FROM WHERE'), { code: 'TOOL_FAILED', message: /syntax error/, hint: /sqlite_schema/ })
    await assert.rejects(ask('SELECT 1', { database: 'other' }), { code: 'INVALID_ARGUMENTS', hint: /shop, missing, broken/ })
    await assert.rejects(ask('SELECT 1', { database: 'missing' }), { code: 'TOOL_FAILED', message: /missing cannot be read/ })
    await assert.rejects(ask('SELECT 1', { database: 'broken' }), { code: 'TOOL_FAILED', message: /broken cannot be read/ })
    await assert.rejects(ask('SELECT 1', { database: '__proto__' }), { code: 'INVALID_ARGUMENTS' })
  })

  it('is good after a query that needs too much memory', { timeout: 60_000 }, async () => {
    await assert.rejects(
      ask('SELECT length(hex(zeroblob(400000000)))'),
      (error) => AdjutantError.isInstance(error) && error.code === 'TOOL_FAILED',
    )
    // Many values, each of an allowed size.
    await assert.rejects(
      ask(
        'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 60) SELECT json_group_array(hex(zeroblob(16000000))) FROM n',
      ),
      {
        code: 'TOOL_FAILED',
      },
    )
    assert.match(await ask('SELECT 1'), /\[1 row\]/)
  })

  it('answers more questions at a time than it has processes', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask('SELECT ?', { parameters: [index] })))
    assert.deepEqual(
      answers.map((answer) => answer.split('\n')[1]),
      answers.map((_, index) => `[${index}]`),
    )
  })

  it('sees what another program writes meanwhile', async () => {
    const writer = new DatabaseSync(file)
    writer.exec("INSERT INTO orders VALUES (5000, 1, 'new')")
    writer.close()
    assert.match(await ask('SELECT week FROM orders WHERE id = 5000'), /\["new"\]/)
  })

  it('says what it offers, and refuses a wrong setting', async () => {
    const effectOf = (sqlText: string) => typeof sql.tool.effect === 'function' && sql.tool.effect({ database: 'shop', sql: sqlText })
    assert.equal(effectOf('SELECT 1'), 'read')
    assert.equal(effectOf('DELETE FROM products'), 'dangerous')
    assert.match(sql.tool.description, /shop, missing, broken/)
    assert.throws(() => createSqlTool({ databases: {} }), { code: 'CONFIG_INVALID' })
    assert.throws(() => createSqlTool({ databases: { a: file }, pool: 0 }), { code: 'CONFIG_INVALID' })
    await using one = createSqlTool({ databases: { only: file }, pool: 1 })
    assert.match(String(await one.tool.execute({ sql: 'SELECT 1' }, cx)), /\[1 row\]/)
  })
})
