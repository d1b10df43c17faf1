/**
 * Works out what a recorded answer says, in the plainest way: all events parsed at once, pieces put together by the rules that the providers
 * document. Knows nothing of the decoder, and is of use only for whole recordings.
 */

export interface Truth {
  readonly calls: readonly (readonly [name: string, value: unknown])[]
  readonly text: string
}

/** The JSON values of a recording, whichever way it is framed; what is no JSON is left out. */
export function valuesOf(recording: string): readonly unknown[] {
  const text = recording.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const whole = tryParse(text)
  if (whole !== undefined) return [whole]
  return text
    .split('\n')
    .map((line) => tryParse(line.replace(/^data:/, '')))
    .filter((value) => value !== undefined)
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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

function parsedArguments(pieces: readonly unknown[]): unknown {
  const [only] = pieces
  if (pieces.length === 1 && isObject(only)) return only
  const text = pieces.filter((piece) => typeof piece === 'string').join('')
  if (text.trim() === '') return {}
  const value = tryParse(text)
  return isObject(value) ? value : 'broken'
}

interface Made {
  readonly name: string
  readonly id: string
  readonly pieces: unknown[]
}

export function truthOf(wire: string, values: readonly unknown[]): Truth {
  return wire === 'anthropic' ? anthropicTruth(values) : openAiTruth(values)
}

function told(made: readonly Made[], text: string): Truth {
  return { calls: made.map((call) => [call.name, parsedArguments(call.pieces)]), text }
}

function openAiTruth(values: readonly unknown[]): Truth {
  const made: Made[] = []
  const current = new Map<unknown, Made>()
  let text = ''
  for (const value of values) {
    const choice = at(value, 'choices', 0)
    const streamed = isObject(at(choice, 'delta'))
    const delta = at(choice, streamed ? 'delta' : 'message')
    text +=
      textAt(delta, 'content') +
      listAt(delta, 'content')
        .map((part) => textAt(part, 'text'))
        .join('')
    text += textAt(delta, 'refusal') + textAt(choice, 'text')
    for (const [position, entry] of listAt(delta, 'tool_calls').entries()) {
      const key = at(entry, 'index') ?? (streamed ? 'none' : `whole ${position}`)
      const id = textAt(entry, 'id')
      let call = current.get(key)
      if (call === undefined || (id !== '' && id !== call.id)) {
        call = { name: textAt(entry, 'function', 'name'), id, pieces: [] }
        current.set(key, call)
        made.push(call)
      }
      const piece = at(entry, 'function', 'arguments')
      if (piece !== undefined && piece !== null) call.pieces.push(piece)
    }
    const name = textAt(delta, 'function_call', 'name')
    if (name !== '') made.push({ name, id: '', pieces: [] })
    if (isObject(at(delta, 'function_call'))) made.at(-1)?.pieces.push(at(delta, 'function_call', 'arguments'))
  }
  return told(made, text)
}

function anthropicTruth(values: readonly unknown[]): Truth {
  const made: Made[] = []
  const current = new Map<unknown, Made>()
  let text = ''
  const block = (index: unknown, content: unknown): void => {
    current.delete(index)
    if (at(content, 'type') === 'text') text += textAt(content, 'text')
    if (at(content, 'type') !== 'tool_use') return
    const input = at(content, 'input')
    const call: Made = {
      name: textAt(content, 'name'),
      id: textAt(content, 'id'),
      pieces: isObject(input) && Object.keys(input).length > 0 ? [input] : [],
    }
    current.set(index, call)
    made.push(call)
  }
  for (const value of values) {
    const type = at(value, 'type')
    if (type === 'message') for (const [index, content] of listAt(value, 'content').entries()) block(index, content)
    if (type === 'content_block_start') block(at(value, 'index'), at(value, 'content_block'))
    if (type !== 'content_block_delta') continue
    if (at(value, 'delta', 'type') === 'text_delta') text += textAt(value, 'delta', 'text')
    if (at(value, 'delta', 'type') === 'input_json_delta') current.get(at(value, 'index'))?.pieces.push(at(value, 'delta', 'partial_json'))
  }
  return told(made, text)
}
