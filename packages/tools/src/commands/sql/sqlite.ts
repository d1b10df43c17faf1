/**
 * Owns what SQL of SQLite does. What kind a statement is, its first words say, and SQLite reads them the same way; whether it is one at
 * all, SQLite's own parser says: a query is prepared as the body of a view in an empty database in memory, where nothing is looked up and
 * nothing runs. Never throws; what cannot be parsed is dangerous.
 */
import type { CommandPart, Effect } from '@adjutant/core/contract'
import type { DialectReading } from './postgresql.ts'
import { dangerousWhole, readingOf, worseOf } from './reading.ts'
import { judgeFunction } from './sql-functions.ts'
import { isSign, isWord, type PlacedToken, type SqliteStatement, sqliteStatements, tokenizeSqlite } from './sqlite-tokens.ts'

export interface SqliteParser {
  /** Why SQLite does not take this as a query; undefined: it does. */
  query(text: string): string | undefined
  /**
   * The same of a transaction, or of a statement that changes rows: its table is looked for first and is not there, so nothing more is
   * looked at, what stands behind its end included.
   */
  change(text: string): string | undefined
}

interface Verdict {
  readonly effect: Effect
  readonly reason: string
}

const READ: Verdict = { effect: 'read', reason: 'only reads' }

/** Said of what is no query in form. Everything else is said of names, which an empty database does not have. */
const NO_QUERY = /syntax error|incomplete input|unrecognized token|parser stack overflow|too (?:deep|large|many)|out of memory/i

/** Opens an empty database in memory; it lives as long as the process. */
export async function openSqliteParser(): Promise<SqliteParser> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(':memory:')
  const problemOf = (statement: string): string | undefined => {
    try {
      database.prepare(statement)
      return undefined
    } catch (error) {
      const said = error instanceof Error ? error.message : 'no reason given'
      return NO_QUERY.test(said) ? said : undefined
    }
  }
  return {
    // In parentheses: what would end the query early cannot be parsed then.
    query: (text) => problemOf(`CREATE VIEW v AS SELECT * FROM (${text}\n)`),
    change: problemOf,
  }
}

export function readSqlite(sql: string, parser: SqliteParser): DialectReading {
  const tokens = tokenizeSqlite(sql)
  if (tokens === undefined) return { parsed: false, reading: dangerousWhole(sql, 'it cannot be parsed as SQLite: a quote is never closed') }
  const statements = sqliteStatements(tokens)
  if (statements.length === 0) return { parsed: true, reading: { effect: 'read', reasons: ['it is empty'], parts: [] } }
  let parsed = true
  const parts = statements.map((statement): CommandPart => {
    const { start, end } = statement
    const verdict = judge(statement, sql, parser)
    if (verdict.unparsed === true) parsed = false
    return { start, end, effect: verdict.effect, reason: verdict.reason }
  })
  return { parsed, reading: readingOf(parts) }
}

type Judged = Verdict & { readonly unparsed?: boolean }

function judge(statement: SqliteStatement, sql: string, parser: SqliteParser): Judged {
  const { tokens } = statement
  const at = verbAt(tokens, 0)
  const verb = tokens[at]
  if (isSign(tokens[0], '.')) return dangerous('is a command of the SQLite shell, not a statement')
  if (verb?.type !== 'word') return unparsed('it does not begin with a statement')
  switch (verb.text) {
    case 'SELECT':
    case 'VALUES': {
      const problem = parser.query(sql.slice(statement.start, statement.end))
      return problem === undefined ? worstCall(tokens, READ) : unparsed(problem)
    }
    case 'EXPLAIN':
      return judgeExplained(statement, sql, parser, isWord(tokens[at + 1], 'QUERY') && isWord(tokens[at + 2], 'PLAN') ? at + 3 : at + 1)
    case 'INSERT':
    case 'REPLACE':
    case 'UPDATE':
    case 'DELETE':
      return judgeChange(statement, at, sql, parser)
    case 'CREATE':
      return judgeCreate(tokens)
    case 'PRAGMA':
      return judgePragma(tokens)
    case 'VACUUM':
      return tokens.some((token) => isWord(token, 'INTO')) ? dangerous('writes a file') : write('rewrites the database')
    case 'ANALYZE':
    case 'REINDEX':
      // At most `schema.name` behind it.
      return tokens.length > at + 4 || tokens[at + 2]?.type === 'word' ? unparsed('syntax error') : write('rewrites what is stored')
    case 'BEGIN':
    case 'COMMIT':
    case 'END':
    case 'ROLLBACK':
    case 'SAVEPOINT':
    case 'RELEASE': {
      const problem = parser.change(sql.slice(statement.start, statement.end))
      return problem === undefined ? READ : unparsed(problem)
    }
    case 'ATTACH':
      return dangerous('opens another database file')
    case 'DETACH':
      return dangerous('closes a database file')
    case 'DROP':
      return dangerous('drops what is stored')
    case 'ALTER':
      return dangerous('alters what is stored')
    default:
      return unparsed(`near "${verb.text.slice(0, 40)}": syntax error`)
  }
}

