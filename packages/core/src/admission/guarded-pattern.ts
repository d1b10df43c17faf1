import { createContext, Script } from 'node:vm'

/**
 * Owns the running of a tool author's regular expressions on a model's strings. V8's engine backtracks, so a careless pattern
 * can take years on thirty letters; such a test runs with a time limit instead of stopping the whole process.
 *
 * Refuses: patterns that are no regular expression in either grammar (SyntaxError, said by the compiler of the schema).
 * Synchronous. One context serves the guarded tests of the whole process, one at a time; it keeps no string.
 */

/** All guarded tests of one check together. Ours: far above what sane patterns need on arguments, hardly noticed by a person. */
const TIME_LIMIT_MS = 100

/** Estimated steps up to which a test runs unguarded: about a millisecond's work. Ours. */
const FREE_STEPS = 1_000_000

/** A pattern did not finish in time. */
export class PatternTooSlow extends Error {
  readonly pattern: string
  readonly length: number
  constructor(pattern: string, length: number) {
    super(`the pattern ${pattern} does not finish within ${TIME_LIMIT_MS} ms on a string of ${length} characters`)
    this.name = 'PatternTooSlow'
    this.pattern = pattern
    this.length = length
  }
}

export interface GuardedPattern {
  test(text: string): boolean
  toString(): string
}

/**
 * Compiles a pattern as the JSON Schema draft says (Unicode mode), or without it when only that works: `^[\w-.]+$` is common
 * and an error in Unicode mode.
 *
 * @throws SyntaxError when it is no regular expression either way
 * @example
 * ```ts
 * guardedPattern('^(a+)+$').test('a'.repeat(40) + 'b') // throws PatternTooSlow instead of running for hours
 * ```
 */
export function guardedPattern(source: string): GuardedPattern {
  const expression = compile(source)
  const text = expression.toString()
  const shape = shapeOf(source)
  return {
    test(value) {
      const steps = shape.exponential ? 2 ** Math.min(value.length, 64) : value.length ** shape.degree
      return steps <= FREE_STEPS ? expression.test(value) : timedTest(expression, value)
    },
    toString: () => text,
  }
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

let timeLeft = TIME_LIMIT_MS

/** Begins a new check: its guarded tests may take {@link TIME_LIMIT_MS} together, however many strings there are. */
export function startPatternTime(): void {
  timeLeft = TIME_LIMIT_MS
}

const SCRIPT = new Script('expression.test(text)')
let context: { expression: RegExp | undefined; text: string } | undefined

function timedTest(expression: RegExp, text: string): boolean {
  if (timeLeft < 1) throw new PatternTooSlow(expression.toString(), text.length)
  if (context === undefined) {
    context = { expression: undefined, text: '' }
    createContext(context)
  }
  context.expression = expression
  context.text = text
  // The engine's limit is wall-clock time as well; a clock that a test turns would measure nothing here.
  const start = performance.now()
  try {
    return SCRIPT.runInContext(context, { timeout: Math.ceil(timeLeft) }) === true
  } catch (error) {
    // The error is of the other context's realm: no instance of this one's Error.
    if (isTimeout(error)) throw new PatternTooSlow(expression.toString(), text.length)
    throw error
  } finally {
    timeLeft -= performance.now() - start
    context.text = ''
  }
}

function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

interface PatternShape {
  /** A repeated group that itself repeats or chooses, or a backreference: may double its work with each letter. */
  readonly exponential: boolean
  /** Otherwise the work grows with the length to this power, at worst. */
  readonly degree: number
}

/** A repetition up to this many times counts as bounded. Ours. */
const FEW = 16

/** Reads only as much of the grammar as the estimate needs: classes, escapes, groups, quantifiers, alternatives. */
function shapeOf(source: string): PatternShape {
  const groups: boolean[] = []
  let exponential = false
  let repeats = 0
  let loose = false
  for (let at = 0; at < source.length; at++) {
    const letter = source[at]
    if (letter === '\\') {
      at++
      if (/[1-9k]/.test(source[at] ?? '')) exponential = true
    } else if (letter === '[') {
      at = endOfClass(source, at)
    } else if (letter === '(') {
      groups.push(false)
      loose = false
      continue
    } else if (letter === '|') {
      if (groups.length > 0) groups[groups.length - 1] = true
      continue
    } else if (letter === ')') {
      loose = groups.pop() ?? false
      if (loose && groups.length > 0) groups[groups.length - 1] = true
      const quantifier = quantifierAt(source, at + 1)
      if (quantifier.many && loose) exponential = true
    } else {
      loose = false
    }
    const quantifier = quantifierAt(source, at + 1)
    if (quantifier.many) {
      repeats++
      if (groups.length > 0) groups[groups.length - 1] = true
    }
    at += quantifier.length
  }
  return { exponential, degree: repeats + (source.startsWith('^') ? 0 : 1) }
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === ']') return at
  }
  return source.length
}

const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y

function quantifierAt(source: string, at: number): { readonly length: number; readonly many: boolean } {
  QUANTIFIER.lastIndex = at
  const found = QUANTIFIER.exec(source)
  if (found === null) return { length: 0, many: false }
  const [text, least, comma, most] = found
  if (least === undefined) return { length: text.length, many: !text.startsWith('?') }
  const upper = comma === '' ? Number(least) : most === '' || most === undefined ? Number.POSITIVE_INFINITY : Number(most)
  return { length: text.length, many: upper > FEW }
}
