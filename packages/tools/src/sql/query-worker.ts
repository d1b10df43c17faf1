/**
 * The thread in which SQLite runs. Every database is opened at the start, read-only by SQLite itself; one that cannot be opened
 * is tried again when it is asked. Where Node can (≥ 24.10), an authorizer refuses every action but reading.
 */
import { constants, DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { writeCell } from './cell-text.ts'
import { type Cell, type DatabaseFile, isDatabaseFiles, isRequest, type QueryReply, type QueryRequest } from './query-protocol.ts'
import { knownNames } from './schema-help.ts'

/** Waiting for another process's lock. */
const BUSY_TIMEOUT_MS = 2_000
/** Of one value, read or made on the way (Node ≥ 24.15; elsewhere the child's watch over its memory is the only limit). */
const MAX_VALUE_BYTES = 64 * 1_024 * 1_024

const files: unknown = workerData
if (parentPort === null || !isDatabaseFiles(files)) throw new Error('query-worker runs as a worker thread only')
const port = parentPort
const open = new Map<string, DatabaseSync>()

for (const file of files) {
  try {
    open.set(file.name, openDatabase(file))
  } catch {
    // Said when it is asked: the others are good.
  }
}
port.on('message', (message: unknown) => {
  if (isRequest(message)) port.postMessage(answer(message, files))
})

function openDatabase({ file }: DatabaseFile): DatabaseSync {
  const database = new DatabaseSync(file, {
    readOnly: true,
    allowExtension: false,
    timeout: BUSY_TIMEOUT_MS,
    limits: { length: MAX_VALUE_BYTES, attach: 0 },
  })
  try {
    database.exec('PRAGMA query_only = 1')
    database.exec('PRAGMA trusted_schema = 0')
    if (typeof database.setAuthorizer === 'function') database.setAuthorizer(authorize)
    // A file that is no database is found out by reading it.
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const ALLOWED_PRAGMAS =
  /^(?:table_x?info|table_list|index_(?:x?info|list)|foreign_key_list|collation_list|function_list|compile_options|encoding|user_version|schema_version|application_id)$/i

function authorize(action: number, name: string | null): number {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_READ:
    case constants.SQLITE_RECURSIVE:
    case constants.SQLITE_FUNCTION:
      return constants.SQLITE_OK
    case constants.SQLITE_PRAGMA:
      // `data_version` is what full-text tables ask themselves.
      return name !== null && (ALLOWED_PRAGMAS.test(name) || name === 'data_version') ? constants.SQLITE_OK : constants.SQLITE_DENY
    default:
      return constants.SQLITE_DENY
  }
}

function answer(request: QueryRequest, databases: readonly DatabaseFile[]): QueryReply {
  let database = open.get(request.database)
  try {
    const file = databases.find((entry) => entry.name === request.database)
    if (file === undefined) return { type: 'failure', message: `no database ${request.database}` }
    database ??= openDatabase(file)
    open.set(request.database, database)
    return run(database, request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const known = database === undefined ? undefined : knownNames(database, message, request.names)
    return known === undefined ? { type: 'failure', message } : { type: 'failure', message, known }
  }
}

function run(database: DatabaseSync, request: QueryRequest): QueryReply {
  const statement = database.prepare(request.sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  const columns = statement.columns().map((column) => column.name)
  const iterator: Iterable<unknown> =
    Object.keys(request.named).length > 0 ? statement.iterate({ ...request.named }) : statement.iterate(...request.positional)
  const rows: (readonly Cell[])[] = []
  let chars = 0
  let cutCells = 0
  for (const row of iterator) {
    if (rows.length >= request.maxRows) return { type: 'rows', columns, rows, stopped: 'rows', cutCells }
    const cells: Cell[] = []
    for (const value of Array.isArray(row) ? row : []) {
      const cell = writeCell(value, request.maxCellChars)
      cells.push(cell.text)
      chars += cell.text.length + 1
      if (cell.cut) cutCells += 1
    }
    if (chars > request.maxChars && rows.length > 0) return { type: 'rows', columns, rows, stopped: 'size', cutCells }
    rows.push(cells)
  }
  return { type: 'rows', columns, rows, cutCells }
}