function judgeChange({ tokens, start, end }: SqliteStatement, at: number, sql: string, parser: SqliteParser): Judged {
  const catalogue = tokens.some(({ type, text }) => type !== 'number' && /^sqlite_(?:temp_)?(?:master|schema)$/i.test(text))
  if (catalogue) return dangerous('reaches into the schema itself')
  const problem = parser.change(sql.slice(start, end))
  if (problem !== undefined) return unparsed(problem)
  const verb = tokens[at]?.text
  if (verb === 'UPDATE') return worstCall(tokens, hasCondition(tokens, at) ? write('changes rows') : dangerous('changes every row'))
  if (verb === 'DELETE') return worstCall(tokens, hasCondition(tokens, at) ? write('deletes rows') : dangerous('deletes every row'))
  return worstCall(tokens, write(verb === 'REPLACE' || isWord(tokens[at + 2], 'REPLACE') ? 'replaces rows' : 'inserts rows'))
}

/** Nothing of an explained statement runs, save a PRAGMA, which is carried out when it is prepared. */
function judgeExplained(statement: SqliteStatement, sql: string, parser: SqliteParser, from: number): Judged {
  const tokens = statement.tokens.slice(from)
  const [first] = tokens
  if (first === undefined || isWord(first, 'EXPLAIN')) return unparsed('incomplete input')
  const verdict = judge({ start: first.start, end: statement.end, tokens }, sql, parser)
  return verdict.unparsed === true || isWord(first, 'PRAGMA') ? verdict : READ
}

/** Behind `WITH [RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (…), …`. */
function verbAt(tokens: readonly PlacedToken[], start: number): number {
  if (!isWord(tokens[start], 'WITH')) return start
  let depth = 0
  for (let at = start + 1; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (isSign(token, '(')) depth += 1
    else if (isSign(token, ')')) depth -= 1
    // Behind the body of a table expression comes a comma or the statement itself.
    if (depth === 0 && isSign(token, ')') && tokens[at + 1]?.type === 'word' && !isWord(tokens[at + 1], 'AS')) return at + 1
  }
  return tokens.length
}

const KEYWORDS_BEFORE_PARENTHESIS: ReadonlySet<string> = new Set(
  'SELECT FROM WHERE AND OR NOT IN AS ON USING VALUES OVER EXISTS CASE WHEN THEN ELSE BY HAVING LIMIT OFFSET UNION ALL EXCEPT INTERSECT DISTINCT LIKE GLOB REGEXP MATCH BETWEEN IS CAST RAISE FILTER PARTITION RETURNING SET INTO TABLE KEY UNIQUE CHECK REFERENCES JOIN MATERIALIZED NULL ISNULL NOTNULL COLLATE ESCAPE CONFLICT DEFAULT WITH RECURSIVE EXPLAIN ORDER GROUP WINDOW RANGE ROWS GROUPS EXCLUDE INDEXED'.split(
    ' ',
  ),
)

/** The verdict, or that of the worst function that is called. */
function worstCall(tokens: readonly PlacedToken[], verdict: Verdict): Verdict {
  let worst = verdict
  const names = tableExpressions(tokens)
  for (const [at, token] of tokens.entries()) {
    // A string in the place of a name is one in SQLite.
    const mayName = token.type === 'word' || token.type === 'name' || token.type === 'string'
    if (!mayName) continue
    const lower = token.text.toLowerCase()
    // Their values come from a table, with or without parentheses.
    const called: Verdict | undefined = lower.startsWith('pragma_')
      ? pragmaFunction(lower.slice(7))
      : isSign(tokens[at + 1], '(') && isCall(tokens, at, names)
        ? judgeFunction(lower)
        : undefined
    if (called !== undefined && worseOf(worst.effect, called.effect) !== worst.effect) worst = called
  }
  return worst
}

function isCall(tokens: readonly PlacedToken[], at: number, names: ReadonlySet<string>): boolean {
  const token = tokens[at]
  if (token === undefined || token.type === 'string') return false
  if (token.type === 'word' && KEYWORDS_BEFORE_PARENTHESIS.has(token.text)) return false
  // `INSERT INTO t (a)`, `t AS x (…)`
  return !isWord(tokens[at - 1], 'INTO') && !names.has(token.text.toUpperCase())
}

