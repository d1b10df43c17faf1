/**
 * Owns one search: its worker thread, and the end of it. The thread is ended when the search is over, when the call is stopped, and
 * when a pattern takes too long on one block: JavaScript patterns backtrack, and a model's pattern must not be able to hang the host.
 */
import { Worker } from 'node:worker_threads'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { programUrl } from '../program-url.ts'
import type { FindingsLimits, FoundLines } from './findings.ts'
import { escapePattern } from './match-lines.ts'
import { isReply, type SearchFile, type SearchReply, type SearchRequest, type SearchSetup } from './search-protocol.ts'

export interface SearchForm {
  readonly query: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

export interface SearcherOptions {
  readonly root: string
  readonly limits: FindingsLimits
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** For one block of at most 4 MiB; an honest pattern needs milliseconds. */
const BLOCK_TIMEOUT_MS = 5_000
const WORKER_HEAP_MB = 256

export class Searcher implements AsyncDisposable {
  readonly #options: SearcherOptions
  readonly #query: SearchSetup['query']
  readonly #worker: Worker
  readonly #failed = Promise.withResolvers<never>()
  #at = ''
  #cancelTimer: (() => void) | undefined
  #onReply: ((reply: SearchReply) => void) | undefined
  readonly #onAbort = () => this.#failed.reject(new AdjutantError('CANCELLED', 'the search was stopped'))

  /** @throws AdjutantError INVALID_ARGUMENTS when the pattern is not one */
  constructor(form: SearchForm, options: SearcherOptions) {
    this.#options = options
    this.#query = queryOf(form)
    const setup: SearchSetup = { root: options.root, query: this.#query, limits: options.limits }
    // Nobody may be listening when it fails; an unhandled rejection would end the host.
    this.#failed.promise.catch(() => {})
    this.#worker = new Worker(programUrl(import.meta.url, 'search-worker'), {
      workerData: setup,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    })
    this.#worker.on('message', (message: unknown) => {
      if (isReply(message)) this.#take(message)
    })
    this.#worker.on('error', (error: unknown) => this.#failed.reject(AdjutantError.from(error, 'TOOL_FAILED', 'the search failed')))
    this.#worker.on('exit', () => this.#failed.reject(new AdjutantError('TOOL_FAILED', 'the search ended unexpectedly')))
    options.signal.addEventListener('abort', this.#onAbort, { once: true })
    if (options.signal.aborted) this.#onAbort()
  }

  /** Searches these files. True when enough was found. @throws AdjutantError TIMEOUT, CANCELLED, TOOL_FAILED */
  async search(files: readonly SearchFile[]): Promise<boolean> {
    const reply = await this.#send({ type: 'files', files })
    return reply.type === 'done' && reply.full
  }

  async result(): Promise<FoundLines> {
    const reply = await this.#send({ type: 'end' })
    if (reply.type !== 'found') throw new AdjutantError('INTERNAL', 'the search answered in a wrong order')
    return reply.found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelTimer?.()
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    await this.#worker.terminate()
  }

  #send(request: SearchRequest): Promise<SearchReply> {
    const { promise, resolve } = Promise.withResolvers<SearchReply>()
    this.#onReply = resolve
    this.#worker.postMessage(request)
    return Promise.race([promise, this.#failed.promise])
  }

  #take(reply: SearchReply): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (reply.type !== 'at') {
      this.#onReply?.(reply)
      return
    }
    this.#at = reply.name
    this.#cancelTimer = this.#options.clock.after(BLOCK_TIMEOUT_MS, () => this.#failed.reject(this.#tooSlow()))
  }

  #tooSlow(): AdjutantError {
    const source = this.#query.type === 'pattern' ? this.#query.source : this.#query.text
    return new AdjutantError(
      'TIMEOUT',
      `the pattern ${JSON.stringify(source.slice(0, 100))} took longer than ${BLOCK_TIMEOUT_MS / 1_000} s in ${this.#at}`,
      {
        grade: 'clarify',
        hint: 'Avoid repetitions inside repetitions such as (a+)+, or search for plain text.',
      },
    )
  }
}

/** Takes the `(?i)` that other dialects begin with as the flag that JavaScript has for it. */
function queryOf(form: SearchForm): SearchSetup['query'] {
  if (!form.regex)
    return form.ignoreCase ? { type: 'pattern', source: escapePattern(form.query), flags: 'i' } : { type: 'text', text: form.query }
  const inline = form.query.startsWith('(?i)')
  const source = inline ? form.query.slice(4) : form.query
  const flags = inline || form.ignoreCase ? 'i' : ''
  try {
    new RegExp(source, flags)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new AdjutantError('INVALID_ARGUMENTS', `"query" is not a regular expression: ${said}`, {
      hint: 'Use JavaScript syntax, or set regex to false to search for the text as it is.',
      cause: error,
    })
  }
  return { type: 'pattern', source, flags }
}
