import type { Model } from '../contract/ports.ts'
import { chatCompletionsModel } from './chat-completions.ts'
import { type ModelOptions, OPENAI_BASE_URL } from './model-options.ts'

/**
 * A model behind OpenAI's Chat Completions.
 *
 * @throws AdjutantError CONFIG_INVALID for an address or a key that cannot be used
 *
 * @example
 * ```ts
 * const model = openAiModel({ name: 'gpt-5', apiKey: process.env.OPENAI_API_KEY, ids: randomIds, clock: systemClock })
 * for await (const event of model.stream({ messages: [{ role: 'user', text: 'Hello' }], tools: [] }, { signal })) …
 * ```
 */
export function openAiModel(options: ModelOptions): Model {
  return chatCompletionsModel(options, {
    label: `openai:${options.name}`,
    baseUrl: options.baseUrl ?? OPENAI_BASE_URL,
    keyVariable: 'OPENAI_API_KEY',
    limitName: 'max_completion_tokens',
    mayRefuseStreamOptions: false,
  })
}
