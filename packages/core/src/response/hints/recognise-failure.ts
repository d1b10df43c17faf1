import type { FailureLocation } from '../../contract/result.ts'
import { resolveTerminalText } from '../terminal-text.ts'
import { DiagnosticReader } from './diagnostics.ts'
import { builtInHints } from './dictionary/built-in.ts'
import { frameOf } from './frames.ts'
import type { Hint, HintEntry, HintLanguage } from './hint.ts'
import type { HintDictionary, IndexedPattern } from './hint-dictionary.ts'
import { type Captures, matchLine, type Tries } from './line-pattern.ts'
import { locate, type Places, placesOf } from './locate.ts'
import { isPseudoFile, placeOf } from './place.ts'
import { programsOf } from './programs.ts'

/**
 * Owns: what a failed program's output is recognised as. Looks at the first and last 64 KiB, in time that grows with their length only.
 * Refuses to see a failure where the program says that it succeeded: with exit code 0 there is no hint, whatever the text mentions.
 * Never throws. Keeps nothing between calls.
 */

export interface RecogniseOptions {
  /** As the shell tells it; a negative one is the signal that ended the program. 0: nothing is recognised. Absent: the text alone decides. */
  readonly exitCode?: number
  /** It is known to have failed, though there is no exit code. */
  readonly failed?: boolean
  /** The command line that was run. */
  readonly command?: string
  /** Of the hint. Default `en`. */
  readonly language?: HintLanguage
  /** Entries of the user: they come before the built-in ones. */
  readonly dictionary?: HintDictionary
}

/** Characters looked at, at the start and at the end each. */
export const LOOKED_AT = 65_536
/** Characters of a very long line before and behind what was found. */
const LINE_REACH = 1_000
/** Lines and gaps tried in one text: far above what any output needs, and a bound for one that is made to take long. */
const MOST_TRIES = 20_000
/** Exit codes above 123 have a meaning in all shells, others with the program that is known. */
const EXIT_RANK = 25
const LONGEST_VALUE = 80

/**
 * @returns `undefined` where nothing is recognised
 * @example
 * ```ts
 * recogniseFailure('bash: line 1: jqq: command not found', { exitCode: 127 })?.code // 'COMMAND_NOT_FOUND'
 * ```
 */
export function recogniseFailure(text: string, options: RecogniseOptions = {}): Hint | undefined {
  const exitCode = options.exitCode === undefined ? undefined : shellCode(options.exitCode)
  if (exitCode === 0) return undefined
  const shown = prepare(text)
  const failed = exitCode !== undefined || options.failed === true
  const programs = options.command === undefined ? undefined : programsOf(options.command)
  const tries: Tries = { left: MOST_TRIES }
  const own = options.dictionary
  let found = own === undefined ? undefined : search(own, shown, failed, programs, tries)
  found ??= own === undefined ? undefined : byExit(own, exitCode, programs)
  found ??= higher(search(builtInHints(), shown, failed, programs, tries), byExit(builtInHints(), exitCode, programs))
  const places = placesOf(shown)
  found ??= byForm(builtInHints(), places, failed, programs)
  return found === undefined ? undefined : toHint(found, places, options.language ?? 'en')
}

/** For a result that is known to have failed: see {@link recogniseFailure}. */
export function failureOf(body: string, options: Omit<RecogniseOptions, 'failed'> = {}): Hint | undefined {
  return recogniseFailure(body, { ...options, failed: true })
}

interface Found {
  readonly entry: HintEntry
  readonly rank: number
  readonly weight: number
  readonly captures: Captures
  readonly line: string
}

const NO_CAPTURES: Captures = new Map()

/** -9 is 137; Windows tells a crash and an interruption by large numbers. */
function shellCode(code: number): number | undefined {
  if (!Number.isSafeInteger(code)) return undefined
  if (code < 0 && code >= -64) return 128 - code
  if (code === 0xc0000005 || code === -1073741819) return 139
  if (code === 0xc000013a || code === -1073741510) return 130
  return code
}

