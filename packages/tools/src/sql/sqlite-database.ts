/**
 * Owns SQLite files as databases of sql_query: the statement is checked, the rest is done by processes of a pool that all files share.
 * Read-only twice over: the check, and SQLite itself holds each connection read-only.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { bindParameters } from './bind-parameters.ts'
import type { QueryPool } from './query-pool.ts'
import type { QueryFailure, QueryReply } from './query-protocol.ts'
import { checkReadOnly } from './read-only-statement.ts'
import { CELL_CHARS, DEFAULT_ROWS, RESULT_CHARS, type SqlDatabase, type SqlQuestion } from './sql-database.ts'
import { namesHint, writeAnswer } from './write-answer.ts'

const MAX_ROWS = 1_000
const SCHEMA_HINT = 'SELECT name, sql FROM sqlite_schema shows tables and columns.'

/** The pool stays with who made it. */
export function sqliteDatabase(name: string, file: string, pool: QueryPool, timeoutMs: number): SqlDatabase {
  const ask = async (question: SqlQuestion, signal: AbortSignal) => {
    const statement = checkReadOnly(question.sql)
    const parameters = bindParameters(statement, question.parameters)
    const reply: QueryReply = await pool.run(
      {
        type: 'query',
        database: name,
        sql: statement.sql,
        ...parameters,
        names: statement.names,
        maxRows: question.limit,
        maxCellChars: CELL_CHARS,
        maxChars: RESULT_CHARS,
      },
      signal,
    )
    switch (reply.type) {
      case 'rows':
        return reply
      case 'failure':
        throw explain(reply, name)
      default:
        return reply satisfies never
    }
  }
  return {
    kind: 'SQLite',
    key: `sqlite:${file}`,
    maxRows: MAX_ROWS,
    timeoutMs,
    read(sql) {
      try {
        checkReadOnly(sql)
        return { effect: 'read', parts: [] }
      } catch (error) {
        // It will not be run; whoever decides before that sees it as what cannot be told.
        const reason = error instanceof Error ? error.message : 'it cannot be read'
        return { effect: 'dangerous', parts: [{ start: 0, end: sql.length, effect: 'dangerous', reason }] }
      }
    },
    check(sql, parameters) {
      bindParameters(checkReadOnly(sql), parameters)
    },
    ask,
    async describe(what, signal) {
      const question: SqlQuestion =
        what === '*'
          ? {
              sql: "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
              parameters: undefined,
              limit: MAX_ROWS,
            }
          : {
              sql: 'SELECT name AS "column", type, "notnull" = 0 AS "null", dflt_value AS "default", pk AS "primary key" FROM pragma_table_xinfo(?)',
              parameters: [what],
              limit: MAX_ROWS,
            }
      const answer = await ask(question, signal)
      if (what !== '*' && answer.rows.length === 0) {
        throw new AdjutantError('NOT_FOUND', `there is no table ${JSON.stringify(what)} in ${name}`, { hint: 'describe "*" lists them.' })
      }
      return writeAnswer(answer, DEFAULT_ROWS, MAX_ROWS)
    },
    // Files are closed with the processes.
    async close() {},
    async [Symbol.asyncDispose]() {},
  }
}

function explain(failure: QueryFailure, database: string): AdjutantError {
  const { message, known } = failure
  if (/unable to open|not a database|malformed/i.test(message)) {
    return new AdjutantError('TOOL_FAILED', `the database ${database} cannot be read: ${message}`, {
      hint: 'Go on without it, or tell the person.',
    })
  }
  const hint = known === undefined ? hintFor(message) : knownHint(message, known)
  return new AdjutantError('TOOL_FAILED', `SQLite says: ${message}`, { hint })
}

function hintFor(message: string): string {
  if (/out of memory|too big/i.test(message)) return 'The query needs too much memory: select less at once.'
  if (/locked|busy/i.test(message)) return 'Another program is writing; try again.'
  if (/not authorized|readonly|read-only|prohibited/i.test(message)) return 'Only reading is allowed here.'
  return `Correct the statement; ${SCHEMA_HINT}`
}

function knownHint(message: string, known: NonNullable<QueryFailure['known']>): string {
  if (known.names.length === 0) return known.kind === 'tables' ? 'The database has no tables.' : SCHEMA_HINT
  const wrong = /(?:no such table|no such column|has no column named):?\s*(\S+)/i.exec(message)?.[1] ?? ''
  return namesHint(wrong, known.kind, known.names)
}
