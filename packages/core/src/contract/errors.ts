/**
 * Owns the error codes of Adjutant: each has a grade, an outcome and a default hint, listed once in {@link ERROR_CODES}
 * (and explained in docs/reference/errors.md, which a test compares with this table).
 */

/** What the model should do: try again as it is, ask or correct and try again, or give up this way. */
export type ErrorGrade = 'retry' | 'clarify' | 'final'

/** What became of the call. `unknown`: it was started and nobody can say whether it took effect. */
export type ErrorOutcome = 'not-run' | 'failed' | 'unknown'

interface CodeEntry {
  readonly grade: ErrorGrade
  readonly outcome: ErrorOutcome
  /** Said to the model when the thrower has nothing better. */
  readonly hint: string
}

export const ERROR_CODES = {
  // intake
  INVALID_JSON: { grade: 'clarify', outcome: 'not-run', hint: 'Send the arguments again as one JSON object.' },
  INVALID_DECISION: { grade: 'clarify', outcome: 'not-run', hint: 'Send a decision with a known "action" and its fields.' },
  STREAM_BROKEN: { grade: 'retry', outcome: 'not-run', hint: 'The answer was cut off; send the call again.' },
  UNKNOWN_DIALECT: { grade: 'final', outcome: 'not-run', hint: 'Name the dialect: see adjutant decode --help.' },
  // admission
  UNKNOWN_TOOL: { grade: 'clarify', outcome: 'not-run', hint: 'Use one of the tools that were listed.' },
  TOOL_NOT_LOADED: { grade: 'clarify', outcome: 'not-run', hint: 'Load the tool first, then call it.' },
  INVALID_ARGUMENTS: { grade: 'clarify', outcome: 'not-run', hint: 'Correct the arguments named above and call again.' },
  RULE_VIOLATED: { grade: 'clarify', outcome: 'not-run', hint: 'Change the arguments so that the rule holds.' },
  DENIED_BY_POLICY: { grade: 'final', outcome: 'not-run', hint: 'Do not repeat this call; go on without it.' },
  DENIED_BY_PERSON: { grade: 'final', outcome: 'not-run', hint: 'Do not repeat this call; follow what the person said or ask.' },
  APPROVAL_EXPIRED: { grade: 'final', outcome: 'not-run', hint: 'Nobody answered in time; say what was not done.' },
  APPROVAL_MISMATCH: { grade: 'final', outcome: 'not-run', hint: 'The call changed after it was approved; ask again.' },
  DUPLICATE_CALL_ID: { grade: 'clarify', outcome: 'not-run', hint: 'Give each call an id of its own.' },
  LOOP_DETECTED: {
    grade: 'clarify',
    outcome: 'not-run',
    hint: 'You are repeating yourself without progress: try another way, or answer with what you know.',
  },
  LOOP_ABORTED: { grade: 'final', outcome: 'not-run', hint: 'The task was stopped because it went round in circles.' },
  BUDGET_EXHAUSTED: { grade: 'final', outcome: 'not-run', hint: 'Answer with what is known and say what was not done.' },
  RATE_LIMITED: { grade: 'retry', outcome: 'not-run', hint: 'Wait as long as is said above before calling it again, or go on without it.' },
  // execution
  ORIGIN_UNAVAILABLE: {
    grade: 'retry',
    outcome: 'not-run',
    hint: 'What this tool works with keeps failing; go on without it or try later.',
  },
  OVERLOADED: { grade: 'retry', outcome: 'not-run', hint: 'Too many calls of this origin are waiting; make fewer at once.' },
  TOOL_FAILED: { grade: 'clarify', outcome: 'failed', hint: 'Read the message; change the arguments or try another way.' },
  TIMEOUT: { grade: 'retry', outcome: 'failed', hint: 'Ask for less at once, or try again later.' },
  OUTCOME_UNKNOWN: { grade: 'final', outcome: 'unknown', hint: 'Check whether it took effect before doing it again.' },
  CANCELLED: { grade: 'final', outcome: 'not-run', hint: 'The run was stopped before this call.' },
  QUESTION_UNANSWERED: { grade: 'final', outcome: 'failed', hint: 'Nobody can answer here; decide with what is known and say so.' },
  DEPENDENCY_FAILED: { grade: 'clarify', outcome: 'not-run', hint: 'Look at the step before it first; then plan again what is left.' },
  // tools and their environment
  SANDBOX_UNAVAILABLE: { grade: 'final', outcome: 'not-run', hint: 'Code cannot be run here; go on without it and say so.' },
  SANDBOX_TOO_WEAK: { grade: 'final', outcome: 'not-run', hint: 'No box here enforces what this needs; go on without it and say so.' },
  SANDBOX_FAILED: { grade: 'retry', outcome: 'unknown', hint: 'The box broke; look at what is there, then try again in a new one.' },
  NOT_FOUND: { grade: 'clarify', outcome: 'failed', hint: 'Look up what exists first.' },
  PATH_OUTSIDE_WORKSPACE: { grade: 'clarify', outcome: 'failed', hint: 'Use a path inside the workspace.' },
  TOO_LARGE: { grade: 'clarify', outcome: 'failed', hint: 'Ask for a smaller part.' },
  CONFLICT: { grade: 'clarify', outcome: 'failed', hint: 'Read it again, then repeat the change on what is there now.' },
  UNSUPPORTED: { grade: 'final', outcome: 'failed', hint: 'This cannot be done with this tool.' },
  NAMESPACE_ESCAPE: { grade: 'final', outcome: 'failed', hint: 'Only names inside this session can be used.' },
  MCP_SERVER_UNAVAILABLE: {
    grade: 'retry',
    outcome: 'failed',
    hint: 'The server of this tool is down; try again later or go on without it.',
  },
  MCP_PROTOCOL: { grade: 'final', outcome: 'failed', hint: 'The server of this tool answered wrongly; go on without it.' },
  // registry
  TOOL_INVALID: { grade: 'final', outcome: 'not-run', hint: 'Correct the definition of the tool.' },
  TOOL_NAME_TAKEN: { grade: 'final', outcome: 'not-run', hint: 'Rename one of the two tools.' },
  SKILL_INVALID: { grade: 'final', outcome: 'not-run', hint: 'Correct the SKILL.md that is named.' },
  // session, models, configuration
  MODEL_FAILED: { grade: 'final', outcome: 'failed', hint: 'Check the model name, the key and the address.' },
  MODEL_UNAVAILABLE: { grade: 'retry', outcome: 'failed', hint: 'The provider is overloaded or unreachable; try again.' },
  PAUSED: { grade: 'retry', outcome: 'not-run', hint: 'A person has to decide first; carry the session on when it is decided.' },
  SESSION_BUSY: { grade: 'retry', outcome: 'not-run', hint: 'Another process has this session in hand; wait for it or look at it there.' },
  SESSION_LOST: {
    grade: 'final',
    outcome: 'unknown',
    hint: 'Another process has taken the session over; look there for what became of it.',
  },
  STORE_FAILED: { grade: 'retry', outcome: 'unknown', hint: 'Look at the database named above; what was kept before stays kept.' },
  CONFIG_INVALID: { grade: 'final', outcome: 'not-run', hint: 'Correct the configuration at the place named.' },
  USAGE: { grade: 'final', outcome: 'not-run', hint: 'See --help.' },
  INTERNAL: { grade: 'final', outcome: 'unknown', hint: 'This is a fault of Adjutant; please report it.' },
} as const satisfies Readonly<Record<string, CodeEntry>>

