/** Owns the Responses wire. Nothing is kept at the provider: the whole talk goes along, the model's reasoning encrypted. */
import type { DecodeEvent } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Model, ModelRequest } from '../contract/ports.ts'
import { toOpenAiResponsesTools } from '../registry/definitions/openai.ts'
import { randomIds } from '../util/random-ids.ts'
import { toResponsesInput } from './history-responses.ts'
import { checkedBaseUrl, checkedKey, checkedName, type ModelOptions, OPENAI_BASE_URL, transportOf } from './model-options.ts'
import { OptionalMember } from './optional-member.ts'
import type { Provider } from './provider.ts'
import { streamAnswer } from './stream-answer.ts'
import { WireToolCache, type WireTools } from './wire-tools.ts'

const PATH = '/responses'

/**
 * A model behind OpenAI's Responses, or a server that speaks it. Reasoning goes back encrypted with the history, so that a model
 * keeps its thread over rounds of calls (`store` is false: nothing is kept there). Effort is set through `body`, e.g.
 * `{ reasoning: { effort: 'low' } }`.
 *
 * @throws AdjutantError CONFIG_INVALID for an address or a key that cannot be used
 *
 * @example
 * ```ts
 * const model = openAiResponsesModel({ name: 'gpt-5', apiKey: process.env.OPENAI_API_KEY, ids: randomIds, clock: systemClock })
 * ```
 */
export function openAiResponsesModel(options: ModelOptions): Model {
  const keyVariable = 'OPENAI_API_KEY'
  const apiKey = checkedKey(options.apiKey, keyVariable)
  const provider: Provider = {
    label: options.label ?? `openai-responses:${options.name}`,
    modelName: checkedName(options.name),
    baseUrl: checkedBaseUrl(options.baseUrl ?? OPENAI_BASE_URL, PATH),
    keyVariable,
    apiKey,
  }
  const transport = transportOf(options)
  const tools = new WireToolCache('openai', toOpenAiResponsesTools)
  const headers = { ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...options.headers }
  // A model that does not reason has none to give, and says so with a refusal.
  const reasoningWish = new OptionalMember(/encrypted|\binclude\b/i)

  function stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const wireTools = tools.get(request.tools)
    const answer = reasoningWish.stream((withReasoning) =>
      streamAnswer(
        { path: PATH, headers, body: { ...bodyOf(provider, request, wireTools, withReasoning), ...options.body } },
        {
          provider,
          transport,
          dialect: 'openai-responses',
          ids: options.ids ?? randomIds,
          names: wireTools.names,
          signal,
          signals: request.signals === true,
        },
      ),
    )
    return withPlaces(answer)
  }

  return { name: provider.label, stream }
}

/**
 * Notes between the provider's blocks which calls came before them: reasoning must go back right before what it led to, and a
 * history keeps calls and blocks apart.
 */
async function* withPlaces(events: AsyncGenerator<DecodeEvent, void, void>): AsyncGenerator<DecodeEvent, void, void> {
  let passed: string[] = []
  for await (const event of events) {
    if (event.type === 'call') passed.push(event.call.id)
    if (event.type === 'provider-block') {
      for (const id of passed) yield { type: 'provider-block', block: { type: 'function_call', call_id: id } }
      passed = []
    }
    yield event
  }
}

function bodyOf(provider: Provider, request: ModelRequest, tools: WireTools, withReasoning: boolean): JsonObject {
  return {
    model: provider.modelName,
    ...(request.system === undefined || request.system === '' ? {} : { instructions: request.system }),
    input: toResponsesInput(request.messages, tools.names),
    stream: true,
    store: false,
    ...(withReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(request.tools.length === 0 ? {} : { tools: tools.definitions, tool_choice: request.toolChoice ?? 'auto' }),
    ...(request.maxOutputTokens === undefined ? {} : { max_output_tokens: request.maxOutputTokens }),
  }
}
