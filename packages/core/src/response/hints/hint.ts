import type { ErrorGrade } from '../../contract/errors.ts'
import type { FailureLocation } from '../../contract/result.ts'

/** The languages that every hint of the built-in dictionary is written in. */
export const HINT_LANGUAGES = ['en', 'zh'] as const
export type HintLanguage = (typeof HINT_LANGUAGES)[number]

/** What the text of a failure was recognised as, and what to do next. */
export interface Hint {
  /** e.g. `COMMAND_NOT_FOUND`. See docs/reference/hints.md. */
  readonly code: string
  readonly grade: ErrorGrade
  /** One sentence that says what to do next. */
  readonly hint: string
  readonly location?: FailureLocation
}

/** Exit codes that mean this failure where the text says nothing. */
export interface HintExit {
  readonly codes: readonly number[]
  /** Only for these programs; absent: whatever was run. */
  readonly commands?: readonly string[]
}

/**
 * One entry of a dictionary. It holds when one of its patterns is found; when nothing at all is found, its exit codes or its form decide.
 */
export interface HintEntry {
  /** Capital letters, digits and `_`. Several entries may share one. */
  readonly code: string
  readonly grade: ErrorGrade
  /** Literal text of one line with gaps: see line-pattern.ts. */
  readonly patterns?: readonly string[]
  readonly exits?: readonly HintExit[]
  /** What the whole text looks like, where no pattern is found. */
  readonly form?: 'stack-trace' | 'error-lines' | 'finding-lines'
  /** Only when one of these programs is known to have been run. Absent: whatever was run. */
  readonly commands?: readonly string[]
  /** 0 … 100, default 60: the higher one wins where several entries are found. */
  readonly rank?: number
  /** `{1|the file}` becomes what the pattern caught as 1, in quotes, or `the file`. */
  readonly hint: Readonly<Record<HintLanguage, string>>
}

export const DEFAULT_RANK = 60
