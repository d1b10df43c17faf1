import { AdjutantError, type DecodeEvent, type Model, type ModelRequest } from '@adjutant/core/contract'

/** One answer: its events, an error to fail with, or a function that makes either from the request. */
export type ScriptedRound =
  | readonly DecodeEvent[]
  | AdjutantError
  | ((request: ModelRequest, signal: AbortSignal) => readonly DecodeEvent[] | AdjutantError | AsyncIterable<DecodeEvent>)

/** A model without a wire: each request takes the next round. What was asked is kept in `requests`. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[]
}

/**
 * A model that says what a test wrote down. An `end` is added where a round has none; a request beyond the last round fails with
 * MODEL_FAILED, so that a loop that asks once too often is seen.
 *
 * @example
 * ```ts
 * const model = scriptedModel([[{ type: 'text', text: 'Hello' }]])
 * ```
 */
export function scriptedModel(rounds: readonly ScriptedRound[], name = 'scripted'): ScriptedModel {
  const requests: ModelRequest[] = []
  async function* stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const round = rounds[requests.length]
    requests.push(request)
    if (signal.aborted) throw new AdjutantError('CANCELLED', 'the request to the scripted model was cancelled')
    if (round === undefined) throw new AdjutantError('MODEL_FAILED', `the script has ${rounds.length} rounds; this request is one more`)
    const said = typeof round === 'function' ? round(request, signal) : round
    if (said instanceof AdjutantError) throw said
    let ended = false
    for await (const event of said) {
      if (signal.aborted) throw new AdjutantError('CANCELLED', 'the request to the scripted model was cancelled')
      ended ||= event.type === 'end'
      yield event
    }
    if (!ended) yield { type: 'end', dialect: 'openai-chat' }
  }
  return { name, requests, stream }
}
