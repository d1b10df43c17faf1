import type {
  DurableStore,
  HoldOptions,
  KeepOptions,
  KeptStep,
  LoadedSession,
  Page,
  SessionFilter,
  SessionHold,
  SessionKey,
  StoredSession,
} from '../../contract/durable.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Clock } from '../../contract/ports.ts'
import { systemClock } from '../../util/system-clock.ts'
import { MemoryDesk } from './memory-desk.ts'
import { MemoryLedger } from './memory-ledger.ts'
import { pageOf } from './memory-page.ts'
import { titleOf } from './title-of.ts'

const DEFAULT_LEASE_MS = 30_000

interface Entry {
  session: StoredSession
  readonly steps: StepRecord[]
  checkpoint: { readonly afterStep: number; readonly body: JsonObject } | undefined
  fence: number
  readonly ledger: MemoryLedger
  /** Who follows it. */
  readonly wakes: Set<() => void>
}

/**
 * Keeps sessions in this process: for tests, and for a host that wants pauses and no database. Everything is gone with the process; between sessions of
 * one process it is as strict as any other store: one holder at a time, nothing written by one that has lost its hold.
 *
 * @example
 * ```ts
 * const store = new MemoryDurableStore()
 * const session = await openDurableSession({ store, tools, namespaceRoot, mode: 'ask', approver, asker, defers: true })
 * ```
 */
export class MemoryDurableStore implements DurableStore {
  readonly approvals: MemoryDesk
  readonly #clock: Clock
  readonly #sessions = new Map<string, Entry>()

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock
    this.approvals = new MemoryDesk(this.#clock)
  }

