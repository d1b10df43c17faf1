/**
 * Owns statements that are written once as text and run often: no query is built for them, and each database prepares them once for a connection.
 */

import { hash } from 'node:crypto'

/** A statement with `?` for each parameter. Made once, at the top of a module. */
export interface HotStatement<Row> {
  readonly sql: string
  /** The same with `$1`, `$2`, … */
  readonly numbered: string
  /** By which PostgreSQL remembers it. */
  readonly name: string
  /** Only for the checker: which rows it gives. */
  readonly rows?: Row
}

/**
 * A statement for a hot path. Tables are named without a schema; `?` stands for parameters, and nowhere else (write a question mark of a text as a
 * parameter).
 *
 * @example
 * ```ts
 * const readState = hot<{ state: string }>('SELECT state FROM sessions WHERE tenant_id = ? AND session_id = ?')
 * ```
 */
export function hot<Row extends object = Record<never, never>>(sql: string): HotStatement<Row> {
  let parameter = 0
  return { sql, numbered: sql.replace(/\?/g, () => `$${++parameter}`), name: `adjutant_${hash('sha256', sql).slice(0, 24)}` }
}
