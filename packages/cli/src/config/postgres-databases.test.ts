import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ToolOutput } from '@adjutant/core'
import { postgresMissing, startPostgres, type TestContext, type TestPostgres, testContext } from '@adjutant/testkit'
import { loadConfig } from './load-config.ts'
import { openToolbox, type Toolbox } from './open-toolbox.ts'

const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`postgres-databases.test.ts DID NOT RUN: ${missing}\n`)

describe('databases of a configuration', { skip: missing !== undefined, timeout: 60_000 }, () => {
  let server: TestPostgres
  let root: string
  let cx: TestContext
  let env: Record<string, string>

  before(async () => {
    server = await startPostgres()
    root = await realpath(await mkdtemp(join(tmpdir(), 'databases-')))
    await mkdir(join(root, 'work'))
    cx = await testContext()
    new DatabaseSync(join(root, 'file.sqlite')).close()
    env = { PASSWORD: new URL(server.url).password, HOME: root, XDG_CONFIG_HOME: join(root, 'config') }
  })
  beforeEach(() => rm(join(root, 'config'), { recursive: true, force: true }))
  after(async () => {
    await cx?.[Symbol.asyncDispose]()
    await server?.stop()
    await rm(root, { recursive: true, force: true })
  })

  async function open(databases: string): Promise<Toolbox> {
    await writeFile(join(root, 'adjutant.yaml'), `databases:\n${databases}\ntools: { builtin: [sql_query] }\nsessionsFolder: ../sessions\n`)
    // A person's own file: one of the workspace would be asked about before it logs in anywhere.
    const config = await loadConfig({ cwd: root, env }, 'adjutant.yaml', { workspace: 'work' })
    return openToolbox(config, { stderr: new PassThrough(), env, signal: new AbortController().signal }, { quiet: true })
  }

  async function policy(rules: string): Promise<void> {
    await mkdir(join(root, 'config/adjutant'), { recursive: true })
    await writeFile(join(root, 'config/adjutant/policy.yaml'), `version: 1\nrules:\n${rules}\n`)
  }

  const address = (): string => `'postgres://adjutant:\${PASSWORD}@127.0.0.1:${server.port}/postgres'`

  it('are files and addresses, with a password from a variable', async () => {
    const toolbox = await open(
      `  file: file.sqlite\n  short: ${address()}\n  long: { url: ${address()}, maxRows: 3, statementTimeoutMs: 5000 }`,
    )
    try {
      assert.deepEqual(toolbox.problems, [])
      const tool = toolbox.tools.get('sql_query')
      assert.ok(tool !== undefined)
      assert.match(tool.description, /Databases: file \(SQLite\), short \(PostgreSQL\), long \(PostgreSQL\)\./)
      for (const database of ['short', 'long']) {
        const output: unknown = await tool.execute({ database, sql: 'SELECT current_user' }, cx)
        assert.ok(output instanceof ToolOutput)
      }
      assert.match(String(await tool.execute({ database: 'file', sql: 'SELECT 7' }, cx)), /\[7\]/)
      await assert.rejects(Promise.resolve(tool.execute({ database: 'long', sql: 'SELECT 1', limit: 4 }, cx)), {
        code: 'INVALID_ARGUMENTS',
      })
    } finally {
      await toolbox.close()
    }
  })

  it('are told when they cannot be had, without their password, and the others work', async () => {
    const toolbox = await open(`  gone: 'postgres://adjutant:\${PASSWORD}@127.0.0.1:1/shop'\n  here: ${address()}\n  none: none.sqlite`)
    try {
      assert.deepEqual(
        toolbox.problems.map(({ code, tool }) => [code, tool]),
        [
          ['ORIGIN_UNAVAILABLE', 'sql_query'],
          ['NOT_FOUND', 'sql_query'],
        ],
      )
      assert.match(
        toolbox.problems[0]?.message ?? '',
        /^the database gone: PostgreSQL at adjutant@127\.0\.0\.1:1\/shop refuses the connection/,
      )
      assert.ok(!JSON.stringify(toolbox.problems).includes(env.PASSWORD ?? ''))
      assert.match(toolbox.tools.get('sql_query')?.description ?? '', /Databases: here\./)
    } finally {
      await toolbox.close()
    }
  })

  it('are not connected to where the policy does not let sql_query reach their host', async () => {
    const cases: readonly (readonly [rule: string, opened: boolean])[] = [
      ['{ id: inner, effect: deny, tools: sql_query, when: { host: { hosts: ["@private"] } } }', false],
      ['{ id: inner, effect: ask, tools: sql_query, when: { host: { hosts: ["@private"] } } }', false],
      ['{ id: only, effect: deny, tools: "sql_*", when: { host: { not: { hosts: [db.example.com] } } } }', false],
      ['{ id: only, effect: deny, tools: "sql_*", when: { host: { not: { hosts: [127.0.0.1] } } } }', true],
      [`{ id: port, effect: deny, tools: sql_query, when: { host: { ports: [${server.port}] } } }`, false],
      ['{ id: this, effect: deny, tools: sql_query, when: { database: { in: [here] } } }', false],
      ['{ id: every, effect: ask, tools: sql_query }', true],
    ]
    for (const [rule, opened] of cases) {
      await policy(`  - ${rule}`)
      const toolbox = await open(`  file: file.sqlite\n  here: ${address()}`)
      await toolbox.close()
      assert.deepEqual(
        toolbox.problems.map(({ code }) => code),
        opened ? [] : ['DENIED_BY_POLICY'],
        rule,
      )
      if (!opened)
        assert.match(
          toolbox.problems[0]?.message ?? '',
          /^the database here: the rule user\/\w+ does not let sql_query reach 127\.0\.0\.1:\d+/,
        )
    }
  })

  it('are checked where they are written', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['  shop: { url: "mysql://a@b/c" }', /adjutant\.yaml:2:16: databases\.shop\.url/],
      ['  shop: { maxRows: 5 }', /adjutant\.yaml:2:9: databases\.shop must have required property 'url'/],
      [`  shop: { url: ${address()}, maxRow: 5 }`, /has no key "maxRow"; did you mean "maxRows"/],
      ['  shop: [1]', /databases\.shop must be/],
      [`  shop: 'postgres://adjutant:\${NO_SUCH}@127.0.0.1/shop'`, /adjutant\.yaml:2:\d+: .*NO_SUCH/],
    ]
    for (const [databases, message] of wrong) await assert.rejects(open(databases), { code: 'CONFIG_INVALID', message }, databases)
  })
})
