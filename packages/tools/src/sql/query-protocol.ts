/** The words between the pool, its child processes and the threads in them, with the guards for what comes over the channel. */

/** What SQLite can bind. */
export type SqlValue = string | number | bigint | null

export interface QueryRequest {
  readonly type: 'query'
  readonly database: string
  readonly sql: string
  readonly positional: readonly SqlValue[]
  readonly named: Readonly<Record<string, SqlValue>>
  /** Words of the statement, for help with a wrong name. */
  readonly names: readonly string[]
  readonly maxRows: number
  /** Characters of one cell. */
  readonly maxCellChars: number
  /** Characters of all cells. */
  readonly maxChars: number
}

/** A cell as it is written: JSON text, or `<blob n bytes>`. */
export type Cell = string

interface QueryRows {
  readonly type: 'rows'
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Why there are no more rows here although the statement has more. */
  readonly stopped?: 'rows' | 'size'
  readonly cutCells: number
}

export interface QueryFailure {
  readonly type: 'failure'
  /** SQLite's own words. */
  readonly message: string
  /** Tables, or the columns of the tables in the statement, where a name was wrong. */
  readonly known?: { readonly kind: 'tables' | 'columns'; readonly names: readonly string[] }
}

export type QueryReply = QueryRows | QueryFailure

export interface DatabaseFile {
  readonly name: string
  readonly file: string
}

export function isReply(value: unknown): value is QueryReply {
  if (!isTyped(value)) return false
  if (value.type === 'failure') return 'message' in value && typeof value.message === 'string'
  return value.type === 'rows' && 'columns' in value && Array.isArray(value.columns) && 'rows' in value && Array.isArray(value.rows)
}

export function isRequest(value: unknown): value is QueryRequest {
  return isTyped(value) && value.type === 'query' && 'sql' in value && typeof value.sql === 'string'
}

export function isDatabaseFiles(value: unknown): value is readonly DatabaseFile[] {
  return Array.isArray(value) && value.every((entry) => isObject(entry) && 'name' in entry && 'file' in entry)
}

function isTyped(value: unknown): value is { readonly type: unknown } {
  return isObject(value) && 'type' in value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
