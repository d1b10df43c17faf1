/**
 * Owns the child processes in which queries run. SQLite calls cannot be interrupted from JavaScript, so a query that takes too
 * long or is stopped ends with its process (SIGKILL), and another takes its place. Started with the pool, so that a query finds an
 * open connection. Waiting queries are served in order; a stopped one leaves the queue. Processes do not keep the host alive,
 * save while they work, and end themselves when the host is gone.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { programUrl } from '../program-url.ts'
import { type DatabaseFile, isReply, type QueryReply, type QueryRequest } from './query-protocol.ts'

export interface QueryPoolOptions {
  readonly databases: readonly DatabaseFile[]
  readonly size: number
  readonly timeoutMs: number
  readonly clock: Clock
}

interface Waiter {
  readonly start: (child: ChildProcess) => void
  readonly fail: (error: AdjutantError) => void
}

/** Of a child's last words, for the log. */
const STDERR_CHARS = 2_000

export class QueryPool implements AsyncDisposable {
  readonly #options: QueryPoolOptions
  readonly #children = new Set<ChildProcess>()
  readonly #idle: ChildProcess[] = []
  readonly #waiting: Waiter[] = []
  readonly #lastWords = new WeakMap<ChildProcess, { text: string }>()
  #closed = false

  constructor(options: QueryPoolOptions) {
    this.#options = options
    for (let count = 0; count < options.size; count += 1) this.#idle.push(this.#spawn())
  }

  /** Process ids of the children that are there now. */
  get pids(): readonly number[] {
    return [...this.#children].flatMap((child) => child.pid ?? [])
  }

  /** @throws AdjutantError TIMEOUT, CANCELLED, TOOL_FAILED when the process died */
  async run(request: QueryRequest, signal: AbortSignal): Promise<QueryReply> {
    const child = await this.#take(signal)
    const { promise, resolve, reject } = Promise.withResolvers<QueryReply>()
    const { clock, timeoutMs } = this.#options
    const onMessage = (message: unknown) => {
      if (isReply(message)) resolve(message)
    }
    const onGone = () => reject(this.#closed ? closed() : died(this.#lastWords.get(child)?.text))
    const onAbort = () => reject(stopped())
    const cancelTimer = clock.after(timeoutMs, () => reject(tooSlow(timeoutMs)))
    child.on('message', onMessage)
    child.once('exit', onGone)
    child.once('error', onGone)
    signal.addEventListener('abort', onAbort, { once: true })
    hold(child, true)
    try {
      if (signal.aborted) onAbort()
      else child.send(request, (error) => error !== null && onGone())
      const reply = await promise
      this.#giveBack(child)
      return reply
    } catch (error) {
      this.#replace(child)
      throw error
    } finally {
      cancelTimer()
      child.off('message', onMessage)
      child.off('exit', onGone)
      child.off('error', onGone)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends every process and waits until they are gone; running queries fail. Calling it twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true
    const ends = [...this.#children].map((child) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) resolve()
      else child.once('exit', () => resolve())
      hold(child, true)
      child.kill('SIGKILL')
      return promise
    })
    for (const waiter of this.#waiting.splice(0)) waiter.fail(closed())
    await Promise.all(ends)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #take(signal: AbortSignal): Promise<ChildProcess> {
    if (this.#closed) return Promise.reject(closed())
    if (signal.aborted) return Promise.reject(stopped())
    const idle = this.#idle.shift()
    if (idle !== undefined) return Promise.resolve(idle)
    // Children that died on their own are not replaced before somebody needs one: a broken start must not spin.
    if (this.#children.size < this.#options.size) return Promise.resolve(this.#spawn())
    const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
    const waiter: Waiter = { start: resolve, fail: reject }
    const leave = () => {
      const place = this.#waiting.indexOf(waiter)
      if (place === -1) return
      this.#waiting.splice(place, 1)
      reject(stopped())
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(waiter)
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #giveBack(child: ChildProcess): void {
    if (this.#closed || !this.#children.has(child)) return
    const waiter = this.#waiting.shift()
    if (waiter !== undefined) {
      waiter.start(child)
      return
    }
    hold(child, false)
    this.#idle.push(child)
  }

  #replace(child: ChildProcess): void {
    this.#forget(child)
    child.kill('SIGKILL')
    if (!this.#closed) this.#giveBack(this.#spawn())
  }

  #spawn(): ChildProcess {
    const child = fork(fileURLToPath(programUrl(import.meta.url, 'query-child')), [JSON.stringify(this.#options.databases)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Nothing of the host's environment: no keys, no NODE_OPTIONS. Windows cannot start a program without SystemRoot.
      env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#children.add(child)
    const words = { text: '' }
    this.#lastWords.set(child, words)
    child.stderr?.setEncoding('utf8')
    child.stderr?.on('data', (text: string) => {
      words.text = (words.text + text).slice(-STDERR_CHARS)
    })
    child.once('exit', () => this.#forget(child))
    // Also a second one: an error without a listener would end the host.
    child.on('error', () => this.#forget(child))
    hold(child, false)
    return child
  }

  #forget(child: ChildProcess): void {
    this.#children.delete(child)
    const place = this.#idle.indexOf(child)
    if (place !== -1) this.#idle.splice(place, 1)
  }
}

/** Whether a child keeps the host alive. */
function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
    if (child.stderr !== null && 'unref' in child.stderr && typeof child.stderr.unref === 'function') child.stderr.unref()
  }
}

function closed(): AdjutantError {
  return new AdjutantError('CANCELLED', 'the databases were closed')
}

function stopped(): AdjutantError {
  return new AdjutantError('CANCELLED', 'the query was stopped')
}

function died(lastWords: string | undefined): AdjutantError {
  return new AdjutantError('TOOL_FAILED', 'the process in which the query ran died (perhaps it needed too much memory)', {
    hint: 'Ask for less at once: fewer rows, no huge texts.',
    cause: lastWords,
  })
}

function tooSlow(timeoutMs: number): AdjutantError {
  return new AdjutantError('TIMEOUT', `the query took longer than ${timeoutMs / 1_000} s and was ended`, {
    grade: 'clarify',
    hint: 'Narrow it with WHERE on an indexed column, or look at EXPLAIN QUERY PLAN.',
  })
}
