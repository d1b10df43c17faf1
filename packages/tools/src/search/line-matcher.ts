/**
 * Owns matching the blocks of many files against one query. Plain text is matched here; a pattern (and text without regard to
 * case, which needs one) runs in a worker thread that is ended when a block takes too long or the call is stopped: JavaScript
 * patterns backtrack, and a model's pattern must not be able to hang the host.
 */
import { Worker } from 'node:worker_threads'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { programUrl } from '../program-url.ts'
import { type BlockMatches, escapePattern, findText, matchLines } from './match-lines.ts'

export interface LineMatcher extends AsyncDisposable {
  /** @throws AdjutantError TIMEOUT when the pattern takes too long on this block, CANCELLED */
  match(block: string, limit: number): Promise<BlockMatches>
}

export interface QueryForm {
  readonly query: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

export interface MatcherOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** For one block of at most some MB; an honest pattern needs milliseconds. */
const BLOCK_TIMEOUT_MS = 5_000
const WORKER_HEAP_MB = 256

/** @throws AdjutantError INVALID_ARGUMENTS when the pattern is not one */
export function createLineMatcher(form: QueryForm, options: MatcherOptions): LineMatcher {
  if (!form.regex && !form.ignoreCase) {
    return { match: async (block, limit) => findText(block, form.query, limit), [Symbol.asyncDispose]: async () => {} }
  }
  if (!form.regex) {
    // Made of letters only, it cannot backtrack: no thread needed.
    const pattern = new RegExp(escapePattern(form.query), 'i')
    return { match: async (block, limit) => matchLines(block, pattern, limit), [Symbol.asyncDispose]: async () => {} }
  }
  return new WorkerMatcher(checkPattern(form), options)
}

/** Takes the `(?i)` that other dialects begin with as the flag that JavaScript has for it. */
function checkPattern(form: QueryForm): { readonly source: string; readonly flags: string } {
  const inline = /^\(\?i\)/.test(form.query)
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
  return { source, flags }
}

class WorkerMatcher implements LineMatcher {
  readonly #setup: { readonly source: string; readonly flags: string }
  readonly #options: MatcherOptions
  #worker: Worker | undefined

  constructor(setup: { readonly source: string; readonly flags: string }, options: MatcherOptions) {
    this.#setup = setup
    this.#options = options
  }

  async match(block: string, limit: number): Promise<BlockMatches> {
    const worker = this.#start()
    const { clock, signal } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<BlockMatches>()
    const stop = () => reject(new AdjutantError('CANCELLED', 'the search was stopped'))
    const onMessage = (value: unknown) => {
      if (isBlockMatches(value)) resolve(value)
    }
    const onError = (error: unknown) => reject(AdjutantError.from(error, 'TOOL_FAILED', 'the search failed'))
    const onExit = () => reject(new AdjutantError('TOOL_FAILED', 'the search ended unexpectedly'))
    const cancelTimer = clock.after(BLOCK_TIMEOUT_MS, () => reject(tooSlow(this.#setup.source)))
    signal.addEventListener('abort', stop, { once: true })
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
    try {
      if (signal.aborted) stop()
      else worker.postMessage({ block, limit })
      return await promise
    } finally {
      cancelTimer()
      signal.removeEventListener('abort', stop)
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    this.#worker = new Worker(programUrl(import.meta.url, 'regex-worker'), {
      workerData: this.#setup,
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    })
    // Between two blocks nobody listens; an error without a listener would end the host.
    this.#worker.on('error', () => {})
    return this.#worker
  }
}

function isBlockMatches(value: unknown): value is BlockMatches {
  return typeof value === 'object' && value !== null && 'matches' in value && Array.isArray(value.matches) && 'lines' in value
}

function tooSlow(source: string): AdjutantError {
  return new AdjutantError(
    'TIMEOUT',
    `the pattern ${JSON.stringify(source.slice(0, 100))} took longer than ${BLOCK_TIMEOUT_MS / 1_000} s on one file`,
    {
      grade: 'clarify',
      hint: 'Avoid repetitions inside repetitions such as (a+)+, or search for plain text.',
    },
  )
}
