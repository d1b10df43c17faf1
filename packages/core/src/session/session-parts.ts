import { Catalog } from '../catalog/catalog.ts'
import { searchAmong } from '../catalog/search/search-among.ts'
import type { EventSink } from '../contract/events.ts'
import { type SessionId, sessionId, type TraceId, traceId } from '../contract/ids.ts'
import type { Clock, IdSource, Namespace } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'
import { InteractionLock } from '../dispatch/interaction-lock.ts'
import { openNamespace } from '../execution/namespace.ts'
import { SharedResults } from '../response/shared-results.ts'
import { SPILL_LIMITS, setSharedResults, setSpillLimits } from '../response/spill-settings.ts'
import { randomIds } from '../util/random-ids.ts'
import { systemClock } from '../util/system-clock.ts'
import { Followers } from './followers.ts'
import { SessionJobs } from './jobs/session-jobs.ts'
import { KeptSteps, type StepKeeper } from './kept-steps.ts'
import { RunGuards } from './run-guards.ts'
import type { SessionOptions } from './session-options.ts'
import { UsedTools } from './used-tools.ts'

/** What a session is made of. */
export interface SessionPartsMade {
  readonly id: SessionId
  readonly traceId: TraceId
  readonly clock: Clock
  readonly ids: IdSource
  readonly namespace: Namespace
  readonly interaction: InteractionLock
  readonly followers: Followers
  readonly steps: StepKeeper | undefined
  readonly jobs: SessionJobs | undefined
  readonly guards: RunGuards
  readonly catalog: Catalog
  readonly used: UsedTools
  /** Kept results on their way to other machines; absent: they stay here. */
  readonly shared: SharedResults | undefined
  at(): number
}

/** One for the process: sessions of the same role search the same tools, and an index of thousands is made once. */
const sharedSearch = searchAmong()

/** Makes the parts of a session, new or as another process left it. */
export function sessionParts(options: SessionOptions): SessionPartsMade {
  const { clock = systemClock, ids = randomIds, principal = LOCAL_PRINCIPAL, durable, interaction = new InteractionLock() } = options
  const id = options.id ?? sessionId(ids.next('session'))
  const trace = durable?.traceId ?? traceId(ids.traceId())
  const startedAt = clock.monotonic()
  const at = (): number => clock.monotonic() - startedAt
  const failed = (message: string): void => followers.emit?.({ type: 'log', level: 'warn', message, at: at() })
  const shared =
    durable?.results === undefined
      ? undefined
      : new SharedResults({
          ...durable.results,
          owner: { tenantId: principal.tenantId, userId: principal.userId, sessionId: id },
          clock,
          failed,
        })
  const namespace = openNamespace({
    root: options.namespaceRoot,
    sessionId: id,
    owner: principal,
    ...options.quota,
    ...(shared === undefined ? {} : { secret: (own) => shared.secret(own) }),
  })
  if (shared !== undefined) setSharedResults(namespace, shared)
  if (options.results !== undefined) setSpillLimits(namespace, { ...SPILL_LIMITS, ...options.results }, clock)
  const followers = new Followers(options.events, options.observers ?? [], {
    sessionId: id,
    traceId: trace,
    principal,
    startedAt: clock.now(),
  })
  const { emit } = followers
  const steps = durable?.journal ?? (options.store === undefined ? undefined : new KeptSteps(options.store, id))
  const jobs =
    options.jobs === undefined
      ? undefined
      : new SessionJobs({
          queue: options.jobs,
          sessionId: id,
          traceId: trace,
          principal,
          clock,
          keep: async (step) => steps?.append(step),
          open: durable?.state.jobs ?? [],
        })
  const guards = new RunGuards(options, { clock, sessionId: id, principal, emit, at }, durable?.guards)
  const catalog = makeCatalog(options, principal, emit, at)
  if (durable !== undefined) {
    catalog.restore(durable.state.loaded)
    for (const step of durable.tail) guards.replay(step, catalog.all)
  }
  return {
    id,
    traceId: trace,
    clock,
    ids,
    namespace,
    interaction,
    followers,
    steps,
    jobs,
    guards,
    catalog,
    used: new UsedTools(),
    shared,
    at,
  }
}

function makeCatalog(options: SessionOptions, principal: Principal, emit: EventSink | undefined, at: () => number): Catalog {
  const { catalog, policy } = options
  const listed = catalog?.mayUse
  return new Catalog(options.tools, {
    search: sharedSearch,
    ...catalog,
    principal,
    // One decision: what the policy refuses whatever the arguments is not there either.
    mayUse: (who, tool) => (listed?.(who, tool) ?? true) && (policy?.mayUse(who, tool) ?? true),
    loaded: (name, tokens) => emit?.({ type: 'tool-loaded', name, tokens, at: at() }),
    unloaded: (name, reason) => emit?.({ type: 'tool-unloaded', name, reason, at: at() }),
  })
}
