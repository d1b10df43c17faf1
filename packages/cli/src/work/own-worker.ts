/**
 * Owns the background calls that a command does itself, where nobody else is there to do them: without `adjutant work` they would wait for ever. What it has in
 * hand when the command is done is waited for; when it is interrupted, let go.
 */
import { type Session, type ToolResult, type ToolSnapshot, toolJobHandler } from '@adjutant/core'
import type { JobWorker } from '@adjutant/core/contract'
import type { Store } from '@adjutant/store'
import type { Config } from '../config/config.ts'
import type { openGuards } from '../config/open-guards.ts'
import { toolJobKind } from './workspace-jobs.ts'

export interface OwnWorkerOptions {
  readonly store: Store
  readonly config: Config
  readonly guards: Awaited<ReturnType<typeof openGuards>>
  /** As they are now. */
  readonly tools: () => ToolSnapshot
  readonly signal: AbortSignal
}

export interface OwnWorker {
  /** Waits for what is in hand, and takes nothing more. */
  stop(): Promise<void>
}

/** A day: nothing that a person still waits for takes longer. */
const GRACE_MS = 86_400_000
const INTERRUPTED_MS = 2_000

/** Undefined where another process does them. */
export async function startOwnWorker({ store, config, guards, tools, signal }: OwnWorkerOptions): Promise<OwnWorker | undefined> {
  const kind = toolJobKind(config.workspace)
  if ((await store.nodes.list()).some(({ alive, does }) => alive && does.includes(kind))) return undefined
  const { policy, redactor } = guards
  const handler = toolJobHandler({
    tools,
    namespaceRoot: config.sessionsFolder,
    resultStore: store.results,
    ...(policy === undefined ? {} : { policy }),
    ...(redactor === undefined ? {} : { redactor }),
  })
  const worker: JobWorker = store.jobs.work({ [kind]: handler })
  return {
    async stop() {
      const interrupt = (): void => void worker.stop({ graceMs: INTERRUPTED_MS })
      signal.addEventListener('abort', interrupt, { once: true })
      await worker.stop({ graceMs: signal.aborted ? INTERRUPTED_MS : GRACE_MS })
      signal.removeEventListener('abort', interrupt)
    },
  }
}

/** Each background call of the session as it ends, until none is left or the signal aborts. */
export async function* endsOfJobs(
  session: Session,
  signal: AbortSignal,
): AsyncGenerator<{ readonly jobId: string; readonly result: ToolResult }> {
  while (session.openJobs.length > 0 && !signal.aborted) {
    await session.nextJob(signal)
    yield* await session.endedJobs()
  }
}
