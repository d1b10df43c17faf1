/**
 * Owns which statements are not even read by SQLite: those that open or write files of the engine, and settings that would lift the bounds
 * of a box. They can only stand at the beginning of a statement, so looking there is enough; some act while they are read, so it must be
 * looked before.
 */

/** Settings that only tell something, or change how this database alone works. */
const ALLOWED_PRAGMAS: ReadonlySet<string> = new Set([
  'application_id',
  'case_sensitive_like',
  'collation_list',
  'compile_options',
  'count_changes',
  'data_version',
  'database_list',
  'defer_foreign_keys',
  'encoding',
  'foreign_key_check',
  'foreign_key_list',
  'foreign_keys',
  'freelist_count',
  'function_list',
  'ignore_check_constraints',
  'index_info',
  'index_list',
  'index_xinfo',
  'integrity_check',
  'module_list',
  'optimize',
  'page_count',
  'page_size',
  'pragma_list',
  'quick_check',
  'recursive_triggers',
  'reverse_unordered_selects',
  'table_info',
  'table_list',
  'table_xinfo',
  'user_version',
])

/**
 * Why the statement at the beginning of `sql` is refused; undefined when it is not.
 *
 * @example
 * ```ts
 * refusedStatement("/* x *\/ ATTACH 'a' AS b") // 'ATTACH is not allowed here…'
 * ```
 */
export function refusedStatement(sql: string): string | undefined {
  let rest = sql.slice(blankLength(sql))
  const explain = /^explain\b/i.exec(rest)
  if (explain !== null) {
    rest = after(rest, explain[0].length)
    const plan = /^query\b/i.exec(rest)
    if (plan !== null) rest = after(after(rest, plan[0].length), 'plan'.length)
  }
  const word = /^[a-z]+/i.exec(rest)?.[0].toUpperCase()
  switch (word) {
    case 'ATTACH':
    case 'DETACH':
      return `${word} is not allowed here: databases of the workspace are attached by their names`
    case 'VACUUM':
      return /^vacuum(?:[ \t\r\n]+\w{1,100})?[ \t\r\n]*(?:;|$)/i.test(rest) ? undefined : 'VACUUM INTO is not allowed here'
    case 'PRAGMA':
      return refusedPragma(after(rest, 'pragma'.length))
    default:
      return undefined
  }
}

function refusedPragma(rest: string): string | undefined {
  const [first = '', second] = identifiers(rest)
  const name = (second ?? first).toLowerCase()
  return ALLOWED_PRAGMAS.has(name) ? undefined : `PRAGMA ${name.slice(0, 60)} is not allowed here`
}

/** `a` or `a.b`. What is written in another way is no allowed name. */
function identifiers(rest: string): readonly string[] {
  const first = /^\w{1,100}/.exec(rest)?.[0]
  if (first === undefined) return []
  const dot = after(rest, first.length)
  if (!dot.startsWith('.')) return [first]
  return [first, /^\w{1,100}/.exec(after(dot, 1))?.[0] ?? '']
}

function after(text: string, length: number): string {
  const rest = text.slice(length)
  return rest.slice(blankLength(rest))
}

/** How much at the beginning is blank to SQLite: white space, comments, statements with nothing in them. */
export function blankLength(sql: string): number {
  let at = 0
  for (;;) {
    const character = sql.charAt(at)
    if (character !== '' && ' \t\n\f\r;\ufeff'.includes(character)) at += 1
    else if (sql.startsWith('--', at)) {
      const end = sql.indexOf('\n', at)
      at = end < 0 ? sql.length : end + 1
    } else if (sql.startsWith('/*', at)) {
      const end = sql.indexOf('*/', at + 2)
      at = end < 0 ? sql.length : end + 2
    } else return at
  }
}
