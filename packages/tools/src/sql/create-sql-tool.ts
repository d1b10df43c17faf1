/**
 * sql_query: questions to SQLite files and PostgreSQL databases. Read-only twice over: the statement is checked before anything is sent, and the
 * database itself holds the connection read-only. Values are bound, never put into the text. Bounded in rows, cell size, result size and time; a
 * query that takes too long, or whose call is stopped, is really ended.
 */
import { resolve } from 'node:path'
import { systemClock } from '@adjutant/core'
import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  type Clock,
  type JsonObject,
  type JsonSchema,
  ownValue,
  ToolOutput,
} from '@adjutant/core/contract'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { optionalText, wholeField } from '../input-fields.ts'
import { grouped } from '../text/amounts.ts'
import { QueryPool } from './query-pool.ts'
import { CELL_CHARS, DEFAULT_ROWS, type SqlDatabase } from './sql-database.ts'
import { sqliteDatabase } from './sqlite-database.ts'
import { writeAnswer } from './write-answer.ts'

export interface SqlToolOptions {
  /** Name → SQLite file, relative to the current folder or absolute; or a database that is open, see openPostgresDatabase. The tool closes it. */
  readonly databases: Readonly<Record<string, string | SqlDatabase>>
  /** Processes that run queries of SQLite side by side. Default 2. */
  readonly pool?: number
  /** Of one query to SQLite, waiting for a free process not counted. Default 10 000. */
  readonly timeoutMs?: number
  /** Default: the machine's own. */
  readonly clock?: Clock
}

export interface SqlTool extends AsyncDisposable {
  readonly tool: AgentTool
  /** Process ids of the pool of SQLite, for whoever watches over them. */
  readonly pids: readonly number[]
  /** Ends processes and connections; running queries fail with CANCELLED. */
  close(): Promise<void>
}

type Databases = ReadonlyMap<string, SqlDatabase>

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_POOL = 2
const MAX_POOL = 32
/** The limit of the statement is to speak first: it says more. */
const GRACE_MS = 20_000

/**
 * @throws AdjutantError CONFIG_INVALID without a database, or for a pool that is no whole number from 1 to 32
 * @example
 * ```ts
 * await using sql = createSqlTool({
 *   databases: { sales: './sales.sqlite', shop: await openPostgresDatabase({ url: 'postgres://reader@db.example.com/shop' }) },
 * })
 * ```
 */
