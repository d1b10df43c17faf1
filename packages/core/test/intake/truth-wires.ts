/**
 * What a recorded answer of the Responses, Gemini, Bedrock or Ollama form says, worked out in the plainest way from all its values at once.
 * Knows nothing of the decoder, and is of use only for whole recordings.
 */

export interface WireTruth {
  readonly calls: readonly (readonly [name: string, value: unknown])[]
  readonly text: string
  readonly reasoning: string
}

type Step = (value: unknown) => unknown

/** What is at the end of a path, if all of it is there. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((place, key) => (typeof place === 'object' && place !== null ? Reflect.get(place, key) : undefined), value)
}

function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function argumentsOf(value: unknown): unknown {
  if (isObject(value)) return value
  if (typeof value !== 'string' || value.trim() === '') return {}
  try {
    return JSON.parse(value)
  } catch {
    return 'broken'
  }
}

function joined(values: readonly unknown[], piece: Step): string {
  return values.map((value) => String(piece(value) ?? '')).join('')
}

export function wireTruth(wire: string, values: readonly unknown[]): WireTruth {
  switch (wire) {
    case 'openai-responses':
      return responsesTruth(values)
    case 'gemini':
      return geminiTruth(values)
    case 'gemini-interactions':
      return interactionsTruth(values)
    case 'cohere':
      return cohereTruth(values)
    case 'bedrock':
      return bedrockTruth(values)
    case 'ollama':
      return ollamaTruth(values)
    default:
      throw new Error(`no truth is known of ${wire}`)
  }
}

/** Finished items say all there is; text that was streamed has no need of them. */
function responsesTruth(values: readonly unknown[]): WireTruth {
  const finished = values.filter((value) => at(value, 'type') === 'response.output_item.done').map((value) => at(value, 'item'))
  const output = values.flatMap((value) =>
    at(value, 'object') === 'response' ? listAt(value, 'output') : listAt(value, 'response', 'output'),
  )
  const items = finished.length > 0 ? finished : output
  const calls: [string, unknown][] = []
  for (const item of items) {
    if (at(item, 'type') === 'function_call') calls.push([textAt(item, 'name'), argumentsOf(at(item, 'arguments'))])
    if (at(item, 'type') === 'custom_tool_call') calls.push([textAt(item, 'name'), { input: at(item, 'input') }])
  }
  const deltas = (...kinds: readonly string[]): string =>
    joined(
      values.filter((value) => kinds.includes(textAt(value, 'type'))),
      (value) => at(value, 'delta'),
    )
  const streamed = deltas('response.output_text.delta', 'response.refusal.delta')
  const whole = joined(
    items.filter((item) => at(item, 'type') === 'message').flatMap((item) => listAt(item, 'content')),
    (part) => at(part, 'text') ?? at(part, 'refusal'),
  )
  const thought = deltas('response.reasoning_summary_text.delta', 'response.reasoning_text.delta')
  const told = items
    .filter((item) => at(item, 'type') === 'reasoning')
    .map((item) => (listAt(item, 'summary').length > 0 ? listAt(item, 'summary') : listAt(item, 'content')))
  return { calls, text: streamed || whole, reasoning: thought || joined(told.flat(), (part) => at(part, 'text')) }
}

function geminiTruth(values: readonly unknown[]): WireTruth {
  const calls: [string, unknown][] = []
  let text = ''
  let reasoning = ''
  for (const value of values.flatMap((entry) => (Array.isArray(entry) ? entry : [entry]))) {
    for (const part of listAt(value, 'candidates', 0, 'content', 'parts')) {
      if (at(part, 'thought') === true) reasoning += textAt(part, 'text')
      else text += textAt(part, 'text')
      const call = at(part, 'functionCall')
      if (!isObject(call)) continue
      if (textAt(call, 'name') !== '') calls.push([textAt(call, 'name'), at(call, 'args') ?? {}])
      for (const piece of listAt(call, 'partialArgs')) place(calls.at(-1)?.[1], textAt(piece, 'jsonPath'), piece)
    }
  }
  return { calls, text, reasoning }
}

/** Puts one streamed value where its path says; the names in the recordings hold no punctuation. */
function place(root: unknown, path: string, piece: unknown): void {
  const keys = path.match(/[A-Za-z_]\w*|\d+/g) ?? []
  let target = root
  for (const [depth, key] of keys.entries()) {
    if (!isObject(target) && !Array.isArray(target)) throw new Error(`nothing at ${path}`)
    const before = at(target, key)
    if (depth < keys.length - 1) {
      if (before === undefined) Reflect.set(target, key, /^\d/.test(keys[depth + 1] ?? '') ? [] : {})
      target = at(target, key)
      continue
    }
    const said = at(piece, 'stringValue')
    const value =
      typeof said === 'string'
        ? (typeof before === 'string' ? before : '') + said
        : (at(piece, 'numberValue') ?? at(piece, 'boolValue') ?? null)
    Reflect.set(target, key, value)
  }
}