/** Names that WITH defines: `name (columns) AS`. */
function tableExpressions(tokens: readonly PlacedToken[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [at, token] of tokens.entries()) {
    if (isWord(tokens[at - 1], 'WITH') || isWord(tokens[at - 1], 'RECURSIVE')) names.add(token.text.toUpperCase())
    else if (isSign(tokens[at - 1], ',') && isSign(tokens[at - 2], ')') && definesColumns(tokens, at + 1))
      names.add(token.text.toUpperCase())
  }
  return names
}

function definesColumns(tokens: readonly PlacedToken[], at: number): boolean {
  if (!isSign(tokens[at], '(')) return false
  for (let end = at + 1; end < Math.min(tokens.length, at + 200); end += 1) {
    if (isSign(tokens[end], ')')) return isWord(tokens[end + 1], 'AS')
    if (isSign(tokens[end], '(')) return false
  }
  return false
}

/** A WHERE of the statement itself that names something: `WHERE 1` holds for every row. */
function hasCondition(tokens: readonly PlacedToken[], from: number): boolean {
  let depth = 0
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (isSign(token, '(')) depth += 1
    else if (isSign(token, ')')) depth -= 1
    else if (depth === 0 && isWord(token, 'WHERE')) return tokens.slice(at + 1).some(isColumn)
  }
  return false
}

const CONSTANTS: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL', 'NOT', 'AND', 'OR', 'IS', 'IN', 'LIKE', 'BETWEEN', 'RETURNING'])

function isColumn(token: PlacedToken): boolean {
  return token.type === 'name' || (token.type === 'word' && !CONSTANTS.has(token.text))
}

function judgeCreate(tokens: readonly PlacedToken[]): Verdict {
  const kinds = tokens.slice(1, 4)
  const has = (word: string): boolean => kinds.some((token) => isWord(token, word))
  if (has('TRIGGER')) return dangerous('changes what statements do')
  if (has('VIRTUAL')) return dangerous('creates a table that a module serves')
  if (has('TABLE')) {
    const as = tokens.findIndex((token) => isWord(token, 'AS'))
    return worstCall(as === -1 ? [] : tokens.slice(as), write('creates a table'))
  }
  if (has('INDEX')) return write('creates an index')
  if (has('VIEW')) return write('creates a view')
  return dangerous('creates something that is not known')
}

/** Those that only describe. */
const DESCRIBING: ReadonlySet<string> = new Set(
  'table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check collation_list function_list compile_options module_list pragma_list integrity_check quick_check database_list data_version freelist_count page_count'.split(
    ' ',
  ),
)
/** Those that tell a setting, and set it when they are given a value. */
const SETTING: ReadonlySet<string> = new Set(
  'encoding user_version schema_version application_id foreign_keys journal_mode synchronous cache_size page_size busy_timeout auto_vacuum temp_store locking_mode wal_autocheckpoint recursive_triggers case_sensitive_like defer_foreign_keys automatic_index secure_delete mmap_size journal_size_limit max_page_count cache_spill query_only analysis_limit threads read_uncommitted reverse_unordered_selects checkpoint_fullfsync fullfsync cell_size_check soft_heap_limit hard_heap_limit'.split(
    ' ',
  ),
)
/** Setting them takes protection away. */
const GUARDING: ReadonlySet<string> = new Set(['foreign_keys', 'journal_mode', 'synchronous', 'schema_version', 'query_only'])
const WRITING: ReadonlySet<string> = new Set(['optimize', 'incremental_vacuum', 'wal_checkpoint', 'shrink_memory'])

function judgePragma(tokens: readonly PlacedToken[]): Judged {
  const at = isSign(tokens[2], '.') ? 3 : 1
  const name = tokens[at]?.text.toLowerCase()
  // `= -1` and `(x)` are the longest that may follow.
  if (name === undefined || tokens.length > at + 4) return unparsed('incomplete input')
  if (DESCRIBING.has(name)) return READ
  const shown = `PRAGMA ${name.slice(0, 40)}`
  if (WRITING.has(name)) return write(`${shown} rewrites what is stored`)
  if (!SETTING.has(name)) return dangerous(`${shown} is not known to be harmless`)
  if (tokens[at + 1] === undefined) return READ
  return GUARDING.has(name) ? dangerous(`${shown} takes protection away`) : write(`${shown} changes a setting`)
}

function pragmaFunction(name: string): Verdict | undefined {
  return DESCRIBING.has(name) || SETTING.has(name) ? undefined : dangerous(`pragma_${name.slice(0, 40)} is not known to be harmless`)
}

function write(reason: string): Verdict {
  return { effect: 'write', reason }
}

function dangerous(reason: string): Verdict {
  return { effect: 'dangerous', reason }
}

function unparsed(problem: string): Judged {
  return { effect: 'dangerous', reason: `it cannot be parsed as SQLite: ${problem.slice(0, 120)}`, unparsed: true }
}
