import type { Outcome } from '../contract/call-state.ts'
import type { AdjutantError, ErrorCode } from '../contract/errors.ts'
import { ERROR_CODES } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, ownValue } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { ContentPart } from '../contract/result.ts'
import { ToolOutput } from '../contract/tool.ts'
import type { BuildResultInput } from './build-result.ts'
import { type RenderedOutput, renderOutput } from './output-parts.ts'
import { resolveTerminalText } from './terminal-text.ts'

/**
 * Owns: what there is to say of one call, before it is made fit for a model: its outcome, its text, what stands before and behind it.
 * Never throws.
 */

export interface Said {
  readonly outcome: Outcome
  /** `CODE: ` before an error's text. */
  readonly prefix: string
  readonly body: string
  /** Where the body comes from several parts: each of them. */
  readonly texts?: readonly string[]
  /** The hint behind an error's text: never cut. */
  readonly suffix: string
  readonly parts: readonly ContentPart[]
  readonly code?: ErrorCode
  readonly hint?: string
  /** Where the tool ran a program: how it ended, and what was run. */
  readonly exitCode?: number
  readonly command?: string
  /** Nobody chose the hint for this failure: a better one may take its place. */
  readonly openHint?: boolean
}

const NO_PARTS: readonly ContentPart[] = Object.freeze([])
const UNKNOWN_NOTE = 'It is not known whether this call took effect.'

export function whatToSay(given: BuildResultInput, limit: number): Said {
  const { outcome } = given
  if (outcome.status !== 'succeeded') return errorSaid(settledAs(outcome.status, outcome.error), outcome.error)
  const rendered = renderOutput(outcome.output, given.tool, given.input, limit)
  return rendered.isError
    ? { ...toolErrorSaid(rendered), ...programOf(outcome.output, given.input) }
    : { outcome: 'ok', prefix: '', ...bodyOf(rendered), suffix: '', parts: rendered.parts }
}

function errorSaid(outcome: Outcome, error: AdjutantError): Said {
  const unknown = outcome === 'unknown' && error.code !== 'OUTCOME_UNKNOWN' ? UNKNOWN_NOTE : ''
  const hint = clean(error.hint)
  const suffix = unknown === '' || hint === '' ? unknown + hint : `${unknown} ${hint}`
  return {
    outcome,
    prefix: `${error.code}: `,
    body: clean(error.message),
    suffix,
    parts: NO_PARTS,
    code: error.code,
    hint,
    openHint: outcome === 'failed' && error.hint === ERROR_CODES.TOOL_FAILED.hint,
  }
}

function toolErrorSaid(rendered: RenderedOutput): Said {
  const { hint } = ERROR_CODES.TOOL_FAILED
  return {
    outcome: 'failed',
    prefix: 'TOOL_FAILED: ',
    ...bodyOf(rendered),
    suffix: hint,
    parts: rendered.parts,
    code: 'TOOL_FAILED',
    hint,
    openHint: true,
  }
}

/** A tool that runs programs says how one ended in `structured.exitCode`; what it was told to run is its argument `command`. */
function programOf(output: unknown, input: JsonObject | undefined): Pick<Said, 'exitCode' | 'command'> {
  if (!(output instanceof ToolOutput) || !isJsonObject(output.structured)) return {}
  const exitCode = ownValue(output.structured, 'exitCode')
  const command = input === undefined ? undefined : ownValue(input, 'command')
  return {
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    ...(typeof command === 'string' ? { command } : {}),
  }
}

/** Each part is resolved by itself: a sequence that one does not end must not reach into the next. */
function bodyOf(rendered: RenderedOutput): Pick<Said, 'body' | 'texts'> {
  if (rendered.texts === undefined) return { body: clean(rendered.text) }
  const texts = rendered.texts.map(clean)
  return { body: texts.join('\n'), texts }
}

/** What a status settles as; the same answers as the call-state table allows. */
function settledAs(status: Exclude<RawOutcome['status'], 'succeeded'>, error: AdjutantError): Outcome {
  switch (status) {
    case 'failed':
      return error.outcome === 'not-run' ? 'not-run' : 'failed'
    case 'timed-out':
      return error.outcome === 'unknown' ? 'unknown' : 'failed'
    case 'cancelled':
      return error.outcome
    case 'unknown':
      return 'unknown'
    case 'refused':
    case 'denied':
    case 'expired':
      return 'not-run'
    default:
      return status satisfies never
  }
}

/** Half a surrogate pair makes providers refuse the whole request. */
function clean(text: string): string {
  const resolved = resolveTerminalText(text)
  return resolved.isWellFormed() ? resolved : resolved.toWellFormed()
}

/** The whole of what is said, as one text. */
export function frame(prefix: string, body: string, suffix: string): string {
  if (prefix === '') return body
  if (suffix === '') return prefix + body
  return `${prefix}${body}${body.endsWith('\n') ? '' : '\n'}${suffix}`
}
