/** What goes wrong outside: disks, files, servers, passwords, other transactions. Each is said with its place and what to do, and the store goes on. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { AdjutantError, type ErrorCode, type ErrorOutcome } from '@adjutant/core'
import { openStore, STORE_KINDS, testFolder, testServer } from '../../test/open-stores.ts'
import { hot } from './hot.ts'
import type { StoreDatabase } from './store-database.ts'

function says(code: ErrorCode, text: RegExp, outcome?: ErrorOutcome): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, text)
    if (outcome !== undefined) assert.equal(error.outcome, outcome)
    assert.ok(error.hint.length > 10, error.hint)
    return true
  }
}

const PUT = hot("INSERT INTO facts (tenant_id, user_id, key, value, updated_at) VALUES ('a', 'u', ?, ?, 1)")
const COUNT = hot<{ n: number }>("SELECT count(*) AS n FROM facts WHERE tenant_id = 'a'")

async function count(db: StoreDatabase): Promise<number> {
  return (await db.read('a', (tx) => tx.get(COUNT)))?.n ?? -1
}

describe('a SQLite file that is none', () => {
  it('text, another program’s database and a cut-off header are refused and left as they are', async () => {
    const folder = await testFolder()
    const [text, other, marked, short] = ['text.db', 'other.db', 'marked.db', 'short.db'].map((name) => join(folder, name))
    assert.ok(text !== undefined && other !== undefined && marked !== undefined && short !== undefined)
    await writeFile(text, 'not a database, but long enough to be looked at as one: '.repeat(40))
    await writeFile(short, 'SQLite format 3\0and then nothing more')
    {
      using database = new DatabaseSync(other)
      database.exec('CREATE TABLE mine (x)')
      using second = new DatabaseSync(marked)
      second.exec('PRAGMA application_id = 252006674; CREATE TABLE fossil (x)')
    }
    for (const file of [text, other, marked, short]) {
      const before = await readFile(file)
      await assert.rejects(openStore(`sqlite:${file}`), says('CONFIG_INVALID', new RegExp(file)))
      assert.deepEqual(await readFile(file), before)
    }
  })

  it('a folder, and a way through a file, are said to be', async () => {
    const folder = await testFolder()
    await mkdir(join(folder, 'x.db'))
    await writeFile(join(folder, 'file'), '')
    await assert.rejects(openStore(join(folder, 'x.db')), says('STORE_FAILED', /cannot be opened.*EISDIR/))
    await assert.rejects(openStore(join(folder, 'file', 'y.db')), says('STORE_FAILED', /cannot be opened.*(ENOTDIR|EEXIST)/))
  })
})

describe('a SQLite file on a disk that is full', () => {
  it('keeps what it has, says so, and goes on when there is room', async () => {
    const db = await openStore('sqlite-file')
    await db.transaction('a', (tx) => tx.run(PUT, ['first', new Uint8Array(10)]))
    // SQLite's own limit on pages: the very code that a full disk gives.
    const [pages] = await db.system((tx) => tx.all(hot<{ page_count: number }>('PRAGMA page_count')))
    await db.system((tx) => tx.all(hot(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 2}`)))
    await assert.rejects(
      db.transaction('a', async (tx) => {
        await tx.run(PUT, ['small', new Uint8Array(10)])
        await tx.run(PUT, ['large', new Uint8Array(200_000)])
      }),
      says('STORE_FAILED', /disk that is full/, 'not-run'),
    )
    assert.equal(await count(db), 1)
    await db.system((tx) => tx.all(hot('PRAGMA max_page_count = 1000000')))
    await db.transaction('a', (tx) => tx.run(PUT, ['large', new Uint8Array(200_000)]))
    assert.equal(await count(db), 2)
  })
})

describe('a connection to PostgreSQL', { skip: !STORE_KINDS.includes('postgres') }, () => {
  it('names a wrong password, a missing database and a dead port, and never the password', async () => {
    const server = await testServer()
    const password = new URL(server.url).password
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(server.url)
      change(url)
      return url.href
    }
    const cases: readonly (readonly [string, ErrorCode, RegExp])[] = [
      [changed((url) => (url.password = 'wr0ng')), 'CONFIG_INVALID', /refused the password/],
      [changed((url) => (url.username = 'nobody')), 'CONFIG_INVALID', /refused the (password|user)/],
      [changed((url) => (url.pathname = '/nothing')), 'CONFIG_INVALID', /no database of this name/],
      [changed((url) => (url.port = '1')), 'STORE_FAILED', /cannot be reached/],
      [changed((url) => (url.hostname = 'no-such-host.invalid')), 'STORE_FAILED', /cannot be reached/],
    ]
    for (const [url, code, text] of cases) {
      await assert.rejects(openStore(url), (error: unknown) => {
        says(code, text, 'not-run')(error)
        assert.ok(AdjutantError.isInstance(error))
        for (const secret of [password, 'wr0ng']) assert.ok(!`${error.message} ${error.hint} ${error.stack}`.includes(secret))
        return true
      })
    }
  })

  it('lost before the commit is made anew, and the work done once', async () => {
    const db = await openStore('postgres')
    const kill = 'SELECT pg_terminate_backend(?)'
    const pid = hot<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    let runs = 0
    await db.transaction('a', async (tx) => {
      runs += 1
      await tx.run(PUT, [`once ${runs}`, new Uint8Array()])
      const mine = (await tx.get(pid))?.pid ?? 0
      if (runs === 1) await db.postgres?.pool.query(kill.replace('?', String(mine)))
      await tx.get(pid)
    })
    assert.equal(runs, 2)
    assert.equal(await count(db), 1)
  })

  it('lost in the middle of a commit is unknown, not tried again', async () => {
    const db = await openStore('postgres')
    // A trigger that ends its own connection when the transaction is committed: the server never answers.
    await db.system(async (tx) => {
      await tx.run(hot("DELETE FROM facts WHERE tenant_id = 'never'"))
    })
    const { schema } = db
    await db.postgres?.pool.query(`
      CREATE FUNCTION ${schema}.fall() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $f$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $f$;
      CREATE CONSTRAINT TRIGGER fall AFTER INSERT ON ${schema}.facts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.fall();`)
    let runs = 0
    await assert.rejects(
      db.transaction('a', async (tx) => {
        runs += 1
        await tx.run(PUT, ['x', new Uint8Array()])
      }),
      says('STORE_FAILED', /lost while a transaction was being committed/, 'unknown'),
    )
    assert.equal(runs, 1)
    assert.equal(await count(db), 0)
  })

  it('outlives an immediate restart of the server, in use and idle', { timeout: 60_000 }, async () => {
    const server = await testServer()
    const heard: string[] = []
    const db = await openStore('postgres', { poolSize: 3, warn: (message) => heard.push(message) })
    // All three are open and idle when the server dies.
    await Promise.all([1, 2, 3].map((n) => db.transaction('a', (tx) => tx.run(PUT, [`n${n}`, new Uint8Array()]))))
    let runs = 0
    await db.transaction('a', async (tx) => {
      runs += 1
      await tx.run(PUT, ['during', new Uint8Array()])
      if (runs === 1) await server.restart('immediate')
      await tx.get(COUNT)
    })
    assert.ok(runs >= 2)
    assert.equal(await count(db), 4)
    const password = new URL(server.url).password
    assert.ok(heard.every((message) => !message.includes(password)))
  })

  it('goes on with its statements when another process has changed a table', async () => {
    const db = await openStore('postgres', { poolSize: 1 })
    const all = hot<Record<string, unknown>>('SELECT * FROM nodes')
    await db.system((tx) => tx.db.insertInto('nodes').values({ node_id: 'n', started_at: 1, seen_at: 1, address: null }).execute())
    assert.equal((await db.system((tx) => tx.all(all))).length, 1)
    await db.postgres?.pool.query(`ALTER TABLE ${db.schema}.nodes ADD COLUMN later text DEFAULT 'x'`)
    assert.equal((await db.system((tx) => tx.all(all)))[0]?.later, 'x')
  })

  it('two transactions that wait for each other are both done in the end', async () => {
    const db = await openStore('postgres')
    for (const key of ['x', 'y']) await db.transaction('a', (tx) => tx.run(PUT, [key, new Uint8Array()]))
    const raise = hot("UPDATE facts SET updated_at = updated_at + 1 WHERE tenant_id = 'a' AND key = ?")
    const first = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    let runs = 0
    const both = async (mine: 0 | 1, keys: readonly [string, string]): Promise<void> => {
      await db.transaction('a', async (tx) => {
        runs += 1
        await tx.run(raise, [keys[0]])
        first[mine].resolve()
        await first[mine === 0 ? 1 : 0].promise
        await tx.run(raise, [keys[1]])
      })
    }
    await Promise.all([both(0, ['x', 'y']), both(1, ['y', 'x'])])
    assert.equal(runs, 3)
    const rows = await db.read('a', (tx) => tx.db.selectFrom('facts').select('updated_at').execute())
    assert.deepEqual(
      rows.map((row) => row.updated_at),
      [3, 3],
    )
  })

  it('a statement that takes too long is ended, and one that failed cannot be committed over', async () => {
    const db = await openStore('postgres', { statementTimeoutMs: 50 })
    await assert.rejects(
      db.read('a', (tx) => tx.get(hot('SELECT pg_sleep(10)'))),
      says('STORE_FAILED', /took too long/, 'not-run'),
    )
    await assert.rejects(
      db.transaction('a', async (tx) => {
        await tx.run(PUT, ['x', new Uint8Array()])
        await tx.get(hot('SELECT 1 / 0')).catch(() => {})
      }),
      says('STORE_FAILED', /kept nothing/, 'not-run'),
    )
    assert.equal(await count(db), 0)
  })
})
