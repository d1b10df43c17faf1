/**
 * Owns what a process without a terminal does of the work on a store: background calls of its workspace, carrying sessions on, telling who asked for it. What it
 * takes it finishes, or leaves so that another one can take it.
 */
import { systemClock, toolJobHandler } from '@adjutant/core'
import type { JobHandler } from '@adjutant/core/contract'
import { type DrainReport, RESUME_JOB, type Store, sweep } from '@adjutant/store'
import type { CliIo } from '../cli-io.ts'
import type { SharedOptions } from '../commands/shared-options.ts'
import type { Config } from '../config/config.ts'
import { openGuards } from '../config/open-guards.ts'
import { openToolbox } from '../config/open-toolbox.ts'
import { personOf } from '../config/principal.ts'
import { resumeHandler } from './resume-handler.ts'
import { toolJobKind } from './workspace-jobs.ts'

export const WORK_PARTS = ['jobs', 'sessions', 'notifications'] as const
export type WorkPart = (typeof WORK_PARTS)[number]

/** One line of what happens. */
export type WorkReport =
  | { readonly type: 'ready'; readonly node: string; readonly for: readonly WorkPart[]; readonly workspace: string; readonly store: string }
  | {
      readonly type: 'job'
      readonly id: string
      /** The tool, or the kind. */
      readonly what: string
      readonly attempt: number
      readonly outcome: 'done' | 'failed' | 'left'
      readonly why?: string
    }
  | {
      readonly type: 'delivery'
      readonly id: string
      readonly target: string
      readonly attempt: number
      readonly outcome: 'delivered' | 'again' | 'dead' | 'lost'
      readonly why?: string
    }
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'leaving'; readonly node: string }
  | { readonly type: 'left'; readonly node: string; readonly problems: readonly string[] }

export interface StartWorkOptions {
  readonly store: Store
  readonly config: Config
  readonly shared: SharedOptions
  readonly does: readonly WorkPart[]
  /** Which model decides in sessions. */
  readonly model?: string
  /** Jobs at once. Default 4. */
  readonly concurrency?: number
  readonly report: (one: WorkReport) => void
}

export interface StartedWork {
  /** The node's. */
  readonly id: string
  stop(options: { readonly graceMs: number }): Promise<DrainReport>
}

const OVERDUE_MS = 5_000
const NODES_MS = 60_000
const SWEEP_MS = 3_600_000

/** @throws AdjutantError STORE_FAILED, CONFIG_INVALID */
export async function startWork(io: CliIo, options: StartWorkOptions): Promise<StartedWork> {
  const { store, config, shared, does, report, concurrency } = options
  const kind = toolJobKind(config.workspace)
  const jobs = does.includes('jobs')
  const guards = jobs ? await openGuards(config, io, { clock: systemClock }) : undefined
  const toolbox = jobs ? await openToolbox(config, io, { principal: personOf(config, shared.role).principal }) : undefined
  const node = await store.nodes
    .join({
      does: [
        ...(jobs ? [kind] : []),
        ...(does.includes('sessions') ? [RESUME_JOB] : []),
        ...(does.includes('notifications') ? ['notifications'] : []),
      ],
    })
    .catch(async (error: unknown) => {
      await toolbox?.close()
      throw error
    })
  const handlers: Record<string, JobHandler> = {}
  if (toolbox !== undefined && guards !== undefined) {
    let { tools } = toolbox
    toolbox.watch(
      (now) => {
        tools = now
      },
      (message) => report({ type: 'problem', message }),
    )
    const { policy, redactor } = guards
    const tool = toolJobHandler({
      tools: () => tools,
      namespaceRoot: config.sessionsFolder,
      resultStore: store.results,
      ...(policy === undefined ? {} : { policy }),
      ...(redactor === undefined ? {} : { redactor }),
    })
    handlers[kind] = told(tool, report)
  }
  if (does.includes('sessions')) handlers[RESUME_JOB] = told(resumeHandler(io, { ...options, node: node.id }), report)
  if (Object.keys(handlers).length > 0) {
    node.add(store.jobs.work(handlers, { node: node.id, ...(concurrency === undefined ? {} : { concurrency }) }))
  }
  if (does.includes('notifications')) {
    node.add(store.notifications.deliver({ onAttempt: ({ tenantId: _, ...attempt }) => report({ type: 'delivery', ...attempt }) }))
  }
  const failed = (error: unknown): void => report({ type: 'problem', message: error instanceof Error ? error.message : String(error) })
  // Somebody has to: what nobody decides in time ends, and its session goes on with that.
  for (const [ms, work] of [
    [OVERDUE_MS, () => store.desk.expireOverdue()],
    [NODES_MS, () => store.nodes.sweep()],
    [SWEEP_MS, () => sweep(store.database)],
  ] as const) {
    node.add(every(ms, work, failed))
  }
  return {
    id: node.id,
    async stop({ graceMs }) {
      const drained = await node.drain({ graceMs })
      await toolbox?.close()
      return drained
    },
  }
}

/** Says what came of each attempt. */
function told(handler: JobHandler, report: (one: WorkReport) => void): JobHandler {
  return async (cx) => {
    const { id, kind, payload, attempt } = cx.job
    const what = typeof payload.name === 'string' ? payload.name : kind
    try {
      const result = await handler(cx)
      report({ type: 'job', id, what, attempt, outcome: 'done' })
      return result
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      report({ type: 'job', id, what, attempt, outcome: cx.signal.aborted ? 'left' : 'failed', why })
      throw error
    }
  }
}

/** Again and again, never two at once; what fails is told, and tried again. */
function every(ms: number, work: () => Promise<unknown>, failed: (error: unknown) => void): { stop(): Promise<void> } {
  let stopping = false
  let running: Promise<void> = Promise.resolve()
  let disarm: () => void = () => {}
  const arm = (): void => {
    disarm = systemClock.after(ms, () => {
      running = work().then(() => {}, failed)
      void running.then(() => {
        if (!stopping) arm()
      })
    })
  }
  arm()
  return {
    async stop() {
      stopping = true
      disarm()
      await running
    },
  }
}