/** Steps of a whole answer, and steps with their pieces. */
function interactionsTruth(values: readonly unknown[]): WireTruth {
  const calls: [string, unknown][] = []
  let text = ''
  let reasoning = ''
  const streamed = new Map<unknown, { readonly name: string; pieces: string }>()
  for (const value of values) {
    for (const step of listAt(value, 'steps')) {
      if (at(step, 'type') === 'function_call') calls.push([textAt(step, 'name'), at(step, 'arguments')])
      if (at(step, 'type') === 'model_output') text += joined(listAt(step, 'content'), (part) => at(part, 'text'))
      reasoning += joined(listAt(step, 'summary'), (part) => at(part, 'text'))
    }
    if (at(value, 'step', 'type') === 'function_call') streamed.set(at(value, 'index'), { name: textAt(value, 'step', 'name'), pieces: '' })
    if (at(value, 'delta', 'type') === 'text') text += textAt(value, 'delta', 'text')
    if (at(value, 'delta', 'type') === 'thought_summary') reasoning += textAt(value, 'delta', 'content', 'text')
    const call = streamed.get(at(value, 'index'))
    if (call !== undefined) call.pieces += textAt(value, 'delta', 'arguments')
  }
  return {
    calls: [...calls, ...[...streamed.values()].map((call): [string, unknown] => [call.name, argumentsOf(call.pieces)])],
    text,
    reasoning,
  }
}

function cohereTruth(values: readonly unknown[]): WireTruth {
  const calls: [string, unknown][] = []
  const streamed: { readonly name: string; pieces: string }[] = []
  let text = ''
  let reasoning = ''
  for (const value of values) {
    const message = at(value, 'delta', 'message') ?? at(value, 'message')
    reasoning += textAt(message, 'tool_plan') + textAt(message, 'content', 'thinking')
    reasoning += joined(listAt(message, 'content'), (part) => at(part, 'thinking'))
    text += textAt(message, 'content', 'text') + joined(listAt(message, 'content'), (part) => at(part, 'text'))
    for (const entry of listAt(message, 'tool_calls')) {
      const said = textAt(entry, 'function', 'arguments')
      calls.push([textAt(entry, 'function', 'name'), said === 'null' ? {} : argumentsOf(said)])
    }
    if (at(value, 'type') === 'tool-call-start') streamed.push({ name: textAt(message, 'tool_calls', 'function', 'name'), pieces: '' })
    const call = streamed[Number(at(value, 'index'))]
    if (call !== undefined) call.pieces += textAt(message, 'tool_calls', 'function', 'arguments')
  }
  return { calls: [...calls, ...streamed.map((call): [string, unknown] => [call.name, argumentsOf(call.pieces)])], text, reasoning }
}

function bedrockTruth(values: readonly unknown[]): WireTruth {
  const made = new Map<unknown, { readonly name: string; pieces: string }>()
  const calls: [string, unknown][] = []
  let text = ''
  let reasoning = ''
  for (const value of values) {
    for (const block of listAt(value, 'output', 'message', 'content')) {
      text += textAt(block, 'text')
      reasoning += textAt(block, 'reasoningContent', 'reasoningText', 'text')
      const tool = at(block, 'toolUse')
      // What the provider runs itself is no call.
      if (isObject(tool) && at(tool, 'type') !== 'server_tool_use') calls.push([textAt(tool, 'name'), at(tool, 'input')])
    }
    const tool = at(value, 'contentBlockStart', 'start', 'toolUse')
    if (isObject(tool)) made.set(at(value, 'contentBlockStart', 'contentBlockIndex'), { name: textAt(tool, 'name'), pieces: '' })
    const delta = at(value, 'contentBlockDelta', 'delta')
    text += textAt(delta, 'text')
    reasoning += textAt(delta, 'reasoningContent', 'text')
    const call = made.get(at(value, 'contentBlockDelta', 'contentBlockIndex'))
    if (call !== undefined) call.pieces += textAt(delta, 'toolUse', 'input')
  }
  return {
    calls: [...calls, ...[...made.values()].map((call): [string, unknown] => [call.name, argumentsOf(call.pieces)])],
    text,
    reasoning,
  }
}

function ollamaTruth(values: readonly unknown[]): WireTruth {
  const calls = values
    .flatMap((value) => listAt(value, 'message', 'tool_calls'))
    .map((entry): [string, unknown] => [textAt(entry, 'function', 'name'), argumentsOf(at(entry, 'function', 'arguments'))])
  return {
    calls,
    text: joined(values, (value) => at(value, 'message', 'content') ?? at(value, 'response')),
    reasoning: joined(values, (value) => at(value, 'message', 'thinking') ?? at(value, 'thinking')),
  }
}
