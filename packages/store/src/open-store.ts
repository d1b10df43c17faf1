import { randomIds, systemClock } from '@adjutant/core'
import type { DurableStore } from '@adjutant/core/contract'
import { SqlDesk } from './approvals/sql-desk.ts'
import { openBell } from './changes/open-bell.ts'
import { type OpenDatabaseOptions, openDatabase, type StoreDatabase } from './database/index.ts'
import { checkTargets, Notifications, type NotifySettings, Outbox } from './notifications/index.ts'
import { SqlSessions } from './sessions/sql-sessions.ts'

/** Clock and ids default to the machine's. */
export interface OpenStoreOptions extends Partial<OpenDatabaseOptions> {
  /** Who is told of what; the same in each process of a store. Default: nobody. */
  readonly notify?: readonly NotifySettings[]
}

/** Everything that outlives the process, in one database. */
export interface Store extends AsyncDisposable {
  readonly database: StoreDatabase
  readonly sessions: DurableStore
  readonly notifications: Notifications
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
export async function openStore(url: string, { notify = [], ...options }: OpenStoreOptions = {}): Promise<Store> {
  const targets = checkTargets(notify)
  const database = await openDatabase(url, { clock: systemClock, ids: randomIds, ...options })
  const bell = openBell(database, options.warn ?? (() => {}))
  const outbox = new Outbox(database, targets)
  const desk = new SqlDesk(database, bell, [(tx, approval) => outbox.approval(tx, approval)])
  const sessions = new SqlSessions(database, bell, desk, [(tx, key, step) => outbox.step(tx, key, step)])
  const notifications = new Notifications({
    db: database,
    targets,
    expire: () => desk.expireOverdue(),
    warn: options.warn ?? (() => {}),
  })
  return {
    database,
    sessions,
    notifications,
    async [Symbol.asyncDispose]() {
      await notifications.close()
      await bell[Symbol.asyncDispose]()
      await database.close()
    },
  }
}
