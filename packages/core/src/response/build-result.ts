import type { Conversion, ToolCall } from '../contract/call.ts'
import type { Outcome } from '../contract/call-state.ts'
import type { AdjutantError, ErrorCode } from '../contract/errors.ts'
import { ERROR_CODES } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { RawOutcome, RunTimes } from '../contract/outcome.ts'
import type { Namespace } from '../contract/ports.ts'
import type { ContentPart, SpillRef, ToolResult } from '../contract/result.ts'
import type { AgentTool } from '../contract/tool.ts'
import { clipText } from './clip.ts'
import { type RenderedOutput, renderOutput } from './output-parts.ts'
import { spillText } from './spill.ts'
import { resolveTerminalText } from './terminal-text.ts'

/**
 * Owns: the one result of a call, whatever became of it. Value to text, terminal sequences resolved, clipped to what a model
 * gets, kept whole where it was clipped. Never throws or rejects: a tool's bad value, a formatter that throws and a full disk all
 * end as a result that says so. Argument conversions ride along in the result but not in its text: a model that called rightly
 * enough is not to be lectured.
 */

export interface BuildResultInput {
  readonly call: ToolCall
  readonly tool?: AgentTool
  /** The validated arguments, for the tool's `format`. */
  readonly input?: JsonObject
  readonly outcome: RawOutcome
  readonly times?: RunTimes
  readonly conversions?: readonly Conversion[]
}

export interface BuildResultContext {
  readonly namespace: Namespace
  /** Characters of text for one result; a tool's `limits.maxResultChars` comes first. */
  readonly resultChars: number
}

/**
 * Synchronous unless something has to be kept on disk.
 *
 * @example
 * ```ts
 * const result = await buildResult({ call, outcome: { status: 'succeeded', output: { rows: 3 } } }, { namespace, resultChars: 8000 })
 * result.text // '{"rows":3}'
 * ```
 */
export function buildResult(given: BuildResultInput, cx: BuildResultContext): ToolResult | Promise<ToolResult> {
  const limit = given.tool?.limits?.maxResultChars ?? cx.resultChars
  const said = whatToSay(given, limit)
  const text = frame(said.prefix, said.body, said.suffix)
  return text.length <= limit ? settle(given, said, text) : clipAndKeep(given, said, limit, cx.namespace)
}

interface Said {
  readonly outcome: Outcome
  /** `CODE: ` before an error's text. */
  readonly prefix: string
  readonly body: string
  /** The hint behind an error's text: never cut. */
  readonly suffix: string
  readonly parts: readonly ContentPart[]
  readonly code?: ErrorCode
  readonly hint?: string
}

const NO_PARTS: readonly ContentPart[] = Object.freeze([])
const UNKNOWN_NOTE = 'It is not known whether this call took effect.'

function whatToSay(given: BuildResultInput, limit: number): Said {
  const { outcome } = given
  if (outcome.status !== 'succeeded') return errorSaid(settledAs(outcome.status, outcome.error), outcome.error)
  const rendered = renderOutput(outcome.output, given.tool, given.input, limit)
  return rendered.isError
    ? toolErrorSaid(rendered)
    : { outcome: 'ok', prefix: '', body: clean(rendered.text), suffix: '', parts: rendered.parts }
}

function errorSaid(outcome: Outcome, error: AdjutantError): Said {
  const unknown = outcome === 'unknown' && error.code !== 'OUTCOME_UNKNOWN' ? UNKNOWN_NOTE : ''
  const hint = clean(error.hint)
  const suffix = unknown === '' || hint === '' ? unknown + hint : `${unknown} ${hint}`
  return { outcome, prefix: `${error.code}: `, body: clean(error.message), suffix, parts: NO_PARTS, code: error.code, hint }
}

function toolErrorSaid(rendered: RenderedOutput): Said {
  const { hint } = ERROR_CODES.TOOL_FAILED
  return {
    outcome: 'failed',
    prefix: 'TOOL_FAILED: ',
    body: clean(rendered.text),
    suffix: hint,
    parts: rendered.parts,
    code: 'TOOL_FAILED',
    hint,
  }
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

function frame(prefix: string, body: string, suffix: string): string {
  if (prefix === '') return body
  if (suffix === '') return prefix + body
  return `${prefix}${body}${body.endsWith('\n') ? '' : '\n'}${suffix}`
}

async function clipAndKeep(given: BuildResultInput, said: Said, limit: number, namespace: Namespace): Promise<ToolResult> {
  let spill: SpillRef | undefined
  let rest: string
  try {
    spill = await spillText(namespace, given.call.id, said.body)
    rest = `whole text in ${spill.path}: read_result ${JSON.stringify({ id: spill.id })} shows it`
  } catch (error) {
    rest = `the whole text could not be kept: ${error instanceof Error ? error.message.slice(0, 200) : 'no reason given'}`
  }
  const around = said.prefix.length + (said.suffix === '' ? 0 : said.suffix.length + 1)
  // A limit too small for the hint as well: the text as a whole is cut then.
  const text =
    around < limit / 2
      ? frame(said.prefix, clipText(said.body, { limit: limit - around, rest }).text, said.suffix)
      : clipText(frame(said.prefix, said.body, said.suffix), { limit, rest }).text
  return settle(given, said, text, spill)
}

function settle(given: BuildResultInput, said: Said, text: string, spill?: SpillRef): ToolResult {
  const { call, times, conversions } = given
  return {
    id: call.id,
    name: call.name,
    outcome: said.outcome,
    isError: said.outcome !== 'ok',
    text,
    parts: said.parts,
    ...(said.code === undefined ? undefined : { code: said.code }),
    ...(said.hint === undefined ? undefined : { hint: said.hint }),
    ...(times === undefined ? undefined : { startedAt: times.startedAt, endedAt: times.endedAt, attempts: times.attempts }),
    ...(spill === undefined ? undefined : { spill }),
    ...(conversions === undefined || conversions.length === 0 ? undefined : { conversions }),
  }
}
