/**
 * Owns one SQLite file: one connection that writes, a few that read. Writers of this process stand in a queue; those of other processes are waited
 * for with a growing pause. Readers see the state of the moment at which they began and hold nobody up. A database in memory has one connection
 * for all.
 *
 * Crash rule: what was committed durably outlives the machine; what was committed `durable: false` outlives the process, and the machine as soon as the next durable
 * transaction has been committed.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { APPLICATION_ID } from './application-id.ts'
import { retrying } from './back-off.ts'
import type { Engine, Scope, StoreConnection, WriteOptions } from './connection.ts'
import { type Fault, sqliteFault } from './driver-fault.ts'
import { loadSqlite } from './load-sqlite.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { TurnQueue } from './turn-queue.ts'

export interface SqliteEngineOptions {
  readonly file: string
  readonly memory: boolean
  readonly shown: string
  readonly clock: Clock
  /** How long another process's writing is waited for. */
  readonly retryLimitMs: number
  /** Connections that read. */
  readonly poolSize: number
}

/** Waited for inside of SQLite, holding this thread up: about as long as another process needs for one transaction. */
const BUSY_MS = 5

/** What the journal beside the file may keep after a large transaction. */
const JOURNAL_BYTES = 67_108_864

const BUSY: ReadonlySet<Fault> = new Set<Fault>(['busy'])

export class SqliteEngine implements Engine {
  readonly kind = 'sqlite'
  readonly shown: string
  readonly dataVersion?: () => number | undefined
  readonly #options: SqliteEngineOptions
  readonly #writer: SqliteConnection
  readonly #writers = new TurnQueue()
  readonly #idle: SqliteConnection[] = []
  readonly #waiting: ((reader: SqliteConnection) => void)[] = []
  readonly #drained: (() => void)[] = []
  #readers = 0
  #durable = true
  #closed = false

  private constructor(options: SqliteEngineOptions, writer: SqliteConnection) {
    this.#options = options
    this.shown = options.shown
    this.#writer = writer
    // Of the writing connection: what it commits itself does not change it.
    if (!options.memory) this.dataVersion = () => (this.#closed ? undefined : writer.dataVersion())
  }

  /** @throws AdjutantError CONFIG_INVALID when the file is something else; STORE_FAILED when it cannot be opened */
  static async open(options: SqliteEngineOptions): Promise<SqliteEngine> {
    if (!options.memory) prepareFile(options.file, options.shown)
    return await retrying({ clock: options.clock, limitMs: options.retryLimitMs, faults: BUSY }, async () => {
      const writer = connect(options)
      try {
        await refuseForeign(writer, options.shown)
        // A file that this process may not write is said to be so now, not at the first step that must be kept.
        writer.exec(
          `${options.memory ? '' : 'PRAGMA journal_mode = WAL;'} PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${JOURNAL_BYTES}`,
        )
        return new SqliteEngine(options, writer)
      } catch (error) {
        writer.close()
        throw error
      }
    })
  }

  async write<T>(_scope: Scope, options: WriteOptions, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    return await this.#writers.run(async () => {
      this.#refuseClosed()
      this.#setDurable(options.durable)
      await this.#retrying(() => this.#writer.step('BEGIN IMMEDIATE'))
      return await ending(this.#writer, work)
    })
  }

