/** A host for query-pool.test.ts: starts a query that never ends, tells the process ids of its pool, and waits to be killed. */
import { testContext } from '@adjutant/testkit'
import { createSqlTool } from '../src/sql/create-sql-tool.ts'

const sql = createSqlTool({ databases: { main: process.argv[2] ?? '' }, pool: 2, timeoutMs: 600_000 })
await using cx = await testContext()
// Once answered, the pool is up; the next query keeps one process inside SQLite.
await sql.tool.execute({ sql: 'SELECT 1' }, cx)
const endless = Promise.resolve(
  sql.tool.execute({ sql: 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n' }, cx),
)
process.stdout.write(`${JSON.stringify(sql.pids)}\n`)
await endless
