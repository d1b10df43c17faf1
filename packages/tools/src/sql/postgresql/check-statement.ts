/**
 * Owns the first of two proofs that a statement only reads, by the server's own parser; the second is the transaction, which the server holds
 * read-only. One statement: SELECT, VALUES, TABLE, WITH … SELECT, EXPLAIN of one, or SHOW. What a read-only transaction would let through is
 * refused here: files of the server, other servers, locks, messages, ending the work of others, settings. Pure once opened.
 */
import { AdjutantError, type CommandReading, type JsonValue } from '@adjutant/core/contract'
import { openPostgresqlParser, type PostgresqlParse, readPostgresql, type VouchedFunction } from '../../commands/sql/postgresql.ts'
import { dangerousWhole, unreadable } from '../../commands/sql/reading.ts'

export interface CheckedStatement {
  readonly sql: string
  /** As text, the way the server takes them. */
  readonly values: readonly (string | null)[]
  /** Tables that the statement names, for help with a wrong column. */
  readonly tables: readonly string[]
}

export interface StatementChecker {
  /** Never throws. */
  read(sql: string): CommandReading
  /** @throws AdjutantError INVALID_ARGUMENTS, RULE_VIOLATED */
  check(sql: string, parameters: JsonValue | undefined): CheckedStatement
}

export interface StatementRules {
  /** Schemas that may be named; undefined: all. */
  readonly schemas: readonly string[] | undefined
  readonly vouched: VouchedFunction
}

type Node = Readonly<Record<string, unknown>>

const ALLOWED: ReadonlySet<string> = new Set(['SelectStmt', 'ExplainStmt', 'VariableShowStmt'])
/** What the server itself describes. */
const CATALOGUES = ['pg_catalog', 'information_schema']

interface Walked {
  readonly parameters: number
  readonly tables: readonly { readonly schema: string; readonly name: string }[]
}

export async function openStatementChecker(rules: StatementRules): Promise<StatementChecker> {
  const parse = await openPostgresqlParser()
  // A call asks for effect, check and run one after the other.
  let last: { readonly sql: string; readonly reading: CommandReading } | undefined
  const read = (sql: string): CommandReading => {
    if (last?.sql !== sql) last = { sql, reading: readSafely(sql, parse, rules.vouched) }
    return last.reading
  }
  return {
    read,
    check(sql, parameters) {
      const { effect, reasons, parts } = read(sql)
      if (parts.length === 0) throw invalid('it is empty')
      if (parts.length > 1) throw invalid('it has more than one statement', 'Send the statements one by one.')
      const first = reasons[0] ?? 'it is not known to only read'
      if (/^it cannot be parsed/.test(first)) throw invalid(`${first}${placeOf(sql, parse)}`)
      if (effect !== 'read') throw refused(reasons.slice(0, 5).join('; '))
      const [kind, tree] = statementOf(sql, parse)
      if (!ALLOWED.has(kind)) throw refused(`${kind.replace(/Stmt$/, '')} is no question`)
      const walked = walk(tree)
      checkSchemas(walked, rules.schemas)
      return { sql, values: bind(walked.parameters, parameters), tables: walked.tables.map(({ name }) => name) }
    },
  }
}

function readSafely(sql: string, parse: PostgresqlParse, vouched: VouchedFunction): CommandReading {
  try {
    return unreadable(sql) ?? readPostgresql(sql, parse, vouched).reading
  } catch (error) {
    return dangerousWhole(sql, `it cannot be read: ${error instanceof Error ? error.message.slice(0, 120) : 'no reason given'}`)
  }
}

function statementOf(sql: string, parse: PostgresqlParse): readonly [kind: string, tree: unknown] {
  const tree = parse(sql)
  const statements: readonly unknown[] = isNode(tree) && Array.isArray(tree.stmts) ? tree.stmts : []
  const statement = statements[0]
  return isNode(statement) && isNode(statement.stmt) ? [Object.keys(statement.stmt)[0] ?? '', statement.stmt] : ['', undefined]
}

/** ` at line 1:8`, where the parser says so. */
function placeOf(sql: string, parse: PostgresqlParse): string {
  try {
    parse(sql)
    return ''
  } catch (error) {
    const details = error instanceof Error && 'sqlDetails' in error ? error.sqlDetails : undefined
    const at = isNode(details) && typeof details.cursorPosition === 'number' ? details.cursorPosition : -1
    return at < 0 ? '' : ` at ${lineAndColumn(sql, at + 1)}`
  }
}

/** @param position of a character, from 1, as the server counts */
export function lineAndColumn(sql: string, position: number): string {
  const before = [...sql].slice(0, Math.max(0, position - 1)).join('')
  const lines = before.split('\n')
  return `line ${lines.length}:${[...(lines.at(-1) ?? '')].length + 1}`
}

/** Bounded: the reading before has walked the same tree and refuses one that is too large. */
function walk(tree: unknown): Walked {
  const tables: { schema: string; name: string }[] = []
  let parameters = 0
  const open: unknown[] = [tree]
  while (open.length > 0) {
    const value = open.pop()
    if (!isNode(value)) continue
    if (isNode(value.RangeVar)) tables.push({ schema: textOf(value.RangeVar.schemaname), name: textOf(value.RangeVar.relname) })
    if (isNode(value.ParamRef)) parameters = Math.max(parameters, typeof value.ParamRef.number === 'number' ? value.ParamRef.number : 0)
    for (const inner of Object.values(value)) open.push(inner)
  }
  return { parameters, tables }
}

function checkSchemas({ tables }: Walked, schemas: readonly string[] | undefined): void {
  if (schemas === undefined) return
  const other = tables.find(({ schema }) => schema !== '' && !schemas.includes(schema) && !CATALOGUES.includes(schema))
  if (other === undefined) return
  throw new AdjutantError('RULE_VIOLATED', `the schema ${other.schema} is not open to sql_query`, {
    hint: `Use tables of ${schemas.join(', ')}.`,
  })
}

function bind(count: number, given: JsonValue | undefined): readonly (string | null)[] {
  const values = given ?? []
  if (!Array.isArray(values)) throw wrong('must be a list: PostgreSQL takes $1, $2 in order, no names')
  if (values.length !== count) {
    throw wrong(`has ${values.length} ${values.length === 1 ? 'value' : 'values'}, the statement takes ${count}`)
  }
  return values.map((value: JsonValue, index) => {
    switch (typeof value) {
      case 'string':
        return value
      case 'number':
      case 'boolean':
        return String(value)
      default:
        if (value === null) return null
        throw wrong(`has a list or an object as $${index + 1}; write it as text, e.g. "{1,2}" for = ANY($1) or JSON`)
    }
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function wrong(problem: string): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', `"parameters" ${problem}`, {
    hint: 'One value for each of $1, $2, … in order, e.g. ["week 12", 10].',
  })
}

function invalid(problem: string, hint = 'Send one SELECT statement of PostgreSQL.'): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', `"sql" cannot be run: ${problem}`, { hint })
}

function refused(what: string): AdjutantError {
  return new AdjutantError('RULE_VIOLATED', `this statement is not allowed: ${what}; sql_query only reads`, {
    hint: 'Use SELECT, WITH … SELECT, VALUES, EXPLAIN or SHOW, and functions that only compute; nothing can be changed with this tool.',
  })
}
