import {
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import type { AdmittedCall } from '../../contract/call.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { CallId } from '../../contract/ids.ts'
import type { PolicyDecision } from '../../contract/policy.ts'
import type { ToolResult } from '../../contract/result.ts'
import * as names from '../attribute-names.ts'
import type { SpanContent } from './span-content.ts'
import { timeOf } from './span-time.ts'

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>

interface OpenCall {
  readonly call: AdmittedCall
  readonly decision: PolicyDecision
  readonly parent: Context
  readonly judgedAt: number
  queuedAt: number | undefined
  heldAt: number | undefined
  endedAt: number | undefined
  /** Since the call is running. */
  span: Span | undefined
  /** Of the span that ended when a person was asked. */
  before: SpanContext | undefined
  approval: Attributes
}

/**
 * Owns the spans of calls: one for each execution, from the moment it runs; one without length for a call that never ran; and one more for
 * the part before a person was asked. Ids are unique in a batch only, so a call is forgotten with its result.
 */
export class CallSpans {
  readonly #tracer: Tracer
  readonly #startedAt: number
  readonly #content: SpanContent
  readonly #open = new Map<CallId, OpenCall>()

  constructor(tracer: Tracer, startedAt: number, content: SpanContent) {
    this.#tracer = tracer
    this.#startedAt = startedAt
    this.#content = content
  }

  judged({ call, decision, at }: EventOf<'judged'>, parent: Context): void {
    const known = this.#open.get(call.call.id)
    // Judged again: with edited arguments, or at the moment of running.
    this.#open.set(call.call.id, {
      call,
      decision,
      parent,
      judgedAt: at,
      queuedAt: known?.queuedAt,
      heldAt: known?.heldAt,
      endedAt: undefined,
      span: known?.span,
      before: known?.before,
      approval: known?.approval ?? {},
    })
  }

  moved({ id, state, at }: EventOf<'call-state'>): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    switch (state.status) {
      case 'held': {
        // A person may take hours: a span that long is never exported.
        open.heldAt = at
        const span = this.#start(open, open.judgedAt)
        span.setAttribute(names.OUTCOME, 'held')
        open.before = span.spanContext()
        span.end(this.#time(at))
        return
      }
      case 'queued':
        open.queuedAt = at
        return
      case 'running':
        if (open.span === undefined) {
          open.span = this.#start(open, at)
          if (open.queuedAt !== undefined) open.span.setAttribute(names.QUEUE_SECONDS, (at - open.queuedAt) / 1_000)
          this.#content.json(open.span, names.TOOL_CALL_ARGUMENTS, open.call.input)
        }
        return
      case 'succeeded':
      case 'failed':
      case 'timed-out':
      case 'cancelled':
      case 'unknown':
        open.endedAt = at
        return
      default:
        return
    }
  }

  retried({ id, attempt, delayMs, code, at }: EventOf<'retry'>): void {
    const attributes = { [names.RETRY_ATTEMPT]: attempt, [names.RETRY_DELAY_SECONDS]: delayMs / 1_000, [names.ERROR_TYPE]: code }
    this.#open.get(id)?.span?.addEvent(names.RETRY_EVENT, attributes, this.#time(at))
  }

  answered({ request, decision, at }: EventOf<'approval-answered'>): void {
    const open = this.#open.get(request.call.call.id)
    if (open === undefined) return
    const waited = open.heldAt === undefined ? {} : { [names.APPROVAL_SECONDS]: (at - open.heldAt) / 1_000 }
    open.approval = { [names.APPROVAL_ANSWER]: decision.type, ...waited }
  }

  /** @param name of the tool, where it is one's */
  settled(result: ToolResult, name: string | undefined, at: number, parent: Context): void {
    // The second call with an id has nothing to do with the first.
    const repeated = result.code === 'DUPLICATE_CALL_ID'
    const own = repeated ? undefined : this.#open.get(result.id)
    if (own !== undefined) this.#open.delete(result.id)
    const adopted = result.adoptedFrom === undefined ? undefined : this.#open.get(result.adoptedFrom)
    if (adopted?.span !== undefined && result.adoptedFrom !== undefined) {
      this.#open.delete(result.adoptedFrom)
      adopted.span.setAttribute(names.ADOPTED_BY, result.id)
      this.#finish(adopted.span, result, result.endedAt ?? adopted.endedAt ?? at)
      return
    }
    const span = own?.span ?? (own === undefined ? this.#unjudged(result, name, at, parent) : this.#start(own, result.startedAt ?? at))
    this.#finish(span, result, result.endedAt ?? own?.endedAt ?? at)
  }

  running(id: CallId): Span | undefined {
    return this.#open.get(id)?.span
  }

  /** No result will come for these. */
  endAll(at: number): void {
    for (const open of this.#open.values()) {
      if (open.span !== undefined) this.#content.end(open.span, this.#time(open.endedAt ?? at))
    }
    this.#open.clear()
  }

  #start({ call, decision, parent, before, approval }: OpenCall, at: number): Span {
    const { tool } = call
    const links: Link[] = before === undefined ? [] : [{ context: before }]
    const attributes: Attributes = {
      ...callAttributes(call.call.id, tool.name),
      [names.TOOL_TYPE]: tool.origin.kind === 'mcp' ? 'extension' : 'function',
      [names.ORIGIN]: tool.origin.kind,
      [names.EFFECT]: call.effect,
      [names.DECISION]: decision.effect,
      [names.DECISION_RULE]: decision.rule,
      [names.DECISION_TIER]: decision.tier,
      ...approval,
    }
    const options = { kind: SpanKind.INTERNAL, startTime: this.#time(at), attributes, links }
    return this.#tracer.startSpan(`${names.EXECUTE_TOOL} ${tool.name}`, options, parent)
  }

  #unjudged(result: ToolResult, name: string | undefined, at: number, parent: Context): Span {
    const options = { kind: SpanKind.INTERNAL, startTime: this.#time(at), attributes: callAttributes(result.id, name) }
    return this.#tracer.startSpan(name === undefined ? names.EXECUTE_TOOL : `${names.EXECUTE_TOOL} ${name}`, options, parent)
  }

  #finish(span: Span, result: ToolResult, at: number): void {
    const { outcome, attempts, cached, code, spill, redacted } = result
    span.setAttributes({
      [names.OUTCOME]: outcome,
      [names.CACHED]: cached === true,
      [names.CLIPPED]: spill !== undefined,
      ...(attempts === undefined ? {} : { [names.ATTEMPTS]: attempts }),
      ...(redacted === undefined ? {} : { [names.REDACTED]: redacted }),
    })
    if (outcome !== 'ok') {
      span.setAttribute(names.ERROR_TYPE, code ?? '_OTHER')
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#content.text(span, names.TOOL_CALL_RESULT, result.text)
    this.#content.end(span, this.#time(at))
  }

  #time(at: number): ReturnType<typeof timeOf> {
    return timeOf(this.#startedAt + at)
  }
}

function callAttributes(id: CallId, name: string | undefined): Attributes {
  return {
    [names.OPERATION_NAME]: names.EXECUTE_TOOL,
    [names.TOOL_CALL_ID]: id,
    ...(name === undefined ? {} : { [names.TOOL_NAME]: name }),
  }
}
