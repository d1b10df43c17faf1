/**
 * What the store adds to the same statements by hand: one row appended in a transaction of its own, and 1 MB read. Both ways take turns, so that the load of
 * the machine meets both alike.
 *
 * Usage: node --conditions=adjutant-source packages/store/test/measure.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { randomIds, systemClock } from '@adjutant/core'
import { postgresMissing, startPostgres } from '@adjutant/testkit'
import { bodyPlace, hot, openDatabase, type StoreDatabase, type StoreTransaction } from '../src/database/index.ts'

const APPEND = hot('INSERT INTO events (tenant_id, session_id, seq, at, type, body) VALUES (?, ?, ?, ?, ?, ?)')
const READ = hot<{ body: Uint8Array }>(
  'SELECT body FROM result_pieces WHERE tenant_id = ? AND session_id = ? AND content = ? AND piece = 1',
)
const PLACE = bodyPlace('result_pieces', 'body', 'a', 's', 'r', 1)
const ROW = new Uint8Array(2_048).fill(97)
const LARGE = new Uint8Array(1_000_000).fill(98)

async function prepare(db: StoreDatabase): Promise<void> {
  const session = {
    tenant_id: 'a',
    session_id: 's',
    user_id: 'u',
    principal: '{}',
    state: 'open',
    created_at: 1,
    updated_at: 1,
    trace_id: 't',
  }
  const result = {
    tenant_id: 'a',
    session_id: 's',
    content: 'r',
    piece: 1,
    body: db.seal.seal(LARGE, PLACE),
  }
  await db.transaction('a', async (tx) => {
    await tx.db.insertInto('sessions').values(session).execute()
    await tx.db.insertInto('result_pieces').values(result).execute()
  })
}

/** Medians in microseconds of each way, run in turns. */
async function inTurns(rounds: number, ...ways: readonly (() => unknown)[]): Promise<readonly number[]> {
  const times = ways.map((): number[] => [])
  for (let round = -Math.ceil(rounds / 5); round < rounds; round++) {
    for (const [index, way] of ways.entries()) {
      const begun = process.hrtime.bigint()
      await way()
      if (round >= 0) times[index]?.push(Number(process.hrtime.bigint() - begun) / 1_000)
    }
  }
  return times.map((each) => each.sort((a, b) => a - b)[each.length >> 1] ?? Number.NaN)
}

function show(what: string, [store = 0, built = 0, hand = 0]: readonly number[]): void {
  const ratio = (way: number) => `${way.toFixed(0).padStart(6)} µs  ${(way / hand).toFixed(2)}×`
  process.stdout.write(`${what.padEnd(34)} hot ${ratio(store)}   built ${ratio(built)}   by hand ${hand.toFixed(0).padStart(6)} µs\n`)
}

function ways(db: StoreDatabase, durable: boolean): readonly [() => Promise<unknown>, () => Promise<unknown>] {
  const row = () => ({ tenant_id: 'a', session_id: 's', seq: ++seq, at: 1, type: 'x', body: ROW })
  return [
    () => db.transaction('a', (tx) => tx.run(APPEND, ['a', 's', ++seq, 1, 'x', ROW]), { durable }),
    () => db.transaction('a', (tx) => tx.db.insertInto('events').values(row()).execute(), { durable }),
  ]
}

function readWays(db: StoreDatabase): readonly [() => Promise<unknown>, () => Promise<unknown>] {
  const built = ({ db: from }: StoreTransaction) =>
    from
      .selectFrom('result_pieces')
      .select('body')
      .where('tenant_id', '=', 'a')
      .where('session_id', '=', 's')
      .where('content', '=', 'r')
      .where('piece', '=', 1)
      .executeTakeFirst()
  return [
    async () => db.seal.open((await db.read('a', (tx) => tx.get(READ, ['a', 's', 'r'])))?.body ?? LARGE, PLACE),
    async () => db.seal.open((await db.read('a', built))?.body ?? LARGE, PLACE),
  ]
}

let seq = 0
// Beside the sources and not in a folder for temporary files, which may be memory.
const folder = mkdtempSync(join(process.cwd(), '.measure-'))
try {
  await using db = await openDatabase(join(folder, 'store.db'), { clock: systemClock, ids: randomIds })
  await prepare(db)
  {
    await using twin = await openDatabase(join(folder, 'hand.db'), { clock: systemClock, ids: randomIds })
    await prepare(twin)
  }
  using hand = new DatabaseSync(join(folder, 'hand.db'))
  hand.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
  const [begin, commit, append, read] = ['BEGIN IMMEDIATE', 'COMMIT', APPEND.sql, READ.sql].map((sql) => hand.prepare(sql))
  for (const [mode, durable, rounds] of [
    ['NORMAL', false, 2_000],
    ['FULL', true, 300],
  ] as const) {
    hand.exec(`PRAGMA synchronous = ${mode}`)
    const byHand = (): void => {
      begin?.run()
      append?.run('a', 's', ++seq, 1, 'x', ROW)
      commit?.run()
    }
    show(`SQLite, append 2 KB, ${mode}`, await inTurns(rounds, ...ways(db, durable), byHand))
  }
  show('SQLite, read 1 MB', await inTurns(200, ...readWays(db), () => read?.get('a', 's', 'r')))
} finally {
  rmSync(folder, { recursive: true })
}

const missing = postgresMissing()
if (missing !== undefined) process.stdout.write(`PostgreSQL: not measured: ${missing}\n`)
else {
  await using server = await startPostgres({ fsync: true })
  await using db = await openDatabase(server.url, { clock: systemClock, ids: randomIds })
  await prepare(db)
  const { Client } = await import('pg')
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query(`SET search_path = ${db.schema}; SET adjutant.scope = 'tenant'; SET adjutant.tenant = 'a'`)
  const byHand = async (): Promise<void> => {
    await client.query('BEGIN')
    await client.query({ name: 'append', text: APPEND.numbered, values: ['a', 's', ++seq, 1, 'x', ROW] })
    await client.query('COMMIT')
  }
  show('PostgreSQL, append 2 KB', await inTurns(200, ...ways(db, true), byHand))
  const readByHand = async (): Promise<void> => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query({ name: 'read', text: READ.numbered, values: ['a', 's', 'r'] })
    await client.query('COMMIT')
  }
  show('PostgreSQL, read 1 MB', await inTurns(50, ...readWays(db), readByHand))
  await client.end()
}
