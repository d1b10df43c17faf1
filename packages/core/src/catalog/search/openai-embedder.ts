/**
 * Owns the wire of `/embeddings` as OpenAI has it and others copied it. Asks in batches, checks that each answer has a vector of the right
 * length for each text, and says nothing of keys. Tries once; whoever calls decides whether to try again.
 */
import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import type { Embedder } from '../../contract/ports.ts'

export interface OpenAiEmbedderOptions {
  /** Address of the API, e.g. `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`; `/embeddings` is added. */
  readonly url: string
  readonly model: string
  /** Length of the model's vectors. */
  readonly dimensions: number
  readonly apiKey?: string
  /** Texts in one request. Default 64. */
  readonly batch?: number
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
}

/** Characters of one text that are sent: models take 8 192 tokens or fewer, and refuse what is longer. */
const MOST_CHARACTERS = 8_000
const DEFAULT_BATCH = 64

/**
 * An embedder behind any endpoint that speaks OpenAI's form (OpenAI, Ollama, vLLM, LM Studio, llama.cpp …).
 *
 * @example
 * ```ts
 * openAiEmbedder({ url: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text', dimensions: 768 })
 * ```
 */
export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { dimensions, batch = DEFAULT_BATCH } = options
  return {
    dimensions,
    async embed(texts, { signal }) {
      if (signal.aborted) throw cancelled()
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += batch) {
        vectors.push(...(await request(options, texts.slice(start, start + batch), signal)))
      }
      return vectors
    },
  }
}

async function request(options: OpenAiEmbedderOptions, texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
  const { url, model, apiKey, fetch = globalThis.fetch } = options
  const place = `${url.replace(/\/+$/, '')}/embeddings`
  let response: Response
  let body: string
  try {
    response = await fetch(place, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      // An empty text is refused by most; a space is not.
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, MOST_CHARACTERS).trim() || ' '), encoding_format: 'float' }),
      signal,
    })
    body = await response.text()
  } catch (cause) {
    if (signal.aborted) throw cancelled()
    throw new AdjutantError('MODEL_UNAVAILABLE', `the embedder at ${place} cannot be reached`, {
      hint: 'Check the address, and that it runs.',
      cause,
    })
  }
  if (!response.ok) {
    const code = response.status === 429 || response.status >= 500 ? 'MODEL_UNAVAILABLE' : 'MODEL_FAILED'
    throw new AdjutantError(code, `the embedder at ${place} answered ${response.status}: ${body.slice(0, 300)}`)
  }
  return vectorsOf(body, texts.length, options.dimensions, place)
}

function vectorsOf(body: string, count: number, dimensions: number, place: string): readonly Float32Array[] {
  const wrong = (what: string): AdjutantError =>
    new AdjutantError('MODEL_FAILED', `the embedder at ${place} ${what}`, { hint: 'Check the model and its dimensions.' })
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw wrong('did not answer with JSON')
  }
  if (!isJsonObject(answer) || !Array.isArray(answer.data)) throw wrong('answered without "data"')
  const vectors = new Array<Float32Array | undefined>(count)
  for (const [at, item] of answer.data.entries()) {
    const vector = isJsonObject(item) ? numbersOf(item.embedding) : undefined
    const index = isJsonObject(item) && typeof item.index === 'number' ? item.index : at
    if (vector === undefined) throw wrong('answered with something that is no vector')
    if (vector.length !== dimensions) throw wrong(`gives vectors of ${vector.length} numbers, where ${dimensions} were expected`)
    if (index >= 0 && index < count) vectors[index] = vector
  }
  return Array.from(vectors, (vector) => {
    if (vector === undefined) throw wrong(`answered with fewer vectors than the ${count} texts it was sent`)
    return vector
  })
}

function numbersOf(value: JsonValue | undefined): Float32Array | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'number' && Number.isFinite(each))) return undefined
  return Float32Array.from(value, Number)
}

function cancelled(): AdjutantError {
  return new AdjutantError('CANCELLED', 'stopped while texts were embedded')
}
