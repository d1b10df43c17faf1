/**
 * Opens what `run` and `exec` work with: configuration, tools, the person at the terminal, a session; and closes it in the right
 * order whatever happened. Nothing of it outlives `close`.
 */
import {
  type Approver,
  type EventSink,
  namespaceKey,
  openDurableSession,
  randomIds,
  Session,
  type SessionCatalogOptions,
  type SessionId,
  type SessionOptions,
  type SessionStore,
  sessionId,
  systemClock,
} from '@adjutant/core'
import type { Store } from '@adjutant/store'
import type { CliIo } from '../cli-io.ts'
import { approvalMode, type SharedOptions } from '../commands/shared-options.ts'
import type { CatalogConfig, Config, SessionsConfig } from '../config/config.ts'
import { leaseSession, startSweep } from '../config/keep-sessions.ts'
import { loadConfig } from '../config/load-config.ts'
import { openGuards } from '../config/open-guards.ts'
import { openToolbox, type Toolbox } from '../config/open-toolbox.ts'
import { personOf } from '../config/principal.ts'
import { openUi } from '../terminal/open-ui.ts'
import type { Ui } from '../terminal/ui.ts'
import { eventLine } from './json-lines.ts'
import { startOwnWorker } from './own-worker.ts'
import { workspaceJobs } from './workspace-jobs.ts'

export interface Work {
  readonly config: Config
  readonly toolbox: Toolbox
  readonly ui: Ui
  readonly session: Session
  close(): Promise<void>
}

/** The session outlives the process. */
export interface DurableWork {
  readonly store: Store
  /** Default: a new one. */
  readonly id?: SessionId
  /** What a person must decide on is left for later, and what goes on in the background to others. */
  readonly defers: boolean
  /** For people: which process has it. Default: host and process id. */
  readonly node?: string
}

export interface WorkOptions {
  readonly shared: SharedOptions
  /** Read already, where a command needs it before. */
  readonly config?: Config
  readonly stdinIsData: boolean
  readonly recorded?: Approver | undefined
  /** Keeps the steps of a session that does not outlive the process. */
  readonly store?: SessionStore
  readonly durable?: DurableWork
  readonly events?: EventSink
  /** The system prompt says already what the marks around text of strangers mean. */
  readonly saysFence?: boolean
  /** Goes before what the configuration says of the catalogue. */
  readonly catalog?: SessionCatalogOptions
}

function catalogOptions({ maxTools, maxTokens, ...rest }: CatalogConfig): SessionCatalogOptions {
  return {
    ...rest,
    limits: { ...(maxTools === undefined ? {} : { maxTools }), ...(maxTokens === undefined ? {} : { maxTokens }) },
  }
}

function keptResults({ maxMB, maxFiles }: SessionsConfig): Pick<SessionOptions, 'quota' | 'results'> {
  if (maxMB === undefined && maxFiles === undefined) return {}
  return {
    ...(maxMB === undefined ? {} : { quota: { maxBytes: maxMB * 1_048_576 } }),
    results: {
      ...(maxMB === undefined ? {} : { totalBytes: maxMB * 1_048_576 }),
      ...(maxFiles === undefined ? {} : { files: maxFiles }),
    },
  }
}

export function configOf(io: CliIo, shared: SharedOptions): Promise<Config> {
  return loadConfig(io, shared.config, { workspace: shared.workspace })
}

export async function openWork(io: CliIo, options: WorkOptions): Promise<Work> {
  const { shared } = options
  const json = shared.json === true
  const config = options.config ?? (await configOf(io, shared))
  const person = personOf(config, shared.role)
  const guards = await openGuards(config, io, {
    clock: systemClock,
    ...(options.durable === undefined ? {} : { store: options.durable.store }),
  })
  const toolbox = await openToolbox(config, io, { principal: person.principal })
  const ui = await openUi(io, {
    workspace: config.workspace,
    clock: systemClock,
    json,
    stdinIsData: options.stdinIsData,
    recorded: options.recorded,
  })
  const sessionOptions: SessionOptions = {
    ...guards,
    tools: toolbox.tools,
    namespaceRoot: config.sessionsFolder,
    mode: approvalMode(shared, config).mode,
    principal: person.principal,
    catalog: { ...catalogOptions(config.catalog), ...options.catalog, mayUse: person.mayUse },
    approver: ui.approver,
    asker: ui.asker,
    clock: systemClock,
    ids: randomIds,
    limits: config.limits,
    earlyStart: config.earlyStart,
    ...keptResults(config.sessions),
    ...(options.saysFence === true ? { fenceNote: 'none' } : {}),
    events(event) {
      if (json) {
        const line = eventLine(event)
        if (line !== undefined && !io.stdout.destroyed) io.stdout.write(`${JSON.stringify(line)}\n`)
      }
      ui.events(event)
      options.events?.(event)
    },
  }
  const id = options.durable?.id ?? sessionId(randomIds.next('session'))
  const closeAll = async (): Promise<void> => {
    await ui.close()
    await toolbox.close()
  }
  // From now on no other process takes it for one that is over.
  const lease = await leaseSession(config.sessionsFolder, namespaceKey(person.principal, id), systemClock).catch(async (error: unknown) => {
    await closeAll()
    throw error
  })
  const { durable } = options
  const jobs = durable === undefined ? {} : { jobs: workspaceJobs(durable.store.jobs, config.workspace) }
  const session = await openSession({ ...sessionOptions, ...jobs, id }, options).catch(async (error: unknown) => {
    await lease?.release()
    await closeAll()
    throw error
  })
  const sweep = startSweep(config, { clock: systemClock, random: Math.random, note: (text) => ui.note(text, 'warning') })
  let { tools } = toolbox
  const own = { config, guards, tools: () => tools, signal: io.signal }
  const worker =
    durable === undefined || durable.defers
      ? undefined
      : await startOwnWorker({ ...own, store: durable.store }).catch(async (error: unknown) => {
          await session.close()
          await sweep.stop()
          await lease?.release()
          await closeAll()
          throw error
        })
  toolbox.watch(
    (now) => {
      tools = now
      session.useTools(now)
    },
    (text) => ui.note(text, 'warning'),
  )
  return {
    config,
    toolbox,
    ui,
    session,
    async close() {
      // The session first: it ends what runs. The screen last but one: it still shows how. Servers go when nothing calls them.
      const swept = sweep.stop()
      await worker?.stop()
      await session.close()
      await swept
      await lease?.release()
      await closeAll()
    },
  }
}

/** @throws AdjutantError SESSION_BUSY, NOT_FOUND, CONFLICT, STORE_FAILED for one that outlives the process */
async function openSession(session: SessionOptions & { readonly id: SessionId }, { durable, store }: WorkOptions): Promise<Session> {
  if (durable === undefined) return new Session({ ...session, ...(store === undefined ? {} : { store }) })
  return await openDurableSession({
    ...session,
    store: durable.store.sessions,
    resultStore: durable.store.results,
    defers: durable.defers,
    create: durable.id === undefined,
    ...(durable.node === undefined ? {} : { node: durable.node }),
  })
}
