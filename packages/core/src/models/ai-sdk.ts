/**
 * Owns the bridge to the AI SDK: any language model of it (V2, V3, V4) as a model of ours. Tries again like the own adapters do, and
 * watches for silence. Every way out (the end, an error, an abort, a consumer that stops reading) cancels the stream.
 */
import type { DecodeEvent } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Clock, IdSource, Model, ModelRequest } from '../contract/ports.ts'
import { toAiSdkTools } from '../registry/definitions/ai-sdk.ts'
import { WireNames } from '../registry/naming.ts'
import { type AiSdkFault, aiSdkFault } from './ai-sdk-error.ts'
import { AiSdkEvents } from './ai-sdk-events.ts'
import { isPart } from './ai-sdk-parts.ts'
import { toAiSdkPrompt } from './ai-sdk-prompt.ts'
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkMetadata, AiSdkPicture, AiSdkStream, AiSdkVersion } from './ai-sdk-types.ts'
import { RETRIES, STALL_MS } from './model-options.ts'
import { nameMapped } from './name-mapped.ts'
import { retryDelay } from './retry-delay.ts'
import { waited } from './waited.ts'

export interface AiSdkModelOptions {
  readonly ids: IdSource
  readonly clock: Clock
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Settings of the provider, by its name, e.g. `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: AiSdkMetadata
  /** Milliseconds without a part after which an answer counts as broken. Default 120 000. */
  readonly stallMs?: number
  /** Further attempts before the first part of an answer. Default 2. */
  readonly retries?: number
  /** For people. Default: `PROVIDER:MODEL` as the model names itself. */
  readonly label?: string
}

/**
 * Makes a model of any AI SDK language model. Where an answer says which wire it came over, it is `openai-chat`: the SDK has hidden the real one.
 *
 * @throws AdjutantError CONFIG_INVALID for what is no language model of version V2, V3 or V4
 *
 * @example
 * ```ts
 * import { createOpenAI } from '@ai-sdk/openai'
 *
 * const model = fromAiSdkModel(createOpenAI()('gpt-5'), { ids: randomIds, clock: systemClock })
 * const { text } = await runAgent({ session, model, task: 'What does README.md promise?' })
 * ```
 */
export function fromAiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions): Model {
  const ask = askerOf(model)
  const label = options.label ?? `${model.provider}:${model.modelId}`
  const { clock, retries = RETRIES } = options

  async function* stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<DecodeEvent, void, void> {
    const names = new WireNames(
      request.tools.map((tool) => tool.name),
      'gemini',
    )
    for (let attempt = 0; ; attempt++) {
      let begun = false
      try {
        for await (const event of answerOnce(ask, request, names, { ...options, label, provider: model.provider, signal })) {
          begun ||= event.type !== 'problem'
          yield event
        }
        return
      } catch (thrown) {
        if (signal.aborted) throw cancelled(label)
        const fault = thrown instanceof Thrown ? thrown.fault : aiSdkFault(label, thrown)
        const again = fault.temporary && !begun && attempt < retries
        const delay = again ? retryDelay(fault.headers, attempt, clock.now(), fault.retryAfterMs) : undefined
        if (delay === undefined) throw fault.error
        if (!(await waited(delay, clock, signal))) throw cancelled(label)
      }
    }
  }

  return { name: label, stream }
}

/** What went wrong, judged already. */
class Thrown {
  readonly fault: AiSdkFault
  constructor(fault: AiSdkFault) {
    this.fault = fault
  }
}

interface AnswerOptions extends AiSdkModelOptions {
  readonly label: string
  readonly provider: string
  readonly signal: AbortSignal
}

type Ask = (request: ModelRequest, names: WireNames, options: AnswerOptions) => PromiseLike<{ readonly stream: AiSdkStream }>

/** Each version with its own form of pictures. */
function askerOf(model: AiSdkLanguageModel): Ask {
  if (!isPart(model) || typeof model.doStream !== 'function') throw notAModel(model)
  switch (model.specificationVersion) {
    case 'v2':
      return (request, names, options) =>
        model.doStream(callOptions<'v2'>(request, names, options, (data, mediaType) => ({ type: 'media', data, mediaType })))
    case 'v3':
      return (request, names, options) =>
        model.doStream(callOptions<'v3'>(request, names, options, (data, mediaType) => ({ type: 'image-data', data, mediaType })))
    case 'v4':
      return (request, names, options) =>
        model.doStream(
          callOptions<'v4'>(request, names, options, (data, mediaType) => ({ type: 'file', data: { type: 'data', data }, mediaType })),
        )
    default:
      throw notAModel(model)
  }
}

function notAModel(value: unknown): AdjutantError {
  const version = isPart(value) ? String(value.specificationVersion) : typeof value
  return new AdjutantError(
    'CONFIG_INVALID',
    `not a language model of the AI SDK that is known here (specification version: ${version.slice(0, 40)})`,
    {
      hint: "Give a model object of version v2, v3 or v4, e.g. openai('gpt-5') of @ai-sdk/openai, not its name.",
    },
  )
}

function callOptions<Version extends AiSdkVersion>(
  request: ModelRequest,
  names: WireNames,
  options: AnswerOptions,
  picture: (data: string, mediaType: string) => AiSdkPicture<Version>,
): AiSdkCallOptions<Version> {
  const { messages, system } = request
  return {
    prompt: toAiSdkPrompt<Version>({ messages, system, names, provider: options.provider, picture }),
    abortSignal: options.signal,
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: toAiSdkTools(request.tools.map((tool) => ({ ...tool, name: names.toWire(tool.name) }))),
          toolChoice: { type: request.toolChoice ?? 'auto' },
        }),
    ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
    ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
  }
}

async function* answerOnce(
  ask: Ask,
  request: ModelRequest,
  names: WireNames,
  options: AnswerOptions,
): AsyncGenerator<DecodeEvent, void, void> {
  const { label, clock, stallMs = STALL_MS, signal } = options
  if (signal.aborted) throw cancelled(label)
  const ending = new AbortController()
  const joined = AbortSignal.any([signal, ending.signal])
  const ready: DecodeEvent[] = []
  let calls = 0
  const events = new AiSdkEvents(
    (event) => {
      if (event.type === 'call') calls++
      ready.push(nameMapped(event, names))
    },
    { provider: options.provider, ids: options.ids, signals: request.signals === true },
  )
  const within = <T>(work: PromiseLike<T>, silence: () => AdjutantError): Promise<T> =>
    underWatch(work, { clock, stallMs, signal: joined }, silence)
  let reader: ReturnType<AiSdkStream['getReader']> | undefined
  try {
    const asked = Promise.resolve(ask(request, names, { ...options, signal: joined }))
    const { stream } = await within(
      asked,
      () => new AdjutantError('MODEL_UNAVAILABLE', `${label}: no answer within ${stallMs / 1_000} seconds`),
    )
    reader = stream.getReader()
    for (;;) {
      const { done, value } = await within(reader.read(), () => silent(label, stallMs))
      if (done) break
      if (isPart(value) && value.type === 'error') throw new Thrown(aiSdkFault(label, value.error))
      events.push(value)
      yield* ready.splice(0)
    }
    const finish = events.end()
    yield* ready.splice(0)
    if (finish === undefined && calls === 0)
      throw new AdjutantError('STREAM_BROKEN', `${label}: the answer ended before the model said that it had finished`)
    yield { type: 'end', dialect: 'openai-chat', ...(finish === undefined ? {} : { finish }) }
  } finally {
    ending.abort()
    // A stream that is gone already has nothing to cancel.
    reader?.cancel().catch(() => {})
  }
}

function silent(label: string, stallMs: number): AdjutantError {
  return new AdjutantError('STREAM_BROKEN', `${label}: the answer stopped; nothing came for ${stallMs / 1_000} seconds`)
}

/** Waits for `work`, but neither longer than `stallMs` nor after an abort: other people's code need not heed the signal. */
function underWatch<T>(
  work: PromiseLike<T>,
  watch: { readonly clock: Clock; readonly stallMs: number; readonly signal: AbortSignal },
  silence: () => AdjutantError,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (settle: () => void): void => {
      disarm()
      watch.signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = (): void => leave(() => reject(new AdjutantError('CANCELLED', 'the request was cancelled')))
    const disarm = watch.clock.after(watch.stallMs, () => leave(() => reject(silence())))
    // It may have been aborted between two waits, when nobody listened.
    if (watch.signal.aborted) onAbort()
    else watch.signal.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => leave(() => resolve(value)),
      (error: unknown) => leave(() => reject(error)),
    )
  })
}

function cancelled(label: string): AdjutantError {
  return new AdjutantError('CANCELLED', `the request to ${label} was cancelled`)
}
