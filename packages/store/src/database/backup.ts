/**
 * Owns copies of a whole store, taken while it is used. A SQLite store becomes a SQLite file; a PostgreSQL store, or either when asked, becomes JSON lines that
 * `restore` puts into an empty store of either kind: rows as they are, sealed bodies sealed.
 *
 * Crash rule: the file appears under its name when it is whole and on the disk, or not at all.
 */
import { createReadStream } from 'node:fs'
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { AdjutantError } from '@adjutant/core/contract'
import { MIGRATIONS } from '../migrations/index.ts'
import { hot } from './hot.ts'
import { loadSqlite } from './load-sqlite.ts'
import { ALL_TABLES, lineToRow, parseObject, rowToLine, type TableName, wrong } from './rows-as-lines.ts'
import { rowsInOrder } from './rows-in-order.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import type { StoreDatabase, StoreTransaction } from './store-database.ts'

export interface BackupOptions {
  /** `native` (default): the quickest that the database has. `lines`: JSON lines, also of SQLite. */
  readonly form?: 'native' | 'lines'
}

export interface BackupReport {
  readonly file: string
  readonly form: 'sqlite' | 'lines'
  /** Of JSON lines. */
  readonly rows?: number
}

/** More pages than a file can have. */
const ALL_PAGES = 0x7fff_ffff
const FORMAT = 'adjutant-backup'
const FORMAT_VERSION = 1
/** Lines are collected to about this many characters before they are written. */
const WRITE_AT = 262_144

/**
 * @param file must not exist; is made with mode 0600
 * @throws AdjutantError CONFLICT when the file exists; STORE_FAILED
 */
export async function backup(db: StoreDatabase, file: string, options: BackupOptions = {}): Promise<BackupReport> {
  const target = resolve(file)
  if (await exists(target)) {
    throw new AdjutantError('CONFLICT', `the backup ${file} exists already`, {
      outcome: 'not-run',
      hint: 'Name a file that does not exist.',
    })
  }
  const part = `${target}.${db.ids.next('part')}`
  try {
    const handle = await open(part, 'wx', 0o600)
    let rows: number | undefined
    try {
      if (db.engine instanceof SqliteEngine && options.form !== 'lines') await copySqlite(db.engine, part)
      else rows = await writeLines(db, handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, target)
    await syncFolder(dirname(target))
    return rows === undefined ? { file: target, form: 'sqlite' } : { file: target, form: 'lines', rows }
  } catch (error) {
    await rm(part, { force: true })
    throw AdjutantError.from(error, 'STORE_FAILED', `the backup ${file}`)
  }
}

/** All pages in one step, off this thread, so that writers of other processes cannot make it begin anew. */
async function copySqlite(engine: SqliteEngine, part: string): Promise<void> {
  await engine.withSource(async (source) => {
    await loadSqlite().backup(source, part, { rate: ALL_PAGES })
  })
}

async function writeLines(db: StoreDatabase, handle: FileHandle): Promise<number> {
  return await db.system(
    async (tx) => {
      let rows = 0
      let waiting = `${JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, migrations: MIGRATIONS.map(({ name }) => name), at: db.clock.now() })}\n`
      for (const table of ALL_TABLES) {
        for await (const row of rowsInOrder(tx, table)) {
          waiting += `${rowToLine(table, row)}\n`
          rows += 1
          if (waiting.length < WRITE_AT) continue
          await handle.writeFile(waiting)
          waiting = ''
        }
      }
      await handle.writeFile(`${waiting}${JSON.stringify({ end: true, rows })}\n`)
      return rows
    },
    { readOnly: true },
  )
}

/**
 * Puts a backup of JSON lines into a store that is empty, in one transaction.
 *
 * @throws AdjutantError CONFIG_INVALID naming the line when the file is cut off, changed or newer than this program; CONFLICT when the store has rows
 */
export async function restore(db: StoreDatabase, file: string): Promise<{ readonly rows: number }> {
  return await db.system(async (tx) => {
    for (const table of ALL_TABLES) {
      const found = await tx.get(hot<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT 1) AS first`))
      if (found === undefined || found.n === 0) continue
      throw new AdjutantError('CONFLICT', `the store ${db.shown} has rows already, in ${table}`, {
        outcome: 'not-run',
        hint: 'Restore into an empty store.',
      })
    }
    return { rows: await readLines(tx, file) }
  })
}

async function readLines(tx: StoreTransaction, file: string): Promise<number> {
  const input = createReadStream(file, { encoding: 'utf8' })
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  let number = 0
  let rows = 0
  let ended = false
  try {
    for await (const line of lines) {
      number += 1
      const place = `line ${number} of ${file}`
      if (ended) throw wrong(place, 'something follows the end')
      if (number === 1) readHead(line, place)
      else if (line.startsWith('{"end"')) {
        if (parseObject(line, place).rows !== rows) throw wrong(place, `it has ${rows} rows and should have others`)
        ended = true
      } else {
        const { table, row } = lineToRow(line, place)
        await insert(tx, table, row, place)
        rows += 1
      }
    }
  } catch (error) {
    throw AdjutantError.from(error, 'STORE_FAILED', `the backup ${file}`)
  } finally {
    lines.close()
    input.destroy()
  }
  if (!ended) throw wrong(file, 'it is cut off: the last line is missing')
  return rows
}

function readHead(line: string, place: string): void {
  const head = parseObject(line, place)
  if (head.format !== FORMAT) throw wrong(place, 'it is no backup of this program')
  const names = Array.isArray(head.migrations) ? head.migrations : []
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const newer = names.find((name) => typeof name !== 'string' || !known.has(name))
  if (head.version !== FORMAT_VERSION || newer !== undefined)
    throw wrong(place, `it was made by a newer program (${String(newer ?? head.version)})`)
}

async function insert(
  tx: StoreTransaction,
  table: TableName,
  row: Readonly<Record<string, string | number | bigint | null | Uint8Array>>,
  place: string,
): Promise<void> {
  const columns = Object.keys(row)
  if (columns.length === 0 || columns.some((column) => !/^[a-z_]{1,63}$/.test(column)))
    throw wrong(place, 'it names columns that there are not')
  const statement = hot(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
  try {
    await tx.run(statement, Object.values(row))
  } catch (error) {
    throw AdjutantError.isInstance(error) && error.code === 'CONFLICT' ? wrong(place, 'the row is there twice', error) : error
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}

/** A name is on the disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
