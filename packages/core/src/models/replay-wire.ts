/** Owns what a replay knows of each provider: its adapter, where its API is, which key it wants, how it says no. */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '../contract/json.ts'
import type { Model } from '../contract/ports.ts'
import { anthropicModel } from './anthropic.ts'
import { geminiModel } from './gemini.ts'
import type { ModelOptions } from './model-options.ts'
import { openAiModel } from './openai.ts'
import { openAiResponsesModel } from './openai-responses.ts'
import type { RecordingDialect } from './recording.ts'

export interface Refusal {
  readonly status: 400 | 401 | 404
  readonly message: string
}

export interface ReplayWire {
  readonly make: (options: ModelOptions) => Model
  /** Path of the API, before the path of its call. */
  readonly base: string
  /** The path that is asked for; it may name the model. */
  readonly path: (model: string) => string
  readonly key: string
  /** Further headers that must be there. */
  readonly wants?: string
  /** The model is named in the body. */
  readonly namesModel: boolean
  readonly errorBody: (refusal: Refusal) => JsonObject
}

const openAiError = (refusal: Refusal): JsonObject => ({
  error: { message: refusal.message, type: 'invalid_request_error', param: null, code: null },
})

export const REPLAY_WIRES: Readonly<Record<RecordingDialect, ReplayWire>> = {
  'openai-chat': {
    make: openAiModel,
    base: '/v1',
    path: () => '/v1/chat/completions',
    key: 'authorization',
    namesModel: true,
    errorBody: openAiError,
  },
  'openai-responses': {
    make: openAiResponsesModel,
    base: '/v1',
    path: () => '/v1/responses',
    key: 'authorization',
    namesModel: true,
    errorBody: openAiError,
  },
  anthropic: {
    make: anthropicModel,
    base: '/v1',
    path: () => '/v1/messages',
    key: 'x-api-key',
    wants: 'anthropic-version',
    namesModel: true,
    errorBody(refusal) {
      const types = { 400: 'invalid_request_error', 401: 'authentication_error', 404: 'not_found_error' }
      return { type: 'error', error: { type: types[refusal.status], message: refusal.message }, request_id: 'req_replay' }
    },
  },
  gemini: {
    make: geminiModel,
    base: '/v1beta',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
    key: 'x-goog-api-key',
    namesModel: false,
    errorBody(refusal) {
      const statuses = { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND' }
      return { error: { code: refusal.status, message: refusal.message, status: statuses[refusal.status] } }
    },
  },
}

/** What is missing in the head of a request. */
export function faultInHead(wire: ReplayWire, headers: IncomingHttpHeaders): Refusal | undefined {
  if (headers[wire.key] === undefined) return { status: 401, message: 'no key was sent' }
  if (wire.wants !== undefined && headers[wire.wants] === undefined) return { status: 400, message: `${wire.wants}: header is required` }
  return undefined
}
