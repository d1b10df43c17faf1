/**
 * Owns blocks of private keys over many lines: also indented, quoted, numbered, with `\n` written out, and cut off before their end.
 * Read step by step, each step within {@link KEY_STEP} characters, so that a stream holds back no more than that.
 */

const HEADER = /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const FOOTER = /-----END[ A-Z0-9]{0,60}(?:-----)?/y
/** What may stand between two lines of a key: line ends as they are or written out, indents, quotes, marks of diffs, line numbers. */
const BETWEEN = /(?:\s|\\[nrt]|["',+>|:*#→]|\d{1,6}(?=[\t:|→ ])){0,64}/y
/** A line of the key, or a piece of a longer one. */
const LINE = /[A-Za-z0-9+/=]{16,1024}/y
/** The last line may be short. Only right behind a line, and only when the word ends there. */
const SHORT_LINE = /[A-Za-z0-9+/=]{1,15}(?![A-Za-z0-9+/=])/y
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\]{0,200}/y

/** Characters that one step may look at. */
export const KEY_STEP = 1_600

/** Where the header of a private key that begins exactly there ends. */
export function keyHeaderEnd(text: string, at: number): number | undefined {
  HEADER.lastIndex = at
  return HEADER.test(text) ? HEADER.lastIndex : undefined
}

export interface KeyStep {
  readonly end: number
  readonly done: boolean
}

/**
 * One step further in a key.
 * @param lines whether a line of the key has been read already
 */
export function keyStep(text: string, at: number, lines: boolean): KeyStep {
  const next = endOf(BETWEEN, text, at) ?? at
  const footer = endOf(FOOTER, text, next)
  if (footer !== undefined) return { end: footer, done: true }
  const line = endOf(LINE, text, next) ?? endOf(FIELD, text, next)
  if (line !== undefined) return { end: line, done: false }
  const short = lines ? endOf(SHORT_LINE, text, next) : undefined
  if (short === undefined) return { end: at, done: true }
  // A short line is the last one; a footer may follow it.
  const behind = endOf(FOOTER, text, endOf(BETWEEN, text, short) ?? short)
  return { end: behind ?? short, done: true }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
