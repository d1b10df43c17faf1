/** Nothing that is done for one tenant reads or changes a row of another: with the tenant in every condition, and on PostgreSQL without it as well. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openStore, STORE_KINDS, testServer } from '../../test/open-stores.ts'
import { insertSample, sampleRows } from '../../test/sample-rows.ts'
import { BodySeal } from './body-seal.ts'
import { hot } from './hot.ts'
import { rowsInOrder } from './rows-in-order.ts'
import type { StoreDatabase } from './store-database.ts'
import { PRIMARY_KEYS, TENANT_TABLES, type TenantTable } from './tables.ts'

const seal = new BodySeal()

async function rowsOf(db: StoreDatabase, tenant: string): Promise<Record<string, unknown[]>> {
  return await db.system(
    async (tx) => {
      const all: Record<string, unknown[]> = {}
      for (const table of TENANT_TABLES) {
        const rows: unknown[] = []
        for await (const row of rowsInOrder(tx, table, [['tenant_id', tenant]])) rows.push({ ...row })
        all[table] = rows
      }
      return all
    },
    { readOnly: true },
  )
}

const tables = fc.constantFrom<TenantTable>(...TENANT_TABLES)
const others = fc.constantFrom("b'); DROP TABLE facts; --", 'B', 'a ', 'A', '', '%', '_')

for (const kind of STORE_KINDS) {
  describe(`two tenants on ${kind}`, () => {
    it('know nothing of each other, whatever is read, changed or deleted for one of them', async () => {
      const db = await openStore(kind)
      for (const tenant of ['a', 'b']) await db.transaction(tenant, (tx) => insertSample(tx, seal, tenant, 1))
      const before = await rowsOf(db, 'b')
      assert.ok(TENANT_TABLES.every((table) => before[table]?.length === 1))
      await fc.assert(
        fc.asyncProperty(tables, fc.constantFrom('a', 'c'), fc.boolean(), async (table, tenant, write) => {
          const seen = await db.read(tenant, (tx) => tx.db.selectFrom(table).selectAll().where('tenant_id', '=', tenant).execute())
          assert.ok(seen.every((row) => row.tenant_id === tenant))
          if (!write || table === 'events' || table === 'audit') return
          await db.transaction(tenant, async (tx) => {
            await tx.db.updateTable(table).set({ tenant_id: tenant }).where('tenant_id', '=', tenant).execute()
          })
        }),
        { numRuns: 30 },
      )
      // A tenant whose name only looks like another's gets nothing of it.
      await fc.assert(
        fc.asyncProperty(tables, others, async (table, name) => {
          if (name === '') return
          const count = hot<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE tenant_id = ?`)
          assert.equal((await db.read(name, (tx) => tx.get(count, [name])))?.n, 0)
        }),
        { numRuns: 20 },
      )
      assert.deepEqual(await rowsOf(db, 'b'), before)
    })
  })
}

describe('row-level security', { skip: !STORE_KINDS.includes('postgres') }, () => {
  /** As the superuser that the server gives, and as an owner who may make no role. */
  async function owners(): Promise<readonly StoreDatabase[]> {
    const server = await testServer()
    const admin = await openStore('postgres')
    const name = 'plain_owner'
    await admin.postgres?.pool.query(`CREATE ROLE ${name} LOGIN PASSWORD 'pw' NOCREATEROLE NOSUPERUSER`)
    const url = new URL(await server.createDatabase('of_plain_owner'))
    await admin.postgres?.pool.query(`ALTER DATABASE of_plain_owner OWNER TO ${name}`)
    url.username = name
    url.password = 'pw'
    return [admin, await openStore(url.href)]
  }

  it('holds where a statement forgot its tenant: for a superuser and for a plain owner', async () => {
    for (const db of await owners()) {
      for (const tenant of ['a', 'b']) await db.transaction(tenant, (tx) => insertSample(tx, seal, tenant, 1))
      const before = await rowsOf(db, 'b')
      for (const table of TENANT_TABLES) {
        const all = hot<{ tenant_id: string }>(`SELECT tenant_id FROM ${table}`)
        assert.deepEqual(await db.read('a', (tx) => tx.all(all)), [{ tenant_id: 'a' }], `${table} read by ${db.shown}`)
        assert.deepEqual(await db.read('c', (tx) => tx.all(all)), [])
        if (table !== 'events' && table !== 'audit') {
          assert.equal(await db.transaction('c', (tx) => tx.run(hot(`DELETE FROM ${table}`))), 0)
          assert.equal(await db.transaction('c', (tx) => tx.run(hot(`UPDATE ${table} SET tenant_id = 'c'`))), 0)
        }
        // A row of somebody else can neither be made nor be given away.
        const row: Readonly<Record<string, unknown>> = sampleRows(seal, 'b', 2)[table]
        await assert.rejects(db.transaction('a', (tx) => insertSample(tx, seal, 'b', 2)))
        const key = PRIMARY_KEYS[table].filter((column) => column !== 'tenant_id')
        assert.ok(key.every((column) => column in row))
        await assert.rejects(db.transaction('a', (tx) => tx.run(hot(`UPDATE ${table} SET tenant_id = 'b'`))))
      }
      assert.deepEqual(await rowsOf(db, 'b'), before, db.shown)
    }
  })

  it('lets nothing through on a connection that says of nobody whose it is', async () => {
    const db = await openStore('postgres')
    await db.transaction('a', (tx) => insertSample(tx, seal, 'a', 1))
    assert.ok(db.postgres !== undefined)
    const client = await db.postgres.pool.connect()
    try {
      await client.query(`SET ROLE "${db.schema}_app"`)
      for (const table of TENANT_TABLES) {
        assert.deepEqual((await client.query(`SELECT * FROM ${db.schema}.${table}`)).rows, [])
        await client.query("SET adjutant.tenant = 'a'")
        assert.deepEqual((await client.query(`SELECT * FROM ${db.schema}.${table}`)).rows, [], 'a tenant without a scope is none')
        await client.query('RESET adjutant.tenant')
      }
    } finally {
      client.release(true)
    }
  })

  it('does not carry a setting over to the next transaction of the connection', async () => {
    const db = await openStore('postgres', { poolSize: 1 })
    for (const tenant of ['a', 'b']) await db.transaction(tenant, (tx) => insertSample(tx, seal, tenant, 1))
    await db.transaction('a', async (tx) => {
      await tx.run(hot("SET adjutant.scope = 'system'"))
      await tx.run(hot("SET adjutant.tenant = 'b'"))
    })
    assert.deepEqual(await db.read('a', (tx) => tx.all(hot('SELECT tenant_id FROM facts'))), [{ tenant_id: 'a' }])
    await assert.rejects(db.system((tx) => tx.run(hot('SELECT 1 / 0'))))
    assert.deepEqual(await db.read('b', (tx) => tx.all(hot('SELECT tenant_id FROM facts'))), [{ tenant_id: 'b' }])
  })
})
