/**
 * Opens stores for tests: SQLite in a file and in memory, and, where there is a PostgreSQL, a schema of its own in a server that the test file starts
 * once. Everything is gone when the tests of the file are over.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { postgresMissing, startPostgres, type TestPostgres, type TestPostgresOptions } from '@adjutant/testkit'
import { type OpenDatabaseOptions, openDatabase, type StoreDatabase } from '../src/database/index.ts'

export type StoreKind = 'sqlite-file' | 'sqlite-memory' | 'postgres'

const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`store: NOTHING WAS TRIED ON POSTGRESQL: ${missing}\n`)

/** The kinds that there are on this machine. */
export const STORE_KINDS: readonly StoreKind[] = ['sqlite-file', 'sqlite-memory', ...(missing === undefined ? (['postgres'] as const) : [])]

let serverOptions: TestPostgresOptions = {}
let server: Promise<TestPostgres> | undefined
let schemas = 0
const folders: string[] = []
const opened: StoreDatabase[] = []

after(async () => {
  await Promise.all(opened.map((db) => db.close()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
  await (await server)?.stop()
})

/** The server of this test file; made on first use. */
export async function testServer(options?: TestPostgresOptions): Promise<TestPostgres> {
  if (options !== undefined && server === undefined) serverOptions = options
  server ??= startPostgres(serverOptions)
  return await server
}

export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adjutant-store-'))
  folders.push(folder)
  return folder
}

/** The address of a store that does not exist yet. */
export async function freshUrl(kind: StoreKind): Promise<string> {
  switch (kind) {
    case 'sqlite-file':
      return `sqlite:${join(await testFolder(), 'store.db')}`
    case 'sqlite-memory':
      return 'sqlite::memory:'
    case 'postgres':
      schemas += 1
      return `${(await testServer()).url}?schema=test_${schemas}`
    default:
      return kind satisfies never
  }
}

/** Opens `url`, or a store of its own, on the real clock unless another is given; it is closed after the tests. */
export async function openStore(kindOrUrl: StoreKind | string, options: Partial<OpenDatabaseOptions> = {}): Promise<StoreDatabase> {
  const url = isKind(kindOrUrl) ? await freshUrl(kindOrUrl) : kindOrUrl
  const db = await openDatabase(url, { clock: systemClock, ids: randomIds, ...options })
  opened.push(db)
  return db
}

function isKind(text: string): text is StoreKind {
  return text === 'sqlite-file' || text === 'sqlite-memory' || text === 'postgres'
}
