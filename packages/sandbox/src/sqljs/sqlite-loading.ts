/**
 * Owns what a box's files and input become in its database: `main.sqlite` is the database itself, other database files are attached, CSV
 * files become tables, each under the file's own name, and only when the code names it. Loads nothing twice.
 */
import type { WorkerRun } from '../wasm/worker-run.ts'
import { readCsv } from './csv-rows.ts'
import type { SqlDatabase, SqliteInstance, SqlValue } from './sqlite-instance.ts'

const IMAGE = /\.(?:sqlite3?|db)$/i
const TABLE = /\.csv$/i
const MAGIC = 'SQLite format 3\0'
/** SQLite takes no more. */
const MAX_ATTACHED = 10
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/

/** What must hold for every database, so that its pages stay within the box's memory and none of its journals is a file. */
function bind(database: SqlDatabase, schema: string, pages: number): void {
  database.run(`PRAGMA ${schema}.journal_mode=MEMORY; PRAGMA ${schema}.max_page_count=${pages}`)
}

/** @param bytes for its pages */
export function openMain(instance: SqliteInstance, run: WorkerRun, bytes: number): SqlDatabase {
  const stdin = run.message.stdin
  const image =
    stdin !== undefined && isImage(stdin) ? stdin : run.fileNames().includes('main.sqlite') ? run.readFile('main.sqlite') : undefined
  const database = instance.openDatabase(image === undefined ? undefined : Uint8Array.from(image))
  database.run('PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF')
  bind(database, 'main', pagesOf(database, 'main', bytes))
  return database
}

/** @param bytes for the pages of each database that is attached */
export function loadNamed(instance: SqliteInstance, database: SqlDatabase, run: WorkerRun, bytes: number): void {
  const code = run.message.code.toLowerCase()
  const known = new Set(
    (database.exec('SELECT lower(name) FROM pragma_database_list UNION SELECT lower(name) FROM main.sqlite_master')[0]?.values ?? []).map(
      ([name]) => String(name),
    ),
  )
  known.add('temp')
  let attached = 0
  for (const path of run.fileNames()) {
    const file = path.slice(path.lastIndexOf('/') + 1)
    const kind = IMAGE.test(file) ? IMAGE : TABLE.test(file) ? TABLE : undefined
    const name = kind === undefined ? '' : file.replace(kind, '')
    if (kind === undefined || name === '' || known.has(name.toLowerCase()) || !code.includes(name.toLowerCase())) continue
    if (kind === TABLE) createTable(database, name, readBytes(run, path))
    else {
      attached += 1
      if (attached > MAX_ATTACHED) throw new Error(`more than ${MAX_ATTACHED} database files are named; use fewer`)
      const other = instance.openDatabase(Uint8Array.from(readBytes(run, path)))
      database.run(`ATTACH '/${other.filename.replaceAll("'", "''")}' AS ${quoted(name)}`)
      bind(database, quoted(name), pagesOf(database, quoted(name), bytes))
    }
    known.add(name.toLowerCase())
  }
  const stdin = run.message.stdin
  if (stdin !== undefined && stdin.byteLength > 0 && !isImage(stdin) && !known.has('stdin')) createTable(database, 'stdin', stdin)
}

function readBytes(run: WorkerRun, path: string): Uint8Array {
  return run.readFile(`/workspace/${path}`)
}

function pagesOf(database: SqlDatabase, schema: string, bytes: number): number {
  const [row] = database.exec(`PRAGMA ${schema}.page_size`)[0]?.values ?? []
  const size = Number(row?.[0] ?? 4_096)
  return Math.max(16, Math.floor(bytes / size))
}

function createTable(database: SqlDatabase, name: string, bytes: Uint8Array): void {
  const { columns, rows } = readCsv(new TextDecoder().decode(Uint8Array.from(bytes)))
  if (columns.length === 0) return
  database.run(`CREATE TABLE main.${quoted(name)} (${columns.map(quoted).join(', ')})`)
  const insert = database.prepare(`INSERT INTO main.${quoted(name)} VALUES (${columns.map(() => '?').join(', ')})`)
  database.run('BEGIN')
  for (const row of rows) insert.run(columns.map((_, index) => cellValue(row[index] ?? '')))
  database.run('COMMIT')
  insert.free()
}

/** A number where writing it again gives the same; nothing where nothing stands; else text, so that `007` stays what it is. */
function cellValue(cell: string): SqlValue {
  if (cell === '') return null
  return NUMBER.test(cell) ? Number(cell) : cell
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function isImage(bytes: Uint8Array): boolean {
  return bytes.byteLength >= 100 && Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') === MAGIC
}
