import type { ClipStrategy } from '../contract/tool.ts'
import { clipErrors, errorsOf } from './clip/errors.ts'
import { clipJson } from './clip/json.ts'
import { clipTable } from './clip/table.ts'
import { type ClipOptions, type Clipped, checkClipOptions, clipEnds, DEFAULT_RESULT_CHARS, endsOf, wholeIfFits } from './clip.ts'

export interface ClipByOptions extends ClipOptions {
  /** The text is the output of something that failed: `auto` keeps the lines that carry errors then. */
  readonly failed?: boolean
}

/**
 * Makes a text short enough in the way that its kind asks for. A text that fits comes back as it is; what comes back is never longer
 * than the limits and never cut inside a character; each gap says how much is missing. Linear in the text, and pure.
 *
 * `head` and `tail` hold for `head-tail`, `head` and `tail`; with `auto` they ask for `head-tail`. JSON or a table that is none falls
 * back to both ends.
 *
 * @throws AdjutantError USAGE when a number is not a whole number in range
 * @example
 * ```ts
 * clipBy('tail', '1\n2\n3\n4\n', { limit: 40, tail: 1, head: 0 }).text // '[… 3 lines (6 characters) left out …]\n4\n'
 * ```
 */
export function clipBy(strategy: ClipStrategy, text: string, options: ClipByOptions = {}): Clipped {
  checkClipOptions(options)
  const asked = optionsFor(strategy, options)
  const whole = wholeIfFits(text, asked)
  if (whole !== undefined) return whole
  switch (strategy) {
    case 'head-tail':
    case 'head':
    case 'tail':
      return clipEnds(endsOf(text), asked)
    case 'json':
      return clipJson(text, asked) ?? clipEnds(endsOf(text), asked)
    case 'table':
      return clipTable(endsOf(text), asked, true) ?? clipEnds(endsOf(text), asked)
    case 'errors':
      return clipErrors(endsOf(text), errorsOf(text, asked.limit ?? DEFAULT_RESULT_CHARS).all(), asked)
    case 'auto':
      return clipAuto(text, asked, options.failed === true)
    default:
      return strategy satisfies never
  }
}

/** JSON and tables by their look; then the lines that carry errors, where it failed or an error says so itself; else both ends. */
function clipAuto(text: string, options: ClipOptions, failed: boolean): Clipped {
  const ends = endsOf(text)
  if (options.head !== undefined || options.tail !== undefined) return clipEnds(ends, options)
  const json = text.length <= AUTO_JSON_CHARS && looksLikeJson(text) ? clipJson(text, options) : undefined
  if (json !== undefined) return json
  const table = failed ? undefined : clipTable(ends, options)
  if (table !== undefined) return table
  if (!failed && text.length > AUTO_ERROR_CHARS) return clipEnds(ends, options)
  const errors = errorsOf(text, options.limit ?? DEFAULT_RESULT_CHARS)
  return failed || errors.hasStrong ? clipErrors(ends, errors.all(), options) : clipEnds(ends, options)
}

/** Characters up to which `auto` looks at all of a text: above, the time that it takes would be felt by other calls. */
const AUTO_JSON_CHARS = 67_108_864
const AUTO_ERROR_CHARS = 4_194_304

/** What the strategy says of the number of lines. */
export function optionsFor(strategy: ClipStrategy, options: ClipByOptions): ClipOptions {
  const { failed, head, tail, ...limits } = options
  const lines = { ...(head === undefined ? {} : { head }), ...(tail === undefined ? {} : { tail }) }
  switch (strategy) {
    case 'head':
      return head === undefined ? { ...limits, ...ONLY_HEAD } : { ...limits, head, tail: 0 }
    case 'tail':
      return tail === undefined ? { ...limits, ...ONLY_TAIL } : { ...limits, head: 0, tail }
    case 'auto':
    case 'head-tail':
      return { ...limits, ...lines }
    case 'json':
    case 'table':
    case 'errors':
      return limits
    default:
      return strategy satisfies never
  }
}

const ONLY_HEAD = { tail: 0 } as const
const ONLY_TAIL = { head: 0 } as const

/** Cheap: the first and the last character. */
function looksLikeJson(text: string): boolean {
  const first = /^\s{0,100}(\S)/.exec(text)?.[1]
  if (first !== '{' && first !== '[') return false
  const last = text.slice(-100).trimEnd().at(-1)
  return last === '}' || last === ']'
}
