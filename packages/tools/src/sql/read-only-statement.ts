/**
 * Owns the first of two proofs that a statement only reads; the second is the connection, which SQLite itself holds read-only.
 * One statement: SELECT, VALUES, WITH … SELECT, EXPLAIN of one of them, or a PRAGMA that describes the schema. Everything else is
 * refused with the word that is the reason, also what a read-only connection would let through: ATTACH (reads other files),
 * temporary tables, PRAGMAs that change the connection. Pure.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type SqlToken, tokenizeSql } from './sql-tokens.ts'

export interface ReadOnlyStatement {
  readonly sql: string
  /** Anonymous `?`, or `?NNN`: how many values it takes by position. */
  readonly positional: number
  /** Names without their sign, each once. */
  readonly named: readonly string[]
  /** Words and quoted names: where table names are among, for help with errors. */
  readonly names: readonly string[]
}

/** Those that only describe; none shows a path of the machine. Also allowed as table functions, `pragma_table_info(…)`. */
const PRAGMAS: ReadonlySet<string> = new Set([
  'TABLE_INFO',
  'TABLE_XINFO',
  'TABLE_LIST',
  'INDEX_LIST',
  'INDEX_INFO',
  'INDEX_XINFO',
  'FOREIGN_KEY_LIST',
  'COLLATION_LIST',
  'FUNCTION_LIST',
  'COMPILE_OPTIONS',
  'ENCODING',
  'USER_VERSION',
  'SCHEMA_VERSION',
  'APPLICATION_ID',
])

/** Those of {@link PRAGMAS} that set something when they are given a value. */
const SETTING_PRAGMAS: ReadonlySet<string> = new Set(['ENCODING', 'USER_VERSION', 'SCHEMA_VERSION', 'APPLICATION_ID'])

/** Functions that reach beyond the database, where a build of SQLite has them. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set([
  'LOAD_EXTENSION',
  'READFILE',
  'WRITEFILE',
  'EDIT',
  'FTS3_TOKENIZER',
  'FSDIR',
  'LSDIR',
])

const MAX_SQL_CHARS = 100_000

/**
 * @throws AdjutantError INVALID_ARGUMENTS for what is no single statement, RULE_VIOLATED for one that does more than read
 */
export function checkReadOnly(sql: string): ReadOnlyStatement {
  if (sql.length > MAX_SQL_CHARS) throw invalid(`it is longer than ${MAX_SQL_CHARS} characters`)
  const result = tokenizeSql(sql)
  if (!result.ok) throw invalid(result.problem)
  const tokens = withoutEnd(result.tokens)
  const first = tokens[0]
  if (first === undefined) throw invalid('it is empty')
  checkVerb(tokens, 0)
  checkNames(tokens)
  const { positional, named } = parametersOf(tokens)
  const names = tokens.filter((token) => token.type === 'word' || token.type === 'quoted-name').map((token) => token.text)
  return { sql, positional, named, names: [...new Set(names)] }
}

/** Takes semicolons at the end away; one in between makes it several statements. */
function withoutEnd(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let end = tokens.length
  while (end > 0 && isSign(tokens[end - 1], ';')) end -= 1
  const statement = tokens.slice(0, end)
  if (statement.some((token) => isSign(token, ';'))) throw invalid('it has more than one statement', 'Send the statements one by one.')
  return statement
}

function checkVerb(tokens: readonly SqlToken[], at: number): void {
  const verb = tokens[at]
  if (verb?.type !== 'word') throw invalid(`it does not begin with a statement (${JSON.stringify(verb?.text ?? '')})`)
  switch (verb.upper) {
    case 'SELECT':
    case 'VALUES':
      return
    case 'WITH':
      checkVerb(tokens, endOfTableExpressions(tokens, at + 1))
      return
    case 'EXPLAIN':
      checkVerb(tokens, isWord(tokens[at + 1], 'QUERY') && isWord(tokens[at + 2], 'PLAN') ? at + 3 : at + 1)
      return
    case 'PRAGMA':
      if (at !== 0) throw refused('PRAGMA')
      checkPragma(tokens)
      return
    default:
      throw refused(verb.upper)
  }
}

