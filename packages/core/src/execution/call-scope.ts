import type { CallId, SessionId, TraceId } from '../contract/ids.ts'
import type { Clock, Namespace, Question } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { CallContext, Logger, Progress } from '../contract/tool.ts'

/** What a session lends to each of its calls. */
export interface ExecutionHost {
  readonly clock: Clock
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly principal: Principal
  readonly namespace: Namespace
  readonly log: Logger
  /** The same word for each attempt of this call, in whichever process; another one for each other call. */
  idempotencyKey(callId: CallId): string
  progress(callId: CallId, name: string, progress: Progress): void
  ask(callId: CallId, question: Question, signal: AbortSignal): Promise<string>
  hasTool?(name: string): boolean
}

/** Why a call's signal aborted. */
export type StopReason = 'timeout' | 'cancel'

/** Told once, when the call is stopped. An interface instead of a callback: one closure less for each call. */
export interface StopListener {
  stopped(reason: StopReason): void
}

/**
 * Owns the context of one running call: its signal, its deadline, its voice. The signal and its controller are made only when a
 * tool looks at them. The deadline stands still while a person is being asked and starts anew with each progress; once the
 * call is closed it says nothing more, whatever the tool still does.
 */
export class CallScope implements CallContext {
  readonly callId: CallId
  readonly #host: ExecutionHost
  readonly #name: string
  readonly #timeoutMs: number
  readonly #listener: StopListener
  #controller: AbortController | undefined
  #stopped: StopReason | undefined
  #closed = false
  #asking = 0
  #cancelTimer: (() => void) | undefined

  constructor(host: ExecutionHost, callId: CallId, name: string, timeoutMs: number, listener: StopListener) {
    this.#host = host
    this.callId = callId
    this.#name = name
    this.#timeoutMs = timeoutMs
    this.#listener = listener
    this.#arm()
  }

  get idempotencyKey(): string {
    return this.#host.idempotencyKey(this.callId)
  }
  get sessionId(): SessionId {
    return this.#host.sessionId
  }
  get traceId(): TraceId {
    return this.#host.traceId
  }
  get principal(): Principal {
    return this.#host.principal
  }
  get namespace(): Namespace {
    return this.#host.namespace
  }
  get log(): Logger {
    return this.#host.log
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#stopped !== undefined) this.#controller.abort(stopError(this.#stopped))
    }
    return this.#controller.signal
  }

  get hasTool(): (name: string) => boolean {
    return (name) => this.#host.hasTool?.(name) ?? false
  }

  // Made when asked for: a tool may take them out of its context, and most tools look at neither.
  get progress(): CallContext['progress'] {
    return (progress) => this.#tellProgress(progress)
  }

  get ask(): CallContext['ask'] {
    return (question) => this.#askPerson(question)
  }

  #tellProgress(progress: Progress): void {
    if (this.#closed || this.#stopped !== undefined) return
    if (this.#asking === 0) this.#arm()
    this.#host.progress(this.callId, this.#name, progress)
  }

  async #askPerson(question: Question): Promise<string> {
    this.#asking += 1
    this.#disarm()
    try {
      return await this.#host.ask(this.callId, question, this.signal)
    } finally {
      this.#asking -= 1
      if (this.#asking === 0 && !this.#closed && this.#stopped === undefined) this.#arm()
    }
  }

  /** Aborts the tool. The first reason stays. */
  stop(reason: StopReason): void {
    if (this.#closed || this.#stopped !== undefined) return
    this.#stopped = reason
    this.#disarm()
    this.#controller?.abort(stopError(reason))
    this.#listener.stopped(reason)
  }

  /** The call has its outcome: no timer is left and nothing more is heard. */
  close(): void {
    this.#closed = true
    this.#disarm()
  }

  #arm(): void {
    this.#disarm()
    if (Number.isFinite(this.#timeoutMs)) this.#cancelTimer = this.#host.clock.after(this.#timeoutMs, () => this.stop('timeout'))
  }

  #disarm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }
}

function stopError(reason: StopReason): DOMException {
  return reason === 'timeout'
    ? new DOMException('the time limit of this call ran out', 'TimeoutError')
    : new DOMException('the call was cancelled', 'AbortError')
}
