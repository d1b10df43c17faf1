/** Owns Gemini's own wire, `streamGenerateContent`. */
import type { DecodeEvent } from '../contract/decode.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import type { Model, ModelRequest } from '../contract/ports.ts'
import { toGeminiTools } from '../registry/definitions/gemini.ts'
import { randomIds } from '../util/random-ids.ts'
import { toGeminiContents } from './history-gemini.ts'
import { checkedBaseUrl, checkedKey, checkedName, type ModelOptions, transportOf } from './model-options.ts'
import type { Provider } from './provider.ts'
import { streamAnswer } from './stream-answer.ts'
import { WireToolCache, type WireTools } from './wire-tools.ts'

const GEMINI_BASE_URL = 'https://generativelanguage.googleapis.com'
const VERSION = '/v1beta'

/**
 * A model behind Gemini's own API. The signatures of its thoughts go back with the history. Thinking is set through `body`, e.g.
 * `{ generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }`.
 *
 * @throws AdjutantError CONFIG_INVALID for an address or a key that cannot be used
 *
 * @example
 * ```ts
 * const model = geminiModel({ name: 'gemini-3-pro', apiKey: process.env.GEMINI_API_KEY, ids: randomIds, clock: systemClock })
 * ```
 */
export function geminiModel(options: ModelOptions): Model {
  const keyVariable = 'GEMINI_API_KEY'
  const apiKey = checkedKey(options.apiKey, keyVariable)
  const path = `/${pathOf(checkedName(options.name))}:streamGenerateContent?alt=sse`
  const baseUrl = checkedBaseUrl(options.baseUrl ?? GEMINI_BASE_URL, path)
  const provider: Provider = {
    label: options.label ?? `gemini:${options.name}`,
    modelName: checkedName(options.name),
    baseUrl: /\/v\d\w*$/.test(baseUrl) ? baseUrl : baseUrl + VERSION,
    keyVariable,
    apiKey,
  }
  const transport = transportOf(options)
  const tools = new WireToolCache('gemini', toGeminiTools)
  const headers = { ...(apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }), ...options.headers }

  function stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const wireTools = tools.get(request.tools)
    const body = bodyOf(provider, request, wireTools, options.body ?? {})
    return streamAnswer(
      { path, headers, body },
      {
        provider,
        transport,
        dialect: 'gemini',
        ids: options.ids ?? randomIds,
        names: wireTools.names,
        signal,
        signals: request.signals === true,
      },
    )
  }

  return { name: provider.label, stream }
}

/** A name may say which collection the model is in, e.g. `tunedModels/mine`. */
function pathOf(name: string): string {
  const resource = name.includes('/') ? name : `models/${name}`
  return resource.split('/').map(encodeURIComponent).join('/')
}

/** From this generation on, a call of the current turn without its signature is refused. */
function wantsSignatures(modelName: string): boolean {
  return Number(/gemini-(\d+)/.exec(modelName)?.[1] ?? 0) >= 3
}

function bodyOf(provider: Provider, request: ModelRequest, tools: WireTools, further: JsonObject): JsonObject {
  const limit = request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }
  const config = { ...limit, ...(isJsonObject(further.generationConfig) ? further.generationConfig : {}) }
  return {
    contents: toGeminiContents(request.messages, tools.names, { wantsSignatures: wantsSignatures(provider.modelName) }),
    ...(request.system === undefined || request.system.trim() === '' ? {} : { systemInstruction: { parts: [{ text: request.system }] } }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: tools.definitions,
          toolConfig: { functionCallingConfig: { mode: request.toolChoice === 'none' ? 'NONE' : 'AUTO' } },
        }),
    ...further,
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
  }
}