export function createSqlTool(options: SqlToolOptions): SqlTool {
  const entries = Object.entries(options.databases)
  const size = options.pool ?? DEFAULT_POOL
  if (entries.length === 0) throw new AdjutantError('CONFIG_INVALID', 'sql_query has no database', { hint: 'Name at least one database.' })
  if (!Number.isInteger(size) || size < 1 || size > MAX_POOL) {
    throw new AdjutantError('CONFIG_INVALID', `the pool of sql_query must be a whole number from 1 to ${MAX_POOL}, got ${size}`)
  }
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const files = entries.flatMap(([name, file]) => (typeof file === 'string' ? [{ name, file: resolve(file) }] : []))
  const clock = options.clock ?? systemClock
  const pool = files.length === 0 ? undefined : new QueryPool({ databases: files, size, timeoutMs, clock })
  const databases = new Map<string, SqlDatabase>()
  for (const [name, value] of entries) {
    if (typeof value !== 'string') databases.set(name, value)
    else if (pool !== undefined) databases.set(name, sqliteDatabase(name, resolve(value), pool, timeoutMs))
  }
  const close = async (): Promise<void> => {
    await Promise.all([pool?.close(), ...[...databases.values()].map((database) => database.close())])
  }
  return {
    tool: sqlTool(databases),
    get pids() {
      return pool?.pids ?? []
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function sqlTool(databases: Databases): AgentTool {
  return {
    name: 'sql_query',
    description: describeTool(databases),
    inputSchema: schemaOf(databases),
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: (input) => {
      const { database, sql } = targetOf(databases, input)
      return sql === undefined ? 'read' : database.read(sql).effect
    },
    marks(input) {
      const [name, sql] = [ownValue(input, 'database') ?? [...databases.keys()][0], ownValue(input, 'sql')]
      const parts = typeof sql === 'string' && typeof name === 'string' ? databases.get(name)?.read(sql).parts : undefined
      return (parts ?? []).map(({ start, end, effect, reason }) => ({ path: '/sql', start, end, effect, reason }))
    },
    repeatable: true,
    limits: { maxResultChars: 60_000, timeoutMs: Math.max(60_000, ...values(databases).map(({ timeoutMs }) => timeoutMs + GRACE_MS)) },
    resources: (input) => {
      const name = nameOf(databases, input) ?? ''
      return [{ key: databases.get(name)?.key ?? `sql:${name}`, mode: 'read' }]
    },
    async check(input) {
      const { database, sql, describe } = targetOf(databases, input)
      if (sql !== undefined && describe === undefined) database.check(sql, ownValue(input, 'parameters'))
    },
    execute: (input, cx) => query(databases, input, cx),
  }
}

function describeTool(databases: Databases): string {
  const kinds = new Set(values(databases).map(({ kind }) => kind))
  const mixed = kinds.size > 1
  const names = [...databases].map(([name, { kind }]) => (mixed ? `${name} (${kind})` : name)).join(', ')
  const postgres = kinds.has('PostgreSQL')
  const what = mixed ? 'a database' : postgres ? 'a PostgreSQL database' : 'a SQLite database'
  const tables = postgres
    ? 'Tables: describe "*"; columns and keys of one: its name.'
    : 'Tables and columns: SELECT name, sql FROM sqlite_schema.'
  const seconds = Math.max(...values(databases).map(({ timeoutMs }) => timeoutMs)) / 1_000
  return (
    `Ask ${what} one question in SQL. Databases: ${names}. Use for: reading, counting, comparing data. Not for: changing anything (refused). ` +
    `Put values into parameters, not into the text. ${tables} Gives the column names and one JSON array a row; up to ${DEFAULT_ROWS} rows unless limit says more, ` +
    `texts cut at ${grouped(CELL_CHARS)} characters, at most ${seconds} s.`
  )
}

function schemaOf(databases: Databases): JsonSchema {
  const names = [...databases.keys()]
  const first = names[0] ?? ''
  const postgres = values(databases).some(({ kind }) => kind === 'PostgreSQL')
  const sqlite = values(databases).some(({ kind }) => kind === 'SQLite')
  const scalar = { type: ['string', 'number', 'boolean', 'null'] }
  const required = [...(names.length === 1 ? [] : ['database']), ...(postgres ? [] : ['sql'])]
  const firstIsPostgres = databases.get(first)?.kind === 'PostgreSQL'
  const placeholders = [
    ...(sqlite ? ['Values for ? in order, or an object for :name.'] : []),
    ...(postgres ? ['PostgreSQL: values for $1, $2.'] : []),
  ]
  return {
    type: 'object',
    properties: {
      database: {
        type: 'string',
        enum: names,
        description: names.length === 1 ? `Default: ${first}.` : 'Which database to ask.',
      },
      sql: {
        type: 'string',
        minLength: 1,
        description: postgres
          ? 'One SELECT, WITH … SELECT, VALUES, EXPLAIN or SHOW.'
          : 'One SELECT, WITH … SELECT, VALUES, EXPLAIN, or PRAGMA table_info(…).',
        examples: [`SELECT name, price FROM products WHERE price > ${firstIsPostgres ? '$1' : '?'} ORDER BY price LIMIT 20`],
      },
      ...(postgres
        ? {
            describe: {
              type: 'string',
              minLength: 1,
              maxLength: 200,
              description: 'In place of sql: "*" lists tables with their size, the name of a table gives its columns and keys.',
              examples: ['*', 'orders'],
            },
          }
        : {}),
      parameters: {
        anyOf: [
          { type: 'array', items: scalar },
          { type: 'object', additionalProperties: scalar },
        ],
        description: placeholders.join(' '),
        examples: sqlite ? [[100], { week: 12 }] : [[100]],
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: Math.max(...values(databases).map(({ maxRows }) => maxRows)),
        description: `How many rows at most. Default ${DEFAULT_ROWS}.`,
      },
    },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    examples: [
      {
        ...(names.length === 1 ? {} : { database: first }),
        ...(firstIsPostgres
          ? { sql: 'SELECT count(*) FROM orders WHERE week = $1', parameters: [12] }
          : { sql: 'SELECT count(*) FROM orders WHERE week = :week', parameters: { week: 12 } }),
      },
    ],
  }
}

interface Target {
  readonly database: SqlDatabase
  readonly sql: string | undefined
  readonly describe: string | undefined
}

/** @throws AdjutantError INVALID_ARGUMENTS for an unknown database, and unless there is one of sql and describe */
function targetOf(databases: Databases, input: JsonObject): Target {
  const name = nameOf(databases, input)
  const database = name === undefined ? undefined : databases.get(name)
  if (database === undefined) {
    const problem = name === undefined ? '"database" is missing' : `there is no database ${JSON.stringify(name)}`
    throw new AdjutantError('INVALID_ARGUMENTS', problem, { hint: `Use one of: ${[...databases.keys()].join(', ')}.` })
  }
  const sql = optionalText(input, 'sql')
  const describe = optionalText(input, 'describe')
  if ((sql === undefined) === (describe === undefined)) {
    const problem = sql === undefined ? '"sql" is missing' : 'there are both "sql" and "describe"'
    throw new AdjutantError('INVALID_ARGUMENTS', problem, { hint: 'Send one statement as "sql", or "describe" alone.' })
  }
  return { database, sql, describe }
}

function nameOf(databases: Databases, input: JsonObject): string | undefined {
  return optionalText(input, 'database') ?? (databases.size === 1 ? [...databases.keys()][0] : undefined)
}

async function query(databases: Databases, input: JsonObject, cx: CallContext): Promise<string | ToolOutput> {
  const { database, sql, describe } = targetOf(databases, input)
  if (describe !== undefined) return database.describe(describe, cx.signal)
  const max = database.maxRows
  const limit = wholeField(input, 'limit', { min: 1, max, fallback: Math.min(DEFAULT_ROWS, max) })
  const answer = await database.ask({ sql: sql ?? '', parameters: ownValue(input, 'parameters'), limit }, cx.signal)
  const text = writeAnswer(answer, limit, max)
  if (answer.typed === undefined) return text
  const { types, rows } = answer.typed
  const columns = answer.columns.map((name, index) => ({ name, type: types[index] ?? 'unknown' }))
  return new ToolOutput([{ type: 'text', text }], { structured: { columns, rows, more: answer.stopped !== undefined } })
}

function values(databases: Databases): readonly SqlDatabase[] {
  return [...databases.values()]
}
