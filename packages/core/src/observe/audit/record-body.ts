import { hash } from 'node:crypto'
import type { AdmittedCall, ToolCall } from '../../contract/call.ts'
import type { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { PolicyDecision } from '../../contract/policy.ts'
import type { ApprovalDecision, ApprovalRequest } from '../../contract/ports.ts'
import type { Redactor } from '../../contract/redact.ts'
import type { ToolResult } from '../../contract/result.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { type Excerpt, excerptOf, jsonExcerptOf } from '../redacted-json.ts'

/**
 * Owns what each record says: canonical JSON of its body, members in the order of their names. Every text that somebody else wrote passes the
 * redactor. A body is a promise only while a redactor works on it.
 */

type Later<T> = T | Promise<T>

/** Characters that are put on record at most. */
export interface AuditLimits {
  /** Of a call's arguments, as JSON. Default 4 000. */
  readonly argumentChars?: number
  /** Of a result's text; a digest of the whole stands beside what is cut. Default 500. */
  readonly resultChars?: number
}

/** The person's words are kept whole as far as this. */
const TASK_CHARS = 16_000
const REASON_CHARS = 500
const NAME_CHARS = 200

/** Names and reasons repeat: so many are remembered as they were written. */
const REMEMBERED = 256
/** Longer ones hardly repeat. */
const REMEMBERED_CHARS = 200

export class RecordBodies {
  readonly #redactor: Redactor | undefined
  readonly #argumentChars: number
  readonly #resultChars: number
  readonly #known = new Map<string, string>()
  #lastDecision: PolicyDecision | undefined
  #lastDecided = ''
  #lastTool: string | undefined
  #lastEnd = ''
  #lastMs = Number.NaN
  #lastTime = ''

  constructor(redactor: Redactor | undefined, limits: AuditLimits = {}) {
    this.#redactor = redactor
    this.#argumentChars = limits.argumentChars ?? 4_000
    this.#resultChars = limits.resultChars ?? 500
  }

  /** What a call is to do. Written when the call is told of: a tool may change its input later. */
  argumentsOf(call: AdmittedCall | ToolCall): Later<string> {
    if ('input' in call) return shown(jsonExcerptOf(call.input, this.#argumentChars, this.#redactor))
    return shown(
      call.arguments.ok
        ? jsonExcerptOf(call.arguments.value, this.#argumentChars, this.#redactor)
        : excerptOf(call.arguments.raw, this.#argumentChars, this.#redactor),
    )
  }

  task(text: string): Later<string> {
    return json`{"chars":${text.length},"words":${shown(excerptOf(text, TASK_CHARS, this.#redactor))}}`
  }

  /** Without its end, which {@link toolEnd} gives. @param input what {@link argumentsOf} gave */
  call({ call, tool, effect, conversions }: AdmittedCall, decision: PolicyDecision, input: Later<string>): Later<string> {
    const converted = conversions.length === 0 ? '' : `"conversions":${conversions.length},`
    const decided = this.#decision(decision)
    const id = this.#id(call.id)
    if (typeof input === 'string' && typeof id === 'string' && typeof decided === 'string') {
      return `{"arguments":${input},"callId":${id},${converted}"decision":${decided},"effect":"${effect}","origin":"${tool.origin.kind}",`
    }
    return json`{"arguments":${input},"callId":${id},${converted}"decision":${decided},"effect":"${effect}","origin":"${tool.origin.kind}",`
  }

  /** The end of a call's body, behind its result where that is there. */
  toolEnd({ name }: AgentTool): string {
    if (name !== this.#lastTool) {
      this.#lastTool = name
      this.#lastEnd = `"tool":${quote(name)}}`
    }
    return this.#lastEnd
  }

  /** @param body what {@link call} gave @param ms of the result, since 1970 */
  settled(body: Later<string>, result: ToolResult, ms: number): Later<string> {
    const came = this.#outcome(result)
    if (typeof body === 'string' && typeof came === 'string') return `${body}"result":{"at":"${this.#time(ms)}",${came}},`
    return json`${body}"result":{"at":"${this.#time(ms)}",${came}},`
  }

  refused(call: ToolCall, error: AdjutantError, input: Later<string>): Later<string> {
    const reason = this.#reason(error.message)
    return json`{"arguments":${input},"callId":${this.#id(call.id)},"code":"${error.code}","reason":${reason},"tool":${this.#name(call.name)}}`
  }

  asked(request: ApprovalRequest): Later<string> {
    const { call, decision, identical = [], matching = [] } = request
    const also = identical.length === 0 ? '' : `"identical":${identical.length},`
    const like = matching.length === 0 ? '' : `"matching":${matching.length},`
    const rule = decision === undefined ? '' : json`,"rule":${this.#name(decision.rule)}`
    return json`{"approvalId":${quote(request.id)},"callId":${this.#id(call.call.id)},"effect":"${call.effect}",${also}${like}"reason":${this.#reason(request.reason)}${rule},"tool":${quote(call.tool.name)}}`
  }

  answered(request: ApprovalRequest, decision: ApprovalDecision): Later<string> {
    const head = json`"answer":"${decision.type}","approvalId":${quote(request.id)}`
    const id = this.#id(request.call.call.id)
    const tool = quote(request.call.tool.name)
    switch (decision.type) {
      case 'approve': {
        const kept = decision.scope === 'always' ? `"of":"${decision.of}",` : ''
        const tier = decision.scope === 'always' ? `,"tier":"${decision.tier}"` : ''
        return json`{${head},"by":"person","callId":${id},${kept}"scope":"${decision.scope}"${tier},"tool":${tool}}`
      }
      case 'edit': {
        const input = shown(jsonExcerptOf(decision.input, this.#argumentChars, this.#redactor))
        return json`{${head},"arguments":${input},"by":"person","callId":${id},"tool":${tool}}`
      }
      case 'deny': {
        const reason = decision.reason === undefined ? '' : json`"reason":${this.#reason(decision.reason)},`
        return json`{${head},"by":"${decision.by ?? 'person'}","callId":${id},${reason}"tool":${tool}}`
      }
      default:
        return decision satisfies never
    }
  }

  result(result: ToolResult): Later<string> {
    const id = this.#id(result.id)
    return json`{${this.#outcome(result, id)},"tool":${this.#name(result.name)}}`
  }

  /** What came of a call, without the braces around it. @param id left out where it stands with the call */
  #outcome(result: ToolResult, id: Later<string> = ''): Later<string> {
    const { adoptedFrom, attempts, code, startedAt, endedAt, failure, parts, spill } = result
    const adopted = adoptedFrom === undefined ? '' : json`"adoptedFrom":${this.#id(adoptedFrom)},`
    const tried = attempts === undefined ? '' : `"attempts":${attempts},`
    const cached = result.cached === true ? '"cached":true,' : ''
    const named = id === '' ? '' : json`"callId":${id},`
    const coded = code === undefined ? '' : `"code":"${code}",`
    const ran = startedAt === undefined || endedAt === undefined ? '' : `"durationMs":${microseconds(endedAt - startedAt)},`
    const recognised = failure === undefined ? '' : `"failure":${quote(failure.code)},`
    const others = parts.length === 0 ? '' : `,"parts":${parts.length}`
    const kept = spill === undefined ? '' : `,"spill":${quote(spill.id)}`
    const excerpt = resultShown(excerptOf(result.text, this.#resultChars, this.#redactor), result.text)
    if (typeof adopted === 'string' && typeof excerpt === 'string' && typeof named === 'string') {
      return `${adopted}${tried}${cached}${named}"chars":${result.text.length},${coded}${ran}"excerpt":${excerpt},${recognised}"outcome":"${result.outcome}"${others}${kept}`
    }
    return json`${adopted}${tried}${cached}${named}"chars":${result.text.length},${coded}${ran}"excerpt":${excerpt},${recognised}"outcome":"${result.outcome}"${others}${kept}`
  }

  loop(event: Extract<SessionEvent, { type: 'loop' }>): Later<string> {
    return json`{"callId":${this.#id(event.id)},"reason":${this.#reason(event.reason)},"step":"${event.step}","tool":${this.#name(event.name)}}`
  }

  budget(event: Extract<SessionEvent, { type: 'budget' }>): Later<string> {
    return json`{"budget":${this.#name(event.budget)},"limit":${number(event.limit)},"used":${number(event.used)}}`
  }

  ended(reason: string, text: string): Later<string> {
    const answer = shown(excerptOf(text, this.#resultChars, this.#redactor))
    return json`{"answer":${answer},"chars":${text.length},"reason":${this.#name(reason)}}`
  }

  #id(id: string): Later<string> {
    return quoted(excerptOf(id, NAME_CHARS, this.#redactor))
  }

  #name(name: string): Later<string> {
    return this.#word(name, NAME_CHARS)
  }

  #reason(reason: string): Later<string> {
    return this.#word(reason, REASON_CHARS)
  }

  /** A rule gives the same object for each call that it decides. */
  #decision(decision: PolicyDecision): Later<string> {
    if (decision === this.#lastDecision) return this.#lastDecided
    const { effect, rule, tier, reason } = decision
    const decided = json`{"effect":"${effect}","reason":${this.#reason(reason)},"rule":${this.#name(rule)},"tier":"${tier}"}`
    if (typeof decided === 'string' && Object.isFrozen(decision)) {
      this.#lastDecision = decision
      this.#lastDecided = decided
    }
    return decided
  }

  /** Results of one batch share their time. */
  #time(ms: number): string {
    const whole = Math.trunc(ms)
    if (whole !== this.#lastMs) {
      this.#lastMs = whole
      this.#lastTime = new Date(whole).toISOString()
    }
    return this.#lastTime
  }

  #word(text: string, limit: number): Later<string> {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const made = quoted(excerptOf(text, limit, this.#redactor))
    if (typeof made !== 'string' || text.length > REMEMBERED_CHARS) return made
    if (this.#known.size >= REMEMBERED) this.#known.clear()
    this.#known.set(text, made)
    return made
  }
}

/** Joins pieces; a promise only where one of them is. */
function json(strings: TemplateStringsArray, ...values: readonly Later<string | number>[]): Later<string> {
  let text = strings[0] ?? ''
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]
    if (value instanceof Promise) return Promise.all(values).then((known) => String.raw({ raw: strings }, ...known))
    text += value
    text += strings[at + 1]
  }
  return text
}

function shown(excerpt: Later<Excerpt>): Later<string> {
  return excerpt instanceof Promise ? excerpt.then(excerptJson) : excerptJson(excerpt)
}

function resultShown(excerpt: Later<Excerpt>, whole: string): Later<string> {
  return excerpt instanceof Promise ? excerpt.then((known) => resultJson(known, whole)) : resultJson(excerpt, whole)
}

/** What is there whole needs no digest: the record's own hash is over it. */
function resultJson(excerpt: Excerpt, whole: string): string {
  if (!excerpt.cut && excerpt.redacted === 0) return excerptJson(excerpt)
  const digest = `"digest":"sha256:${hash('sha256', whole)}",`
  const { text, redacted, cut } = excerpt
  return `{${cut ? '"cut":true,' : ''}${digest}${redacted > 0 ? `"redacted":${redacted},` : ''}"text":${quote(text)}}`
}

function quoted(excerpt: Later<Excerpt>): Later<string> {
  return excerpt instanceof Promise ? excerpt.then(({ text }) => quote(text)) : quote(excerpt.text)
}

function excerptJson({ text, redacted, cut }: Excerpt): string {
  return `{${cut ? '"cut":true,' : ''}${redacted > 0 ? `"redacted":${redacted},` : ''}"text":${quote(text)}}`
}

function quote(text: string): string {
  return JSON.stringify(text)
}

function number(value: number): string {
  return JSON.stringify(value)
}

function microseconds(ms: number): string {
  return number(Math.round(ms * 1_000) / 1_000)
}
