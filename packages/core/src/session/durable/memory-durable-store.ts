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

const DEFAULT_LEASE_MS = 30_000
const DEFAULT_LIMIT = 100
const TITLE_CHARS = 80

interface Entry {
  session: StoredSession
  readonly steps: StepRecord[]
  checkpoint: { readonly afterStep: number; readonly body: JsonObject } | undefined
  fence: number
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
    if (known === undefined ? options.create === false : known.session.principal.userId !== options.principal.userId) {
      throw new AdjutantError('NOT_FOUND', `there is no session ${key.sessionId}`)
    }
    const entry = known ?? this.#make(key, options, now)
    const { holder } = entry.session
    if (holder !== undefined && holder.until > now) {
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
    return entry === undefined ? undefined : loadedOf(entry)
  }

  async list(tenantId: string, { state, userId, after, limit = DEFAULT_LIMIT }: SessionFilter = {}): Promise<Page<StoredSession>> {
    const all = [...this.#sessions.values()]
      .map(({ session }) => session)
      .filter((each) => each.tenantId === tenantId)
      .filter((each) => (state === undefined || each.state === state) && (userId === undefined || each.principal.userId === userId))
      .sort((a, b) => b.createdAt - a.createdAt || (a.sessionId < b.sessionId ? 1 : -1))
    const from = after === undefined ? 0 : all.findIndex(({ sessionId }) => sessionId === after) + 1
    const items = all.slice(from, from + limit)
    const last = items.at(-1)
    return from + limit < all.length && last !== undefined ? { items, next: last.sessionId } : { items }
  }

  async *steps(key: SessionKey): AsyncGenerator<StepRecord, void, void> {
    yield* [...(this.#sessions.get(idOf(key))?.steps ?? [])]
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
        yield { number, step }
        number += 1
        continue
      }
      if (entry.session.state === 'ended') return
      await next(entry.wakes, signal)
    }
  }

  #make(key: SessionKey, { principal, traceId }: HoldOptions, now: number): Entry {
    const session: StoredSession = { ...key, principal, traceId, state: 'idle', createdAt: now, updatedAt: now, steps: 0 }
    const entry: Entry = { session, steps: [], checkpoint: undefined, fence: 0, wakes: new Set() }
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
    return loadedOf(this.#entry)
  }

  async keep(steps: readonly StepRecord[], options: KeepOptions = {}): Promise<number> {
    const entry = this.#entry
    if (this.#closed || entry.fence !== this.fence) throw this.#gone()
    this.#desk.check(this.#key, steps)
    // What is kept is what was said now, whatever becomes of the objects.
    for (const step of copyOf(steps)) {
      this.#desk.apply(this.#key, step)
      entry.steps.push(step)
    }
    const count = entry.steps.length
    const { checkpoint, state = entry.session.state } = options
    if (checkpoint !== undefined) entry.checkpoint = { afterStep: count, body: copyOf(checkpoint) }
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
      this.#lost.abort(this.#gone())
      return
    }
    const leaseMs = this.#options.leaseMs ?? DEFAULT_LEASE_MS
    this.#entry.session = { ...this.#entry.session, holder: { node: this.#options.node, until: this.#clock.now() + leaseMs } }
    this.#disarm = this.#clock.after(leaseMs / 3, () => this.#renew())
  }

  #gone(): AdjutantError {
    return new AdjutantError('SESSION_LOST', `${this.#key.sessionId} is not in the hands of this process any more`)
  }
}

function idOf({ tenantId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, sessionId])
}

function loadedOf({ session, checkpoint, steps }: Entry): LoadedSession {
  return {
    session,
    ...(checkpoint === undefined ? {} : { checkpoint: { ...checkpoint, body: copyOf(checkpoint.body) } }),
    steps: copyOf(steps.slice(checkpoint?.afterStep ?? 0)),
  }
}

function copyOf<T>(value: T): T {
  return structuredClone(value)
}

function titleOf(steps: readonly StepRecord[]): string | undefined {
  const first = steps.find((step) => step.type === 'user')
  return first?.text.slice(0, TITLE_CHARS)
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
