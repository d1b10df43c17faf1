/** Checked by the compiler only: that the AI SDK's own models are taken, and that what is sent is what they take. */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider'
import { fromAiSdkModel } from './ai-sdk.ts'
import type { AiSdkCallOptions, AiSdkLanguageModel } from './ai-sdk-types.ts'

type Takes<Wide, Narrow extends Wide> = [Wide, Narrow]

export type Models = [
  Takes<AiSdkLanguageModel, LanguageModelV2>,
  Takes<AiSdkLanguageModel, LanguageModelV3>,
  Takes<AiSdkLanguageModel, LanguageModelV4>,
]

export type Requests = [
  Takes<LanguageModelV2CallOptions, AiSdkCallOptions<'v2'>>,
  Takes<LanguageModelV3CallOptions, AiSdkCallOptions<'v3'>>,
  Takes<LanguageModelV4CallOptions, AiSdkCallOptions<'v4'>>,
  // @ts-expect-error pictures of the third version are not those of the fourth
  Takes<LanguageModelV4CallOptions, AiSdkCallOptions<'v3'>>,
]

// @ts-expect-error a name is no model
fromAiSdkModel('openai/gpt-5', {})
