/** Owns one PostgreSQL database of sql_query: the statement is checked, runs in a transaction that only reads, and its rows are written while they come. */
import { AdjutantError, type JsonValue } from '@adjutant/core/contract'
import type { FieldDef } from 'pg'
import { CELL_CHARS, RESULT_CHARS, type SqlAnswer, type SqlDatabase, type SqlQuestion } from '../sql-database.ts'
import { namesHint } from '../write-answer.ts'
import { type CheckedStatement, openStatementChecker, type StatementChecker, type StatementRules } from './check-statement.ts'
import type { ConnectionTarget } from './connection-target.ts'
import { columnNames, describeDatabase, tableNames } from './describe-database.ts'
import { explainServerError, serverError } from './explain-failure.ts'
import { type ReadingSession, SessionPool, type SessionPoolOptions } from './session-pool.ts'
import { SqlTypes } from './types.ts'
import { readValue } from './value.ts'

export interface PostgresSettings extends SessionPoolOptions, StatementRules {
  readonly target: ConnectionTarget
  readonly maxRows: number
}

/** Opens the first connection. @throws AdjutantError that names the host and what to check */
export async function connectPostgres(settings: PostgresSettings): Promise<SqlDatabase> {
  const pool = new SessionPool(settings)
  const types = new SqlTypes()
  try {
    const [checker] = await Promise.all([openStatementChecker(settings), pool.open((client) => types.load(client))])
    return postgresDatabase(settings, pool, types, checker)
  } catch (error) {
    await pool.close()
    throw error
  }
}

function postgresDatabase(
  { target, maxRows, timeoutMs, schemas }: PostgresSettings,
  pool: SessionPool,
  types: SqlTypes,
  checker: StatementChecker,
): SqlDatabase {
  return {
    kind: 'PostgreSQL',
    key: `postgresql://${target.shown}`,
    maxRows,
    timeoutMs,
    read: (sql) => checker.read(sql),
    check(sql, parameters) {
      checker.check(sql, parameters)
    },
    async ask(question, signal) {
      const statement = checker.check(question.sql, question.parameters)
      return pool.run(signal, async (session) => {
        try {
          return await readRows(session, statement, question, types)
        } catch (error) {
          throw await explained(error, session, statement, schemas)
        }
      })
    },
    async describe(what, signal) {
      return pool.run(signal, async ({ client }) => {
        try {
          return await describeDatabase(client, what, schemas)
        } catch (error) {
          const said = serverError(error)
          throw said === undefined ? error : explainServerError(said, '')
        }
      })
    },
    close: () => pool.close(),
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

async function readRows(session: ReadingSession, statement: CheckedStatement, { limit }: SqlQuestion, types: SqlTypes): Promise<SqlAnswer> {
  let fields: readonly FieldDef[] = []
  const raw: (readonly (string | null)[])[] = []
  let chars = 0
  let stopped: 'rows' | 'size' | undefined
  await session.read(statement.sql, statement.values, {
    columns(found) {
      fields = found
    },
    row(cells) {
      if (raw.length >= limit) {
        stopped = 'rows'
        return false
      }
      // What is longer than a cell may be is cut when it is written; only so much of it counts.
      for (const cell of cells) chars += Math.min(cell?.length ?? 4, CELL_CHARS) + 1
      if (chars > RESULT_CHARS && raw.length > 0) {
        stopped = 'size'
        return false
      }
      raw.push(cells)
      return true
    },
  })
  if (!types.isKnown(fields)) await types.learn(session.client, fields)
  return write(fields, raw, types, stopped)
}

function write(
  fields: readonly FieldDef[],
  raw: readonly (readonly (string | null)[])[],
  types: SqlTypes,
  stopped: 'rows' | 'size' | undefined,
): SqlAnswer {
  let cutCells = 0
  const rows: string[][] = []
  const typed: JsonValue[][] = []
  for (const cells of raw) {
    const texts: string[] = []
    const values: JsonValue[] = []
    for (const [index, cell] of cells.entries()) {
      const { text, value, cut } = readValue(cell, fields[index]?.dataTypeID ?? 0, types, CELL_CHARS)
      texts.push(text)
      values.push(value)
      cutCells += cut
    }
    rows.push(texts)
    typed.push(values)
  }
  return {
    columns: fields.map(({ name }) => name),
    rows,
    cutCells,
    ...(stopped === undefined ? {} : { stopped }),
    typed: { types: fields.map(({ dataTypeID }) => types.of(dataTypeID).name), rows: typed },
  }
}

/** What the server says, with the names that there are where one was wrong. */
async function explained(
  error: unknown,
  session: ReadingSession,
  statement: CheckedStatement,
  schemas: readonly string[] | undefined,
): Promise<unknown> {
  const said = serverError(error)
  if (said === undefined || /^(?:08|57P)/.test(said.code)) return error
  const hint = await missingName(said.code, said.message, session, statement, schemas)
  return explainServerError(said, statement.sql, hint)
}

async function missingName(
  code: string,
  message: string,
  session: ReadingSession,
  { tables }: CheckedStatement,
  schemas: readonly string[] | undefined,
): Promise<string | undefined> {
  const kind = code === '42P01' ? 'tables' : code === '42703' ? 'columns' : undefined
  if (kind === undefined) return undefined
  try {
    await session.recover()
    const names = kind === 'tables' ? await tableNames(session.client, schemas) : await columnNames(session.client, tables)
    const wrong = /"([^"]+)"|column (\S+) does/.exec(message)
    return names.length === 0 ? undefined : namesHint(wrong?.[1] ?? wrong?.[2] ?? '', kind, names)
  } catch (error) {
    // Help with an error must not become the error, unless the call was stopped.
    if (AdjutantError.isInstance(error)) throw error
    return undefined
  }
}
