/**
 * Owns the one-line form of naming a model: `openai:NAME` (Chat Completions, also `openai-chat:NAME`), `openai-responses:NAME`,
 * `anthropic:NAME`, `gemini:NAME`, `compatible:URL#NAME`, `replay:FILE`.
 */
import { resolve } from 'node:path'
import { AdjutantError } from '../contract/errors.ts'
import type { Clock, IdSource, Model } from '../contract/ports.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import { anthropicModel } from './anthropic.ts'
import { COMPATIBLE_KEY_VARIABLE, compatibleModel } from './compatible.ts'
import { geminiModel } from './gemini.ts'
import type { ModelOptions } from './model-options.ts'
import { openAiModel } from './openai.ts'
import { openAiResponsesModel } from './openai-responses.ts'
import type { RecordedAnswer } from './recorded-answers.ts'
import { startReplay } from './replay.ts'

export interface ModelSpecOptions {
  /** Where keys and addresses are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What a relative FILE of `replay:FILE` starts from. */
  readonly cwd: string
  readonly ids?: IdSource
  readonly clock?: Clock
  readonly fetch?: typeof globalThis.fetch
  /** Of a replay. Default `recorded`, or `off` with `ADJUTANT_REPLAY_PACE=0` in `env`. */
  readonly pace?: 'recorded' | 'off'
  /** Answers that the session has had already, in another process: a replay goes on after them. Default 0. */
  readonly answered?: number
}

export interface ModelHandle {
  readonly model: Model
  /** A person's recorded answers; only a replay has them. */
  readonly approvals?: readonly RecordedAnswer[]
  close(): Promise<void>
}

const FORMS =
  'openai:NAME, openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME (Ollama, vLLM, llama.cpp …) or replay:FILE'

/**
 * Makes the model that `spec` names.
 *
 * @throws AdjutantError USAGE for a spec of no known form, CONFIG_INVALID for a missing key (naming the variable), a wrong address or
 * a bad recording (naming the line)
 *
 * @example
 * ```ts
 * const handle = await modelFromSpec('compatible:http://localhost:11434/v1#qwen3:8b', { env: process.env, cwd: process.cwd() })
 * ```
 */
export async function modelFromSpec(spec: string, options: ModelSpecOptions): Promise<ModelHandle> {
  const colon = spec.indexOf(':')
  const kind = colon < 0 ? spec.trim() : spec.slice(0, colon).trim()
  const rest = colon < 0 ? '' : spec.slice(colon + 1).trim()
  switch (kind) {
    case 'openai':
    case 'openai-chat':
      return hosted(openAiModel, OPENAI, rest, spec, options)
    case 'openai-responses':
      return hosted(openAiResponsesModel, OPENAI, rest, spec, options)
    case 'anthropic':
      return hosted(anthropicModel, { keys: ['ANTHROPIC_API_KEY'], addresses: ['ANTHROPIC_BASE_URL'] }, rest, spec, options)
    case 'gemini':
      return hosted(geminiModel, GEMINI, rest, spec, options)
    case 'compatible':
      return compatible(rest, spec, options)
    case 'replay':
      return replay(rest, spec, options)
    default:
      throw badSpec(spec, kind === '' ? 'it is empty' : `"${kind.slice(0, 40)}" is no kind of model`)
  }
}

/** The variables of a provider; the first that is set counts. */
interface Variables {
  readonly keys: readonly [string, ...string[]]
  readonly addresses: readonly string[]
}

const OPENAI: Variables = { keys: ['OPENAI_API_KEY'], addresses: ['OPENAI_BASE_URL'] }
const GEMINI: Variables = {
  keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  addresses: ['GEMINI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
}

function hosted(
  make: (options: ModelOptions) => Model,
  variables: Variables,
  name: string,
  spec: string,
  options: ModelSpecOptions,
): ModelHandle {
  if (name === '') throw badSpec(spec, 'the name of the model is missing')
  const apiKey = firstSet(options.env, variables.keys)
  const baseUrl = firstSet(options.env, variables.addresses)
  if (apiKey === undefined) {
    throw new AdjutantError('CONFIG_INVALID', `${spec} needs a key, and ${variables.keys.join(' or ')} is not set`, {
      hint: `Set ${variables.keys[0]}, or use another model: ${FORMS}.`,
    })
  }
  return handleOf(make({ name, apiKey, ...(baseUrl === undefined ? {} : { baseUrl }), ...common(options) }))
}

function compatible(rest: string, spec: string, options: ModelSpecOptions): ModelHandle {
  const mark = rest.indexOf('#')
  const url = mark < 0 ? rest : rest.slice(0, mark)
  const name = mark < 0 ? '' : rest.slice(mark + 1)
  if (url === '') throw badSpec(spec, 'the address is missing')
  if (name === '') throw badSpec(spec, 'the name of the model is missing after the address (compatible:URL#NAME)')
  const apiKey = firstSet(options.env, [COMPATIBLE_KEY_VARIABLE])
  return handleOf(compatibleModel({ url, name, ...(apiKey === undefined ? {} : { apiKey }), ...common(options) }))
}

async function replay(file: string, spec: string, options: ModelSpecOptions): Promise<ModelHandle> {
  if (file === '') throw badSpec(spec, 'the file is missing')
  const pace = options.pace ?? (options.env.ADJUTANT_REPLAY_PACE === '0' ? 'off' : 'recorded')
  const { fetch: _, ...ports } = common(options)
  const started = await startReplay(resolve(options.cwd, file), { ...ports, pace, skip: options.answered ?? 0 })
  return { model: started.model, approvals: started.approvals, close: () => started.close() }
}

function common(options: ModelSpecOptions): { ids: IdSource; clock: Clock; fetch?: typeof globalThis.fetch } {
  return {
    ids: options.ids ?? randomIds,
    clock: options.clock ?? systemClock,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }
}

function handleOf(model: Model): ModelHandle {
  return { model, close: async () => {} }
}

/** An empty variable counts as not set. */
function firstSet(env: ModelSpecOptions['env'], names: readonly string[]): string | undefined {
  return names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '')
}

function badSpec(spec: string, why: string): AdjutantError {
  return new AdjutantError('USAGE', `${quote(spec)} names no model: ${why}`, { hint: `Use ${FORMS}.` })
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}
