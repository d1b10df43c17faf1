/** Transactions as whoever builds on them sees them, on every database there is. */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError, type ErrorCode } from '@adjutant/core'
import fc from 'fast-check'
import { sql } from 'kysely'
import { freshUrl, openStore, STORE_KINDS } from '../../test/open-stores.ts'
import { hot } from './hot.ts'
import type { StoreDatabase } from './store-database.ts'

const PUT = hot('INSERT INTO facts (tenant_id, user_id, key, value, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)')
const GET = hot<{ value: Uint8Array; updated_at: number; expires_at: number | bigint | null }>(
  'SELECT value, updated_at, expires_at FROM facts WHERE tenant_id = ? AND key = ?',
)

function fails(code: ErrorCode, text?: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    if (text !== undefined) assert.match(error.message, text)
    assert.ok(error.hint.length > 0)
    return true
  }
}

async function put(db: StoreDatabase, tenant: string, key: string, value: Uint8Array = new Uint8Array([1])): Promise<number> {
  return await db.transaction(tenant, (tx) => tx.run(PUT, [tenant, 'u', key, value, 1, null]))
}

async function session(db: StoreDatabase, tenant: string, id: string): Promise<void> {
  await db.transaction(tenant, async (tx) => {
    const row = {
      tenant_id: tenant,
      session_id: id,
      user_id: 'u',
      principal: '{}',
      state: 'open',
      created_at: 1,
      updated_at: 1,
      trace_id: 't',
    }
    await tx.db.insertInto('sessions').values(row).execute()
  })
}

