/** Two databases of the same tables side by side: one for the store, one for the same rows by hand. And how times are taken. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { randomIds, systemClock } from '@adjutant/core'
import { type HotStatement, openDatabase, openStore, type SqlValue, type Store } from '@adjutant/store'
import { startPostgres } from '@adjutant/testkit'
import { Client } from 'pg'

export interface HandTransaction {
  all<Row>(statement: HotStatement<Row>, parameters: readonly SqlValue[]): Promise<readonly Row[]> | readonly Row[]
  run(statement: HotStatement<unknown>, parameters: readonly SqlValue[]): Promise<number> | number
}

/** A driver, and nothing between. */
export interface Hand {
  readonly kind: 'SQLite' | 'PostgreSQL'
  write<T>(durable: boolean, work: (tx: HandTransaction) => Promise<T> | T): Promise<T>
  read<T>(work: (tx: HandTransaction) => Promise<T> | T): Promise<T>
}

export interface Place extends AsyncDisposable {
  readonly name: 'SQLite' | 'PostgreSQL'
  readonly store: Store
  readonly hand: Hand
  /** Where another system may keep its own. */
  readonly folder: string
  /** Of PostgreSQL. */
  readonly url: string | undefined
  /** What the store's database takes on the disk. */
  bytes(): Promise<number>
  /** What the tables of another system take there. */
  peerBytes(): Promise<number>
}

/** Beside the sources and not in a folder for temporary files, which may be memory. */
export function benchFolder(): string {
  return mkdtempSync(join(import.meta.dirname, '.durable-'))
}

export async function sqlitePlace(): Promise<Place> {
  const folder = benchFolder()
  const store = await openStore(join(folder, 'store.db'))
  const file = join(folder, 'hand.db')
  await (await openDatabase(file, { clock: systemClock, ids: randomIds })).close()
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
  return {
    name: 'SQLite',
    store,
    hand: sqliteHand(db),
    folder,
    url: undefined,
    bytes: async () => fileBytes(folder, 'store.db'),
    peerBytes: async () => fileBytes(folder, 'peer.db'),
    async [Symbol.asyncDispose]() {
      db.close()
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function postgresPlace(): Promise<Place> {
  const folder = benchFolder()
  const server = await startPostgres({ fsync: true })
  const store = await openStore(`${server.url}?schema=store`)
  await (await openDatabase(`${server.url}?schema=hand`, { clock: systemClock, ids: randomIds })).close()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query("SET search_path = hand; SET adjutant.scope = 'tenant'; SET adjutant.tenant = 'local'")
  return {
    name: 'PostgreSQL',
    store,
    hand: postgresHand(client),
    folder,
    url: server.url,
    bytes: () => schemaBytes(client, 'store'),
    peerBytes: () => schemaBytes(client, 'peer'),
    async [Symbol.asyncDispose]() {
      await client.end()
      await store[Symbol.asyncDispose]()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function schemaBytes(client: Client, schema: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace",
    [schema],
  )
  return Number(rows[0]?.bytes)
}

/** Of a database and the files beside it. */
function fileBytes(folder: string, name: string): number {
  // What the journal still has goes into the file first.
  if (existsSync(join(folder, name))) {
    const db = new DatabaseSync(join(folder, name))
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
  }
  const files = readdirSync(folder).filter((each) => each.startsWith(name))
  return files.reduce((sum, each) => sum + statSync(join(folder, each)).size, 0)
}

function sqliteHand(db: DatabaseSync): Hand {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  const tx: HandTransaction = {
    all: (statement, parameters) => rowsOf(statement, prepare(statement.sql).all(...parameters)),
    run: (statement, parameters) => Number(prepare(statement.sql).run(...parameters).changes),
  }
  let durability = ''
  const within = async <T>(begin: string, work: (tx: HandTransaction) => Promise<T> | T): Promise<T> => {
    prepare(begin).run()
    const result = await work(tx)
    prepare('COMMIT').run()
    return result
  }
  return {
    kind: 'SQLite',
    write: (durable, work) => {
      const wanted = durable ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL'
      if (wanted !== durability) db.exec(wanted)
      durability = wanted
      return within('BEGIN IMMEDIATE', work)
    },
    read: (work) => within('BEGIN', work),
  }
}

function postgresHand(client: Client): Hand {
  const tx: HandTransaction = {
    all: async (statement, parameters) => {
      const { rows } = await client.query({ name: statement.name, text: statement.numbered, values: [...parameters] })
      return rowsOf(statement, rows)
    },
    run: async (statement, parameters) =>
      (await client.query({ name: statement.name, text: statement.numbered, values: [...parameters] })).rowCount ?? 0,
  }
  const within = async <T>(begin: string, work: (tx: HandTransaction) => Promise<T> | T): Promise<T> => {
    await client.query(begin)
    const result = await work(tx)
    await client.query('COMMIT')
    return result
  }
  return {
    kind: 'PostgreSQL',
    write: (durable, work) => within(durable ? 'BEGIN' : 'BEGIN; SET LOCAL synchronous_commit = off', work),
    read: (work) => within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
  }
}

/** A database cannot be asked what it gives: the statement says it. */
function rowsOf<Row>(_: HotStatement<Row>, rows: readonly unknown[]): readonly Row[] {
  trust<Row>(rows)
  return rows
}

function trust<Row>(rows: readonly unknown[]): asserts rows is readonly Row[] {
  if (!Array.isArray(rows)) throw new Error('a driver gave no list')
}

export type Timed = () => Promise<unknown> | unknown

/** Milliseconds of each turn of each way. They take turns, so that the load of the machine meets all alike. */
export async function inTurns(
  turns: number,
  ways: Readonly<Record<string, Timed>>,
  warm = Math.min(20, Math.ceil(turns / 5)),
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times = Object.fromEntries(Object.keys(ways).map((name): [string, number[]] => [name, []]))
  for (let turn = -warm; turn < turns; turn += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const begun = performance.now()
      await way()
      if (turn >= 0) times[name]?.push(performance.now() - begun)
    }
  }
  return times
}

export function median(times: readonly number[] = []): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN
}

export function sum(times: readonly number[] = []): number {
  return times.reduce((all, each) => all + each, 0)
}
