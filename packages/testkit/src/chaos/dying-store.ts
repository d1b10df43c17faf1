import type { ApprovalDesk, DurableStore, HoldOptions, KeepOptions, SessionHold, SessionKey, StepRecord } from '@adjutant/core/contract'

export interface DyingStoreOptions {
  /** At which persisted step, from 1, counted over all sessions of this store. */
  readonly at: number
  /** Default `after`: the step is kept, nobody hears of it. `before`: it was to be kept. */
  readonly moment?: 'before' | 'after'
  /** Default: SIGKILL to this process. Where it returns, the step never settles: as for somebody whose process is gone. */
  readonly die?: () => Promise<void> | void
}

export interface DyingStore extends DurableStore {
  /** Steps persisted so far, or tried to. */
  readonly persisted: number
}

/**
 * A store whose process dies at the n-th step that is persisted. To try every step of a batch, run it once with `at: Infinity`, read
 * {@link DyingStore.persisted}, then run it once for each number and moment, each time in a process of its own.
 *
 * @example
 * ```ts
 * const session = await openDurableSession({ store: dyingStore(store, { at: 3 }), id, tools, namespaceRoot, mode: 'ask', approver, asker })
 * ```
 */
export function dyingStore(store: DurableStore, options: DyingStoreOptions): DyingStore {
  return new Dying(store, options)
}

class Dying implements DyingStore {
  readonly #store: DurableStore
  readonly #at: number
  readonly #moment: 'before' | 'after'
  readonly #die: () => Promise<void> | void
  #persisted = 0

  constructor(store: DurableStore, { at, moment = 'after', die = killThisProcess }: DyingStoreOptions) {
    this.#store = store
    this.#at = at
    this.#moment = moment
    this.#die = die
  }

  get persisted(): number {
    return this.#persisted
  }

  get approvals(): ApprovalDesk {
    return this.#store.approvals
  }

  async hold(key: SessionKey, options: HoldOptions): Promise<SessionHold> {
    const hold = await this.#store.hold(key, options)
    return {
      fence: hold.fence,
      lost: hold.lost,
      load: () => hold.load(),
      keep: (steps, keep) => this.#keep(hold, steps, keep),
      close: () => hold.close(),
      [Symbol.asyncDispose]: () => hold.close(),
    }
  }

  find: DurableStore['find'] = (key) => this.#store.find(key)
  list: DurableStore['list'] = (tenantId, filter) => this.#store.list(tenantId, filter)
  steps: DurableStore['steps'] = (key) => this.#store.steps(key)
  follow: DurableStore['follow'] = (key, options) => this.#store.follow(key, options)

  async #keep(hold: SessionHold, steps: readonly StepRecord[], options?: KeepOptions): Promise<number> {
    this.#persisted += 1
    const number = this.#persisted
    // The dead write nothing.
    if (number > this.#at) return new Promise<never>(() => {})
    if (number === this.#at && this.#moment === 'before') return await this.#dead()
    const count = await hold.keep(steps, options)
    return number === this.#at ? await this.#dead() : count
  }

  async #dead(): Promise<never> {
    await this.#die()
    return await new Promise<never>(() => {})
  }
}

function killThisProcess(): void {
  process.kill(process.pid, 'SIGKILL')
}
