/**
 * Owns how the code interpreter of one box is spoken to: contexts that keep variables, and code that is run in one, whose events come line by
 * line. Refuses lines longer than any honest one.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type E2bConnection, INTERPRETER_PORT } from './connection.ts'
import type { Envd } from './envd.ts'
import type { Answer, Exchange, ExchangeRequest } from './exchange.ts'
import { isRecord, parseJson, recordOf, textOf } from './json-value.ts'

const RETRY_STATUS: readonly number[] = [503, 504]
const REQUEST_MS = 30_000
const MAX_LINE_BYTES = 32 << 20
const NEWLINE = 10

export type InterpreterEvent =
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'error'; readonly name: string; readonly value: string; readonly traceback: string }
  /** The interpreter itself ended: what it knew is gone. */
  | { readonly type: 'died' }

/** The context is not there any more: nothing was run. */
export class ContextGone extends Error {}

export interface Cell {
  readonly context: string
  readonly code: string
  readonly env: Readonly<Record<string, string>>
}

export class Interpreter {
  readonly #exchange: Exchange
  readonly #envd: Envd
  readonly #base: string

  constructor(connection: E2bConnection, exchange: Exchange, envd: Envd) {
    this.#exchange = exchange
    this.#envd = envd
    this.#base = connection.boxUrl(envd.box, INTERPRETER_PORT)
  }

  /** @throws AdjutantError UNSUPPORTED when the box has no interpreter, SANDBOX_FAILED, CANCELLED */
  async createContext(language: string, cwd: string, signal: AbortSignal): Promise<string> {
    const answer = await this.#exchange.send({
      ...this.#request('making a context', '/contexts', signal),
      method: 'POST',
      body: JSON.stringify({ language, cwd }),
    })
    if (!answer.ok) throw this.#failure('making a context', answer)
    const id = textOf(recordOf(parseJson(answer.bytes.toString('utf8'))).id)
    if (id === undefined || !/^[A-Za-z0-9_-]{1,128}$/.test(id)) {
      throw new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.#envd.box.id}: making a context: the answer names none`)
    }
    return id
  }

  /** @throws ContextGone, AdjutantError SANDBOX_FAILED (also when the answer is cut), CANCELLED */
  async *execute(cell: Cell, signal: AbortSignal): AsyncGenerator<InterpreterEvent> {
    const answer = await this.#exchange.open({
      ...this.#request('running code', '/execute', signal),
      method: 'POST',
      body: JSON.stringify({ code: cell.code, context_id: cell.context, env_vars: cell.env }),
    })
    if (answer.status === 404) throw new ContextGone()
    if (!answer.ok) {
      const pieces: Uint8Array[] = []
      for await (const piece of answer.body) if (pieces.length < 16) pieces.push(piece)
      throw this.#failure('running code', { status: answer.status, ok: false, bytes: Buffer.concat(pieces) })
    }
    for await (const line of this.#lines(answer.body)) {
      const event = eventOf(parseJson(line))
      if (event !== undefined) yield event
    }
  }

  /** Ends the interpreter of a context. True when it is gone for sure. */
  async removeContext(id: string): Promise<boolean> {
    try {
      const answer = await this.#exchange.send({
        ...this.#request('removing a context', `/contexts/${id}`),
        method: 'DELETE',
        idempotent: true,
      })
      return answer.ok || answer.status === 404
    } catch {
      return false
    }
  }

  async *#lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    let pieces: Uint8Array[] = []
    let length = 0
    for await (const chunk of body) {
      let from = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        pieces.push(chunk.subarray(from, end))
        yield Buffer.concat(pieces).toString('utf8')
        pieces = []
        length = 0
        from = end + 1
      }
      pieces.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > MAX_LINE_BYTES) throw this.#broken(`a line of more than ${MAX_LINE_BYTES} bytes`)
    }
    const rest = Buffer.concat(pieces).toString('utf8')
    if (rest.trim() !== '') yield rest
  }

  #request(
    what: string,
    path: string,
    signal?: AbortSignal,
  ): Pick<ExchangeRequest, 'what' | 'url' | 'headers' | 'timeoutMs' | 'idempotent' | 'code' | 'retryStatus' | 'signal'> {
    return {
      what: `box ${this.#envd.box.id}: ${what}`,
      url: `${this.#base}${path}`,
      headers: { ...this.#envd.headers(INTERPRETER_PORT), 'content-type': 'application/json' },
      timeoutMs: REQUEST_MS,
      idempotent: false,
      code: 'SANDBOX_FAILED',
      retryStatus: RETRY_STATUS,
      ...(signal === undefined ? {} : { signal }),
    }
  }

  #failure(what: string, answer: Answer): AdjutantError {
    const said = this.#exchange.said(answer.bytes)
    if (answer.status === 502 && /not found/i.test(said)) return this.#broken(`it is gone: ${said}`)
    if (answer.status === 404 || answer.status === 502) {
      return new AdjutantError(
        'UNSUPPORTED',
        `e2b: box ${this.#envd.box.id}: no code interpreter answers${said === '' ? '' : `: ${said}`}`,
        {
          hint: 'Run without keeping variables, or use a template with a code interpreter, e.g. code-interpreter-v1.',
        },
      )
    }
    return this.#broken(`${what}: ${answer.status}${said === '' ? '' : `: ${said}`}`)
  }

  #broken(why: string): AdjutantError {
    return new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.#envd.box.id}: ${why}`)
  }
}

function eventOf(event: unknown): InterpreterEvent | undefined {
  if (!isRecord(event)) return undefined
  switch (event.type) {
    case 'stdout':
    case 'stderr':
      return { type: 'output', stream: event.type, text: textOf(event.text) ?? '' }
    case 'error':
      return {
        type: 'error',
        name: textOf(event.name) ?? 'Error',
        value: textOf(event.value) ?? '',
        traceback: textOf(event.traceback) ?? '',
      }
    case 'unexpected_end_of_execution':
      return { type: 'died' }
    // Values and pictures are no output; programs read like those in a file.
    default:
      return undefined
  }
}
