/**
 * sql_query: questions to SQLite databases. Read-only twice over: the statement is checked, and SQLite itself holds the connection
 * read-only. Values are bound, never put into the text. Bounded in rows, cell size, result size and time; a query that takes too
 * long, or whose call is stopped, is really ended.
 *
 * The answer is a header and one JSON array a row: as compact as a table, and NULL, '' and line ends in texts stay apart.
 */
import { resolve } from 'node:path'
import { nearestNames, systemClock } from '@adjutant/core'
import { AdjutantError, type AgentTool, type CallContext, type Clock, type JsonObject, ownValue } from '@adjutant/core/contract'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { optionalText, textField, wholeField } from '../input-fields.ts'
import { grouped, plural } from '../text/amounts.ts'
import { bindParameters } from './bind-parameters.ts'
import { QueryPool } from './query-pool.ts'
import type { QueryFailure, QueryRows } from './query-protocol.ts'
import { checkReadOnly } from './read-only-statement.ts'

export interface SqlToolOptions {
  /** Name → database file, relative to the current folder or absolute. */
  readonly databases: Readonly<Record<string, string>>
  /** Processes that run queries side by side. Default 2. */
  readonly pool?: number
  /** Of one query, waiting for a free process not counted. Default 10 000. */
  readonly timeoutMs?: number
  /** Default: the machine's own. */
  readonly clock?: Clock
}

export interface SqlTool extends AsyncDisposable {
  readonly tool: AgentTool
  /** Process ids of the pool, for whoever watches over them. */
  readonly pids: readonly number[]
  /** Ends the processes of the pool; running queries fail with CANCELLED. */
  close(): Promise<void>
}

const DEFAULT_ROWS = 100
const MAX_ROWS = 1_000
const CELL_CHARS = 2_000
const RESULT_CHARS = 40_000
const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_POOL = 2
const MAX_POOL = 32
const LISTED_NAMES = 40

/**
 * @throws AdjutantError CONFIG_INVALID without a database, or for a pool that is no whole number from 1 to 32
 */
