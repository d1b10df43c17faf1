/**
 * Owns: what a line that carries an error looks like, in the output of any program: a cheap scan for words and signs, bounded for
 * each line. It may take too many lines; that costs room, while one that is missed costs the answer. Stateless.
 */

/** Finds a place in a line that may be an error's. No alternative holds a loop, so the scan is linear. */
const SIGN =
  /error|\berr[!_:]|exception|traceback|panic|fatal|\bfail|not ok\b|uncaught|unhandled|undefined reference|not found|no such file|permission denied|access denied|refused|timed out|segmentation fault|core dumped|caused by|✗|✖|✘|✕|❌|\^~|\^\^|\.[a-z]\w{0,5}(?::\d{1,7}[:)\s]|[([]\d{1,7},)|cannot|unable to|invalid|is a directory|too long|killed|\*\*\* /gi

/** Counts of nothing: the summary of a run that went well. */
const NONE =
  /\b(?:no|0|zero|without)\s(?:\w{1,12}\s)?(?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed|fail)["']?\s?[:=]\s?(?:0|none|null|false|\[\])(?![\w.])/gi

const WARNING = /\bwarn(?:ing)?\b|: note:|\bdeprecated\b/i

/** An error says so itself: at the beginning, before a colon, or by the sign of a test runner or compiler. */
const STRONG: readonly RegExp[] = [
  /^\W{0,8}(?:error|fatal|panic|traceback|failed|failure|exception|unhandled|uncaught|not ok|caused by)\b/i,
  /(?:error|exception|fatal|panic|failed|failure)(?:\[\w{1,20}\])?\)?:(?:\s|$)/i,
  /\b(?:error|failed|panicked)\b (?:TS\d|at |in |\w{1,4}\d{2,5}\b)/i,
  /^\s{0,40}(?:FAIL|FAILED|ERROR|FATAL|E {2,}|✗|✖|✘|✕|❌)(?:\s|$)/,
  /\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b/,
  /\.[A-Za-z]\w{0,5}[:(]\d{1,7}[:,]\d{1,5}\)?: /,
  /\b[1-9]\d{0,6} (?:errors?|failed|failures?|failing)\b/i,
  /segmentation fault|core dumped|undefined reference|npm (?:ERR!|error)/i,
]

/** Characters of a line that are looked at. */
const LOOKED_AT = 2_000

export type ErrorGrade = 'strong' | 'weak'

/** The next place at or after `from` that may be an error's, or -1. */
export function nextSign(text: string, from: number): number {
  SIGN.lastIndex = from
  return SIGN.exec(text)?.index ?? -1
}

/** How surely a line carries an error; `undefined` when only its words look like it. `sign` is where it was found in the line. */
export function gradeLine(line: string, sign: number): ErrorGrade | undefined {
  const from = line.length <= LOOKED_AT ? 0 : Math.max(0, Math.min(sign - (LOOKED_AT >> 1), line.length - LOOKED_AT))
  const part = line.slice(from, from + LOOKED_AT)
  const said = part.replace(NONE, '')
  if (said.length !== part.length && nextSign(said, 0) === -1) return undefined
  if (WARNING.test(said) && !/error/i.test(said)) return 'weak'
  return STRONG.some((pattern) => pattern.test(said)) ? 'strong' : 'weak'
}

/** Lines that differ only in numbers are of one shape. */
export function shapeOf(line: string): string {
  return line.slice(0, 200).replace(/\d+/g, '0')
}
