/** Writes Chat Completions and Messages streams for tests, from the parts that matter. */

export interface Piece {
  readonly index?: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
}

/** One entry of `tool_calls`: only what is given is written. */
export function piece({ index, id, name, arguments: args }: Piece): object {
  const body = { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
  return { ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), type: 'function', function: body }
}

export function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

/** A whole stream: each item is one event with these pieces. */
export function chatOf(events: readonly (readonly Piece[])[], finish = 'tool_calls'): string {
  const deltas = events.map((pieces) => chunk({ tool_calls: pieces.map(piece) }))
  return `${deltas.join('')}${chunk({}, finish)}data: [DONE]\n\n`
}

/** A Messages stream of these events. */
export function messagesOf(events: readonly { readonly type: string; readonly [key: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
