/**
 * Owns replaying a recording: a server on the loopback interface that answers each request with the next recorded answer, byte for
 * byte and at its pace, over real HTTP. The model in front of it is the very adapter that talks to the provider itself.
 *
 * A request that the provider would refuse is refused (and uses up no answer); so is one beyond the end of the recording.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Clock, IdSource, Model } from '../contract/ports.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import type { RecordedAnswer } from './recorded-answers.ts'
import { type RecordedReply, type Recording, readRecording } from './recording.ts'
import { faultInRequest } from './replay-check.ts'
import { faultInHead, REPLAY_WIRES, type Refusal } from './replay-wire.ts'

export interface ReplayOptions {
  /** Default: random ones. */
  readonly ids?: IdSource
  /** Default: the machine's. */
  readonly clock?: Clock
  /** `off` sends without pauses. Default `recorded`. */
  readonly pace?: 'recorded' | 'off'
  /** Answers that were given before: the first request gets the one after them. Default 0. */
  readonly skip?: number
}

export interface Replay {
  /** Talks to the replay through the adapter of the recording's dialect. */
  readonly model: Model
  readonly baseUrl: string
  readonly recording: Recording
  /** A person's recorded answers, for {@link recordedApprover}. */
  readonly approvals: readonly RecordedAnswer[]
  /** Answers not asked for yet. */
  readonly remaining: number
  /** Ends the server and its connections. Calling it twice is harmless. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const REQUEST_LIMIT = 64 * 1024 * 1024
/** The adapters send a key; nobody looks at it here. Unlike any word of a message, since keys are taken out of messages. */
const KEY = 'no-key-is-needed-here'

/**
 * Starts a replay.
 *
 * @throws AdjutantError CONFIG_INVALID when the file is no recording, naming the line
 *
 * @example
 * ```ts
 * await using replay = await startReplay('conversation.jsonl')
 * for await (const event of replay.model.stream(request, { signal })) …
 * ```
 */
export async function startReplay(file: string, options: ReplayOptions = {}): Promise<Replay> {
  const recording = await readRecording(file)
  const clock = options.clock ?? systemClock
  const desk = new Desk(file, recording, clock, options.pace !== 'off', options.skip ?? 0)
  const server = createServer((request, response) => void desk.serve(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new AdjutantError('INTERNAL', 'the replay got no port')
  const wire = REPLAY_WIRES[recording.dialect]
  const baseUrl = `http://127.0.0.1:${address.port}${wire.base}`
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closing
  }
  return {
    model: wire.make({ name: recording.model, baseUrl, apiKey: KEY, ids: options.ids ?? randomIds, clock, label: `replay:${file}` }),
    baseUrl,
    recording,
    approvals: recording.approvals,
    get remaining() {
      return desk.remaining
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Answers the requests. One answer for one good request, in order of arrival. */
class Desk {
  readonly #file: string
  readonly #recording: Recording
  readonly #clock: Clock
  readonly #paced: boolean
  #next: number

  constructor(file: string, recording: Recording, clock: Clock, paced: boolean, skip: number) {
    this.#next = skip
    this.#file = file
    this.#recording = recording
    this.#clock = clock
    this.#paced = paced
  }

  get remaining(): number {
    return Math.max(0, this.#recording.replies.length - this.#next)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The other side may hang up at any moment; what is written after that goes nowhere.
    response.on('error', () => {})
    try {
      const text = await textOf(request)
      const refusal = this.#refusal(request, text)
      if (refusal !== undefined) return this.#refuse(response, refusal)
      const reply = this.#recording.replies[this.#next]
      if (reply === undefined) {
        const count = this.#recording.replies.length
        return this.#refuse(response, {
          status: 400,
          message: `the recording ${this.#file} has ${count} ${count === 1 ? 'answer' : 'answers'}; this request is one more`,
        })
      }
      this.#next += 1
      await this.#send(response, reply)
    } catch (error) {
      if (response.headersSent) response.destroy()
      else this.#refuse(response, { status: 400, message: error instanceof Error ? error.message : String(error) })
    }
  }

  #refusal(request: IncomingMessage, text: string): Refusal | undefined {
    const { dialect, model } = this.#recording
    const wire = REPLAY_WIRES[dialect]
    const path = wire.path(model)
    if (request.method !== 'POST' || request.url !== path)
      return { status: 404, message: `${request.method} ${request.url}: only POST ${path} is here` }
    return faultInHead(wire, request.headers) ?? faultInBody(text, this.#recording)
  }

  #refuse(response: ServerResponse, refusal: Refusal): void {
    const body = JSON.stringify(REPLAY_WIRES[this.#recording.dialect].errorBody(refusal))
    response.writeHead(refusal.status, { 'content-type': 'application/json', 'x-should-retry': 'false' })
    response.end(body)
  }

  async #send(response: ServerResponse, reply: RecordedReply): Promise<void> {
    response.writeHead(reply.status, reply.headers)
    response.flushHeaders()
    for (const [at, chunk] of reply.chunks.entries()) {
      if (at > 0 && this.#paced && reply.paceMs > 0) await pause(this.#clock, reply.paceMs, response)
      if (response.destroyed) return
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  }
}

function faultInBody(text: string, { dialect, model }: Recording): Refusal | undefined {
  const body = jsonOf(text)
  if (body === undefined) return { status: 400, message: 'the body of the request is not a JSON object' }
  if (REPLAY_WIRES[dialect].namesModel && ownValue(body, 'model') !== model) {
    return { status: 404, message: `model: ${JSON.stringify(ownValue(body, 'model') ?? null)} was not recorded here; "${model}" was` }
  }
  const fault = faultInRequest(dialect, body, model)
  return fault === undefined ? undefined : { status: 400, message: fault }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > REQUEST_LIMIT) throw new AdjutantError('TOO_LARGE', `the request is larger than ${REQUEST_LIMIT} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Ends early when the other side hangs up. */
function pause(clock: Clock, ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      response.off('close', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    response.on('close', end)
  })
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end)
      response.off('close', end)
      resolve()
    }
    response.on('drain', end)
    response.on('close', end)
  })
}
