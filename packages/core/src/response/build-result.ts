import type { Conversion, ToolCall } from '../contract/call.ts'
import type { CallId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { RawOutcome, RunTimes } from '../contract/outcome.ts'
import type { Namespace } from '../contract/ports.ts'
import type { Redacted, Redactor } from '../contract/redact.ts'
import type { Failure, SpillRef, ToolResult } from '../contract/result.ts'
import type { AgentTool } from '../contract/tool.ts'
import { fitsTokens } from './clip/token-limit.ts'
import { clipParts } from './clip-parts.ts'
import type { HintLanguage } from './hints/hint.ts'
import type { HintDictionary } from './hints/hint-dictionary.ts'
import { failureOf } from './hints/recognise-failure.ts'
import { frame, type Said, whatToSay } from './say.ts'
import { keepText } from './spill.ts'

/**
 * Owns: the one result of a call, whatever became of it. Value to text, terminal sequences resolved, secrets taken out, a failure
 * recognised, clipped to what a model gets, kept whole (without its secrets) where it was clipped. Never throws or rejects: a tool's bad
 * value, a formatter that throws and a full disk all end as a result that says so. Argument conversions ride along in the result but not in its text: a model that called rightly
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
  /** Answered with the result of an earlier equal call. */
  readonly cached?: boolean
  /** The call of a broken answer whose execution this is. */
  readonly from?: CallId
}

export interface BuildResultContext {
  readonly namespace: Namespace
  /** The name of a text that is kept whole. Default: the call's id. */
  readonly keepAs?: string
  /** Characters of text for one result; a tool's `limits.maxResultChars` comes first. */
  readonly resultChars: number
  /** Estimated tokens as well; a tool's `limits.maxResultTokens` comes first. Default: only characters count. */
  readonly resultTokens?: number
  /** Takes secrets out before anybody sees them. Default: they stay. */
  readonly redactor?: Redactor | undefined
  /** Entries of the host, before the built-in ones. */
  readonly hints?: HintDictionary | undefined
  /** Default `en`. */
  readonly hintLanguage?: HintLanguage | undefined
  /** A word that nobody can know, for the fence of a result whose text comes from strangers. Default: no fence. */
  readonly fence?: () => string
  /** Asked for each fenced result: whether its message must say what a fence means. Default: never. */
  readonly fenceNote?: () => boolean
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
  const said = whatToSay(given, given.tool?.limits?.maxResultChars ?? cx.resultChars)
  const clean = cx.redactor === undefined ? said : withoutSecrets(said, cx.redactor)
  return clean instanceof Promise ? clean.then((safe) => finish(given, safe, cx)) : finish(given, clean, cx)
}

function finish(given: BuildResultInput, told: Said & Taken, cx: BuildResultContext): ToolResult | Promise<ToolResult> {
  const said = told.outcome === 'failed' ? recognised(told, cx) : told
  const limit = given.tool?.limits?.maxResultChars ?? cx.resultChars
  const text = frame(said.prefix, said.body, said.suffix)
  const tokens = given.tool?.limits?.maxResultTokens ?? cx.resultTokens
  const fence = given.tool?.untrusted === true && given.times !== undefined ? cx.fence?.() : undefined
  const fits = text.length <= limit && (tokens === undefined || fitsTokens(text, tokens))
  const fencing = fence === undefined ? undefined : cx.fenceNote?.() === true ? { fence, fenceNote: true as const } : { fence }
  return fits ? settle(given, said, text, fencing) : clipAndKeep(given, said, { limit, tokens }, fencing, cx)
}

/** What was found out about a text on its way. */
interface Taken {
  readonly redacted?: number
  readonly failure?: Failure
}

