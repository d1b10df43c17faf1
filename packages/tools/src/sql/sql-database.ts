/** The words between sql_query and the databases that it asks. */
import type { CommandPart, Effect, JsonValue } from '@adjutant/core/contract'

/** Rows that are given unless a call says more. */
export const DEFAULT_ROWS = 100
/** Characters of one cell. */
export const CELL_CHARS = 2_000
/** Characters of all cells of an answer. */
export const RESULT_CHARS = 40_000

export interface SqlQuestion {
  readonly sql: string
  /** As the model gave them; undefined: none. */
  readonly parameters: JsonValue | undefined
  readonly limit: number
}

export interface SqlAnswer {
  readonly columns: readonly string[]
  /** A cell is written as JSON, or as `<bytea n bytes>`. */
  readonly rows: readonly (readonly string[])[]
  /** Why there are no more rows here although the statement has more. */
  readonly stopped?: 'rows' | 'size'
  readonly cutCells: number
  /** For programs: names of the types, and the rows as values. */
  readonly typed?: { readonly types: readonly string[]; readonly rows: readonly (readonly JsonValue[])[] }
}

/** What the text of a statement does, before anything is sent. */
export interface SqlReading {
  readonly effect: Effect
  readonly parts: readonly CommandPart[]
}

/** One database. A call may be stopped at any moment; then nothing of it goes on. */
export interface SqlDatabase extends AsyncDisposable {
  readonly kind: 'SQLite' | 'PostgreSQL'
  /** Where it is, for plans: calls of one key read the same. Without password. */
  readonly key: string
  readonly maxRows: number
  /** Milliseconds of one statement. */
  readonly timeoutMs: number
  /** Never throws. */
  read(sql: string): SqlReading
  /** @throws AdjutantError INVALID_ARGUMENTS, or RULE_VIOLATED for what does more than read */
  check(sql: string, parameters: JsonValue | undefined): void
  /** Checks as well. @throws AdjutantError also TOOL_FAILED, TIMEOUT, CANCELLED, ORIGIN_UNAVAILABLE */
  ask(question: SqlQuestion, signal: AbortSignal): Promise<SqlAnswer>
  /** `*`: tables and views with their size; else the columns and keys of this table. */
  describe(what: string, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}
