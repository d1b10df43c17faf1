import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { postgresMissing, startPostgres, type TestPostgres, testContext } from '@adjutant/testkit'
import { Client } from 'pg'
import { certificate } from '../../../test/http-servers.ts'
import { createSqlTool } from '../create-sql-tool.ts'
import { readConnectionTarget } from './connection-target.ts'
import { openPostgresDatabase } from './open-postgres-database.ts'

const OPENSSL = 'openssl'
const missing = postgresMissing() ?? opensslMissing()
if (missing !== undefined) process.stderr.write(`protected-connection.test.ts DID NOT RUN: ${missing}\n`)

function opensslMissing(): string | undefined {
  try {
    execFileSync(OPENSSL, ['version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no openssl in PATH'
  }
}

describe('a connection within TLS', { skip: missing !== undefined, timeout: 60_000 }, () => {
  let server: TestPostgres
  let ca: string

  before(async () => {
    const { key, cert } = certificate(['localhost'])
    ca = cert
    server = await startPostgres({ tls: { key, certificate: cert } })
  })
  after(() => server?.stop())

  const address = (host: string, options = ''): string => server.url.replace('127.0.0.1', host) + options

  it('is one, its certificate is checked, and what runs in it is ended within TLS as well', async () => {
    const watcher = new Client(server.url)
    await watcher.connect()
    const active = async (): Promise<readonly unknown[]> => {
      const { rows } = await watcher.query<{ ssl: boolean }>(
        "SELECT ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name = 'adjutant sql_query' AND query ~ 'generate_series'",
      )
      return rows
    }
    try {
      await using sql = createSqlTool({
        databases: { one: await openPostgresDatabase({ url: address('localhost'), ca, statementTimeoutMs: 600_000 }) },
      })
      const stop = new AbortController()
      await using cx = await testContext({ signal: stop.signal })
      const asked = Promise.resolve(sql.tool.execute({ sql: 'SELECT count(*) FROM generate_series(1, 1000000000)' }, cx))
      const failed = assert.rejects(asked, { code: 'CANCELLED' })
      while ((await active()).length === 0);
      assert.deepEqual(await active(), [{ ssl: true }])
      stop.abort()
      await failed
      while ((await active()).length > 0);
    } finally {
      await watcher.end()
    }
  })

  it('is refused with a certificate that nobody vouches for, or that is for another name', async () => {
    const verified = openPostgresDatabase({ url: address('localhost', '?sslmode=verify-full') })
    await assert.rejects(verified, { code: 'CONFIG_INVALID', message: /certificate that is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT/ })
    await assert.rejects(openPostgresDatabase({ url: address('127.0.0.1'), ca }), {
      code: 'CONFIG_INVALID',
      message: /certificate for another name/,
    })
    await using unchecked = await openPostgresDatabase({ url: address('127.0.0.1', '?sslmode=no-verify') })
    const { rows } = await unchecked.ask(
      { sql: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', parameters: undefined, limit: 1 },
      new AbortController().signal,
    )
    assert.deepEqual(rows, [['true']])
  })
})

describe('the address of a database', () => {
  it('is protected unless it is this machine, or somebody says otherwise', () => {
    const tls = (rest: string) => readConnectionTarget(`postgres://reader:x@${rest}`).tls
    assert.deepEqual(tls('db.example.com/shop'), { rejectUnauthorized: true })
    assert.deepEqual(tls('db.example.com/shop?sslmode=require'), { rejectUnauthorized: true })
    assert.deepEqual(tls('127.0.0.1.example.com/shop'), { rejectUnauthorized: true })
    for (const here of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]', '%2Frun%2Fpostgresql'])
      assert.equal(tls(`${here}/shop`), false, here)
    assert.equal(tls('x/shop?host=/run/postgresql'), false)
    assert.equal(tls('db.example.com/shop?sslmode=disable'), false)
    assert.throws(() => tls('db.example.com/shop?sslmode=prefer'), { code: 'CONFIG_INVALID', hint: /verify-full/ })
    assert.throws(() => tls('db.example.com/shop?sslrootcert=/no/such/file'), { code: 'CONFIG_INVALID', message: /sslrootcert/ })
  })

  it('is read to its parts, and shown without its password', () => {
    const target = readConnectionTarget('postgresql://a%40b:p%2Fw@[2001:db8::1]:6432/my%20shop?sslmode=disable')
    const { host, port, user, password, database, shown } = target
    assert.deepEqual([host, port, user, password, database], ['2001:db8::1', 6432, 'a@b', 'p/w', 'my shop'])
    assert.equal(shown, 'a@b@[2001:db8::1]:6432/my shop')
    assert.equal(readConnectionTarget('postgres://a@h/d').password, undefined)
    for (const wrong of [
      '',
      'postgres://',
      'x',
      'postgres://a@h:0/d',
      'postgres://a@h:99999/d',
      'postgres://a@h/d?host=x&host=y',
      'postgres://a:b#c@h/d',
      'postgres://a@h/d%00',
    ]) {
      assert.throws(() => readConnectionTarget(wrong), { code: 'CONFIG_INVALID' }, wrong)
    }
  })
})
