/**
 * Owns patterns in which `*` stands for any characters, compiled once. Linear in the text: pieces are taken at their first place, which is
 * enough when nothing but the ends is fixed.
 */

export type TextTest = (text: string) => boolean

/**
 * @example
 * ```ts
 * compileNames(['read_*', 'sql_query'])('read_file') // true
 * ```
 */
export function compileNames(patterns: readonly string[]): TextTest {
  if (patterns.includes('*')) return () => true
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const tests = patterns.filter((pattern) => pattern.includes('*')).map(compileOne)
  if (tests.length === 0) return (text) => exact.has(text)
  return (text) => exact.has(text) || tests.some((test) => test(text))
}

function compileOne(pattern: string): TextTest {
  const pieces = pattern.split('*')
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '')
  const least = first.length + last.length
  return (text) => {
    if (text.length < least || !text.startsWith(first) || !text.endsWith(last)) return false
    const until = text.length - last.length
    let from = first.length
    for (const piece of middle) {
      const found = text.indexOf(piece, from)
      if (found === -1 || found + piece.length > until) return false
      from = found + piece.length
    }
    return true
  }
}
