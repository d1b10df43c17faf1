import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { processesNamed } from '../sandbox/host-processes.ts'
import { findPostgres } from './find-postgres.ts'
import { postgresMissing, startPostgres, type TestPostgres } from './start-postgres.ts'

const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`start-postgres.test.ts DID NOT RUN: ${missing}\n`)
const run = promisify(execFile)

async function query(url: string, sql: string): Promise<string> {
  const found = findPostgres()
  assert.ok('bin' in found)
  const { stdout } = await run(join(found.bin, 'psql'), ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', sql], { env: { LC_ALL: 'C' } })
  return stdout.trim()
}

describe('startPostgres', { skip: missing !== undefined, timeout: 120_000 }, () => {
  let server: TestPostgres

  before(async () => {
    server = await startPostgres({ settings: { max_connections: '23' } })
  })
  after(() => server.stop())

  it('answers on loopback and on a socket, as no root', async () => {
    assert.equal(await query(server.url, 'SHOW max_connections'), '23')
    assert.equal(await query(server.url, 'SHOW fsync'), 'off')
    const password = new URL(server.url).password
    assert.equal(await query(`postgres://adjutant:${password}@/postgres?host=${server.socketDir}&port=${server.port}`, 'SELECT 1'), '1')
    const pid = readFileSync(join(server.socketDir, 'data/postmaster.pid'), 'utf8').split('\n')[0]
    if (process.platform === 'linux') assert.doesNotMatch(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\s+0\b/m)
  })

  it('wants the password', async () => {
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    await assert.rejects(query(wrong.href, 'SELECT 1'), /password authentication failed/)
  })

  it('makes databases of any name, once', async () => {
    for (const name of ['shop', '-x', 'a "b" /é?']) {
      assert.equal(await query(await server.createDatabase(name), 'SELECT current_database()'), name)
      await assert.rejects(server.createDatabase(name), { code: 'TOOL_FAILED' })
    }
  })

  for (const mode of ['fast', 'immediate'] as const) {
    it(`has what was committed after a restart (${mode}), on the same port`, async () => {
      const url = await server.createDatabase(`kept_${mode}`)
      await query(url, 'CREATE TABLE kept AS SELECT 7 AS n')
      const started = 'SELECT pg_postmaster_start_time()'
      const first = await query(url, started)
      await server.restart(mode)
      assert.notEqual(await query(url, started), first)
      assert.equal(await query(url, 'SELECT n FROM kept'), '7')
    })
  }
})

describe('a private PostgreSQL that ends', { skip: missing !== undefined, timeout: 120_000 }, () => {
  it('leaves nothing behind', async () => {
    const server = await startPostgres({ fsync: true })
    assert.equal(await query(server.url, 'SHOW fsync'), 'on')
    assert.notEqual(processesNamed(server.socketDir).length, 0)
    await Promise.all([server.stop(), server.stop()])
    await assert.rejects(server.restart('fast'), { code: 'TOOL_FAILED' })
    assertNothingLeft(server.socketDir)
  })

  it('says with its log why it does not start, and leaves nothing behind', async () => {
    await assert.rejects(startPostgres({ settings: { no_such_setting: '1' } }), { code: 'TOOL_FAILED', message: /no_such_setting/ })
    assert.deepEqual(processesNamed('no_such_setting'), [])
  })

  for (const how of ['SIGKILL', 'exit'] as const) {
    it(`goes with its test process (${how})`, async () => {
      const program = `
        const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('./start-postgres.ts'))})
        const { socketDir } = await startPostgres()
        console.log(socketDir)
        ${how === 'exit' ? '' : 'setInterval(() => {}, 1000)'}`
      const child = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [folder] = await once(createInterface({ input: child.stdout }), 'line')
      assert.ok(typeof folder === 'string' && existsSync(folder))
      if (how === 'SIGKILL') child.kill('SIGKILL')
      await once(child, 'close')
      // The keeper removes the folder last. Looking is paced by the event loop; the suite's own time limit ends it.
      while (existsSync(folder) || processesNamed(folder).length > 0) await once(spawn('sleep', ['0.05']), 'close')
      assertNothingLeft(folder)
    })
  }
})

function assertNothingLeft(folder: string): void {
  assert.equal(existsSync(folder), false)
  assert.deepEqual(processesNamed(folder), [])
}
