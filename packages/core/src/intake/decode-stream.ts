import type { DecodeEvent, Dialect } from '../contract/decode.ts'
import { createDecoder, type DecoderOptions } from './dialect.ts'

/**
 * Decodes an answer as it arrives: for consumers that pull. Events are handed on before the next chunk is asked for, so nothing is read
 * ahead of the consumer. An error of `source` is passed on as it is, after the events before it; then there is no `end`.
 * @throws AdjutantError UNKNOWN_DIALECT, at the first step
 *
 * @example
 * ```ts
 * for await (const event of decodeStream(response.body, 'openai-chat', { ids: randomIds })) {
 *   if (event.type === 'text') process.stdout.write(event.text)
 * }
 * ```
 */
export async function* decodeStream(
  source: AsyncIterable<Uint8Array | string>,
  dialect: Dialect | 'auto',
  options: DecoderOptions,
): AsyncGenerator<DecodeEvent, void, void> {
  let events: DecodeEvent[] = []
  const decoder = createDecoder(dialect, (event) => events.push(event), options)
  for await (const chunk of source) {
    decoder.push(chunk)
    if (events.length === 0) continue
    const ready = events
    events = []
    yield* ready
  }
  decoder.end()
  yield* events
}
