import fc from 'fast-check'
import type { CallArguments, ToolCall } from '../src/contract/call.ts'
import { callId } from '../src/contract/ids.ts'
import type { JsonValue } from '../src/contract/json.ts'
import type { Message } from '../src/contract/messages.ts'
import type { ToolResult } from '../src/contract/result.ts'

export function toolCall(id: string, name: string, index: number, args: CallArguments = { ok: true, value: {} }): ToolCall {
  return { id: callId(id), index, name, arguments: args, idFromProvider: true }
}

export function resultFor(call: ToolCall, text = 'done'): ToolResult {
  return { id: call.id, name: call.name, outcome: 'ok', isError: false, text, parts: [] }
}

const jsonValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
)

const args: fc.Arbitrary<CallArguments> = fc.oneof(
  fc.dictionary(fc.string(), jsonValue, { maxKeys: 3 }).map((value): CallArguments => ({ ok: true, value })),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .map((raw): CallArguments => ({ ok: false, raw: `{"path":"a"}${raw}`, problem: 'not one JSON object', code: 'INVALID_JSON' })),
)

/** Ids as providers, and servers that only look like one, send them. */
const id = fc.oneof(
  fc.constantFrom('call_0', 'call_1', 'functions.read:0', 'toolu_01A', '调用-1', 'a b', 'x'.repeat(100)),
  fc.string({ minLength: 1, maxLength: 60 }),
)
const name = fc.oneof(fc.constantFrom('read_file', 'admin.tools/list', 'constructor', ''), fc.string({ maxLength: 90 }))
const text = fc.oneof(fc.constantFrom('', ' ', '\n'), fc.string({ maxLength: 30 }))

const exchange: fc.Arbitrary<readonly Message[]> = fc
  .record({
    text,
    calls: fc.uniqueArray(fc.record({ id, name, args }), { selector: (call) => call.id, maxLength: 4 }),
    results: fc.array(text, { minLength: 4, maxLength: 4 }),
    thinking: fc.boolean(),
  })
  .map((spec): readonly Message[] => {
    const calls = spec.calls.map((call, at) => toolCall(call.id, call.name, at, call.args))
    const said: Message = {
      role: 'assistant',
      text: spec.text,
      calls,
      ...(spec.thinking ? { providerBlocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] } : {}),
    }
    return calls.length === 0 ? [said] : [said, { role: 'tool', results: calls.map((call, at) => resultFor(call, spec.results[at])) }]
  })

/** Histories in which every call has its result; everything a model decides is hostile. Begins with a user message. */
export function histories(options: { readonly withCalls?: boolean } = {}): fc.Arbitrary<readonly Message[]> {
  const user = fc.string({ minLength: 1, maxLength: 20 }).map((said): readonly Message[] => [{ role: 'user', text: said }])
  const first = fc.string({ maxLength: 20 }).map((said): readonly Message[] => [{ role: 'user', text: `task ${said}` }])
  const all = fc
    .tuple(first, fc.array(fc.oneof({ weight: 1, arbitrary: user }, { weight: 4, arbitrary: exchange }), { maxLength: 6 }))
    .map(([task, rest]) => [...task, ...rest.flat()])
  return options.withCalls === true ? all.filter((messages) => messages.some((message) => message.role === 'tool')) : all
}

/** Any of the messages, in any order, tool messages taken apart. */
export function torn(whole: fc.Arbitrary<readonly Message[]>): fc.Arbitrary<readonly Message[]> {
  return whole.chain((messages) => {
    const pieces = messages.flatMap((message): readonly Message[] =>
      message.role === 'tool' ? message.results.map((one): Message => ({ role: 'tool', results: [one] })) : [message],
    )
    return fc.shuffledSubarray([...messages, ...pieces])
  })
}
