/**
 * Owns the reader of SQL for whoever classifies a statement. The worst of several statements counts. An unknown dialect counts as the worst
 * of those that can parse the text, and where none can, the text is dangerous. Pure once opened; never throws.
 */
import type { CommandReading, ReadCommand } from '@adjutant/core/contract'
import { openPostgresqlParser, readPostgresql } from './postgresql.ts'
import { dangerousWhole, unreadable, worseOf } from './reading.ts'
import { openSqliteParser, readSqlite } from './sqlite.ts'

export type SqlDialect = 'postgresql' | 'sqlite' | 'any'

/**
 * Loads the parsers, once: about 50 ms and 2 MB.
 *
 * @example
 * ```ts
 * const readSql = await openSqlReader()
 * readSql('postgresql')('WITH gone AS (DELETE FROM orders RETURNING id) SELECT id FROM gone').effect // 'dangerous'
 * ```
 */
export async function openSqlReader(): Promise<(dialect: SqlDialect) => ReadCommand> {
  const [parse, parser] = await Promise.all([openPostgresqlParser(), openSqliteParser()])
  const postgresql = guarded((sql) => readPostgresql(sql, parse).reading)
  const sqlite = guarded((sql) => readSqlite(sql, parser).reading)
  const any = guarded((sql) => {
    const suspicious = differsByDialect(sql)
    if (suspicious !== undefined) return dangerousWhole(sql, suspicious)
    const one = readPostgresql(sql, parse)
    const other = readSqlite(sql, parser)
    if (one.parsed && other.parsed) return worseReading(one.reading, other.reading)
    if (one.parsed) return one.reading
    // Some databases need no semicolon between statements, and SQLite alone does not say for certain that there is only one.
    if (other.parsed && other.reading.effect === 'read') return other.reading
    if (other.parsed) return dangerousWhole(sql, `only SQLite can parse it, and there it ${other.reading.reasons[0] ?? 'writes'}`)
    return dangerousWhole(sql, 'no dialect that is known can parse it')
  })
  return (dialect) => {
    switch (dialect) {
      case 'postgresql':
        return postgresql
      case 'sqlite':
        return sqlite
      case 'any':
        return any
      default:
        return dialect satisfies never
    }
  }
}

function guarded(read: (sql: string) => CommandReading): ReadCommand {
  return (sql) => {
    const refused = unreadable(sql)
    if (refused !== undefined) return refused
    try {
      return read(sql)
    } catch (error) {
      return dangerousWhole(sql, `it cannot be read: ${error instanceof Error ? error.message.slice(0, 120) : 'no reason given'}`)
    }
  }
}

function worseReading(one: CommandReading, other: CommandReading): CommandReading {
  return worseOf(one.effect, other.effect) === one.effect ? one : other
}

/** What one database takes for a string or a comment and another for a statement. */
function differsByDialect(sql: string): string | undefined {
  if (sql.includes('/*!') || sql.includes('/*M!')) return 'it has a comment that some databases run'
  if (hasNestedComment(sql)) return 'it has a comment in a comment, which databases read differently'
  if (/\b(?:shutdown|reconfigure|checkpoint)\b/i.test(sql)) return 'it has a word that is a statement by itself in some databases'
  if (/\\['"`]/.test(sql)) return 'it has a backslash before a quote, which databases read differently'
  if (/--[^\s-]/.test(sql)) return 'it has -- without a blank behind it, which databases read differently'
  if (/\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.test(sql))
    return 'it has a text between dollar signs, which only PostgreSQL knows'
  return undefined
}

function hasNestedComment(sql: string): boolean {
  for (let start = sql.indexOf('/*'); start !== -1; ) {
    const end = sql.indexOf('*/', start + 2)
    const inner = sql.indexOf('/*', start + 2)
    if (inner === -1) return false
    if (end === -1 || inner < end) return true
    start = inner
  }
  return false
}
