import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

type Event = Readonly<Record<string, unknown>>

function sse(events: readonly Event[]): string {
  return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function read(events: readonly Event[]): Decoded {
  return decodeAll(sse(events))
}

const created: Event = { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] } }

function completed(output: readonly Event[] = [], more: Event = {}): Event {
  const usage = { input_tokens: 7, output_tokens: 3 }
  return { type: 'response.completed', response: { id: 'resp_1', object: 'response', status: 'completed', output, usage, ...more } }
}

function item(place: number, name: string, args: string, more: Event = {}): Event {
  return { type: 'function_call', id: `fc_${place}`, call_id: `call_${place}`, name, arguments: args, ...more }
}

function added(place: number, what: Event): Event {
  return { type: 'response.output_item.added', output_index: place, item: what }
}

function finished(place: number, what: Event): Event {
  return { type: 'response.output_item.done', output_index: place, item: what }
}

function piece(place: number, delta: string, more: Event = {}): Event {
  return { type: 'response.function_call_arguments.delta', output_index: place, item_id: `fc_${place}`, delta, ...more }
}

function whole(place: number, args: string): Event {
  return { type: 'response.function_call_arguments.done', output_index: place, item_id: `fc_${place}`, arguments: args }
}

/** One call as it is streamed. */
function call(place: number, name: string, args: string, size = 5): readonly Event[] {
  const pieces = args.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  return [
    added(place, item(place, name, '')),
    ...pieces.map((text) => piece(place, text)),
    whole(place, args),
    finished(place, item(place, name, args)),
  ]
}

