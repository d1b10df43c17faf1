/**
 * Owns: the patterns of a hint dictionary. A pattern is literal text of one line with gaps, never a regular expression, so that nobody can write
 * one that takes long:
 *
 * - `*` any text, also none; `{name}` some text; `{name:word}` text without spaces; `{name:number}` digits; `{name:count}` digits, not 0
 * - `^` at the start: the line begins here (leading spaces do not count); `$` at the end: it ends here; `\` before `* { } ^ $ \`: the character
 *
 * Without `^` or `$`, a letter or digit at that end of the pattern is the end of a word. A gap is as short as the text behind it allows.
 * Refuses: a pattern without four literal characters in a row (nothing to look for), and gaps that could be cut in two ways.
 * Work is bounded by a budget of tries that the caller gives: when it is used up, the pattern counts as not found.
 */

type GapKind = 'text' | 'word' | 'number' | 'count'

interface Capture {
  readonly name: string
  readonly kind: GapKind
}

interface Step {
  /** Anything may come before. */
  readonly skip: boolean
  readonly capture: Capture | undefined
  /** Empty only in the last step: the end of the pattern. */
  readonly literal: string
}

export interface LinePattern {
  readonly source: string
  readonly steps: readonly Step[]
  readonly fromStart: boolean
  readonly toEnd: boolean
  /** The longest literal: what the text is searched for. */
  readonly key: string
  /** Literal characters: the more, the more specific. */
  readonly weight: number
}

/** What is left of the tries that one text is worth. */
export interface Tries {
  left: number
}

export type Captures = Map<string, string>

/** What is searched for is found by four characters at a time. */
export const KEY_CHARS = 4
const LONGEST_PATTERN = 300
const MOST_GAPS = 9

/**
 * @throws Error with a message for the author of the pattern
 * @example
 * ```ts
 * compileLinePattern('{1:word}: command not found$').key // ': command not found'
 * ```
 */
export function compileLinePattern(source: string): LinePattern {
  if (source.length > LONGEST_PATTERN) throw new Error(`a pattern has ${LONGEST_PATTERN} characters at most, this one ${source.length}`)
  if (/[\r\n]/.test(source)) throw new Error('a pattern is for one line; give two patterns or the more telling line')
  const fromStart = source.startsWith('^')
  const toEnd = source.endsWith('$') && !source.endsWith('\\$')
  const body = source.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined)
  const steps: Step[] = []
  const names = new Set<string>()
  let skip = false
  let capture: Capture | undefined
  let literal = ''
  const close = (): void => {
    if (literal === '') return
    steps.push({ skip, capture, literal })
    skip = false
    capture = undefined
    literal = ''
  }
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at)
    if (character === '\\') {
      at++
      if (at === body.length) throw new Error('a pattern cannot end with a single \\')
      literal += body.charAt(at)
    } else if (character === '*') {
      close()
      if (capture !== undefined) throw new Error(`"*" directly behind {${capture.name}}: put some text between the two gaps`)
      skip = true
    } else if (character === '{') {
      close()
      const end = body.indexOf('}', at)
      const gap = end === -1 ? undefined : readGap(body.slice(at + 1, end))
      if (gap === undefined) throw new Error(`"${body.slice(at, at + 20)}" is no gap: write {1}, {name:word}, {line:number} or \\{`)
      if (capture !== undefined) throw new Error(`{${capture.name}} and {${gap.name}} have no text between them`)
      if (names.has(gap.name)) throw new Error(`{${gap.name}} is there twice`)
      names.add(gap.name)
      if (names.size > MOST_GAPS) throw new Error(`a pattern has ${MOST_GAPS} named gaps at most`)
      capture = gap
      at = end
    } else literal += character
  }
  close()
  const key = steps.reduce((best, step) => (step.literal.length > best.length ? step.literal : best), '')
  if (key.length < KEY_CHARS) throw new Error(`a pattern needs ${KEY_CHARS} literal characters in a row, to be searched for`)
  const weight = steps.reduce((sum, step) => sum + step.literal.length, 0)
  steps.push({ skip, capture, literal: '' })
  return { source, steps, fromStart, toEnd, key, weight }
}

function readGap(text: string): Capture | undefined {
  const [, name, kind = 'text'] = /^([a-z0-9]{1,20})(?::(word|number|count|text))?$/.exec(text) ?? []
  if (name === undefined) return undefined
  return { name, kind: isGapKind(kind) ? kind : 'text' }
}

function isGapKind(kind: string): kind is GapKind {
  return kind === 'text' || kind === 'word' || kind === 'number' || kind === 'count'
}

/** Captured texts when `line` (without line end, trimmed) has the pattern, else `undefined`. Never throws. */
export function matchLine(pattern: LinePattern, line: string, tries: Tries): Captures | undefined {
  const found: Captures = new Map()
  return matchFrom(pattern, 0, line, 0, tries, found) ? found : undefined
}

function matchFrom(pattern: LinePattern, index: number, line: string, from: number, tries: Tries, found: Captures): boolean {
  const step = pattern.steps[index]
  if (step === undefined) return true
  if (step.literal === '') return matchEnd(pattern, step, line, from, found)
  const anywhere = step.skip || (index === 0 && !pattern.fromStart)
  if (!anywhere && step.capture === undefined) {
    return line.startsWith(step.literal, from) && matchFrom(pattern, index + 1, line, from + step.literal.length, tries, found)
  }
  for (let at = line.indexOf(step.literal, from); at !== -1; at = line.indexOf(step.literal, at + 1)) {
    if (--tries.left < 0) return false
    if (step.capture === undefined) {
      if (!step.skip && isWordCode(step.literal.charCodeAt(0)) && at > 0 && isWordCode(line.charCodeAt(at - 1))) continue
    } else {
      const start = anywhere ? runBefore(line, at, from, step.capture.kind) : from
      const value = line.slice(start, at)
      if (!fits(value, step.capture.kind)) continue
      found.set(step.capture.name, value)
    }
    if (matchFrom(pattern, index + 1, line, at + step.literal.length, tries, found)) return true
  }
  return false
}

/** What comes behind the last literal. */
function matchEnd(pattern: LinePattern, step: Step, line: string, from: number, found: Captures): boolean {
  if (step.capture === undefined) {
    if (pattern.toEnd) return step.skip || from === line.length
    if (step.skip || from === 0 || from >= line.length) return true
    return !(isWordCode(line.charCodeAt(from - 1)) && isWordCode(line.charCodeAt(from)))
  }
  const end = step.capture.kind === 'text' || pattern.toEnd ? line.length : runBehind(line, from, step.capture.kind)
  const value = line.slice(from, end)
  if (!fits(value, step.capture.kind)) return false
  found.set(step.capture.name, value)
  return true
}

function fits(value: string, kind: GapKind): boolean {
  switch (kind) {
    case 'text':
      return value !== ''
    case 'word':
      return value !== '' && !/\s/.test(value)
    case 'number':
      return /^\d{1,15}$/.test(value)
    case 'count':
      return /^\d{1,15}$/.test(value) && Number(value) > 0
    default:
      return kind satisfies never
  }
}

function belongs(code: number, kind: GapKind): boolean {
  if (kind === 'text') return true
  if (kind === 'word') return code > 32
  return code >= 48 && code <= 57
}

function runBefore(line: string, at: number, least: number, kind: GapKind): number {
  let start = at
  while (start > least && belongs(line.charCodeAt(start - 1), kind)) start--
  return start
}

function runBehind(line: string, from: number, kind: GapKind): number {
  let end = from
  while (end < line.length && belongs(line.charCodeAt(end), kind)) end++
  return end
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
}
