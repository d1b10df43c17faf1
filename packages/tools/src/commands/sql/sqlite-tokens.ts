/**
 * Owns cutting a text into tokens as SQLite does, each with its place, and into statements: strings, quoted names, blobs and comments hide
 * what is in them, and the statements inside of a trigger are a part of it. Linear; never throws.
 */

export interface PlacedToken {
  readonly type: 'word' | 'name' | 'string' | 'number' | 'parameter' | 'sign'
  /** Words in upper case; quoted names and strings without their quotes. */
  readonly text: string
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
}

export interface SqliteStatement {
  readonly start: number
  readonly end: number
  readonly tokens: readonly PlacedToken[]
}

const SKIPPED = /(?:[ \t\n\f\r]|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))+/y
const STRING = /[xX]?'(?:[^']|'')*'/y
const NAME = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y
const NUMBER = /(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y
/** With the parentheses that a name may end in, whatever stands in them. */
const PARAMETER = /\?\d*|[:@#$](?:[\w$\u0080-\uffff]|::)+(?:\([^\s)]*\))?/y

/** Undefined where a quote is never closed. */
export function tokenizeSqlite(sql: string): readonly PlacedToken[] | undefined {
  const tokens: PlacedToken[] = []
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    return pattern.test(sql) && pattern.lastIndex > at
  }
  const add = (type: PlacedToken['type'], end: number, text: string): void => {
    tokens.push({ type, text, start: at, end })
    at = end
  }
  while (at < sql.length) {
    if (take(SKIPPED)) at = SKIPPED.lastIndex
    else if (take(STRING)) add('string', STRING.lastIndex, sql.slice(sql.indexOf("'", at) + 1, STRING.lastIndex - 1).replaceAll("''", "'"))
    else if (take(NAME)) add('name', NAME.lastIndex, sql.slice(at + 1, NAME.lastIndex - 1).replace(/(["`])\1/g, '$1'))
    else if (take(NUMBER)) add('number', NUMBER.lastIndex, sql.slice(at, NUMBER.lastIndex))
    else if (take(WORD)) add('word', WORD.lastIndex, sql.slice(at, WORD.lastIndex).toUpperCase())
    else if (take(PARAMETER)) add('parameter', PARAMETER.lastIndex, sql.slice(at, PARAMETER.lastIndex))
    else if (`'"\`[`.includes(sql.charAt(at))) return undefined
    else add('sign', at + 1, sql.charAt(at))
  }
  return tokens
}

/** Cut at the semicolons, save those between BEGIN and END of a trigger. Empty ones are left out. */
export function sqliteStatements(tokens: readonly PlacedToken[]): readonly SqliteStatement[] {
  const statements: SqliteStatement[] = []
  let own: PlacedToken[] = []
  const close = (): void => {
    const [first] = own
    const last = own.at(-1)
    if (first !== undefined && last !== undefined) statements.push({ start: first.start, end: last.end, tokens: own })
    own = []
  }
  for (const token of tokens) {
    if (token.type !== 'sign' || token.text !== ';') own.push(token)
    else if (inTrigger(own)) own.push(token)
    else close()
  }
  close()
  return statements
}

/** As the shell of SQLite does: a trigger ends with `; END`. */
function inTrigger(own: readonly PlacedToken[]): boolean {
  if (!isWord(own[0], 'CREATE')) return false
  const at = isWord(own[1], 'TEMP') || isWord(own[1], 'TEMPORARY') ? 2 : 1
  if (!isWord(own[at], 'TRIGGER')) return false
  const before = own.at(-2)
  return !(isWord(own.at(-1), 'END') && before?.type === 'sign' && before.text === ';')
}

export function isWord(token: PlacedToken | undefined, word: string): boolean {
  return token?.type === 'word' && token.text === word
}

export function isSign(token: PlacedToken | undefined, sign: string): boolean {
  return token?.type === 'sign' && token.text === sign
}