/** The part that is looked at, as a terminal would show it. */
function prepare(text: string): string {
  let part = text
  if (text.length > 2 * LOOKED_AT) {
    const headEnd = text.lastIndexOf('\n', LOOKED_AT)
    const tailStart = text.slice(-LOOKED_AT).indexOf('\n')
    // One line without end: cut anywhere.
    const head = headEnd > LOOKED_AT / 2 ? text.slice(0, headEnd) : text.slice(0, LOOKED_AT)
    part = `${head}\n${text.slice(text.length - LOOKED_AT + (tailStart !== -1 && tailStart < LOOKED_AT / 2 ? tailStart + 1 : 0))}`
  }
  // Resolving costs more than recognising: most text has nothing to resolve.
  return part.includes('\x1b') || /\r(?!\n)/.test(part) ? resolveTerminalText(part) : part
}

function search(
  dictionary: HintDictionary,
  text: string,
  failed: boolean,
  programs: readonly string[] | undefined,
  tries: Tries,
): Found | undefined {
  let best: Found | undefined
  dictionary.search(text, (candidate, at) => {
    if (best !== undefined && !beats(candidate, best)) return
    if (!suits(candidate.entry, programs) || --tries.left < 0) return
    const line = lineAt(text, at)
    if (!failed && !candidate.pattern.fromStart && !looksFailed(line)) return
    const captures = matchLine(candidate.pattern, line, tries)
    if (captures === undefined) return
    best = { entry: candidate.entry, rank: candidate.rank, weight: candidate.pattern.weight, captures, line }
  })
  return best
}

/** The higher rank, then the longer text; of equals the one that comes first in the text stays. */
function beats(candidate: IndexedPattern, best: Found): boolean {
  return candidate.rank > best.rank || (candidate.rank === best.rank && candidate.pattern.weight > best.weight)
}

function suits(entry: HintEntry, programs: readonly string[] | undefined): boolean {
  const { commands } = entry
  return commands === undefined || (programs?.some((program) => commands.includes(program)) ?? false)
}

function lineAt(text: string, at: number): string {
  const from = Math.max(0, at - LINE_REACH)
  const before = text.slice(from, at)
  const start = from + before.lastIndexOf('\n') + 1
  const behind = text.slice(at, at + LINE_REACH)
  const newline = behind.indexOf('\n')
  return text.slice(start, newline === -1 ? at + LINE_REACH : at + newline).trim()
}