/** Behind `[RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (…)`, and all that follow with a comma. */
function endOfTableExpressions(tokens: readonly SqlToken[], start: number): number {
  let at = isWord(tokens[start], 'RECURSIVE') && !isWord(tokens[start + 1], 'AS') && !isSign(tokens[start + 1], '(') ? start + 1 : start
  for (;;) {
    const name = tokens[at]
    if (name === undefined || (name.type !== 'word' && name.type !== 'quoted-name' && name.type !== 'string'))
      throw invalid('WITH is not followed by a name')
    at += 1
    if (isSign(tokens[at], '(')) at = behindParentheses(tokens, at)
    if (!isWord(tokens[at], 'AS')) throw invalid(`AS is missing behind WITH ${name.text}`)
    at += 1
    if (isWord(tokens[at], 'NOT')) at += 1
    if (isWord(tokens[at], 'MATERIALIZED')) at += 1
    if (!isSign(tokens[at], '(')) throw invalid(`the query in parentheses is missing behind WITH ${name.text} AS`)
    at = behindParentheses(tokens, at)
    if (!isSign(tokens[at], ',')) return at
    at += 1
  }
}

function behindParentheses(tokens: readonly SqlToken[], start: number): number {
  let depth = 0
  for (let at = start; at < tokens.length; at += 1) {
    if (isSign(tokens[at], '(')) depth += 1
    else if (isSign(tokens[at], ')')) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  throw invalid('a parenthesis is never closed')
}

function checkPragma(tokens: readonly SqlToken[]): void {
  const at = isSign(tokens[2], '.') ? 3 : 1
  const name = tokens[at]?.text.toUpperCase() ?? ''
  if (!PRAGMAS.has(name)) throw refused(`PRAGMA ${name}`.trim())
  const behind = tokens[at + 1]
  if (behind === undefined) return
  if (isSign(behind, '=') || SETTING_PRAGMAS.has(name)) throw refused(`setting PRAGMA ${name}`)
}

function checkNames(tokens: readonly SqlToken[]): void {
  for (const token of tokens) {
    if (token.type !== 'word' && token.type !== 'quoted-name' && token.type !== 'string') continue
    const name = token.text.toUpperCase()
    // A string can stand for a table's name in SQLite; the harmless text 'pragma_x' is refused with it.
    if (name.startsWith('PRAGMA_') && !PRAGMAS.has(name.slice(7))) throw refused(name)
    if (token.type !== 'string' && FORBIDDEN_FUNCTIONS.has(name)) throw refused(name)
  }
}

function parametersOf(tokens: readonly SqlToken[]): { readonly positional: number; readonly named: readonly string[] } {
  const named = new Set<string>()
  let positional = 0
  for (const { type, text } of tokens) {
    if (type !== 'parameter') continue
    if (text === '?') positional += 1
    else if (text.startsWith('?')) positional = Math.max(positional, Number(text.slice(1)))
    else named.add(text.slice(1))
  }
  if (positional > 0 && named.size > 0) throw invalid('it has both ? and named parameters', 'Use one kind of parameter.')
  if (positional > 32_766) throw invalid('it has a parameter number above 32766')
  return { positional, named: [...named] }
}

function isSign(token: SqlToken | undefined, text: string): boolean {
  return token?.type === 'sign' && token.text === text
}

function isWord(token: SqlToken | undefined, upper: string): boolean {
  return token?.type === 'word' && token.upper === upper
}

function invalid(problem: string, hint = 'Send one SELECT statement of SQLite.'): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', `"sql" cannot be run: ${problem}`, { hint })
}

function refused(what: string): AdjutantError {
  return new AdjutantError('RULE_VIOLATED', `${what.slice(0, 80)} is not allowed: sql_query only reads`, {
    hint: 'Use SELECT, WITH … SELECT, VALUES, EXPLAIN or PRAGMA table_info(…); nothing can be changed with this tool.',
  })
}
