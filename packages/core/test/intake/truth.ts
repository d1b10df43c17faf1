/**
 * Works out what a recorded answer says, in the plainest way: all events parsed at once, pieces put together by the rules that the providers
 * document. Knows nothing of the decoder, and is of use only for whole recordings.
 */

export interface Truth {
  readonly calls: readonly (readonly [name: string, value: unknown])[]
  readonly text: string
}

type Json = ReturnType<typeof JSON.parse>

/** The JSON values of a recording, whichever way it is framed; what is no JSON is left out. */
export function valuesOf(recording: string): readonly Json[] {
  const text = recording.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const whole = tryParse(text)
  if (whole !== undefined) return [whole]
  const values: Json[] = []
  for (const line of text.split('\n')) {
    const value = tryParse(line.replace(/^data:/, ''))
    if (value !== undefined) values.push(value)
  }
  return values
}

function tryParse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parsedArguments(pieces: readonly unknown[]): unknown {
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'object' && only !== null) return only
  const text = pieces.filter((piece) => typeof piece === 'string').join('')
  if (text.trim() === '') return {}
  const value = tryParse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'broken'
}

export function truthOf(wire: string, values: readonly Json[]): Truth {
  return wire === 'anthropic' ? anthropicTruth(values) : openAiTruth(values)
}

interface Made {
  readonly name: string
  readonly id: unknown
  readonly pieces: unknown[]
}

function openAiTruth(values: readonly Json[]): Truth {
  const made: Made[] = []
  const current = new Map<unknown, Made>()
  let text = ''
  for (const value of values) {
    const choice = value?.choices?.[0]
    if (choice === undefined || choice === null) continue
    const delta = choice.delta ?? choice.message ?? {}
    if (typeof delta.content === 'string') text += delta.content
    else for (const part of delta.content ?? []) text += part.text ?? ''
    text += delta.refusal ?? choice.text ?? ''
    for (const [position, entry] of (delta.tool_calls ?? []).entries()) {
      const key = entry.index ?? (choice.delta ? 'none' : `whole ${position}`)
      let call = current.get(key)
      if (call === undefined || (entry.id && entry.id !== call.id)) {
        call = { name: entry.function?.name ?? '', id: entry.id || undefined, pieces: [] }
        current.set(key, call)
        made.push(call)
      }
      const piece = entry.function?.arguments
      if (piece !== undefined && piece !== null) call.pieces.push(piece)
    }
    const legacy = delta.function_call
    if (legacy) {
      if (legacy.name) made.push({ name: legacy.name, id: undefined, pieces: [] })
      made.at(-1)?.pieces.push(legacy.arguments ?? '')
    }
  }
  return { calls: made.map((call) => [call.name, parsedArguments(call.pieces)]), text }
}

function anthropicTruth(values: readonly Json[]): Truth {
  const made: Made[] = []
  const current = new Map<unknown, Made>()
  let text = ''
  const block = (index: unknown, content: Json): void => {
    current.delete(index)
    if (content?.type === 'text') text += content.text ?? ''
    if (content?.type !== 'tool_use') return
    const call: Made = { name: content.name, id: content.id, pieces: Object.keys(content.input ?? {}).length > 0 ? [content.input] : [] }
    current.set(index, call)
    made.push(call)
  }
  for (const value of values) {
    if (value?.type === 'message') for (const [index, content] of (value.content ?? []).entries()) block(index, content)
    if (value?.type === 'content_block_start') block(value.index, value.content_block)
    if (value?.type !== 'content_block_delta') continue
    if (value.delta?.type === 'text_delta') text += value.delta.text
    if (value.delta?.type === 'input_json_delta') current.get(value.index)?.pieces.push(value.delta.partial_json)
  }
  return { calls: made.map((call) => [call.name, parsedArguments(call.pieces)]), text }
}
