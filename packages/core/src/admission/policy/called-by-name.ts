/**
 * Owns whether a simple command calls its program by the bare name. `git` that a rule allows is the one that the system finds, not `./git`
 * that somebody put into the workspace, and not one that runs with more rights. A no is no accusation: it only means that a rule that gives
 * does not cover it.
 */

/** Programs that run another one and change nothing about what it may do. */
const HARMLESS = new Set(['time', 'timeout', 'nice', 'stdbuf', 'env', 'command', 'builtin', 'exec'])
const OPTION_OR_TIME = /^(?:-.*|\d+(?:\.\d+)?[smhd]?)$/
const ASSIGNMENT = /^[A-Za-z_]\w*=/

/**
 * @param text the simple command as it is written
 * @example
 * ```ts
 * calledByName('timeout 5 git log', 'git') // true
 * calledByName('./git log', 'git') // false
 * ```
 */
export function calledByName(text: string, program: string): boolean {
  const words = text
    .replace(/\$(?=')|["'\\]/g, '')
    .trim()
    .split(/\s+/)
  for (const word of words) {
    if (word === program) return true
    if (!HARMLESS.has(word) && !OPTION_OR_TIME.test(word) && !ASSIGNMENT.test(word)) return false
  }
  return false
}