export function createSqlTool(options: SqlToolOptions): SqlTool {
  const databases = Object.entries(options.databases).map(([name, file]) => ({ name, file: resolve(file) }))
  const size = options.pool ?? DEFAULT_POOL
  if (databases.length === 0)
    throw new AdjutantError('CONFIG_INVALID', 'sql_query has no database', { hint: 'Name at least one SQLite file.' })
  if (!Number.isInteger(size) || size < 1 || size > MAX_POOL) {
    throw new AdjutantError('CONFIG_INVALID', `the pool of sql_query must be a whole number from 1 to ${MAX_POOL}, got ${size}`)
  }
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const names = databases.map((database) => database.name)
  const pool = new QueryPool({ databases, size, timeoutMs, clock: options.clock ?? systemClock })
  return {
    tool: sqlTool(names, timeoutMs, (input, cx) => query(pool, names, input, cx)),
    get pids() {
      return pool.pids
    },
    close: () => pool.close(),
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

function sqlTool(names: readonly string[], timeoutMs: number, execute: (input: JsonObject, cx: CallContext) => Promise<string>): AgentTool {
  return {
    name: 'sql_query',
    description:
      `Ask a SQLite database one question in SQL. Databases: ${names.join(', ')}. Use for: reading, counting, comparing data. Not for: changing anything (refused). ` +
      `Put values into parameters, not into the text. Tables and columns: SELECT name, sql FROM sqlite_schema. Gives the column names and one JSON array a row; up to ${DEFAULT_ROWS} rows unless limit says more, ` +
      `texts cut at ${grouped(CELL_CHARS)} characters, at most ${timeoutMs / 1_000} s.`,
    inputSchema: {
      type: 'object',
      properties: {
        database: {
          type: 'string',
          enum: [...names],
          description: names.length === 1 ? `Default: ${names[0]}.` : 'Which database to ask.',
        },
        sql: {
          type: 'string',
          minLength: 1,
          description: 'One SELECT, WITH … SELECT, VALUES, EXPLAIN, or PRAGMA table_info(…).',
          examples: ['SELECT name, price FROM products WHERE price > ? ORDER BY price LIMIT 20'],
        },
        parameters: {
          anyOf: [
            { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
            { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
          ],
          description: 'Values for ? in order, or an object for :name.',
          examples: [[100], { week: 12 }],
        },
        limit: { type: 'integer', minimum: 1, maximum: MAX_ROWS, description: `How many rows at most. Default ${DEFAULT_ROWS}.` },
      },
      required: names.length === 1 ? ['sql'] : ['database', 'sql'],
      additionalProperties: false,
      examples: [
        {
          ...(names.length === 1 ? {} : { database: names[0] ?? '' }),
          sql: 'SELECT count(*) FROM orders WHERE week = :week',
          parameters: { week: 12 },
        },
      ],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    limits: { maxResultChars: 60_000 },
    resources: (input) => [{ key: `sqlite:${optionalText(input, 'database') ?? names[0] ?? ''}`, mode: 'read' }],
    execute,
  }
}

async function query(pool: QueryPool, names: readonly string[], input: JsonObject, cx: CallContext): Promise<string> {
  const database = optionalText(input, 'database') ?? (names.length === 1 ? names[0] : undefined)
  if (database === undefined || !names.includes(database)) {
    throw new AdjutantError(
      'INVALID_ARGUMENTS',
      database === undefined ? '"database" is missing' : `there is no database ${JSON.stringify(database)}`,
      {
        hint: `Use one of: ${names.join(', ')}.`,
      },
    )
  }
  const statement = checkReadOnly(textField(input, 'sql'))
  const parameters = bindParameters(statement, ownValue(input, 'parameters'))
  const limit = wholeField(input, 'limit', { min: 1, max: MAX_ROWS, fallback: DEFAULT_ROWS })
  const reply = await pool.run(
    {
      type: 'query',
      database,
      sql: statement.sql,
      ...parameters,
      names: statement.names,
      maxRows: limit,
      maxCellChars: CELL_CHARS,
      maxChars: RESULT_CHARS,
    },
    cx.signal,
  )
  switch (reply.type) {
    case 'rows':
      return writeRows(reply, limit)
    case 'failure':
      throw explain(reply, database)
    default:
      return reply satisfies never
  }
}

function writeRows(reply: QueryRows, limit: number): string {
  const lines = [JSON.stringify(reply.columns), ...reply.rows.map((row) => `[${row.join(',')}]`)]
  const notes = [plural(reply.rows.length, 'row')]
  if (reply.stopped === 'rows') {
    notes.push(
      `there are more: ${limit < MAX_ROWS ? `set limit (up to ${grouped(MAX_ROWS)}), ` : ''}aggregate, or page with ORDER BY … LIMIT … OFFSET …`,
    )
  } else if (reply.stopped === 'size')
    notes.push(`there are more, but the answer is full (${grouped(RESULT_CHARS)} characters): select fewer columns or rows`)
  if (reply.cutCells > 0) notes.push(`${plural(reply.cutCells, 'text')} cut: read the rest with substr(column, ${CELL_CHARS + 1})`)
  lines.push(`[${notes.join('; ')}]`)
  return lines.join('\n')
}

function explain(failure: QueryFailure, database: string): AdjutantError {
  const { message, known } = failure
  const missing = /unable to open|not a database|malformed/i.test(message)
  if (missing) {
    return new AdjutantError('TOOL_FAILED', `the database ${database} cannot be read: ${message}`, {
      hint: 'Go on without it, or tell the person.',
    })
  }
  return new AdjutantError('TOOL_FAILED', `SQLite says: ${message}`, {
    hint: known === undefined ? hintFor(message) : knownHint(message, known),
  })
}

function hintFor(message: string): string {
  if (/out of memory|too big/i.test(message)) return 'The query needs too much memory: select less at once.'
  if (/locked|busy/i.test(message)) return 'Another program is writing; try again.'
  if (/not authorized|readonly|read-only|prohibited/i.test(message)) return 'Only reading is allowed here.'
  return 'Correct the statement; SELECT name, sql FROM sqlite_schema shows tables and columns.'
}

function knownHint(message: string, known: NonNullable<QueryFailure['known']>): string {
  if (known.names.length === 0)
    return known.kind === 'tables' ? 'The database has no tables.' : 'SELECT name, sql FROM sqlite_schema shows tables and columns.'
  const wrong = /(?:no such table|no such column|has no column named):?\s*(\S+)/i.exec(message)?.[1] ?? ''
  const last = wrong.split('.').at(-1) ?? wrong
  const plain = new Map(known.names.map((name) => [name.split('.').at(-1) ?? name, name]))
  const close = nearestNames(last, known.kind === 'tables' ? known.names : plain.keys()).map((name) => plain.get(name) ?? name)
  const list = known.names.slice(0, LISTED_NAMES).join(', ')
  const more = known.names.length > LISTED_NAMES ? `, … ${known.names.length - LISTED_NAMES} more` : ''
  return `${close.length > 0 ? `Did you mean ${close.join(' or ')}? ` : ''}${known.kind === 'tables' ? 'Tables' : 'Columns'}: ${list}${more}.`
}
