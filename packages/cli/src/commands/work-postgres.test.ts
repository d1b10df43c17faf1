import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { postgresMissing, startPostgres, type TestPostgres } from '@adjutant/testkit'
import { workSuite } from '../../test/work-suite.ts'

const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`work-postgres.test.ts DID NOT RUN: ${missing}\n`)
let server: TestPostgres | undefined
let databases = 0
before(async () => {
  if (missing === undefined) server = await startPostgres()
})
after(() => server?.stop())

workSuite('PostgreSQL', async () => (await server?.createDatabase(`work${++databases}`)) ?? assert.fail('no server'), missing ?? false)
