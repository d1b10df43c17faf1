/**
 * Owns what is kept ready in advance: how much of it there may be, together and at once, how old it gets, and who is next to be filled up. What does not
 * fit is not made; whoever finds nothing ready makes it on the spot. Nothing on one shelf is ever given to another. In memory; every change is
 * synchronous; making and disposing go on beside. A maker that fails is not asked again before somebody wants something anew.
 */
import type { Clock } from '@adjutant/core/contract'

export interface WarmPoolLimits {
  /** Things ready or being made, of all shelves. Default 32. */
  readonly number?: number
  /** What all of them are said to take, in MB. Default 256. */
  readonly memoryMB?: number
  /** Milliseconds that a thing stays ready. Default 120 000. */
  readonly idleMs?: number
  /** Being made at once: more only slow each other. Default 2. */
  readonly making?: number
}

export interface ShelfOptions<T> {
  /** What one takes, in MB, as far as is known. */
  readonly memoryMB: number
  /** Kept ready. Default 1. */
  readonly wanted?: number
  make(): Promise<T>
  /** May it still be given out? */
  isAlive(item: T): boolean
  /** Must not reject. */
  dispose(item: T): Promise<void>
}

export interface Shelf<T> {
  /** The one made last, which is then nobody else's; undefined when none is ready. Nothing is made in its place before {@link Shelf.want}. */
  take(): T | undefined
  /** Fills it up, now or as soon as there is room. */
  want(): void
  /** Things ready. */
  readonly ready: number
  /** Disposes of all; what is still being made is disposed of when it comes. Safe to call twice. */
  close(): Promise<void>
}

/** What the pool sees of a shelf. */
interface Filler {
  readonly memoryMB: number
  readonly missing: number
  make(): Promise<void>
  close(): Promise<void>
}

export class WarmPool {
  readonly #limits: Required<WarmPoolLimits>
  readonly #clock: Clock
  readonly #shelves = new Set<Filler>()
  /** Shelves that wait to be filled, in the order in which they came. */
  readonly #queue = new Set<Filler>()
  #number = 0
  #memoryMB = 0
  #making = 0
  #closed = false

  constructor(clock: Clock, limits: WarmPoolLimits = {}) {
    this.#clock = clock
    this.#limits = {
      number: limits.number ?? 32,
      memoryMB: limits.memoryMB ?? 256,
      idleMs: limits.idleMs ?? 120_000,
      making: limits.making ?? 2,
    }
  }

  /** Things ready or being made. */
  get number(): number {
    return this.#number
  }

  get memoryMB(): number {
    return this.#memoryMB
  }

  shelf<T>(options: ShelfOptions<T>): Shelf<T> {
    const shelf = new PoolShelf(options, this.#clock, this.#limits.idleMs, {
      queue: () => {
        if (this.#closed) return
        this.#queue.add(shelf)
        this.#fill()
      },
      released: () => {
        this.#number -= 1
        this.#memoryMB -= options.memoryMB
        this.#fill()
      },
      closed: () => {
        this.#shelves.delete(shelf)
        this.#queue.delete(shelf)
      },
    })
    this.#shelves.add(shelf)
    return shelf
  }

  /** Closes all shelves. */
  async close(): Promise<void> {
    this.#closed = true
    this.#queue.clear()
    await Promise.all([...this.#shelves].map((shelf) => shelf.close()))
  }

  #fill(): void {
    for (const shelf of this.#queue) {
      if (this.#closed || this.#making >= this.#limits.making || this.#number >= this.#limits.number) return
      if (shelf.missing === 0) {
        this.#queue.delete(shelf)
        continue
      }
      // One that is too big for what is left lets the smaller ones behind it pass.
      if (this.#memoryMB + shelf.memoryMB > this.#limits.memoryMB) continue
      this.#queue.delete(shelf)
      this.#number += 1
      this.#memoryMB += shelf.memoryMB
      this.#making += 1
      void shelf.make().then(() => {
        this.#making -= 1
        this.#fill()
      })
      if (shelf.missing > 0) this.#queue.add(shelf)
    }
  }
}

interface ShelfEvents {
  queue(): void
  /** One that was counted is no longer the pool's. */
  released(): void
  closed(): void
}

class PoolShelf<T> implements Shelf<T>, Filler {
  readonly memoryMB: number
  readonly #options: ShelfOptions<T>
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #events: ShelfEvents
  readonly #ready: { readonly item: T; readonly forget: () => void }[] = []
  readonly #disposing = new Set<Promise<void>>()
  readonly #makings = new Set<Promise<void>>()
  #closed = false

  constructor(options: ShelfOptions<T>, clock: Clock, idleMs: number, events: ShelfEvents) {
    this.memoryMB = options.memoryMB
    this.#options = options
    this.#clock = clock
    this.#idleMs = idleMs
    this.#events = events
  }

  get ready(): number {
    return this.#ready.length
  }

  get missing(): number {
    return this.#closed ? 0 : Math.max(0, (this.#options.wanted ?? 1) - this.#ready.length - this.#makings.size)
  }

  want(): void {
    if (!this.#closed) this.#events.queue()
  }

  take(): T | undefined {
    for (;;) {
      const last = this.#ready.pop()
      if (last === undefined) return undefined
      last.forget()
      this.#events.released()
      if (this.#options.isAlive(last.item)) return last.item
      this.#dispose(last.item)
    }
  }

  make(): Promise<void> {
    const making = this.#makeOne().finally(() => this.#makings.delete(making))
    this.#makings.add(making)
    return making
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#events.closed()
    for (const { item, forget } of this.#ready.splice(0)) {
      forget()
      this.#events.released()
      this.#dispose(item)
    }
    await Promise.all(this.#makings)
    await Promise.all(this.#disposing)
  }

  async #makeOne(): Promise<void> {
    let item: T
    try {
      item = await this.#options.make()
    } catch {
      // Whoever needs one makes it on the spot and hears why it does not work.
      this.#events.released()
      return
    }
    if (this.#closed) {
      this.#events.released()
      this.#dispose(item)
      return
    }
    const entry = { item, forget: this.#clock.after(this.#idleMs, () => this.#expire(item)) }
    this.#ready.push(entry)
  }

  #expire(item: T): void {
    const index = this.#ready.findIndex((entry) => entry.item === item)
    if (index === -1) return
    this.#ready.splice(index, 1)
    this.#events.released()
    this.#dispose(item)
  }

  #dispose(item: T): void {
    const disposing = this.#options.dispose(item).finally(() => this.#disposing.delete(disposing))
    this.#disposing.add(disposing)
  }
}