  async hold(key: SessionKey, options: HoldOptions): Promise<SessionHold> {
    const now = this.#clock.now()
    const known = this.#sessions.get(idOf(key))
    const { tenantId, userId } = options.principal
    if (tenantId !== key.tenantId || (known === undefined ? options.create === false : known.session.principal.userId !== userId)) {
      throw new AdjutantError('NOT_FOUND', `there is no session ${key.sessionId}`, {
        outcome: 'not-run',
        hint: 'List the sessions there are.',
      })
    }
    const entry = known ?? this.#make(key, options, now)
    const { holder } = entry.session
    if (holder !== undefined && holder.until > now && options.gone?.(holder.node) !== true) {
      throw new AdjutantError(
        'SESSION_BUSY',
        `${key.sessionId} is in the hands of ${holder.node} until ${new Date(holder.until).toISOString()} at least`,
      )
    }
    entry.fence += 1
    return new MemoryHold(key, entry, options, this.#clock, this.approvals)
  }

  async find(key: SessionKey): Promise<LoadedSession | undefined> {
    const entry = this.#sessions.get(idOf(key))
    return entry === undefined ? undefined : loadedOf(entry, this.#clock.now())
  }

  async list(tenantId: string, { state, userId, after, limit }: SessionFilter = {}): Promise<Page<StoredSession>> {
    const now = this.#clock.now()
    const all = [...this.#sessions.values()]
      .map(({ session }) => session)
      .filter((each) => each.tenantId === tenantId)
      .filter((each) => (state === undefined || each.state === state) && (userId === undefined || each.principal.userId === userId))
    const page = pageOf(all, { time: ({ updatedAt }) => updatedAt, id: ({ sessionId }) => sessionId, newestFirst: true }, { after, limit })
    return { ...page, items: page.items.map((each) => shownAt(each, now)) }
  }

  async *steps(key: SessionKey): AsyncGenerator<StepRecord, void, void> {
    for (const step of [...(this.#sessions.get(idOf(key))?.steps ?? [])]) yield copyOf(step)
  }

  async *follow(
    key: SessionKey,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<KeptStep, void, void> {
    const entry = this.#sessions.get(idOf(key))
    if (entry === undefined) return
    for (let number = after + 1; !signal.aborted; ) {
      const step = entry.steps[number - 1]
      if (step !== undefined) {
        yield { number, step: copyOf(step) }
        number += 1
        continue
      }
      if (entry.session.state === 'ended') return
      await next(entry.wakes, signal)
    }
  }

  #make(key: SessionKey, { principal, traceId }: HoldOptions, now: number): Entry {
    const session: StoredSession = {
      ...key,
      principal: copyOf(principal),
      traceId,
      state: 'idle',
      createdAt: now,
      updatedAt: now,
      steps: 0,
    }
    const entry: Entry = { session, steps: [], checkpoint: undefined, fence: 0, ledger: new MemoryLedger(), wakes: new Set() }
    this.#sessions.set(idOf(key), entry)
    return entry
  }
}

class MemoryHold implements SessionHold {
  readonly fence: number
  readonly #lost = new AbortController()
  readonly #key: SessionKey
  readonly #entry: Entry
  readonly #options: HoldOptions
  readonly #clock: Clock
  readonly #desk: MemoryDesk
  #closed = false
  #disarm: () => void = () => {}

  constructor(key: SessionKey, entry: Entry, options: HoldOptions, clock: Clock, desk: MemoryDesk) {
    this.fence = entry.fence
    this.#key = key
    this.#entry = entry
    this.#options = options
    this.#clock = clock
    this.#desk = desk
    this.#renew()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async load(): Promise<LoadedSession> {
    return loadedOf(this.#entry, this.#clock.now())
  }

  async keep(steps: readonly StepRecord[], options: KeepOptions = {}): Promise<number> {
    const entry = this.#entry
    if (this.#closed || entry.fence !== this.fence) throw this.#lose()
    this.#desk.check(this.#key, steps)
    entry.ledger.enter(steps, this.fence)
    // What is kept is what was said now, whatever becomes of the objects.
    for (const step of copyOf(steps)) {
      this.#desk.apply(this.#key, step)
      entry.steps.push(step)
    }
    const count = entry.steps.length
    const { checkpoint, state = entry.session.state } = options
    if (checkpoint !== undefined) entry.checkpoint = { afterStep: count, body: copyOf(checkpoint) }
    if (state === 'ended') this.#desk.cancel(this.#key)
    const title = entry.session.title ?? titleOf(steps)
    entry.session = { ...entry.session, state, steps: count, updatedAt: this.#clock.now(), ...(title === undefined ? {} : { title }) }
    wakeAll(entry)
    return count
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#disarm()
    if (this.#entry.fence !== this.fence) return
    const { holder: _, ...rest } = this.#entry.session
    this.#entry.session = rest
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #renew(): void {
    if (this.#entry.fence !== this.fence) {
      this.#lose()
      return
    }
    const leaseMs = this.#options.leaseMs ?? DEFAULT_LEASE_MS
    this.#entry.session = { ...this.#entry.session, holder: { node: this.#options.node, until: this.#clock.now() + leaseMs } }
    this.#disarm = this.#clock.after(leaseMs / 3, () => this.#renew())
  }

  #lose(): AdjutantError {
    const gone = this.#gone()
    if (!this.#closed) {
      this.#disarm()
      this.#lost.abort(gone)
    }
    return gone
  }

  #gone(): AdjutantError {
    return new AdjutantError('SESSION_LOST', `${this.#key.sessionId} is not in the hands of this process any more`, {
      outcome: 'not-run',
    })
  }
}

function idOf({ tenantId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, sessionId])
}

function loadedOf({ session, checkpoint, steps }: Entry, now: number): LoadedSession {
  return {
    session: shownAt(session, now),
    ...(checkpoint === undefined ? {} : { checkpoint: { ...checkpoint, body: copyOf(checkpoint.body) } }),
    steps: copyOf(steps.slice(checkpoint?.afterStep ?? 0)),
  }
}

function copyOf<T>(value: T): T {
  return structuredClone(value)
}

/** A hold that has run out is none. */
function shownAt(session: StoredSession, now: number): StoredSession {
  const { holder, ...rest } = copyOf(session)
  return holder === undefined || holder.until <= now ? rest : { ...rest, holder }
}

function wakeAll({ wakes }: Entry): void {
  for (const wake of [...wakes]) wake()
}

function next(wakes: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener('abort', wake)
      wakes.delete(wake)
      resolve()
    }
    signal.addEventListener('abort', wake, { once: true })
    wakes.add(wake)
  })
}
