import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNamespace } from '@adjutant/core'
import {
  AdjutantError,
  type CallContext,
  callId,
  type JsonObject,
  LOCAL_PRINCIPAL,
  type Progress,
  type Question,
  sessionId,
  traceId,
} from '@adjutant/core/contract'

export interface TestContextOptions {
  /** Default `session_1`. */
  readonly sessionId?: string
  readonly callId?: string
  readonly signal?: AbortSignal
  /** Default: nobody is there (QUESTION_UNANSWERED). */
  readonly ask?: (question: Question) => Promise<string>
}

export interface TestContext extends CallContext, AsyncDisposable {
  /** What the tool told, in order. */
  readonly told: readonly Progress[]
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields?: JsonObject }[]
}

/**
 * A call's context for running a tool by itself: a real namespace in a temporary folder, which goes when the context is disposed.
 *
 * @example
 * ```ts
 * await using cx = await testContext()
 * await tool.execute({ path: 'a.txt' }, cx)
 * ```
 */
export async function testContext(options: TestContextOptions = {}): Promise<TestContext> {
  const root = await mkdtemp(join(tmpdir(), 'adjutant-test-'))
  const session = sessionId(options.sessionId ?? 'session_1')
  const call = callId(options.callId ?? 'call_1')
  const told: Progress[] = []
  const logged: { level: string; message: string; fields?: JsonObject }[] = []
  const log = (level: string) => (message: string, fields?: JsonObject) => {
    logged.push(fields === undefined ? { level, message } : { level, message, fields })
  }
  return {
    callId: call,
    sessionId: session,
    traceId: traceId('1'.padStart(32, '0')),
    principal: LOCAL_PRINCIPAL,
    namespace: openNamespace({ root, sessionId: session }),
    signal: options.signal ?? new AbortController().signal,
    idempotencyKey: `${session}/${call}`,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    progress: (progress) => void told.push(progress),
    ask: options.ask ?? (() => Promise.reject(new AdjutantError('QUESTION_UNANSWERED', 'nobody is there'))),
    told,
    logged,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}
