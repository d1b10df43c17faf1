import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, StackContextManager, TracerProvider } from '@opentelemetry/sdk-trace'
import type { CallState } from '../../contract/call-state.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { approvalId, callId } from '../../contract/ids.ts'
import type { Redactor } from '../../contract/redact.ts'
import * as names from '../attribute-names.ts'
import { admittedOf, callOf, EXAMPLE_SESSION, exampleEvents, judged, resultOf } from '../fixtures/example-events.ts'
import { type TraceFollower, type TraceOptions, traceObserver } from './trace-observer.ts'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
const tracer = provider.getTracer('test')
afterEach(() => exporter.reset())

const state = (id: string, state: CallState, at: number): SessionEvent => ({
  type: 'call-state',
  id: callId(id),
  name: 'read_file',
  state,
  at,
})

const follow = (options: TraceOptions = {}): TraceFollower => traceObserver({ tracer, ...options }).follow(EXAMPLE_SESSION)

async function spansOf(events: readonly SessionEvent[], options: TraceOptions = {}): Promise<readonly ReadableSpan[]> {
  const follower = follow(options)
  for (const event of events) follower.event(event)
  await follower.flush?.()
  await follower.close?.()
  await provider.forceFlush()
  return exporter.getFinishedSpans()
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const [span, ...more] = spans.filter((one) => one.name === name)
  assert.ok(span !== undefined && more.length === 0, `${name} in ${spans.map((one) => one.name).join(', ')}`)
  return span
}
const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1_000 + nanos / 1_000_000 - EXAMPLE_SESSION.startedAt

const ROUND: readonly SessionEvent[] = [
  { type: 'task', text: 'Tidy up', at: 0 },
  { type: 'round', round: 1, at: 1 },
  { type: 'model', event: { type: 'text', text: 'I look.' }, at: 2 },
  { type: 'model', event: { type: 'usage', usage: { inputTokens: 100, outputTokens: 20 } }, at: 3 },
  { type: 'model', event: { type: 'end', finish: 'tool-calls', dialect: 'openai-chat' }, at: 4 },
]

