/** A host for postgres-tool.test.ts: starts a query that never ends, and waits to be killed. */
import { testContext } from '@adjutant/testkit'
import { createSqlTool } from '../src/sql/create-sql-tool.ts'
import { openPostgresDatabase } from '../src/sql/postgresql/open-postgres-database.ts'

const database = await openPostgresDatabase({ url: process.env.DATABASE ?? '', statementTimeoutMs: 600_000 })
const sql = createSqlTool({ databases: { main: database } })
await using cx = await testContext()
await sql.tool.execute({ sql: 'SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000) b' }, cx)