/** Before anything is cut, kept or recognised: what is not there can go nowhere. */
function withoutSecrets(said: Said, redactor: Redactor): (Said & Taken) | Promise<Said & Taken> {
  if (said.texts === undefined) {
    const redacted = redactor.redact(said.body)
    if (redacted instanceof Promise)
      return redacted.then(({ text, count }) => (count === 0 ? said : { ...said, body: text, redacted: count }))
    return redacted.count === 0 ? said : { ...said, body: redacted.text, redacted: redacted.count }
  }
  const each = said.texts.map((text) => redactor.redact(text))
  return each.every(isThere) ? joined(said, each) : Promise.all(each).then((redacted) => joined(said, redacted))
}

function isThere(redacted: Redacted | Promise<Redacted>): redacted is Redacted {
  return !(redacted instanceof Promise)
}

function joined(said: Said, redacted: readonly Redacted[]): Said & Taken {
  const count = redacted.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return said
  const texts = redacted.map(({ text }) => text)
  return { ...said, texts, body: texts.join('\n'), redacted: count }
}

/** A hint that fits this very failure is worth more than the one for all failures. */
function recognised(said: Said & Taken, { hints, hintLanguage }: BuildResultContext): Said & Taken {
  const { exitCode, command } = said
  const found = failureOf(said.body, {
    ...(hints === undefined ? {} : { dictionary: hints }),
    ...(hintLanguage === undefined ? {} : { language: hintLanguage }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(command === undefined ? {} : { command }),
  })
  if (found === undefined) return said
  const failure: Failure = { code: found.code, ...(found.location === undefined ? {} : { location: found.location }) }
  return said.openHint === true && found.hint !== '' ? { ...said, failure, hint: found.hint, suffix: found.hint } : { ...said, failure }
}

type Fencing = Pick<ToolResult, 'fence' | 'fenceNote'>

interface Limits {
  readonly limit: number
  readonly tokens: number | undefined
}

async function clipAndKeep(
  given: BuildResultInput,
  said: Said & Taken,
  { limit, tokens }: Limits,
  fencing: Fencing | undefined,
  { namespace, keepAs = given.call.id }: Pick<BuildResultContext, 'namespace' | 'keepAs'>,
): Promise<ToolResult> {
  let spill: SpillRef | undefined
  let rest: string
  try {
    spill = await keepText(namespace, keepAs, said.body)
    rest = `whole text in ${spill.path}: read_result ${JSON.stringify({ id: spill.handle })} shows it`
  } catch (error) {
    rest = `the whole text could not be kept: ${error instanceof Error ? error.message.slice(0, 200) : 'no reason given'}`
  }
  const around = said.prefix.length + (said.suffix === '' ? 0 : said.suffix.length + 1)
  const strategy = given.tool?.limits?.clip ?? 'auto'
  const clip = (texts: readonly string[], less: number): string => {
    // Tokens of what stands around the body are counted as if each character were one: that is never too few.
    const tokensLeft = tokens === undefined ? undefined : { tokens: Math.max(1, tokens - less) }
    return clipParts(texts, strategy, { limit: limit - less, ...tokensLeft, rest, failed: said.outcome !== 'ok' }).text
  }
  // A limit too small for the hint as well: the text as a whole is cut then.
  const hasRoom = around < limit / 2 && (tokens === undefined || around < tokens / 2)
  const text = hasRoom
    ? frame(said.prefix, clip(said.texts ?? [said.body], around), said.suffix)
    : clip([frame(said.prefix, said.body, said.suffix)], 0)
  return settle(given, said, text, fencing, spill)
}

function settle(given: BuildResultInput, said: Said & Taken, text: string, fencing: Fencing | undefined, spill?: SpillRef): ToolResult {
  const { call, times, conversions, cached, from } = given
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
    ...(cached === true ? { cached } : undefined),
    ...(from === undefined ? undefined : { adoptedFrom: from }),
    ...(said.failure === undefined ? undefined : { failure: said.failure }),
    ...(said.redacted === undefined ? undefined : { redacted: said.redacted }),
    ...fencing,
    ...(spill === undefined ? undefined : { spill }),
    ...(conversions === undefined || conversions.length === 0 ? undefined : { conversions }),
  }
}