describe('trace', () => {
  it('has a span for the task, for each answer of the model and for each call, in the session’s own trace', async () => {
    const spans = await spansOf(
      [
        ...ROUND,
        state('call_1', { status: 'received' }, 5),
        judged({}, 5),
        state('call_1', { status: 'queued' }, 6),
        state('call_1', { status: 'running', attempt: 1 }, 10),
        { type: 'retry', id: callId('call_1'), name: 'read_file', attempt: 2, delayMs: 250, code: 'TIMEOUT', at: 12 },
        state('call_1', { status: 'succeeded' }, 20),
        { type: 'results', results: [resultOf({ text: 'hello', startedAt: 10, endedAt: 20.5, attempts: 2 })], at: 21 },
        { type: 'ended', reason: 'answer', text: 'Done', at: 30 },
      ],
      { model: 'openai:gpt-5', agent: 'desk' },
    )
    assert.deepEqual(
      spans.map((span) => span.name),
      ['chat gpt-5', 'execute_tool read_file', 'invoke_agent desk'],
    )
    for (const span of spans) assert.equal(span.spanContext().traceId, EXAMPLE_SESSION.traceId)
    const agent = named(spans, 'invoke_agent desk')
    assert.equal(agent.parentSpanContext?.isRemote, true)
    assert.deepEqual([ms(agent.startTime), ms(agent.endTime)], [0, 30])
    const chat = named(spans, 'chat gpt-5')
    assert.deepEqual([chat.kind, ms(chat.startTime), ms(chat.endTime)], [SpanKind.CLIENT, 1, 4])
    assert.equal(chat.parentSpanContext?.spanId, agent.spanContext().spanId)
    assert.deepEqual(chat.attributes, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': 'session_1',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'adjutant.round': 1,
    })
    const call = named(spans, 'execute_tool read_file')
    assert.deepEqual(
      [call.kind, ms(call.startTime), ms(call.endTime), call.status.code],
      [SpanKind.INTERNAL, 10, 20.5, SpanStatusCode.UNSET],
    )
    assert.equal(call.parentSpanContext?.spanId, agent.spanContext().spanId)
    // No arguments, no result: content is asked for or not there.
    assert.deepEqual(call.attributes, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.type': 'function',
      'adjutant.tool.origin': 'function',
      'adjutant.tool.effect': 'read',
      'adjutant.decision': 'allow',
      'adjutant.decision.rule': 'mode/ask',
      'adjutant.decision.tier': 'mode',
      'adjutant.call.queue.duration': 0.004,
      'adjutant.call.outcome': 'ok',
      'adjutant.call.attempts': 2,
      'adjutant.call.cached': false,
      'adjutant.call.clipped': false,
    })
    assert.deepEqual(
      call.events.map((event) => [event.name, event.attributes?.['error.type'], ms(event.time)]),
      [['adjutant.retry', 'TIMEOUT', 12]],
    )
  })

  it('ends the span of a call that waits for a person, and links the one that goes on', async () => {
    const call = admittedOf({ effect: 'write', kind: 'mcp' })
    const request = { id: approvalId('approval_1'), sessionId: EXAMPLE_SESSION.sessionId, call, reason: 'writes' }
    const follower = follow()
    follower.event(judged({ effect: 'write', kind: 'mcp' }, 1, { effect: 'ask', rule: 'mode/ask', tier: 'mode', reason: 'writes' }))
    follower.event(state('call_1', { status: 'held', reason: 'writes' }, 2))
    await provider.forceFlush()
    // Exported while the person still thinks.
    const [held] = exporter.getFinishedSpans()
    assert.deepEqual(
      [held?.name, held?.attributes[names.OUTCOME], held?.status.code],
      ['execute_tool read_file', 'held', SpanStatusCode.UNSET],
    )
    assert.equal(held?.attributes[names.TOOL_TYPE], 'extension')
    follower.event({ type: 'approval-answered', request, decision: { type: 'approve', scope: 'once' }, at: 7_200_002 })
    follower.event(state('call_1', { status: 'admitted' }, 7_200_003))
    follower.event(state('call_1', { status: 'queued' }, 7_200_003))
    follower.event(state('call_1', { status: 'running', attempt: 1 }, 7_200_004))
    follower.event({ type: 'results', results: [resultOf({ startedAt: 7_200_004, endedAt: 7_200_010 })], at: 7_200_010 })
    await provider.forceFlush()
    const [, after] = exporter.getFinishedSpans()
    assert.deepEqual(
      after?.links.map((link) => link.context.spanId),
      [held?.spanContext().spanId],
    )
    assert.deepEqual([after?.attributes[names.APPROVAL_SECONDS], after?.attributes[names.APPROVAL_ANSWER]], [7_200, 'approve'])
    assert.deepEqual(after === undefined ? [] : [ms(after.startTime), ms(after.endTime)], [7_200_004, 7_200_010])
  })

  it('marks what failed or never ran with its code, and puts no made up name on record', async () => {
    const events: readonly SessionEvent[] = [
      judged({}, 1),
      state('call_1', { status: 'queued' }, 2),
      state('call_1', { status: 'running', attempt: 1 }, 3),
      judged({ id: 'call_2' }, 3),
      {
        type: 'results',
        results: [
          resultOf({ outcome: 'unknown', isError: true, code: 'TIMEOUT', startedAt: 3, endedAt: 9 }),
          resultOf({ id: 'call_2', outcome: 'not-run', isError: true, code: 'DENIED_BY_PERSON' }),
          resultOf({ id: 'call_3', name: 'made_up_sk-1234', outcome: 'not-run', isError: true, code: 'UNKNOWN_TOOL' }),
        ],
        at: 10,
      },
    ]
    const spans = await spansOf(events)
    assert.deepEqual(
      spans.map((span) => [
        span.name,
        span.attributes['error.type'],
        span.status.code,
        span.attributes[names.OUTCOME],
        ms(span.endTime) - ms(span.startTime),
      ]),
      [
        ['execute_tool read_file', 'TIMEOUT', SpanStatusCode.ERROR, 'unknown', 6],
        ['execute_tool read_file', 'DENIED_BY_PERSON', SpanStatusCode.ERROR, 'not-run', 0],
        ['execute_tool', 'UNKNOWN_TOOL', SpanStatusCode.ERROR, 'not-run', 0],
      ],
    )
    assert.equal(JSON.stringify(spans.map((span) => span.attributes)).includes('made_up'), false)
  })

  it('tells two calls with one id apart', async () => {
    const spans = await spansOf([
      judged({}, 1),
      { type: 'refused', call: callOf(), error: new AdjutantError('DUPLICATE_CALL_ID', 'twice'), at: 1 },
      state('call_1', { status: 'refused', code: 'DUPLICATE_CALL_ID' }, 1),
      state('call_1', { status: 'settled', outcome: 'not-run' }, 1),
      state('call_1', { status: 'queued' }, 2),
      state('call_1', { status: 'running', attempt: 1 }, 3),
      {
        type: 'results',
        results: [resultOf({ startedAt: 3, endedAt: 8 }), resultOf({ outcome: 'not-run', isError: true, code: 'DUPLICATE_CALL_ID' })],
        at: 9,
      },
    ])
    assert.deepEqual(
      spans.map((span) => [span.attributes[names.OUTCOME], ms(span.endTime) - ms(span.startTime)]),
      [
        ['ok', 5],
        ['not-run', 0],
      ],
    )
  })

  it('gives the span of a call whose answer broke off to the one that takes it over, and ends the rest', async () => {
    const spans = await spansOf([
      ...ROUND.slice(0, 3),
      judged({ id: 'old' }, 3),
      state('old', { status: 'running', attempt: 1 }, 3),
      judged({ id: 'left' }, 3),
      state('left', { status: 'running', attempt: 1 }, 3),
      state('left', { status: 'cancelled' }, 5),
      { type: 'answer-retried', round: 1, reason: 'cut', at: 6 },
      { type: 'round', round: 1, at: 7 },
      judged({ id: 'new' }, 8),
      state('new', { status: 'adopted', from: callId('old') }, 9),
      { type: 'results', results: [resultOf({ id: 'new', adoptedFrom: callId('old'), startedAt: 3, endedAt: 10 })], at: 11 },
    ])
    const calls = spans.filter((span) => span.name === 'execute_tool read_file')
    assert.deepEqual(
      calls.map((span) => [span.attributes[names.TOOL_CALL_ID], span.attributes[names.ADOPTED_BY], ms(span.endTime)]),
      [
        ['old', 'new', 10],
        ['left', undefined, 5],
      ],
    )
    const chats = spans.filter((span) => span.name === 'chat')
    assert.deepEqual(
      chats.map((span) => [span.attributes['error.type'], span.status.code]),
      [
        ['STREAM_BROKEN', SpanStatusCode.ERROR],
        [undefined, SpanStatusCode.UNSET],
      ],
    )
    // Nothing is left open when the session is closed without an end.
    assert.equal(spans.length, 5)
  })

  it('carries content only when asked to, and without its secrets, however slow the redactor is', async () => {
    const SECRET = 'sk-secret-0123456789'
    const hide = (text: string) => ({ text: text.replaceAll(SECRET, '[secret]'), count: text.split(SECRET).length - 1 })
    const events = [...exampleEvents(SECRET)]
    const running = state('call_1', { status: 'running', attempt: 1 }, 1.5)
    events.splice(2, 0, running)
    assert.equal(JSON.stringify((await spansOf(events)).map((span) => span.attributes)).includes('hello'), false)
    assert.throws(() => traceObserver({ capture: 'redacted' }), /need a redactor/)
    const redactors: readonly Redactor[] = [{ redact: hide }, { redact: (text) => Promise.resolve(hide(text)) }]
    for (const redactor of redactors) {
      exporter.reset()
      const spans = await spansOf(events, { capture: 'redacted', redactor })
      const call = spans.find((span) => span.attributes[names.TOOL_CALL_ID] === 'call_1')
      assert.equal(call?.attributes['gen_ai.tool.call.arguments'], '{"lines":3,"path":"a.txt"}')
      assert.equal(call?.attributes['gen_ai.tool.call.result'], 'hello[secret]')
      assert.equal(ms(call?.endTime ?? [0, 0]), 14)
      const agent = named(spans, 'invoke_agent')
      assert.equal(agent.attributes['gen_ai.input.messages'], '[{"role":"user","parts":[{"type":"text","content":"Tidy up [secret]"}]}]')
      assert.match(String(agent.attributes['gen_ai.output.messages']), /Done \[secret\]/)
    }
  })

  it('lets a tool’s own spans lie below its call', async () => {
    context.setGlobalContextManager(new StackContextManager().enable())
    try {
      const follower = follow()
      follower.event(judged({}, 1))
      const child = (): string => {
        const span = tracer.startSpan('GET')
        span.end()
        return 'done'
      }
      // Not running yet: it is run all the same.
      assert.equal(follower.within(callId('call_1'), child), 'done')
      follower.event(state('call_1', { status: 'running', attempt: 1 }, 2))
      assert.equal(follower.within(callId('call_1'), child), 'done')
      const parent = follower.spanContext(callId('call_1'))
      const [before, inside] = exporter.getFinishedSpans()
      assert.equal(before?.parentSpanContext, undefined)
      assert.deepEqual([inside?.parentSpanContext?.spanId, inside?.spanContext().traceId], [parent?.spanId, EXAMPLE_SESSION.traceId])
      await follower.close?.()
    } finally {
      context.disable()
    }
  })

  it('lies below the host’s span where that has the session’s trace id', async () => {
    context.setGlobalContextManager(new StackContextManager().enable())
    try {
      const { traceId } = EXAMPLE_SESSION
      const remote: Context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true })
      const request = tracer.startSpan('POST /run', {}, remote)
      const follower = context.with(trace.setSpan(ROOT_CONTEXT, request), () => follow())
      follower.event({ type: 'task', text: '', at: 0 })
      await follower.close?.()
      assert.equal(named(exporter.getFinishedSpans(), 'invoke_agent').parentSpanContext?.spanId, request.spanContext().spanId)
      request.end()
    } finally {
      context.disable()
    }
  })
})
