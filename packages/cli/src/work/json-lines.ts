/** The lines that `exec --json` and `run --json` print. Scripts rely on them: fields may be added, never renamed. */
import type { ApprovalRequest, CallId, JsonValue, Question, SessionEvent, ToolResult } from '@adjutant/core'

/** Milliseconds with three digits behind the point: what a clock can tell apart. */
function at(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** One line for what a session tells, or nothing for what `--json` leaves out. */
export function eventLine(event: SessionEvent): object | undefined {
  switch (event.type) {
    case 'call-state': {
      const { status, ...more } = event.state
      return { type: 'call-state', id: event.id, name: event.name, state: status, ...more, at: at(event.at) }
    }
    case 'approval-asked':
      return approvalLine(event.request)
    case 'question':
      return questionLine(event.id, event.question)
    case 'model':
      return event.event.type === 'text'
        ? { type: 'text', text: event.event.text }
        : event.event.type === 'problem'
          ? event.event
          : undefined
    case 'round':
      return { type: 'round', round: event.round, at: at(event.at) }
    case 'progress':
      return { type: 'progress', id: event.id, name: event.name, ...event.progress, at: at(event.at) }
    case 'approval-answered':
      return { type: 'answered', id: event.request.call.call.id, decision: event.decision.type, at: at(event.at) }
    case 'log':
      return event.level === 'debug' ? undefined : { type: 'log', level: event.level, message: event.message }
    case 'answer-retried':
      return { type: 'answer-retried', round: event.round, reason: event.reason, at: at(event.at) }
    case 'tool-loaded':
    case 'tool-unloaded':
    case 'budget':
    case 'loop':
    case 'retry':
    case 'metered':
      return { ...event, at: at(event.at) }
    // Told by the command itself, by the state of the call, or by the answer.
    case 'task':
    case 'judged':
    case 'refused':
    case 'ended':
      return undefined
    // Printed by the commands, with the dialect's own messages.
    case 'results':
      return undefined
    default:
      return event satisfies never
  }
}

function approvalLine({ call, shown, reason, decision, identical = [], matching = [] }: ApprovalRequest): object {
  return {
    type: 'question',
    kind: 'approval',
    id: call.call.id,
    name: call.tool.name,
    effect: call.effect,
    reason,
    input: shown ?? call.input,
    ...(decision === undefined ? {} : { rule: decision.rule }),
    ...(identical.length === 0 ? {} : { identical }),
    ...(matching.length === 0 ? {} : { matching: matching.map(({ call: one }) => one.id) }),
  }
}

function questionLine(id: CallId, question: Question): object {
  return { type: 'question', kind: 'ask', id, ...question }
}

/** Images and sounds are in `message`, in the dialect's form: they are not said twice. */
function resultDocument(result: ToolResult): object {
  const {
    id,
    name,
    outcome,
    isError,
    text,
    code,
    hint,
    startedAt,
    endedAt,
    attempts,
    adoptedFrom,
    cached,
    spill,
    conversions,
    failure,
    redacted,
  } = result
  return {
    id,
    name,
    outcome,
    isError,
    text,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(startedAt === undefined ? {} : { startedAt: at(startedAt) }),
    ...(endedAt === undefined ? {} : { endedAt: at(endedAt) }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(adoptedFrom === undefined ? {} : { adoptedFrom }),
    ...(cached === undefined ? {} : { cached }),
    ...(failure === undefined ? {} : { failure }),
    ...(redacted === undefined ? {} : { redacted }),
    ...(spill === undefined ? {} : { spill }),
    ...(conversions === undefined || conversions.length === 0 ? {} : { conversions }),
  }
}

export function resultsLine(results: readonly ToolResult[], message: JsonValue, more: object = {}): object {
  return { type: 'results', ...more, results: results.map(resultDocument), message }
}
