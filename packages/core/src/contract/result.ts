import type { Conversion } from './call.ts'
import type { Outcome } from './call-state.ts'
import type { ErrorCode } from './errors.ts'
import type { CallId } from './ids.ts'

/** A piece of what a tool gives back. Images and audio are kept apart from text: they are never counted or cut as text. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string }
  | { readonly type: 'audio'; readonly mimeType: string; readonly data: string }
  | { readonly type: 'resource'; readonly uri: string; readonly mimeType?: string; readonly text?: string; readonly title?: string }

/** Where the whole of a clipped result was kept. Read back with `read_result`, by the session that owns it only. */
export interface SpillRef {
  /** Its name among the session's kept results: for whoever has the session's namespace. */
  readonly id: string
  /** What `read_result` takes: nobody can guess it, and it is good in this session only. */
  readonly handle: string
  /** Absolute path inside the session's namespace. */
  readonly path: string
  readonly bytes: number
  readonly lines: number
}

/** Where in a file or program a failure lies, as its text says. Lines and columns count from 1. */
export interface FailureLocation {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** What a failure's text was recognised as: see docs/reference/hints.md. */
export interface Failure {
  /** e.g. `COMMAND_NOT_FOUND`, `MODULE_NOT_FOUND`, `CONNECTION_REFUSED`. */
  readonly code: string
  readonly location?: FailureLocation
}

/** What the model gets for one call. Exactly one for each call, in call order. */
export interface ToolResult {
  readonly id: CallId
  readonly name: string
  readonly outcome: Outcome
  readonly isError: boolean
  /** What the model reads: clipped, with the hint of an error at its end. */
  readonly text: string
  /** Images, audio and resources beside the text. */
  readonly parts: readonly ContentPart[]
  readonly code?: ErrorCode
  readonly hint?: string
  /** Milliseconds since the session started; absent when it never ran. */
  readonly startedAt?: number
  readonly endedAt?: number
  readonly attempts?: number
  /** The call of an answer that broke off, whose execution this result is. */
  readonly adoptedFrom?: CallId
  /** Answered with the result of an earlier equal call. */
  readonly cached?: boolean
  /** What the failure was recognised as. */
  readonly failure?: Failure
  /** Secrets that were taken out of the text. */
  readonly redacted?: number
  /**
   * The text comes from strangers. A word that nobody could know beforehand: the message to the model puts the text between two marks
   * that carry it, so that what is planted in the text cannot end the fence.
   */
  readonly fence?: string
  /** The first fenced result of a session whose model was told nowhere else what a fence means: the message says it. */
  readonly fenceNote?: true
  readonly spill?: SpillRef
  readonly conversions?: readonly Conversion[]
}
