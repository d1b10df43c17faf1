import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { DecodeEvent } from '../../contract/decode.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { CallId } from '../../contract/ids.ts'
import type { ObservedSession, SessionFollower, SessionObserver } from '../../contract/observe.ts'
import type { Redactor } from '../../contract/redact.ts'
import type { ToolResult } from '../../contract/result.ts'
import * as names from '../attribute-names.ts'
import { type ModelNames, modelNamesOf } from '../model-name.ts'
import { ToolNames, UNKNOWN_TOOL_NAME } from '../tool-names.ts'
import { CallSpans } from './call-spans.ts'
import { SpanContent } from './span-content.ts'
import { timeOf } from './span-time.ts'

export interface TraceOptions {
  /** Default: that of the global provider, which does nothing until the host sets one up. */
  readonly tracer?: Tracer
  /** `redacted`: words, arguments and results as well, without secrets. Needs `redactor`. Default `none`. */
  readonly capture?: 'none' | 'redacted'
  readonly redactor?: Redactor
  /** The model's name, e.g. `openai:gpt-5`: events do not carry it. */
  readonly model?: string
  readonly agent?: string
}

export interface TraceObserver extends SessionObserver {
  follow(session: ObservedSession): TraceFollower
}

export interface TraceFollower extends SessionFollower {
  /** Runs `work` with the call's span active, so that spans which a tool makes lie below it. Without such a span it just runs. */
  within<T>(id: CallId, work: () => T): T
  /** Of a call that is running. */
  spanContext(id: CallId): SpanContext | undefined
}

/**
 * Makes OpenTelemetry spans of what a session tells: `invoke_agent` for a task, `chat` for each answer of the model, `execute_tool` for each call.
 * Their trace id is the session's own, so logs and spans join. A call that waits for a person ends its span; when it goes on, another one begins
 * that is linked to it. Knows the API only: without an SDK in the host nothing is recorded.
 *
 * @throws AdjutantError CONFIG_INVALID when content is asked for without a redactor
 * @example
 * ```ts
 * const observer = traceObserver({ model: 'openai:gpt-5' })
 * ```
 */
export function traceObserver(options: TraceOptions = {}): TraceObserver {
  const { capture = 'none', redactor } = options
  if (capture === 'redacted' && redactor === undefined) {
    throw new AdjutantError('CONFIG_INVALID', 'traces with content need a redactor', { hint: 'Pass redactor, or set capture to none.' })
  }
  const tracer = options.tracer ?? trace.getTracer(names.SCOPE)
  const model = options.model === undefined ? undefined : modelNamesOf(options.model)
  const content = new SpanContent(capture === 'redacted' ? redactor : undefined)
  const tools = new ToolNames()
  return { follow: (session) => new SpanFollower({ session, tracer, model, agent: options.agent, content, tools }) }
}

interface FollowerParts {
  readonly session: ObservedSession
  readonly tracer: Tracer
  readonly model: ModelNames | undefined
  readonly agent: string | undefined
  readonly content: SpanContent
  readonly tools: ToolNames
}