  async read<T>(_scope: Scope, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    if (this.#options.memory) {
      return await this.#writers.run(async () => {
        this.#refuseClosed()
        this.#writer.exec('PRAGMA query_only = ON; BEGIN')
        try {
          return await ending(this.#writer, work)
        } finally {
          this.#writer.exec('PRAGMA query_only = OFF')
        }
      })
    }
    const reader = await this.#reader()
    try {
      await this.#retrying(() => reader.step('BEGIN'))
      return await ending(reader, work)
    } finally {
      this.#giveBack(reader)
    }
  }

  async alone<T>(work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    return await this.#writers.run(async () => {
      this.#refuseClosed()
      this.#setDurable(true)
      return await this.#retrying(async () => {
        try {
          return await work(this.#writer)
        } finally {
          if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK')
        }
      })
    })
  }

  async migrated(): Promise<void> {}

  /** Deleted pages are overwritten when they are; what the journal still has of them goes here, unless somebody is reading from it. */
  async forget(): Promise<void> {
    if (!this.#options.memory) await this.alone(async (connection) => await connection.script('PRAGMA wal_checkpoint(TRUNCATE)'))
  }

  /** A connection for a copy of the whole; a database in memory gives its only one, and nobody else has it meanwhile. */
  async withSource<T>(work: (source: DatabaseSync) => Promise<T>): Promise<T> {
    if (this.#options.memory) return await this.#writers.run(() => work(this.#writer.database))
    const source = connect(this.#options)
    try {
      return await work(source.database)
    } finally {
      source.close()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    await this.#writers.run(async () => {
      if (this.#closed) return
      this.#closed = true
      if (this.#idle.length < this.#readers) await new Promise<void>((resolve) => this.#drained.push(resolve))
      for (const reader of this.#idle.splice(0)) reader.close()
      this.#writer.close()
    })
  }

  #setDurable(durable: boolean): void {
    if (this.#durable === durable) return
    this.#writer.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
    this.#durable = durable
  }

  async #retrying<T>(attempt: () => T | Promise<T>): Promise<T> {
    return await retrying({ clock: this.#options.clock, limitMs: this.#options.retryLimitMs, faults: BUSY }, attempt)
  }

  async #reader(): Promise<SqliteConnection> {
    this.#refuseClosed()
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#readers < this.#options.poolSize) {
      this.#readers += 1
      try {
        const reader = connect(this.#options)
        reader.exec('PRAGMA query_only = ON')
        return reader
      } catch (error) {
        this.#readers -= 1
        throw error
      }
    }
    return await new Promise((resolve) => this.#waiting.push(resolve))
  }

  #giveBack(reader: SqliteConnection): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(reader)
    else next(reader)
    if (this.#idle.length === this.#readers) for (const resolve of this.#drained.splice(0)) resolve()
  }

  #refuseClosed(): void {
    if (this.#closed) throw new AdjutantError('STORE_FAILED', `the store ${this.shown} is closed`, { outcome: 'not-run', grade: 'final' })
  }
}

/** Ends what was begun, well or not. */
async function ending<T>(connection: SqliteConnection, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
  try {
    const result = await work(connection)
    connection.step('COMMIT')
    return result
  } catch (error) {
    // SQLite has rolled back by itself where the disk failed.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

function connect(options: SqliteEngineOptions): SqliteConnection {
  const { DatabaseSync } = loadSqlite()
  try {
    const connection = new SqliteConnection(new DatabaseSync(options.file), options.shown)
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON`)
    return connection
  } catch (error) {
    throw sqliteFault(error, options.shown)
  }
}

/** The folder 0700 and the file 0600, where they are made here; SQLite gives the files beside it the file's mode. */
function prepareFile(file: string, shown: string): void {
  const path = resolve(file)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
      throw new AdjutantError('STORE_FAILED', `the store ${shown} cannot be written: ${code}`, {
        cause: error,
        outcome: 'not-run',
        grade: 'final',
        hint: 'Give this user the right to write the file and its folder, or name another file.',
      })
    }
    throw new AdjutantError(
      'STORE_FAILED',
      `the store ${shown} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        outcome: 'not-run',
        grade: 'final',
        hint: 'Name a file in a folder that exists or can be made.',
      },
    )
  }
}

async function refuseForeign(connection: SqliteConnection, shown: string): Promise<void> {
  const ask = async (sql: string): Promise<number> => {
    const rows = await connection.all<{ n: number }>({ sql, numbered: sql, name: '' }, [])
    return Number(rows[0]?.n ?? 0)
  }
  const id = await ask('SELECT application_id AS n FROM pragma_application_id')
  if (id === APPLICATION_ID) return
  const tables = await ask("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  const ours = await ask("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name IN ('skills', 'skill_files')")
  const version = await ask('SELECT user_version AS n FROM pragma_user_version')
  // Files of the first skill store had these two tables and no mark; they are taken over.
  if (id === 0 && (tables === 0 || (tables === 2 && ours === 2 && version === 1))) return
  throw new AdjutantError('CONFIG_INVALID', `the store ${shown} is another program's database (${tables} tables, application ${id})`, {
    hint: 'Name a database of this program or a file that does not exist yet.',
  })
}
