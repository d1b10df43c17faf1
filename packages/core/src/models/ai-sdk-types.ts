/**
 * Owns the shape of an AI SDK language model as far as it is used here: an interface of our own, so that nothing has to be installed for it.
 * ai-sdk.test-d.ts holds it against the SDK's own types: each of its models is taken, and what is sent is what they take.
 *
 * The three versions differ only in what a tool result's picture looks like on the way in, and in usage and finish reason on the way
 * out; what comes out is read field by field (ai-sdk-events.ts), as it is made by other people's code.
 */
import type { AiSdkTool } from '../registry/definitions/ai-sdk.ts'

export type AiSdkVersion = 'v2' | 'v3' | 'v4'

/** By provider, then by its own names. Goes back as it came. */
export type AiSdkMetadata = Record<string, Record<string, AiSdkJson>>

export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson }

export interface AiSdkTextPart {
  type: 'text'
  text: string
  providerOptions?: AiSdkMetadata
}

interface AiSdkReasoningPart {
  type: 'reasoning'
  text: string
  providerOptions?: AiSdkMetadata
}

export interface AiSdkToolCallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
  providerExecuted?: boolean
  providerOptions?: AiSdkMetadata
}

interface PictureIn {
  v2: { type: 'media'; data: string; mediaType: string }
  v3: { type: 'image-data'; data: string; mediaType: string }
  v4: { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }
}

/** A picture in a tool result. */
export type AiSdkPicture<Version extends AiSdkVersion> = PictureIn[Version]

export type AiSdkToolOutput<Version extends AiSdkVersion> =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: AiSdkJson }
  | { type: 'content'; value: ({ type: 'text'; text: string } | AiSdkPicture<Version>)[] }

export interface AiSdkToolResultPart<Version extends AiSdkVersion> {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: AiSdkToolOutput<Version>
  providerOptions?: AiSdkMetadata
}

export type AiSdkAssistantPart<Version extends AiSdkVersion> =
  | AiSdkTextPart
  | AiSdkReasoningPart
  | AiSdkToolCallPart
  | AiSdkToolResultPart<Version>

export type AiSdkMessage<Version extends AiSdkVersion> =
  | { role: 'system'; content: string }
  | { role: 'user'; content: AiSdkTextPart[] }
  | { role: 'assistant'; content: AiSdkAssistantPart<Version>[] }
  | { role: 'tool'; content: AiSdkToolResultPart<Version>[] }

export interface AiSdkCallOptions<Version extends AiSdkVersion> {
  prompt: AiSdkMessage<Version>[]
  maxOutputTokens?: number
  tools?: AiSdkTool[]
  toolChoice?: { type: 'auto' | 'none' }
  abortSignal?: AbortSignal
  headers?: Record<string, string | undefined>
  providerOptions?: AiSdkMetadata
}

/** A stream of parts, as `ReadableStream` is one. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
    cancel(reason?: unknown): Promise<void>
  }
}

interface ModelOf<Version extends AiSdkVersion> {
  readonly specificationVersion: Version
  readonly provider: string
  readonly modelId: string
  doStream(options: AiSdkCallOptions<Version>): PromiseLike<{ readonly stream: AiSdkStream }>
}

/** Any language model of the AI SDK: `LanguageModelV2`, `LanguageModelV3` or `LanguageModelV4`. */
export type AiSdkLanguageModel = ModelOf<'v2'> | ModelOf<'v3'> | ModelOf<'v4'>
