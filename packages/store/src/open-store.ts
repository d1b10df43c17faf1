import { randomIds, systemClock } from '@adjutant/core'
import type { DurableStore } from '@adjutant/core/contract'
import { SqlDesk } from './approvals/sql-desk.ts'
import { type ChangeBell, LocalBell } from './changes/change-bell.ts'
import { type OpenDatabaseOptions, openDatabase, type StoreDatabase } from './database/index.ts'
import { SqlSessions } from './sessions/sql-sessions.ts'

/** Clock and ids default to the machine's. */
export type OpenStoreOptions = Partial<OpenDatabaseOptions>

/** Everything that outlives the process, in one database. */
export interface Store extends AsyncDisposable {
  readonly database: StoreDatabase
  readonly sessions: DurableStore
}

/**
 * Opens a database and what is kept in it.
 *
 * @param url `sqlite:/path/file.db`, a path that ends in `.db`, `sqlite::memory:`, or `postgres://…`
 * @throws AdjutantError USAGE, CONFIG_INVALID, STORE_FAILED with what to do about it
 *
 * @example
 * ```ts
 * await using store = await openStore('sqlite:.adjutant/store.db')
 * const session = await openDurableSession({ store: store.sessions, id, tools, namespaceRoot, mode: 'ask', approver, asker })
 * ```
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<Store> {
  const database = await openDatabase(url, { clock: systemClock, ids: randomIds, ...options })
  const bell: ChangeBell = new LocalBell(database.clock)
  const sessions = new SqlSessions(database, bell, new SqlDesk(database, bell))
  return {
    database,
    sessions,
    async [Symbol.asyncDispose]() {
      await bell[Symbol.asyncDispose]()
      await database.close()
    },
  }
}