class SpanFollower implements TraceFollower {
  readonly #parts: FollowerParts
  readonly #root: Context
  readonly #calls: CallSpans
  #agent: Span | undefined
  #below: Context
  #chat: Span | undefined
  #last = 0

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#root = rootContext(parts.session)
    this.#below = this.#root
    this.#calls = new CallSpans(parts.tracer, parts.session.startedAt, parts.content)
  }

  event(event: SessionEvent): void {
    this.#last = event.at
    const { tools, content } = this.#parts
    switch (event.type) {
      case 'judged':
        tools.learn(event)
        this.#calls.judged(event, this.#below)
        return
      case 'call-state':
        this.#calls.moved(event)
        return
      case 'results':
        for (const result of event.results) this.#calls.settled(result, this.#toolName(result), event.at, this.#below)
        return
      case 'retry':
        this.#calls.retried(event)
        return
      case 'approval-answered':
        this.#calls.answered(event)
        return
      case 'refused':
        tools.learn(event)
        return
      case 'task':
        this.#startAgent(event.at)
        if (this.#agent !== undefined) content.message(this.#agent, names.INPUT_MESSAGES, 'user', event.text)
        return
      case 'ended':
        this.#endAgent(event.at, event)
        return
      case 'round':
        this.#endChat(event.at, { [names.ERROR_TYPE]: 'STREAM_BROKEN' })
        this.#startChat(event.round, event.at)
        return
      case 'model':
        this.#model(event.event, event.at)
        return
      case 'answer-retried':
        this.#endChat(event.at, { [names.ERROR_TYPE]: 'STREAM_BROKEN' })
        return
      case 'loop':
        this.#note(names.LOOP_EVENT, { [names.LOOP_STEP]: event.step, [names.TOOL_NAME]: tools.of(event.name) }, event.at)
        return
      case 'budget':
        this.#note(
          names.BUDGET_EVENT,
          { [names.BUDGET_NAME]: event.budget, [names.BUDGET_USED]: event.used, [names.BUDGET_LIMIT]: event.limit },
          event.at,
        )
        return
      case 'metered':
      case 'tool-loaded':
      case 'tool-unloaded':
      case 'progress':
      case 'approval-asked':
      case 'question':
      case 'log':
        return
      default:
        event satisfies never
    }
  }

  flush(): Promise<void> {
    return this.#parts.content.settled()
  }

  async close(): Promise<void> {
    this.#endChat(this.#last)
    this.#endAgent(this.#last)
    await this.#parts.content.settled()
  }

  within<T>(id: CallId, work: () => T): T {
    const span = this.#calls.running(id)
    return span === undefined ? work() : context.with(trace.setSpan(this.#below, span), work)
  }

  spanContext(id: CallId): SpanContext | undefined {
    return this.#calls.running(id)?.spanContext()
  }

  #time(at: number): ReturnType<typeof timeOf> {
    return timeOf(this.#parts.session.startedAt + at)
  }

  /** Names that a model made up are not put on record. */
  #toolName(result: ToolResult): string | undefined {
    const name = this.#parts.tools.of(result.name)
    return name === UNKNOWN_TOOL_NAME ? undefined : name
  }

  #startAgent(at: number): void {
    this.#endAgent(at)
    const { tracer, agent, session, model } = this.#parts
    const attributes: Attributes = {
      [names.OPERATION_NAME]: names.INVOKE_AGENT,
      [names.CONVERSATION_ID]: session.sessionId,
      [names.TENANT]: session.principal.tenantId,
      ...(agent === undefined ? {} : { [names.AGENT_NAME]: agent }),
      ...modelAttributes(model),
    }
    const name = agent === undefined ? names.INVOKE_AGENT : `${names.INVOKE_AGENT} ${agent}`
    this.#agent = tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: this.#time(at), attributes }, this.#root)
    this.#below = trace.setSpan(this.#root, this.#agent)
  }

  #endAgent(at: number, ended?: { readonly reason: string; readonly text: string }): void {
    this.#endChat(at)
    // What still runs has no result to come: the answer that asked for it broke off.
    this.#calls.endAll(at)
    const span = this.#agent
    if (span === undefined) return
    this.#agent = undefined
    this.#below = this.#root
    if (ended !== undefined) {
      span.setAttribute(names.END_REASON, ended.reason)
      this.#parts.content.message(span, names.OUTPUT_MESSAGES, 'assistant', ended.text)
    }
    this.#parts.content.end(span, this.#time(at))
  }

  #startChat(round: number, at: number): void {
    const { tracer, model, session } = this.#parts
    const attributes: Attributes = {
      [names.OPERATION_NAME]: names.CHAT,
      [names.CONVERSATION_ID]: session.sessionId,
      [names.ROUND]: round,
      ...modelAttributes(model),
    }
    const name = model === undefined ? names.CHAT : `${names.CHAT} ${model.model}`
    this.#chat = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: this.#time(at), attributes }, this.#below)
  }

  #model(event: DecodeEvent, at: number): void {
    if (event.type === 'usage') {
      this.#chat?.setAttribute(names.INPUT_TOKENS, event.usage.inputTokens)
      this.#chat?.setAttribute(names.OUTPUT_TOKENS, event.usage.outputTokens)
    } else if (event.type === 'end') {
      this.#endChat(at, event.finish === undefined ? {} : { [names.FINISH_REASONS]: [event.finish] })
    }
  }

  #endChat(at: number, attributes: Attributes = {}): void {
    const span = this.#chat
    if (span === undefined) return
    this.#chat = undefined
    span.setAttributes(attributes)
    if (names.ERROR_TYPE in attributes) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(this.#time(at))
  }

  #note(name: string, attributes: Attributes, at: number): void {
    this.#agent?.addEvent(name, attributes, this.#time(at))
  }
}

function modelAttributes(model: ModelNames | undefined): Attributes {
  return model === undefined ? {} : { [names.PROVIDER_NAME]: model.provider, [names.REQUEST_MODEL]: model.model }
}

/**
 * The span that the host is in, where it has the session's trace id; else a stand-in for one elsewhere, so that the trace id is the session's.
 * It counts as sampled: whether spans are kept is then for the host's sampler to say by trace id.
 */
function rootContext(session: ObservedSession): Context {
  const { traceId } = session
  const active = context.active()
  if (trace.getSpanContext(active)?.traceId === traceId) return active
  const half = traceId.slice(0, 16)
  const spanId = /^0+$/.test(half) ? traceId.slice(16) : half
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
}
