/**
 * Owns one answer from request to events: opens it, decodes it, gives tool names back as the registry knows them. What the provider
 * says went wrong inside a 2xx answer is thrown like any other error of its; while nothing of an answer was given yet, the request
 * is sent again as after a 5xx.
 *
 * Refuses half a text without any call: it would pass for the answer. Calls of a cut answer go on: each says by itself whether it
 * is whole.
 */
import type { DecodeEvent, Dialect } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { IdSource } from '../contract/ports.ts'
import { createDecoder } from '../intake/dialect.ts'
import type { WireNames } from '../registry/naming.ts'
import { withoutKey } from './model-error.ts'
import { nameMapped } from './name-mapped.ts'
import { cancelled, type OutgoingRequest, openAnswer, type Transport } from './open-answer.ts'
import type { Provider } from './provider.ts'
import { retryDelay } from './retry-delay.ts'
import { waited } from './waited.ts'

export interface AnswerOptions {
  readonly provider: Provider
  readonly transport: Transport
  readonly dialect: Dialect
  readonly ids: IdSource
  readonly names: WireNames
  readonly signal: AbortSignal
  /** Events on arguments that are not complete yet, too. */
  readonly signals: boolean
}

/** Streams the events of one answer; the last is `end`. @throws what {@link openAnswer} throws, also while reading */
export async function* streamAnswer(request: OutgoingRequest, options: AnswerOptions): AsyncGenerator<DecodeEvent, void, void> {
  const { provider, transport, signal } = options
  for (let attempt = 0; ; attempt++) {
    let begun = false
    try {
      for await (const event of answerOnce(request, options, transport.retries - attempt)) {
        begun ||= event.type !== 'problem'
        yield event
      }
      return
    } catch (error) {
      const again = error instanceof FaultInside && error.temporary && !begun && attempt < transport.retries
      if (!again) throw error instanceof FaultInside ? error.error : error
      const delay = retryDelay(undefined, attempt, transport.clock.now()) ?? 0
      if (!(await waited(delay, transport.clock, signal))) throw cancelled(provider)
    }
  }
}

/** What a provider said inside an answer of status 2xx: errors before it were tried again by the transport already. */
class FaultInside {
  readonly error: AdjutantError
  readonly temporary: boolean
  constructor(error: AdjutantError) {
    this.error = error
    this.temporary = error.code !== 'MODEL_FAILED'
  }
}

async function* answerOnce(request: OutgoingRequest, options: AnswerOptions, retries: number): AsyncGenerator<DecodeEvent, void, void> {
  const { provider, names } = options
  const bytes = await openAnswer(provider, request, { ...options.transport, retries }, options.signal)
  let events: DecodeEvent[] = []
  let calls = 0
  const decoder = createDecoder(options.dialect, (event) => events.push(event), { ids: options.ids, signals: options.signals })
  function* flush(): Generator<DecodeEvent, void, void> {
    const ready = events
    events = []
    for (const event of ready) {
      if (event.type === 'call') calls += 1
      const fault = faultIn(event, calls, provider)
      if (fault !== undefined) throw new FaultInside(fault)
      yield nameMapped(event, names)
    }
  }
  for await (const chunk of bytes) {
    decoder.push(chunk)
    if (events.length > 0) yield* flush()
  }
  decoder.end()
  yield* flush()
}

function faultIn(event: DecodeEvent, calls: number, provider: Provider): AdjutantError | undefined {
  if (event.type === 'problem' && (event.code === 'MODEL_FAILED' || event.code === 'MODEL_UNAVAILABLE')) {
    return new AdjutantError(event.code, `${provider.label}: ${withoutKey(provider, event.message)}`)
  }
  // The provider threw the model's call away because it could not be read: asked again, the model usually writes it well.
  if (event.type === 'end' && event.finish === 'error' && calls === 0) {
    return new AdjutantError('STREAM_BROKEN', `${provider.label}: the model wrote a call that the provider could not read`)
  }
  if (event.type === 'end' && event.finish === undefined && calls === 0) {
    return new AdjutantError('STREAM_BROKEN', `${provider.label}: the answer ended before the model said that it had finished`)
  }
  return undefined
}