for (const kind of STORE_KINDS) {
  describe(`store on ${kind}`, () => {
    it('gives back exactly what was put in: bytes, text, numbers of any size', async () => {
      const db = await openStore(kind)
      let count = 0
      const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ maxLength: 600 }),
          text,
          fc.maxSafeInteger(),
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          async (bytes, user, safe, large) => {
            const key = `k${++count}`
            await db.transaction('a', (tx) => tx.run(PUT, ['a', user, key, bytes, safe, large]))
            const rows = await db.read('a', (tx) => tx.all(GET, ['a', key]))
            assert.equal(rows.length, 1)
            assert.deepEqual(new Uint8Array(rows[0]?.value ?? []), bytes)
            assert.equal(rows[0]?.updated_at, safe)
            assert.equal(BigInt(rows[0]?.expires_at ?? 0), large)
            const built = await db.read('a', (tx) =>
              tx.db.selectFrom('facts').select(['user_id', 'value']).where('key', '=', key).executeTakeFirstOrThrow(),
            )
            assert.equal(built.user_id, user)
            assert.deepEqual(new Uint8Array(built.value), bytes)
            const returned = await db.transaction('a', (tx) =>
              tx.db.updateTable('facts').set({ updated_at: 7 }).where('key', '=', key).returning(['updated_at', 'expires_at']).execute(),
            )
            assert.equal(returned[0]?.updated_at, 7)
            assert.equal(BigInt(returned[0]?.expires_at ?? 0), large)
          },
        ),
        { numRuns: 40 },
      )
    })

    it('keeps a transaction whole or not at all', async () => {
      const db = await openStore(kind)
      await assert.rejects(
        db.transaction('a', async (tx) => {
          await tx.run(PUT, ['a', 'u', 'one', new Uint8Array(), 1, null])
          throw new TypeError('mine')
        }),
        new TypeError('mine'),
      )
      assert.deepEqual(await db.read('a', (tx) => tx.all(GET, ['a', 'one'])), [])
      await put(db, 'a', 'one')
      assert.equal((await db.read('a', (tx) => tx.all(GET, ['a', 'one']))).length, 1)
    })

    it('lets one of many compare-and-swaps at once win, and loses none', async () => {
      const db = await openStore(kind)
      await session(db, 'a', 's')
      const swap = hot("UPDATE sessions SET fence = fence + 1 WHERE tenant_id = 'a' AND session_id = 's' AND fence = ?")
      for (let fence = 0; fence < 5; fence++) {
        const won = await Promise.all(Array.from({ length: 12 }, () => db.transaction('a', (tx) => tx.run(swap, [fence]))))
        assert.equal(
          won.reduce((sum, changed) => sum + changed, 0),
          1,
        )
      }
      const read = await db.read('a', (tx) => tx.db.selectFrom('sessions').select('fence').executeTakeFirstOrThrow())
      assert.equal(read.fence, 5)
    })

    it('shows a reader one moment, and never what is not committed', { skip: kind === 'sqlite-memory' }, async () => {
      const db = await openStore(kind)
      await put(db, 'a', 'one')
      const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const reading = db.read('a', async (tx) => {
        const before = await tx.all(GET, ['a', 'two'])
        begun.resolve()
        await go.promise
        return [before.length, (await tx.all(GET, ['a', 'two'])).length]
      })
      await begun.promise
      await db.transaction('a', async (tx) => {
        await tx.run(PUT, ['a', 'u', 'two', new Uint8Array(), 1, null])
      })
      go.resolve()
      assert.deepEqual(await reading, [0, 0])
      assert.equal((await db.read('a', (tx) => tx.all(GET, ['a', 'two']))).length, 1)
    })

    it('takes no write where only reading was asked for', async () => {
      const db = await openStore(kind)
      await assert.rejects(
        db.read('a', (tx) => tx.run(PUT, ['a', 'u', 'x', new Uint8Array(), 1, null])),
        fails('STORE_FAILED'),
      )
      await assert.rejects(
        db.system((tx) => tx.run(PUT, ['a', 'u', 'x', new Uint8Array(), 1, null]), { readOnly: true }),
        fails('STORE_FAILED'),
      )
      assert.equal(await put(db, 'a', 'x'), 1)
    })

    it('refuses a transaction inside of another instead of waiting for itself, and one used after its end', async () => {
      const db = await openStore(kind)
      for (const inner of [() => put(db, 'a', 'x'), () => db.read('a', async () => 1), () => db.system(async () => 1)]) {
        await assert.rejects(db.transaction('a', inner), fails('INTERNAL', /inside/))
        await assert.rejects(db.read('a', inner), fails('INTERNAL', /inside/))
      }
      const late = await db.transaction('a', async (tx) => tx)
      await assert.rejects(late.all(GET, ['a', 'x']), fails('INTERNAL', /after its end/))
      await assert.rejects(late.db.selectFrom('facts').selectAll().execute(), fails('INTERNAL', /after its end/))
      await assert.rejects(
        db.transaction('a', (tx) => tx.db.transaction().execute(async () => 1)),
        fails('INTERNAL', /inside/),
      )
    })

    it('names a row that is there already, and goes on', async () => {
      const db = await openStore(kind)
      await put(db, 'a', 'one')
      await assert.rejects(
        put(db, 'a', 'one'),
        (error: unknown) => fails('CONFLICT')(error) && AdjutantError.isInstance(error) && error.outcome === 'not-run',
      )
      assert.equal(await put(db, 'a', 'two'), 1)
    })

    it('keeps logs to which is only added', async () => {
      const db = await openStore(kind)
      await session(db, 'a', 's')
      await db.transaction('a', async (tx) => {
        await tx.db
          .insertInto('events')
          .values({ tenant_id: 'a', session_id: 's', seq: 1, at: 1, type: 'x', body: new Uint8Array() })
          .execute()
        await tx.db.insertInto('audit').values({ tenant_id: 'a', session_id: 's', seq: 1, previous: 'p', hash: 'h', text: 't' }).execute()
      })
      for (const text of [
        'UPDATE events SET at = 2',
        'DELETE FROM events',
        "UPDATE audit SET text = ''",
        'DELETE FROM audit',
        "UPDATE audit SET hash = 'x'",
      ]) {
        await assert.rejects(
          db.transaction('a', (tx) => tx.run(hot(text))),
          fails('STORE_FAILED', /only|stay/),
          text,
        )
        await assert.rejects(
          db.system((tx) => tx.run(hot(text))),
          fails('STORE_FAILED', /only|stay/),
          text,
        )
      }
    })

    it('refuses what is no tenant, and takes any text as one', async () => {
      const db = await openStore(kind)
      for (const tenant of ['', 'x'.repeat(201), 'a\0b', 'a\nb', '\ud800']) {
        await assert.rejects(
          db.transaction(tenant, async () => 1),
          fails('USAGE'),
        )
        await assert.rejects(
          db.read(tenant, async () => 1),
          fails('USAGE'),
        )
      }
      for (const tenant of ["o'brien", 'back\\slash', "'; DROP TABLE facts; --", 'Ünïcode 🐝', '*', '$1', '?']) {
        await put(db, tenant, 'mine')
        assert.equal((await db.read(tenant, (tx) => tx.all(GET, [tenant, 'mine']))).length, 1)
      }
    })

    it('refuses a parameter that no column can have', async () => {
      const db = await openStore(kind)
      for (const value of [undefined, new Date(0), {}, Symbol('x')]) {
        await assert.rejects(
          db.read('a', (tx) => sql`SELECT 1 FROM facts WHERE key = ${value}`.execute(tx.db)),
          fails('INTERNAL', /parameter/),
        )
      }
    })

    it('reads a table row by row', async () => {
      const db = await openStore(kind)
      await db.transaction('a', async (tx) => {
        for (let i = 0; i < 25; i++) await tx.run(PUT, ['a', 'u', `k${String(i).padStart(2, '0')}`, new Uint8Array([i]), i, null])
      })
      const seen: number[] = []
      await db.read('a', async (tx) => {
        for await (const row of tx.db.selectFrom('facts').selectAll().where('tenant_id', '=', 'a').orderBy('key').stream(7))
          seen.push(row.updated_at)
      })
      assert.deepEqual(
        seen,
        Array.from({ length: 25 }, (_, i) => i),
      )
    })

    it('is not used after it was closed', async () => {
      const db = await openStore(kind)
      await db.close()
      await db.close()
      await assert.rejects(put(db, 'a', 'x'), fails('STORE_FAILED', /closed/))
      await assert.rejects(
        db.read('a', async () => 1),
        fails('STORE_FAILED', /closed/),
      )
    })

    it('closes after what is in hand, and after readers that wait for a connection', async () => {
      const db = await openStore(kind, { poolSize: 1 })
      await put(db, 'a', 'one')
      const go = Promise.withResolvers<void>()
      const counts = Array.from({ length: 4 }, () =>
        db.read('a', async (tx) => {
          await go.promise
          return (await tx.all(GET, ['a', 'one'])).length
        }),
      )
      const writing = put(db, 'a', 'two')
      const closing = db.close()
      go.resolve()
      const ended = await Promise.allSettled([...counts, writing])
      await closing
      // Each was done whole, or refused because the store was closed; nothing hangs and nothing is cut off.
      for (const result of ended) {
        if (result.status === 'rejected') fails('STORE_FAILED', /closed/)(result.reason)
        else assert.equal(result.value, 1)
      }
      assert.equal(ended[0]?.status, 'fulfilled')
    })

    it('keeps what was written with durable: false as well', async () => {
      const db = await openStore(kind)
      await db.transaction('a', (tx) => tx.run(PUT, ['a', 'u', 'soft', new Uint8Array(), 1, null]), { durable: false })
      assert.equal((await db.read('a', (tx) => tx.all(GET, ['a', 'soft']))).length, 1)
    })
  })
}

describe('a store in a file', () => {
  it('is for its owner alone', { skip: process.platform === 'win32' }, async () => {
    const url = (await freshUrl('sqlite-file')).replace('store.db', 'deep/er/store.db')
    const db = await openStore(url)
    await put(db, 'a', 'x')
    const file = url.slice('sqlite:'.length)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(`${file}-wal`)).mode & 0o777, 0o600)
    assert.equal((await stat(dirname(file))).mode & 0o777, 0o700)
  })
})
