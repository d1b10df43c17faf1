/**
 * Owns the Chat Completions wire: what OpenAI and the servers compatible with it have in common. What they differ in comes in as
 * {@link ChatFlavour}.
 */

import type { DecodeEvent } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Model, ModelRequest } from '../contract/ports.ts'
import { toOpenAiChatTools } from '../registry/definitions/openai.ts'
import { randomIds } from '../util/random-ids.ts'
import { toOpenAiMessages } from './history-openai.ts'
import { checkedBaseUrl, checkedKey, checkedName, type ModelOptions, transportOf } from './model-options.ts'
import { OptionalMember } from './optional-member.ts'
import type { Provider } from './provider.ts'
import { streamAnswer } from './stream-answer.ts'
import { WireToolCache, type WireTools } from './wire-tools.ts'

const PATH = '/chat/completions'

export interface ChatFlavour {
  readonly label: string
  readonly baseUrl: string
  readonly keyVariable: string
  /** How the limit of an answer is called. */
  readonly limitName: 'max_completion_tokens' | 'max_tokens'
  /** Some servers refuse `stream_options`; then the request goes again without it. */
  readonly mayRefuseStreamOptions: boolean
}

export function chatCompletionsModel(options: ModelOptions, flavour: ChatFlavour): Model {
  const apiKey = checkedKey(options.apiKey, flavour.keyVariable)
  const provider: Provider = {
    label: options.label ?? flavour.label,
    modelName: checkedName(options.name),
    baseUrl: checkedBaseUrl(flavour.baseUrl, PATH),
    keyVariable: flavour.keyVariable,
    apiKey,
  }
  const transport = transportOf(options)
  const tools = new WireToolCache('openai', toOpenAiChatTools)
  const headers = { ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...options.headers }
  const usageWish = new OptionalMember(/stream_options/)

  function stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const wireTools = tools.get(request.tools)
    const answer = (withUsage: boolean): AsyncGenerator<DecodeEvent, void, void> =>
      streamAnswer(
        { path: PATH, headers, body: { ...bodyOf(provider, request, wireTools, flavour, withUsage), ...options.body } },
        {
          provider,
          transport,
          dialect: 'openai-chat',
          ids: options.ids ?? randomIds,
          names: wireTools.names,
          signal,
          signals: request.signals === true,
        },
      )
    return flavour.mayRefuseStreamOptions ? usageWish.stream(answer) : answer(true)
  }

  return { name: provider.label, stream }
}

function bodyOf(provider: Provider, request: ModelRequest, tools: WireTools, flavour: ChatFlavour, streamOptions: boolean): JsonObject {
  return {
    model: provider.modelName,
    messages: toOpenAiMessages(request.messages, request.system, tools.names),
    stream: true,
    ...(streamOptions ? { stream_options: { include_usage: true } } : {}),
    // An empty list is refused; the tools stay in the request on the last round, so that the prompt's cache still fits.
    ...(request.tools.length === 0 ? {} : { tools: tools.definitions, tool_choice: request.toolChoice ?? 'auto' }),
    ...(request.maxOutputTokens === undefined ? {} : { [flavour.limitName]: request.maxOutputTokens }),
  }
}