/** A line that says of itself that something failed, where nobody says it for the whole: it begins with such a word, or a shell or linker speaks. */
function looksFailed(line: string): boolean {
  if (
    /^(?:-?(?:bash|sh|zsh|dash|ksh|fish|make|gmake|ninja|ld|collect2|xargs|env|sudo|curl|wget|ssh|tar)|\/[\w./-]{1,80}\/(?:ld|env|sh|bash))(?:\[\d+\])?: /.test(
      line,
    )
  )
    return true
  if (/^\S{1,200}:\(\.text/.test(line)) return true
  return /^(?:\S{1,200}: )?(?:npm |Uncaught |Unhandled |PHP )?(?:error|Error|ERROR|ERR!|fatal|FATAL|Fatal|panic|E:|FAILED|CONFLICT|failed|[\w.]{0,80}(?:Error|Exception)\b)/.test(
    line,
  )
}

function higher(one: Found | undefined, other: Found | undefined): Found | undefined {
  if (one === undefined) return other
  return other !== undefined && other.rank > one.rank ? other : one
}

/** What the exit code alone says: of the program that ended last first, else of any. */
function byExit(dictionary: HintDictionary, exitCode: number | undefined, programs: readonly string[] | undefined): Found | undefined {
  if (exitCode === undefined) return undefined
  const last = programs?.at(-1)
  let anyProgram: Found | undefined
  for (const entry of dictionary.entries) {
    for (const { codes, commands } of entry.exits ?? []) {
      if (!codes.includes(exitCode)) continue
      if (commands === undefined) anyProgram ??= exitFound(entry, EXIT_RANK)
      else if (last !== undefined && commands.includes(last)) return exitFound(entry, Math.max(EXIT_RANK, answers(entry)))
    }
  }
  return anyProgram
}

function exitFound(entry: HintEntry, rank: number): Found {
  return { entry, rank, weight: 0, captures: NO_CAPTURES, line: '' }
}

/** An entry above 90 says that the exit code is an answer (`diff`, `grep`): what such a program printed is what it read, not what it says. */
function answers({ rank = 0 }: HintEntry): number {
  return rank > 90 ? rank : 0
}

/** What the text looks like: a stack trace, errors with places, and, when it is known to have failed, findings with places. */
function byForm(
  dictionary: HintDictionary,
  { frames, diagnostics }: Places,
  failed: boolean,
  programs: readonly string[] | undefined,
): Found | undefined {
  // What was searched for is full of places that are none of a failure.
  const listing = programs?.some((program) => /^(?:grep|egrep|rg|ag|ack|cat|git-grep|sed|awk|head|tail|less)$/.test(program)) ?? false
  const form =
    frames.length > 0
      ? 'stack-trace'
      : diagnostics.some((one) => one.severity === 'error') && !listing
        ? 'error-lines'
        : failed && diagnostics.length > 0 && !listing
          ? 'finding-lines'
          : undefined
  const entry = form === undefined ? undefined : dictionary.entries.find((one) => one.form === form)
  return entry === undefined ? undefined : { entry, rank: entry.rank ?? 0, weight: 0, captures: NO_CAPTURES, line: '' }
}

function toHint({ entry, captures, line }: Found, places: Places, language: HintLanguage): Hint {
  const hint = entry.hint[language].replace(/\{([a-z0-9]{1,20})\|([^{}]*)\}/g, (_gap, name: string, otherwise: string) => {
    const value = cleanValue(captures.get(name))
    return value === '' ? otherwise : `"${value}"`
  })
  const location = capturedPlace(captures) ?? closer(ownPlace(line), locate(places))
  return location === undefined ? { code: entry.code, grade: entry.grade, hint } : { code: entry.code, grade: entry.grade, hint, location }
}

/** A value is text of strangers: one short line without quotes around it. */
function cleanValue(value: string | undefined): string {
  if (value === undefined) return ''
  const line = value.replace(/[\p{C}\s]+/gu, ' ').replace(/^[\s'"`‘’“”]+|[\s'"`‘’“”.,;]+$/g, '')
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1).toWellFormed()}…` : line.toWellFormed()
}

function capturedPlace(captures: Captures): FailureLocation | undefined {
  const file = captures.get('file')
  const line = captures.get('line')
  if (file === undefined || line === undefined) return undefined
  const column = captures.get('column')
  return placeOf(file, Number(line), column === undefined ? undefined : Number(column))
}

/** The line's own place; of one line in one file the place that has the column. */
function closer(own: FailureLocation | undefined, located: FailureLocation | undefined): FailureLocation | undefined {
  if (own === undefined) return located
  return own.column === undefined && located?.file === own.file && located.line === own.line ? located : own
}

/** The place that the line itself names which was recognised. */
function ownPlace(line: string): FailureLocation | undefined {
  if (line === '') return undefined
  const frame = frameOf(line)
  if (frame !== undefined) {
    if (frame.owner !== 'user' || isPseudoFile(frame.file)) return undefined
    return frame.column === undefined
      ? { file: frame.file, line: frame.line }
      : { file: frame.file, line: frame.line, column: frame.column }
  }
  const said = new DiagnosticReader().read(line)
  if (said === undefined) return undefined
  return said.column === undefined ? { file: said.file, line: said.line } : { file: said.file, line: said.line, column: said.column }
}