export type ErrorCode = keyof typeof ERROR_CODES

export interface AdjutantErrorOptions {
  /** One sentence for the model: what to do next. Default: the code's own. */
  readonly hint?: string
  readonly grade?: ErrorGrade
  readonly outcome?: ErrorOutcome
  /** For the log; never shown to the model. */
  readonly cause?: unknown
}

const MARK = Symbol.for('adjutant.error')

/**
 * The one error class. `message` says what is wrong and where; `hint` says what to do next.
 *
 * @example
 * ```ts
 * throw new AdjutantError('NOT_FOUND', 'report.md does not exist in the workspace', { hint: 'List the folder first.' })
 * ```
 */
export class AdjutantError extends Error {
  readonly [MARK] = true
  readonly code: ErrorCode
  readonly grade: ErrorGrade
  readonly outcome: ErrorOutcome
  readonly hint: string

  constructor(code: ErrorCode, message: string, options: AdjutantErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AdjutantError'
    const entry: CodeEntry = ERROR_CODES[code]
    this.code = code
    this.grade = options.grade ?? entry.grade
    this.outcome = options.outcome ?? entry.outcome
    this.hint = options.hint ?? entry.hint
  }

  /** True also for an error made by another copy of this package (two versions in one process). */
  static isInstance(value: unknown): value is AdjutantError {
    return value instanceof Error && MARK in value
  }

  /** Makes an AdjutantError of anything thrown; an AdjutantError is given back as it is. */
  static from(value: unknown, code: ErrorCode, place?: string): AdjutantError {
    if (AdjutantError.isInstance(value)) return value
    const said = value instanceof Error ? value.message : String(value)
    return new AdjutantError(code, place === undefined ? said : `${place}: ${said}`, { cause: value })
  }
}
