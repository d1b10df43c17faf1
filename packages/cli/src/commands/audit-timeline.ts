/** How records of an audit log are told to people: what happened, in rows. Knows records only as JSON: an older or newer one may lack a member. */
import { type AuditRecord, isJsonObject, type JsonObject, type JsonValue, ownValue } from '@adjutant/core'

/** Of arguments and texts so much is shown in a row. */
const SHOWN = 160

/** `time, what, details`. */
export type TimelineRow = readonly [string, string, string]

/** One call from the question whether it may run to its result. */
export interface CallRow {
  readonly at: string
  readonly callId: string
  readonly user: string
  readonly tool: string
  readonly effect: string
  readonly arguments: string
  /** e.g. `allow by mode/ask`, `refused UNKNOWN_TOOL`. */
  readonly decision: string
  /** What a person said; empty when nobody was asked. */
  readonly approval: string
  /** Empty while there is none. */
  readonly outcome: string
  readonly durationMs?: number
}

/** In UTC, as it is kept. */
function timeOf(record: AuditRecord): string {
  return record.at.replace('T', ' ').replace(/Z$/, '')
}

export function timelineRow(record: AuditRecord): TimelineRow {
  return [timeOf(record), record.type, detailsOf(record)]
}

function detailsOf({ type, body }: AuditRecord): string {
  switch (type) {
    case 'opened':
      return words(ownValue(body, 'continued') === true ? 'carries on' : '', rolesOf(body))
    case 'task':
      return excerpt(body, 'words')
    case 'call':
      return words(
        text(body, 'tool'),
        excerpt(body, 'arguments'),
        '·',
        text(body, 'effect'),
        '·',
        decisionOf(body),
        '·',
        cameOf(ownValue(body, 'result')),
      )
    case 'refused':
      return words(text(body, 'tool'), excerpt(body, 'arguments'), '·', `refused ${text(body, 'code')}:`, text(body, 'reason'))
    case 'approval-asked':
      return words(text(body, 'tool'), '·', text(body, 'reason'))
    case 'approval-answered':
      return words(text(body, 'tool'), '·', answerOf(body), excerpt(body, 'arguments'))
    case 'result':
      return words(text(body, 'tool'), '·', cameOf(body))
    case 'loop':
      return words(text(body, 'tool'), '·', text(body, 'step'), '·', text(body, 'reason'))
    case 'budget':
      return words(text(body, 'budget'), text(body, 'used'), 'of', text(body, 'limit'))
    case 'ended':
      return words(text(body, 'reason'), '·', excerpt(body, 'answer'))
    case 'recovered':
      return `a crash had cut off a record: ${text(body, 'bytes')} bytes are kept in ${text(body, 'keptIn')}`
    case 'gap':
      return `${text(body, 'records')} records could not be held`
    case 'closed':
      return ''
    default:
      return type satisfies never
  }
}

/** Joins the records of each call. Ids are unique in a batch only, so a result closes its call. */
export class CallRows {
  readonly #open = new Map<string, CallRow>()

  /** The call that this record ends, if any. */
  take(record: AuditRecord): CallRow | undefined {
    const { body, type } = record
    const id = text(body, 'callId')
    const known = this.#open.get(id)
    switch (type) {
      case 'call': {
        const row = { ...this.#begin(record), effect: text(body, 'effect'), decision: decisionOf(body), approval: known?.approval ?? '' }
        const result = ownValue(body, 'result')
        // A read, with what came of it.
        if (isJsonObject(result)) {
          this.#open.delete(id)
          return ended(row, result)
        }
        this.#open.set(id, row)
        return undefined
      }
      case 'refused':
        // The second call with an id has nothing to do with the first.
        if (known !== undefined) return { ...this.#begin(record), decision: `refused ${text(body, 'code')}`, outcome: 'not-run' }
        this.#open.set(id, { ...this.#begin(record), decision: `refused ${text(body, 'code')}` })
        return undefined
      case 'approval-answered':
        if (known !== undefined) this.#open.set(id, { ...known, approval: answerOf(body) })
        return undefined
      case 'result': {
        if (text(body, 'code') === 'DUPLICATE_CALL_ID') return undefined
        this.#open.delete(id)
        return ended(known ?? this.#begin(record), body)
      }
      default:
        return undefined
    }
  }

  /** Calls without a result: they run, or the process was killed. */
  rest(): readonly CallRow[] {
    return [...this.#open.values()]
  }

  #begin(record: AuditRecord): CallRow {
    const { body } = record
    return {
      at: record.at,
      callId: text(body, 'callId'),
      user: record.user,
      tool: text(body, 'tool'),
      effect: '',
      arguments: excerpt(body, 'arguments'),
      decision: '',
      approval: '',
      outcome: '',
    }
  }
}

function ended(row: CallRow, result: JsonObject): CallRow {
  const took = ownValue(result, 'durationMs')
  return { ...row, outcome: outcomeOf(result), ...(typeof took === 'number' ? { durationMs: took } : {}) }
}

export function milliseconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms * 10) / 10} ms`
  return ms < 60_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6_000) / 10} min`
}

function decisionOf(body: JsonObject): string {
  const decision = ownValue(body, 'decision')
  if (!isJsonObject(decision)) return ''
  return `${text(decision, 'effect')} by ${text(decision, 'rule')}`
}

function answerOf(body: JsonObject): string {
  const answer = text(body, 'answer')
  const by = text(body, 'by')
  return words(
    by,
    answer === 'deny' ? 'denied' : answer === 'edit' ? 'edited' : 'approved',
    text(body, 'scope'),
    text(body, 'of'),
    text(body, 'reason'),
  )
}

function outcomeOf(body: JsonObject): string {
  const attempts = ownValue(body, 'attempts')
  return words(
    text(body, 'outcome'),
    text(body, 'code'),
    typeof attempts === 'number' && attempts > 1 ? `after ${attempts} attempts` : '',
    ownValue(body, 'cached') === true ? 'cached' : '',
  )
}

/** What came of a call: of a record of its own, or of the call's. */
function cameOf(result: JsonValue | undefined): string {
  return isJsonObject(result) ? words(outcomeOf(result), duration(result), '·', excerpt(result, 'excerpt')) : ''
}

function duration(body: JsonObject): string {
  const ms = ownValue(body, 'durationMs')
  return typeof ms === 'number' ? `in ${milliseconds(ms)}` : ''
}

function rolesOf(body: JsonObject): string {
  const roles = ownValue(body, 'roles')
  return Array.isArray(roles) && roles.length > 0 ? `roles ${roles.join(', ')}` : ''
}

function excerpt(body: JsonObject, key: string): string {
  const value = ownValue(body, key)
  if (!isJsonObject(value)) return ''
  const shown = text(value, 'text')
  const cut = ownValue(value, 'cut') === true || shown.length > SHOWN
  return cut ? `${shown.slice(0, SHOWN).toWellFormed()}…` : shown
}

function text(body: JsonObject, key: string): string {
  const value: JsonValue | undefined = ownValue(body, key)
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Joined by spaces; separators that stand at an end or beside another are left out. */
function words(...parts: readonly string[]): string {
  const said: string[] = []
  for (const part of parts) {
    if (part === '' || (part === '·' && (said.length === 0 || said.at(-1) === '·'))) continue
    said.push(part)
  }
  if (said.at(-1) === '·') said.pop()
  return said.join(' ')
}
