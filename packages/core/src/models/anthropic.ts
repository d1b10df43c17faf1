/** Owns the Messages wire. */
import type { DecodeEvent } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Model, ModelRequest } from '../contract/ports.ts'
import { toAnthropicTools } from '../registry/definitions/anthropic.ts'
import { randomIds } from '../util/random-ids.ts'
import { toAnthropicMessages } from './history-anthropic.ts'
import { checkedBaseUrl, checkedKey, checkedName, type ModelOptions, transportOf } from './model-options.ts'
import type { Provider } from './provider.ts'
import { streamAnswer } from './stream-answer.ts'
import { WireToolCache, type WireTools } from './wire-tools.ts'

const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
const PATH = '/v1/messages'
const VERSION = '2023-06-01'
/** The API wants a limit in each request; this many every current model can answer. */
const MAX_TOKENS = 8_192

/**
 * A model behind Anthropic's Messages. Thinking is switched on through `body`, e.g.
 * `{ thinking: { type: 'enabled', budget_tokens: 4096 } }`; the signed blocks go back with the history.
 *
 * @throws AdjutantError CONFIG_INVALID for an address or a key that cannot be used
 *
 * @example
 * ```ts
 * const model = anthropicModel({ name: 'claude-sonnet-4-5', apiKey: process.env.ANTHROPIC_API_KEY, ids: randomIds, clock: systemClock })
 * ```
 */
export function anthropicModel(options: ModelOptions): Model {
  const keyVariable = 'ANTHROPIC_API_KEY'
  const apiKey = checkedKey(options.apiKey, keyVariable)
  const provider: Provider = {
    label: options.label ?? `anthropic:${options.name}`,
    modelName: checkedName(options.name),
    // People know the address with and without the version; both are meant.
    baseUrl: checkedBaseUrl(options.baseUrl ?? ANTHROPIC_BASE_URL, PATH).replace(/\/v1$/, ''),
    keyVariable,
    apiKey,
  }
  const transport = transportOf(options)
  const tools = new WireToolCache('anthropic', toAnthropicTools)
  const headers = { 'anthropic-version': VERSION, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }), ...options.headers }

  async function* stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const wireTools = tools.get(request.tools)
    const body = { ...bodyOf(provider, request, wireTools), ...options.body }
    yield* streamAnswer(
      { path: PATH, headers, body },
      {
        provider,
        transport,
        dialect: 'anthropic',
        ids: options.ids ?? randomIds,
        names: wireTools.names,
        signal,
        signals: request.signals === true,
      },
    )
  }

  return { name: provider.label, stream }
}

function bodyOf(provider: Provider, request: ModelRequest, tools: WireTools): JsonObject {
  return {
    model: provider.modelName,
    max_tokens: request.maxOutputTokens ?? MAX_TOKENS,
    ...(request.system === undefined || request.system.trim() === '' ? {} : { system: request.system }),
    messages: toAnthropicMessages(request.messages, tools.names),
    stream: true,
    ...(request.tools.length === 0 ? {} : { tools: tools.definitions, tool_choice: { type: request.toolChoice ?? 'auto' } }),
  }
}
