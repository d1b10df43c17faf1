/**
 * Owns what SQL of PostgreSQL does, by the server's own parser. Each statement is walked whole: statements inside of statements, functions
 * wherever they are called, tables that hold secrets. What a function, a trigger, a rule or a view does inside is not seen: see
 * `judgeFunction` for the stance. Never throws; what the parser refuses is dangerous.
 */
import type { CommandPart, CommandReading, Effect } from '@adjutant/core/contract'
import { GUARDING_SETTINGS, SECRET_TABLES, verdictOfKind } from './postgresql-statements.ts'
import { dangerousWhole, readingOf, worseOf } from './reading.ts'
import { judgeFunction } from './sql-functions.ts'

export type PostgresqlParse = (sql: string) => unknown
type Node = Readonly<Record<string, unknown>>

/** Functions that somebody vouches for: `name`, or `schema.name`, in lower case. */
export type VouchedFunction = (name: string, schema: string | undefined) => boolean

export interface DialectReading {
  /** Whether the dialect has such statements at all. */
  readonly parsed: boolean
  readonly reading: CommandReading
}

/** Nodes of one statement; more are not walked. */
const MAX_NODES = 200_000

/** The parser takes seconds for what nobody writes: comments in comments in comments, and operators of thousands of signs. */
const MAX_COMMENT_DEPTH = 100
const LONG_OPERATOR = /[-+*/<>=~!@#%^&|`?]{500}/

/** Loads the parser: WebAssembly, once in a process. */
export async function openPostgresqlParser(): Promise<PostgresqlParse> {
  const parser = await import('libpg-query')
  await parser.loadModule()
  return parser.parseSync
}

/** @param vouched functions that only read although they are not known; never those that are known to do more */
export function readPostgresql(sql: string, parse: PostgresqlParse, vouched?: VouchedFunction): DialectReading {
  if (sql.trim() === '') return { parsed: true, reading: { effect: 'read', reasons: ['it is empty'], parts: [] } }
  if (commentDepth(sql) > MAX_COMMENT_DEPTH) return { parsed: false, reading: dangerousWhole(sql, 'it has comments nested too deeply') }
  if (LONG_OPERATOR.test(sql)) return { parsed: false, reading: dangerousWhole(sql, 'it has an operator of more than 500 signs') }
  let tree: unknown
  try {
    tree = parse(sql)
  } catch (error) {
    const said = error instanceof Error ? error.message.slice(0, 120) : 'no reason given'
    return { parsed: false, reading: dangerousWhole(sql, `it cannot be parsed as PostgreSQL: ${said}`) }
  }
  const statements = isNode(tree) && Array.isArray(tree.stmts) ? tree.stmts.filter(isNode) : []
  if (statements.length === 0) return { parsed: true, reading: { effect: 'read', reasons: ['it is only a comment'], parts: [] } }
  const toText = offsetsOf(sql)
  const parts = statements.map((statement): CommandPart => {
    const from = typeof statement.stmt_location === 'number' ? statement.stmt_location : 0
    const start = toText(from)
    const rawEnd = typeof statement.stmt_len === 'number' ? toText(from + statement.stmt_len) : sql.length
    const end = start + sql.slice(start, rawEnd).trimEnd().length
    return { start, end, ...judgeStatement(statement.stmt, vouched) }
  })
  return { parsed: true, reading: readingOf(parts) }
}

/** How deep comments may be nested at most: in strings such signs mean nothing, which is not looked at here. */
function commentDepth(sql: string): number {
  let depth = 0
  let deepest = 0
  for (const [sign] of sql.matchAll(/\/\*|\*\//g)) {
    depth = sign === '/*' ? depth + 1 : Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

interface Verdict {
  readonly effect: Effect
  readonly reason: string
}

function judgeStatement(statement: unknown, vouched: VouchedFunction | undefined): Verdict {
  const verdicts: Verdict[] = []
  // Nested without bound: a stack of our own, never the call stack.
  const open: unknown[] = [statement]
  let nodes = 0
  while (open.length > 0) {
    const value = open.pop()
    nodes += 1
    if (nodes > MAX_NODES) return { effect: 'dangerous', reason: 'it is too large to be looked at' }
    if (Array.isArray(value)) for (const item of value) open.push(item)
    if (!isNode(value) || Array.isArray(value)) continue
    for (const [kind, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null) continue
      if (isNode(inner) && !Array.isArray(inner)) {
        const verdict = judgeNode(kind, inner, vouched)
        if (verdict !== undefined) verdicts.push(verdict)
        // Without ANALYZE nothing of the statement is run.
        if (kind === 'ExplainStmt' && !runsIt(inner)) continue
      }
      open.push(inner)
    }
  }
  let effect: Effect = 'read'
  for (const verdict of verdicts) effect = worseOf(effect, verdict.effect)
  const reasons = verdicts.filter((verdict) => verdict.effect === effect).map(({ reason }) => reason)
  return { effect, reason: effect === 'read' ? 'only reads' : [...new Set(reasons)].slice(0, 5).join('; ') }
}

function judgeNode(kind: string, node: Node, vouched: VouchedFunction | undefined): Verdict | undefined {
  switch (kind) {
    case 'FuncCall':
      return judgeCall(node, vouched)
    case 'RangeVar':
      return SECRET_TABLES.has(textOf(node.relname)) ? dangerous(`reads secrets from ${textOf(node.relname)}`) : undefined
    // A relation to write to is a member of this name, not a node.
    case 'relation':
    case 'rel':
      return textOf(node.schemaname) === 'pg_catalog' || textOf(node.relname).startsWith('pg_')
        ? dangerous('reaches into the catalogue')
        : undefined
    case 'intoClause':
    case 'IntoClause':
      return { effect: 'write', reason: 'creates a table' }
    case 'LockingClause':
      return { effect: 'write', reason: 'locks rows' }
    case 'UpdateStmt':
      return matchesSome(node.whereClause) ? verdictOfKind(kind) : dangerous('changes every row')
    case 'DeleteStmt':
      return matchesSome(node.whereClause) ? verdictOfKind(kind) : dangerous('deletes every row')
    case 'CopyStmt':
      return judgeCopy(node)
    case 'VariableSetStmt':
      return GUARDING_SETTINGS.has(textOf(node.name).toLowerCase()) || textOf(node.name).startsWith('SESSION')
        ? dangerous(`changes ${textOf(node.name)}, which guards the session`)
        : verdictOfKind(kind)
    case 'TransactionStmt':
      return /PREPARE/.test(textOf(node.kind)) ? { effect: 'write', reason: 'settles a prepared transaction' } : undefined
    default:
      return verdictOfKind(kind)
  }
}

function judgeCall(node: Node, vouched: VouchedFunction | undefined): Verdict | undefined {
  const names = Array.isArray(node.funcname) ? node.funcname.map(nameIn) : []
  const verdict = judgeFunction(names.at(-1) ?? '', names.length > 1 ? names.at(-2) : undefined, vouched)
  return verdict.effect === 'read' ? undefined : verdict
}

function judgeCopy(node: Node): Verdict | undefined {
  if (node.is_program === true) return dangerous('runs a program on the server')
  if (typeof node.filename === 'string')
    return dangerous(node.is_from === true ? 'reads a file of the server' : 'writes a file of the server')
  return node.is_from === true ? { effect: 'write', reason: 'inserts rows' } : undefined
}

/** Whether EXPLAIN runs the statement that it explains. */
function runsIt(node: Node): boolean {
  const options = Array.isArray(node.options) ? node.options : []
  return options.some((option) => {
    const element = isNode(option) && isNode(option.DefElem) ? option.DefElem : {}
    return (
      textOf(element.defname).toLowerCase() === 'analyze' &&
      !/"(?:false|off|no)"|"ival":\{\}|"boolval":\{\}/i.test(JSON.stringify(element.arg ?? true))
    )
  })
}

/** A condition that names no column holds for all rows or none. */
function matchesSome(condition: unknown): boolean {
  if (condition === undefined) return false
  const open: unknown[] = [condition]
  for (let nodes = 0; open.length > 0 && nodes < MAX_NODES; nodes += 1) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [kind, inner] of Object.entries(value)) {
      if (kind === 'ColumnRef' || kind === 'CurrentOfExpr') return true
      open.push(inner)
    }
  }
  return false
}

function dangerous(reason: string): Verdict {
  return { effect: 'dangerous', reason }
}

function nameIn(value: unknown): string {
  const string = isNode(value) && isNode(value.String) ? value.String : {}
  return textOf(string.sval)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** From offsets in bytes, which only grow, to offsets in the text. */
function offsetsOf(sql: string): (bytes: number) => number {
  if (Buffer.byteLength(sql) === sql.length) return (bytes) => Math.min(bytes, sql.length)
  const starts: number[] = []
  let index = 0
  for (const letter of sql) {
    for (let byte = Buffer.byteLength(letter); byte > 0; byte -= 1) starts.push(index)
    index += letter.length
  }
  return (bytes) => starts[bytes] ?? sql.length
}
