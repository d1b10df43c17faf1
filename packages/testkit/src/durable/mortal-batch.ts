/** One batch with everything in it that a crash can meet: reads, writes of each kind, approvals, a job. Every process that is given it carries it on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDurableSession, Registry, randomIds, SessionPaused, TOOL_JOB, type ToolSnapshot, toolJobHandler } from '@adjutant/core'
import {
  type AgentTool,
  type CallContext,
  type Clock,
  callId,
  type DurableStore,
  type JobQueue,
  type JobWorker,
  type SessionId,
  type ToolCall,
} from '@adjutant/core/contract'
import { scriptedApprover, scriptedAsker } from '../scripted-people.ts'

/** What really happened, whoever died. */
export interface BatchBook {
  /** First thing in a tool's body. @param key the call's idempotency key */
  started(key: string, name: string): void
  /** How often the call with this key has begun. */
  starts(key: string): number
}

export class MemoryBatchBook implements BatchBook {
  readonly #starts = new Map<string, number>()

  started(key: string): void {
    this.#starts.set(key, this.starts(key) + 1)
  }

  starts(key: string): number {
    return this.#starts.get(key) ?? 0
  }
}

/** `again` may be repeated, `known` says what became of it, `slow` becomes a job where there is a queue. */
const NAMES = ['look', 'again', 'slow', 'change', 'known', 'change', 'look'] as const
/** Must not begin twice. */
const ONCE: readonly string[] = ['slow', 'change', 'known']

export const MORTAL_CALLS: readonly ToolCall[] = mortalCalls(NAMES)

/** A batch of some of the tools; `slow` is among them. */
export function mortalCalls(names: readonly (typeof NAMES)[number][]): readonly ToolCall[] {
  return names.map((name, index) => ({
    id: callId(`call_${index}`),
    index,
    name,
    arguments: { ok: true, value: { value: index } },
    idFromProvider: true,
  }))
}

export function mustRunOnce({ name }: ToolCall): boolean {
  return ONCE.includes(name)
}

export function mortalTools(book: BatchBook): ToolSnapshot {
  const tool = (name: string, over: Partial<AgentTool> = {}): AgentTool => ({
    name,
    description: `Use for tests: ${name}.`,
    inputSchema: { type: 'object', properties: { value: { type: 'number' } } },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'write',
    execute: async (_, cx: CallContext) => {
      book.started(cx.idempotencyKey, name)
      return `${name} done`
    },
    ...over,
  })
  const registry = new Registry()
  registry.add(
    [
      tool('look', { effect: 'read' }),
      tool('again', { repeatable: true }),
      tool('slow', { background: true }),
      tool('change'),
      tool('known', { reconcile: async (_, cx) => (book.starts(cx.idempotencyKey) > 0 ? 'ran' : 'not-run') }),
    ],
    'test',
  )
  return registry.snapshot()
}

export interface MortalRun {
  readonly store: DurableStore
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly id: SessionId
  readonly tools: ToolSnapshot
  readonly folder: string
  /** Default: all there is. */
  readonly calls?: readonly ToolCall[]
}

/**
 * What one process does: takes the session, begins the batch or carries it on, and goes when a person must decide or when all is done, also what went on
 * as a job.
 */
export async function carryOn({ store, jobs, clock, id, tools, folder, calls = MORTAL_CALLS }: MortalRun): Promise<'paused' | 'done'> {
  const session = await openDurableSession({
    store,
    jobs,
    clock,
    id,
    tools,
    namespaceRoot: folder,
    mode: 'ask',
    approver: scriptedApprover(() => ({ type: 'deny', reason: 'nobody is here' })),
    asker: scriptedAsker(),
    ids: randomIds,
    defers: true,
    redactor: false,
  })
  try {
    if (session.state?.open !== undefined) await session.resume()
    else if (session.state?.batches === 0) await session.execute(calls)
    for (let ended = await session.endedJobs(); session.openJobs.length > 0; ended = await session.endedJobs()) {
      if (ended.length === 0) await session.nextJob(session.signal)
    }
    return 'done'
  } catch (error) {
    if (error instanceof SessionPaused) return 'paused'
    throw error
  } finally {
    await session.close()
  }
}

/** Does what went on as jobs. It belongs to no process that dies. */
export function jobWorker(jobs: JobQueue, tools: ToolSnapshot, folder: string, clock: Clock): JobWorker {
  return jobs.work({ [TOOL_JOB]: toolJobHandler({ tools: () => tools, namespaceRoot: folder, clock, redactor: false }) })
}

/** A folder for sessions' own, gone with the test. */
export function mortalFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'adjutant-mortal-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