describe('OpenAI Responses', () => {
  it('gives several calls of one response in order, with the ids that results are sent back under', () => {
    const decoded = read([created, ...call(0, 'look', '{"at":"a"}'), ...call(1, 'look', '{"at":"b"}'), ...call(2, 'stop', ''), completed()])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['look', { at: 'b' }],
      ['stop', {}],
    ])
    assert.deepEqual(
      decoded.calls.map((one) => [one.id, one.index, one.idFromProvider]),
      [
        ['call_0', 0, true],
        ['call_1', 1, true],
        ['call_2', 2, true],
      ],
    )
    assert.deepEqual(decoded.problems, [])
    assert.deepEqual(decoded.end, { type: 'end', dialect: 'openai-responses', finish: 'tool-calls' })
    assert.deepEqual(
      decoded.events.filter((event) => event.type === 'usage'),
      [{ type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } }],
    )
  })

  it('hands a call over when its arguments are said to be finished, before the next item', () => {
    const events = read([created, ...call(0, 'a', '{}'), ...call(1, 'b', '{"x":1}'), completed()]).events
    assert.deepEqual(
      events.filter((event) => event.type === 'call' || event.type === 'call-start').map((event) => event.type),
      ['call-start', 'call', 'call-start', 'call'],
    )
    const cut = read([created, ...call(0, 'a', '{"x":1}').slice(0, -1)])
    assert.deepEqual(namesAndValues(cut.calls), [['a', { x: 1 }]])
    assert.equal(cut.problems[0]?.code, 'STREAM_BROKEN')
    assert.equal(cut.end.finish, undefined)
  })

  it('keeps calls apart that are woven into each other, whatever names their pieces: item, place, or nothing', () => {
    const starts = [created, added(0, item(0, 'a', '')), added(1, item(1, 'b', ''))]
    const ends = [finished(0, item(0, 'a', '{"x":1}')), finished(1, item(1, 'b', '{"y":2}')), completed()]
    const woven = (more: Event, other: Event): readonly Event[] => [
      piece(0, '{"x"', more),
      piece(1, '{"y"', other),
      piece(0, ':1}', more),
      piece(1, ':2}', other),
    ]
    for (const [more, other] of [
      [{}, {}],
      [{ output_index: undefined }, { output_index: undefined }],
      [{ output_index: 0 }, { output_index: 0 }],
      [{ item_id: 'rotated_1' }, { item_id: 'rotated_2' }],
      [{ item_id: undefined }, { item_id: undefined }],
    ] as const) {
      assert.deepEqual(namesAndValues(read([...starts, ...woven(more, other), ...ends]).calls), [
        ['a', { x: 1 }],
        ['b', { y: 2 }],
      ])
    }
    const bare = (delta: string): Event => ({ type: 'response.function_call_arguments.delta', delta })
    const one = read([created, { type: 'response.output_item.added', item: item(0, 'a', '') }, bare('{"x"'), bare(':1}'), completed()])
    assert.deepEqual(namesAndValues(one.calls), [['a', { x: 1 }]])
  })

  it('takes arguments from wherever they are: pieces, the end of the pieces, the item, the response', () => {
    const args = '{"x":1}'
    const variants: readonly (readonly Event[])[] = [
      [added(0, item(0, 'a', '')), piece(0, args), finished(0, item(0, 'a', args))],
      [added(0, item(0, 'a', '')), whole(0, args), finished(0, item(0, 'a', args))],
      [added(0, item(0, 'a', '')), finished(0, item(0, 'a', args))],
      [added(0, item(0, 'a', args)), finished(0, item(0, 'a', args))],
      [added(0, item(0, 'a', args))],
      [added(0, item(0, 'a', args)), piece(0, args)],
      [added(0, item(0, 'a', '')), piece(0, '{"x'), whole(0, args)],
      [finished(0, item(0, 'a', args))],
      [],
    ]
    for (const events of variants) {
      const decoded = read([created, ...events, completed([item(0, 'a', args)])])
      assert.deepEqual(namesAndValues(decoded.calls), [['a', { x: 1 }]], JSON.stringify(events))
      assert.deepEqual(decoded.problems, [])
      assert.equal(decoded.calls[0]?.id, 'call_0')
    }
  })

  it('says that arguments are broken, and which', () => {
    const decoded = read([created, ...call(0, 'a', 'look at a'), ...call(1, 'b', '{"x":'), ...call(2, 'c', '[1]'), completed()])
    assert.deepEqual(
      decoded.calls.map((one) => !one.arguments.ok && one.arguments.raw),
      ['look at a', '{"x":', '[1]'],
    )
  })

  it('gives the free text of a custom tool as its one argument, whole or in pieces', () => {
    const custom = { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_9', name: 'sql' }
    const delta = (text: string): Event => ({
      type: 'response.custom_tool_call_input.delta',
      item_id: 'ct_1',
      output_index: 0,
      delta: text,
    })
    const text = '{"not": json\n'
    for (const events of [
      [added(0, { ...custom, input: '' }), delta('{"not": '), delta('json\n'), finished(0, { ...custom, input: text })],
      [added(0, { ...custom, input: '' }), delta('{"not": '), delta('json\n')],
      [finished(0, { ...custom, input: text })],
    ]) {
      const decoded = read([created, ...events, completed()])
      assert.deepEqual(namesAndValues(decoded.calls), [['sql', { input: text }]])
      assert.deepEqual([decoded.calls[0]?.id, decoded.calls[0]?.form], ['call_9', 'text'])
    }
  })

  it('tells reasoning once, paragraph by paragraph, and keeps what the provider wants back', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One.' },
        { type: 'summary_text', text: 'Two.' },
      ],
      encrypted_content: 'secret',
    }
    const summary = (part: number, delta: string): Event => ({
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_1',
      output_index: 0,
      summary_index: part,
      delta,
    })
    const streamed = [added(0, { type: 'reasoning', id: 'rs_1', summary: [] }), summary(0, 'On'), summary(0, 'e.'), summary(1, 'Two.')]
    for (const events of [[...streamed, finished(0, reasoning)], [finished(0, reasoning)]]) {
      const decoded = read([created, ...events, completed([reasoning])])
      assert.equal(decoded.reasoning, 'One.\n\nTwo.')
      assert.deepEqual(
        decoded.events.filter((event) => event.type === 'provider-block'),
        [{ type: 'provider-block', block: reasoning }],
      )
    }
    const { encrypted_content: _, ...stored } = reasoning
    const kept = read([created, finished(0, stored), completed([stored])]).events.filter((event) => event.type === 'provider-block')
    assert.deepEqual(kept, [], 'only the store of the provider knows it')
  })

  it('leaves alone what the provider runs itself or asks a person', () => {
    for (const type of [
      'web_search_call',
      'file_search_call',
      'code_interpreter_call',
      'computer_call',
      'local_shell_call',
      'mcp_approval_request',
    ]) {
      const block = { type, id: 'x_1', call_id: 'call_x', name: 'look', arguments: '{"a":1}', action: { type: 'search' } }
      const decoded = read([created, added(0, block), finished(0, block), completed([block])])
      assert.deepEqual(decoded.calls, [])
      assert.deepEqual(
        decoded.events.filter((event) => event.type === 'provider-block'),
        [{ type: 'provider-block', block }],
      )
      assert.equal(decoded.end.finish, 'stop')
    }
  })

  it('gives a refusal as text, and says so at the end', () => {
    const refused = { type: 'message', id: 'msg_1', content: [{ type: 'refusal', refusal: 'I cannot.' }] }
    for (const events of [
      [added(0, { ...refused, content: [] }), { type: 'response.refusal.delta', item_id: 'msg_1', output_index: 0, delta: 'I cannot.' }],
      [],
    ]) {
      const decoded = read([created, ...events, finished(0, refused), completed([refused])])
      assert.equal(decoded.text, 'I cannot.')
      assert.equal(decoded.end.finish, 'content-filter')
    }
  })

  it('says why a response is not complete', () => {
    const ended = (type: string, response: Event): Decoded => read([created, ...call(0, 'a', '{"x":1}').slice(0, 2), { type, response }])
    const long = ended('response.incomplete', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    assert.equal(long.end.finish, 'length')
    assert.equal(long.calls[0]?.arguments.ok, false)
    assert.deepEqual(long.problems, [])
    assert.equal(ended('response.incomplete', { incomplete_details: { reason: 'content_filter' } }).end.finish, 'content-filter')
    const failed = ended('response.failed', { status: 'failed', error: { code: 'server_error', message: 'boom' } })
    assert.deepEqual(
      failed.problems.map((problem) => [problem.code, /boom/.test(problem.message)]),
      [['MODEL_UNAVAILABLE', true]],
    )
    assert.equal(failed.end.finish, 'error')
  })

  it('reads an error in either of its forms, once, and as the first event', () => {
    const flat = { type: 'error', code: 'invalid_prompt', message: 'no', param: null, sequence_number: 1 }
    const nested = { type: 'error', error: { type: 'invalid_request_error', message: 'no' }, sequence_number: 1 }
    for (const events of [
      [flat],
      [created, flat],
      [created, nested],
      [created, nested, { type: 'response.failed', response: { error: { message: 'no' } } }],
    ]) {
      const decoded = read(events)
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['MODEL_FAILED'],
      )
      assert.equal(decoded.end.finish, 'error')
    }
    assert.equal(read([flat]).end.dialect, 'openai-responses')
  })

  it('reads a whole response, and refuses to take a queued one for an answer', () => {
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
    const body = { id: 'resp_1', object: 'response', status: 'completed', error: null, output: [message, item(0, 'a', '{"x":1}')] }
    const decoded = decodeAll(JSON.stringify(body, undefined, 2))
    assert.equal(decoded.text, 'Hello')
    assert.deepEqual(namesAndValues(decoded.calls), [['a', { x: 1 }]])
    assert.equal(decoded.end.finish, 'tool-calls')
    const queued = decodeAll(JSON.stringify({ ...body, status: 'queued', output: [] }))
    assert.equal(queued.problems[0]?.code, 'STREAM_BROKEN')
    assert.equal(queued.end.finish, undefined)
  })

  it('begins anew when the response does; what was open is broken, what was handed over stays', () => {
    const decoded = read([
      created,
      ...call(0, 'a', '{"x":1}'),
      added(1, item(1, 'b', '')),
      created,
      ...call(0, 'c', '{"y":2}'),
      completed(),
    ])
    assert.deepEqual(
      decoded.calls.map((one) => [one.name, one.arguments.ok]),
      [
        ['a', true],
        ['b', false],
        ['c', true],
      ],
    )
    assert.equal(new Set(decoded.calls.map((one) => one.id)).size, 3)
  })

  it('bounds what it keeps of one call', () => {
    const limits = { argumentChars: 100, lineChars: 100_000 }
    const long = 'x'.repeat(60)
    const custom = { type: 'custom_tool_call', id: 'ct_1', call_id: 'c', name: 'sql', input: '' }
    const delta: Event = { type: 'response.custom_tool_call_input.delta', item_id: 'ct_1', delta: long }
    for (const events of [
      [added(0, item(0, 'a', '')), piece(0, `{"x":"${long}`), piece(0, long), piece(0, '"}')],
      [added(0, custom), delta, delta, delta],
    ]) {
      const decoded = decodeAll(sse([created, ...events, completed()]), 'auto', [], { limits })
      assert.deepEqual(
        decoded.calls.map((one) => !one.arguments.ok && one.arguments.code),
        ['TOO_LARGE'],
      )
    }
  })

  it('gives what was asked for, however it is cut and in whatever pieces it comes', () => {
    const asked = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z_]{1,8}$/),
        input: fc.dictionary(fc.string(), fc.jsonValue()),
        size: fc.integer({ min: 1, max: 9 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(asked, (calls) => {
        const inputs = calls.map(({ input }) => JSON.parse(JSON.stringify(input)))
        const events = calls.flatMap(({ name, size }, place) => call(place, name, JSON.stringify(inputs[place]), size))
        const bytes = new TextEncoder().encode(sse([created, ...events, completed()]))
        const decoded = decodeAll(bytes)
        assert.deepEqual(
          namesAndValues(decoded.calls),
          calls.map(({ name }, place) => [name, inputs[place]]),
        )
        assert.deepEqual(decodeAll(bytes, 'openai-responses', 'each').events, decoded.events)
      }),
      { numRuns: 60 },
    )
  })
})
