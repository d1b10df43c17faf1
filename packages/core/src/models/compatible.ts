import type { Model } from '../contract/ports.ts'
import { chatCompletionsModel } from './chat-completions.ts'
import type { ModelOptions } from './model-options.ts'

export interface CompatibleModelOptions extends Omit<ModelOptions, 'baseUrl'> {
  /** Where the API is, e.g. `http://localhost:11434/v1`. */
  readonly url: string
}

/**
 * The variable for the key of a compatible server, where it wants one. Not OPENAI_API_KEY: a key for one provider must not be sent
 * to whatever address a configuration names.
 */
export const COMPATIBLE_KEY_VARIABLE = 'COMPATIBLE_API_KEY'

/**
 * A model behind any server that speaks Chat Completions: Ollama, vLLM, llama.cpp, LM Studio, gateways. A key is optional.
 *
 * @throws AdjutantError CONFIG_INVALID for an address or a key that cannot be used
 *
 * @example
 * ```ts
 * const model = compatibleModel({ url: 'http://localhost:11434/v1', name: 'qwen3:8b', ids: randomIds, clock: systemClock })
 * ```
 */
export function compatibleModel(options: CompatibleModelOptions): Model {
  return chatCompletionsModel(options, {
    label: `compatible:${options.url}#${options.name}`,
    baseUrl: options.url,
    keyVariable: COMPATIBLE_KEY_VARIABLE,
    limitName: 'max_tokens',
    mayRefuseStreamOptions: true,
  })
}
