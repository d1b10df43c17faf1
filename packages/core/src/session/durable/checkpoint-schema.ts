import type { JsonSchema } from '../../contract/json.ts'

/**
 * The form of a checkpoint, version 1. What was written once is read for ever: a change is a new version with a schema of its own, and
 * `fixtures/checkpoint.v1.json` must still load.
 */

const count = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const
const object = { type: 'object' } as const

const call = {
  type: 'object',
  required: ['id', 'index', 'name', 'arguments', 'idFromProvider'],
  properties: {
    id: { type: 'string', minLength: 1 },
    index: count,
    name: text,
    idFromProvider: { type: 'boolean' },
    arguments: {
      oneOf: [
        { type: 'object', required: ['ok', 'value'], properties: { ok: { const: true }, value: object } },
        {
          type: 'object',
          required: ['ok', 'raw', 'problem', 'code'],
          properties: { ok: { const: false }, raw: text, problem: text, code: text },
        },
      ],
    },
  },
} as const

const result = {
  type: 'object',
  required: ['id', 'name', 'outcome', 'isError', 'text', 'parts'],
  properties: {
    id: { type: 'string', minLength: 1 },
    name: text,
    outcome: { enum: ['ok', 'failed', 'not-run', 'unknown'] },
    isError: { type: 'boolean' },
    text,
    parts: { type: 'array', items: object },
  },
} as const

const blocks = { type: 'array', items: object } as const

const message = {
  oneOf: [
    { type: 'object', required: ['role', 'text'], properties: { role: { const: 'user' }, text } },
    {
      type: 'object',
      required: ['role', 'text', 'calls'],
      properties: { role: { const: 'assistant' }, text, calls: { type: 'array', items: call }, providerBlocks: blocks },
    },
    {
      type: 'object',
      required: ['role', 'results'],
      properties: { role: { const: 'tool' }, results: { type: 'array', items: result } },
    },
  ],
} as const

export const CHECKPOINT_SCHEMA: JsonSchema = {
  type: 'object',
  required: [
    'version',
    'messages',
    'batches',
    'rounds',
    'calls',
    'usage',
    'busy',
    'loaded',
    'grants',
    'untrusted',
    'jobs',
    'guards',
    'tools',
    'traceId',
  ],
  properties: {
    version: { const: 1 },
    messages: { type: 'array', items: message },
    batches: count,
    rounds: count,
    calls: count,
    usage: {
      type: 'object',
      required: ['inputTokens', 'outputTokens'],
      properties: { inputTokens: { type: 'number', minimum: 0 }, outputTokens: { type: 'number', minimum: 0 } },
    },
    busy: { type: 'boolean' },
    loaded: { type: 'array', items: text },
    grants: { type: 'array', items: digest },
    untrusted: { type: 'array', items: text },
    jobs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['jobId', 'id', 'name'],
        properties: { jobId: text, id: { type: 'string', minLength: 1 }, name: text },
      },
    },
    open: {
      type: 'object',
      required: ['number', 'calls', 'steps'],
      properties: {
        number: { type: 'integer', minimum: 1 },
        calls: { type: 'array', items: call },
        answer: { type: 'object', required: ['text', 'providerBlocks'], properties: { text, providerBlocks: blocks } },
        steps: { type: 'array', items: object },
      },
    },
    guards: { type: 'object', properties: { loop: object, budget: object } },
    tools: { type: 'object', additionalProperties: digest },
    traceId: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
}
