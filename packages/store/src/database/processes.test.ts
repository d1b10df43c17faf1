/** Several real processes on one store. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import { startChild } from '../../test/children.ts'
import { freshUrl, openStore, STORE_KINDS } from '../../test/open-stores.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { check } from './check.ts'
import { hot } from './hot.ts'

const SHARED = STORE_KINDS.filter((kind) => kind !== 'sqlite-memory')

for (const kind of SHARED) {
  describe(`processes on ${kind}`, () => {
    it('four of them swap one row a thousand times each, and none is lost', { timeout: 110_000 }, async () => {
      const url = await freshUrl(kind)
      const db = await openStore(url)
      const row = {
        tenant_id: 'a',
        session_id: 's',
        user_id: 'u',
        principal: '{}',
        state: 'open',
        created_at: 1,
        updated_at: 1,
        trace_id: 't',
      }
      await db.transaction('a', (tx) => tx.db.insertInto('sessions').values(row).execute())
      // The server is a process of its own for each connection; fewer rounds show the same there.
      const each = kind === 'postgres' ? 150 : 1_000
      const children = Array.from({ length: 4 }, () => startChild('swap', url, String(each)))
      await Promise.all(children.map((child) => child.ended()))
      const read = await db.read('a', (tx) => tx.db.selectFrom('sessions').select('fence').executeTakeFirstOrThrow())
      assert.equal(read.fence, 4 * each)
    })

    it('one that is killed while it writes loses nothing that it was told is kept, and leaves nothing by halves', {
      timeout: 60_000,
    }, async () => {
      const url = await freshUrl(kind)
      const db = await openStore(url)
      const row = {
        tenant_id: 'a',
        session_id: 's',
        user_id: 'u',
        principal: '{}',
        state: 'open',
        created_at: 1,
        updated_at: 1,
        trace_id: 't',
      }
      await db.transaction('a', (tx) => tx.db.insertInto('sessions').values(row).execute())
      const child = startChild('append', url)
      let told = 0
      while (told < 40) told = Number(await child.line())
      child.process.kill('SIGKILL')
      await assert.rejects(child.ended())
      for (let line = await child.line(); line !== undefined && line !== ''; line = await child.line()) told = Number(line)
      const events = await db.read('a', (tx) => tx.db.selectFrom('events').select('seq').orderBy('seq').execute())
      assert.deepEqual(
        events.slice(0, told).map(({ seq }) => seq),
        Array.from({ length: told }, (_, index) => index + 1),
      )
      // What it was not told of is whole or not there: at most the one that was under way.
      assert.ok(events.length <= told + 1, `${events.length} of ${told}`)
      assert.deepEqual((await check(db)).findings, [])
    })

    it('migrate at the same moment: one does it, the others wait and find it done', { timeout: 60_000 }, async () => {
      const url = await freshUrl(kind)
      const children = Array.from({ length: 3 }, () => startChild('migrate', url))
      for (const child of children) assert.equal(await child.line(), 'ready')
      for (const child of children) child.process.stdin.end('go\n')
      const outcomes = await Promise.all(children.map(async (child) => JSON.parse((await child.line()) ?? 'null')))
      await Promise.all(children.map((child) => child.ended()))
      assert.deepEqual(outcomes.map(({ applied }) => applied.length).sort(), [0, 0, MIGRATIONS.length])
      assert.ok(outcomes.every(({ to }) => to === MIGRATIONS.length))
      const db = await openStore(url, { migrate: 'require' })
      assert.equal((await db.system((tx) => tx.all(hot('SELECT version FROM store_versions')))).length, MIGRATIONS.length)
    })
  })
}

describe('a SQLite file that another process writes', () => {
  it('is waited for as long as was said, and then given up with a reason; afterwards it goes on', { timeout: 60_000 }, async () => {
    const url = await freshUrl('sqlite-file')
    const db = await openStore(url, { retryLimitMs: 30 })
    const child = startChild('hold', url)
    assert.equal(await child.line(), 'holding')
    let ran = false
    await assert.rejects(
      db.transaction('a', async () => {
        ran = true
      }),
      (error: unknown) =>
        AdjutantError.isInstance(error) &&
        error.code === 'STORE_FAILED' &&
        error.grade === 'retry' &&
        error.outcome === 'not-run' &&
        /another process/.test(error.message),
    )
    assert.equal(ran, false)
    assert.equal(await db.read('a', async () => 'reading goes on'), 'reading goes on')
    child.process.stdin.end('go\n')
    await child.ended()
    assert.equal(await db.transaction('a', async () => 'written'), 'written')
  })

  it('is free again when that process is killed', { timeout: 60_000 }, async () => {
    const url = await freshUrl('sqlite-file')
    const db = await openStore(url)
    const child = startChild('hold', url)
    assert.equal(await child.line(), 'holding')
    child.process.kill('SIGKILL')
    assert.equal(await db.transaction('a', async () => 'written'), 'written')
    await assert.rejects(child.ended())
  })
})
