/**
 * Owns cutting SQL text into tokens as SQLite does (https://sqlite.org/lang_expr.html, tokenize.c): strings, quoted names,
 * comments, blobs and parameters are recognised, so that a keyword or a semicolon inside a string is not taken for one.
 */

export interface SqlToken {
  readonly type: 'word' | 'quoted-name' | 'string' | 'number' | 'parameter' | 'sign'
  /** As written; words and signs as they are, quoted names without their quotes. */
  readonly text: string
  /** Upper-cased, for words; else as `text`. */
  readonly upper: string
}

export type SqlTokens = { readonly ok: true; readonly tokens: readonly SqlToken[] } | { readonly ok: false; readonly problem: string }

const SPACE = /\s/
const WORD_START = /[A-Za-z_\u0080-\u{10FFFF}]/u
const WORD = /[\w$\u0080-\u{10FFFF}]*/uy
const NUMBER = /(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y
const PARAMETER = /(?:\?\d*|[:@#][\w$\u0080-\u{10FFFF}]+|\$[\w$\u0080-\u{10FFFF}]+(?:::[\w$\u0080-\u{10FFFF}]+)*)/uy

export function tokenizeSql(sql: string): SqlTokens {
  const tokens: SqlToken[] = []
  let at = 0
  const add = (type: SqlToken['type'], text: string) => {
    tokens.push({ type, text, upper: type === 'word' ? text.toUpperCase() : text })
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(sql)?.[0] ?? ''
    at += found.length
    return found
  }
  while (at < sql.length) {
    const letter = sql[at] ?? ''
    const next = sql[at + 1]
    if (letter === '\0') return { ok: false, problem: 'it has a NUL byte' }
    if (SPACE.test(letter)) at += 1
    else if (letter === '-' && next === '-') {
      const end = sql.indexOf('\n', at)
      at = end === -1 ? sql.length : end + 1
    } else if (letter === '/' && next === '*') {
      const end = sql.indexOf('*/', at + 2)
      // SQLite lets the last comment end with the text.
      at = end === -1 ? sql.length : end + 2
    } else if (letter === "'" || letter === '"' || letter === '`' || letter === '[') {
      const quoted = quotedAt(sql, at, letter === '[' ? ']' : letter)
      if (quoted === undefined) return { ok: false, problem: `${letter} at position ${at + 1} is never closed` }
      add(letter === "'" ? 'string' : 'quoted-name', quoted.text)
      at = quoted.end
    } else if ((letter === 'x' || letter === 'X') && next === "'") {
      const quoted = quotedAt(sql, at + 1, "'")
      if (quoted === undefined) return { ok: false, problem: `the blob at position ${at + 1} is never closed` }
      add('string', quoted.text)
      at = quoted.end
    } else if (WORD_START.test(letter)) add('word', take(WORD))
    else if (/\d/.test(letter) || (letter === '.' && next !== undefined && /\d/.test(next))) add('number', take(NUMBER))
    else if (letter === '?' || letter === ':' || letter === '@' || letter === '#' || letter === '$') {
      const parameter = take(PARAMETER)
      if (parameter === '') return { ok: false, problem: `${letter} at position ${at + 1} has no name behind it` }
      add('parameter', parameter)
    } else {
      add('sign', letter)
      at += 1
    }
  }
  return { ok: true, tokens }
}

/** A doubled quote inside is one; square brackets have no such escape. */
function quotedAt(sql: string, start: number, close: string): { readonly text: string; readonly end: number } | undefined {
  let text = ''
  let from = start + 1
  for (;;) {
    const end = sql.indexOf(close, from)
    if (end === -1) return undefined
    text += sql.slice(from, end)
    if (close === ']' || sql[end + 1] !== close) return { text, end: end + 1 }
    text += close
    from = end + 2
  }
}
