/**
 * Owns making sandboxes with bubblewrap on Linux. Finds out once, by trying, whether and what boxes can be made here; keeps sandboxes of shapes that
 * were asked for ready in advance; ends all of them when it is closed, and leaves nothing that outlives the host.
 */
import {
  AdjutantError,
  type Clock,
  type IdSource,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import type { NetworkOptions } from '../network/box-network.ts'
import { Turns } from '../pool/turns.ts'
import { type Shelf, WarmPool, type WarmPoolLimits } from '../pool/warm-pool.ts'
import type { BoxKind } from '../programs/box-command.ts'
import { type BoxShape, checkSpec, guarantees } from '../runs/check-spec.ts'
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts'
import { type FoundHouse, findHouse } from './find-house.ts'
import { BACKEND, type House } from './house.ts'
import { Slot } from './slot.ts'

export interface BubblewrapOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** What may wait in advance. `number: 0`: nothing does. */
  readonly pool?: WarmPoolLimits
  /** Runs at once, of all sandboxes. Default 32. */
  readonly runsAtOnce?: number
  /** Runs that wait for their turn before the next is refused. Default 1 000. */
  readonly runsWaiting?: number
  /** Folder of this user's hosts. Default: `/run/adjutant-sandbox` for root, else in `$XDG_RUNTIME_DIR` or the temporary folder. */
  readonly stateRoot?: string
  /** Absolute path. Default: found in the system's folders. */
  readonly bubblewrap?: string
  /** Absolute path of the Node that runs JavaScript in boxes. Default: the one that runs us. */
  readonly node?: string
  /** A control group that was given to this user, as in `/proc/PID/cgroup`. */
  readonly cgroupParent?: string
  /** Of the way out of boxes that may reach some hosts: how much, how names are looked up, which addresses. */
  readonly network?: NetworkOptions
}

export interface BubblewrapBackend extends SandboxBackend {
  /**
   * Has a sandbox of this spec ready, with programs waiting in it, as far as the pool allows. Not needed: a second sandbox of the same
   * spec is made ready by itself. @throws AdjutantError as `open`
   */
  prepare(spec: SandboxSpec, programs: readonly { readonly lang: SandboxLanguage; readonly session?: boolean }[]): Promise<void>
}

/** Shapes whose next sandbox is kept ready; the one not asked for the longest is forgotten. */
const MAX_SHAPES = 16
/** Milliseconds after which the next is made: not while the first run of this one needs the processor. */
const REFILL_AFTER_MS = 30
/** What the process that holds the files takes, in MB. */
const SLOT_MB = 1

interface KnownShape {
  readonly shelf: Shelf<Slot>
  readonly programs: Map<string, { readonly kind: BoxKind; readonly lang: SandboxLanguage }>
}

/**
 * Boxes made by bubblewrap: namespaces, a system call filter, control groups.
 *
 * @example
 * ```ts
 * await using backend = bubblewrapBackend({ clock: systemClock, ids: randomIds })
 * await using sandbox = await backend.open({ limits: { memoryMB: 256 } })
 * const report = await sandbox.run({ lang: 'bash', code: 'echo hello' })
 * ```
 */
export function bubblewrapBackend(options: BubblewrapOptions): BubblewrapBackend {
  return new Backend(options)
}

class Backend implements BubblewrapBackend {
  readonly name = BACKEND
  readonly #options: BubblewrapOptions
  readonly #pool: WarmPool
  readonly #shapes = new Map<string, KnownShape>()
  readonly #open = new Set<Sandbox>()
  readonly #stops = new Set<() => void>()
  #found: Promise<FoundHouse> | undefined
  #known: FoundHouse | undefined
  #closed: Promise<void> | undefined

  constructor(options: BubblewrapOptions) {
    this.#options = options
    this.#pool = new WarmPool(options.clock, options.pool)
  }

  get languages(): ReadonlySet<SandboxLanguage> {
    return this.#known?.house?.languages ?? new Set()
  }

  get enforces(): ReadonlySet<SandboxGuarantee> {
    return this.#known?.enforces ?? new Set()
  }

  async probe(): Promise<SandboxProbe> {
    return (await this.#find()).probe
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    const { house, shape } = await this.#ready(spec)
    const known = shape.workspace === undefined ? this.#shape(house, shape) : undefined
    const slot = known?.shelf.take() ?? (await Slot.make(house, shape))
    try {
      if (this.#closed !== undefined) throw closed()
      const sandbox = await BubblewrapSandbox.open({
        id: house.ids.next('sandbox'),
        house,
        slot,
        enforces: guarantees(this.enforces, shape),
        used: (kind, lang) => known?.programs.set(`${kind} ${lang}`, { kind, lang }),
        closed: () => this.#open.delete(sandbox),
      })
      this.#open.add(sandbox)
      if (known !== undefined) this.#refill(known)
      return sandbox
    } catch (error) {
      await slot.close()
      throw error
    }
  }

  async prepare(spec: SandboxSpec, programs: readonly { readonly lang: SandboxLanguage; readonly session?: boolean }[]): Promise<void> {
    const { house, shape } = await this.#ready(spec)
    const known = this.#shape(house, shape)
    for (const { lang, session } of programs) {
      const kind = session === true ? 'session' : 'once'
      known.programs.set(`${kind} ${lang}`, { kind, lang })
    }
    known.shelf.want()
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (const stop of this.#stops) stop()
      await Promise.all([...this.#open].map((sandbox) => sandbox.close()))
      await this.#pool.close()
      const found = await this.#found
      found?.house?.state.remove()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #ready(spec: SandboxSpec): Promise<{ readonly house: House; readonly shape: BoxShape }> {
    if (this.#closed !== undefined) throw closed()
    const { house, probe } = await this.#find()
    if (house === undefined)
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        `no box can be made here: ${probe.detail}`,
        probe.fix === undefined ? {} : { hint: probe.fix },
      )
    return { house, shape: checkSpec(spec, this.enforces) }
  }

  async #find(): Promise<FoundHouse> {
    const { runsAtOnce = 32, runsWaiting = 1_000 } = this.#options
    this.#found ??= findHouse({ ...this.#options, pool: this.#pool, turns: new Turns('runs in boxes', runsAtOnce, runsWaiting) })
    this.#known = await this.#found
    return this.#known
  }

  #shape(house: House, shape: BoxShape): KnownShape {
    const key = JSON.stringify([shape.limits, shape.mounts, Object.entries(shape.env).sort(), shape.allow])
    const there = this.#shapes.get(key)
    if (there !== undefined) {
      this.#shapes.delete(key)
      this.#shapes.set(key, there)
      return there
    }
    const programs: KnownShape['programs'] = new Map()
    const shelf = this.#pool.shelf<Slot>({
      memoryMB: SLOT_MB,
      make: async () => {
        const slot = await Slot.make(house, shape)
        for (const { kind, lang } of programs.values()) slot.want(kind, lang)
        return slot
      },
      isAlive: (slot) => slot.isAlive,
      dispose: (slot) => slot.close(),
    })
    const known = { shelf, programs }
    this.#shapes.set(key, known)
    if (this.#shapes.size > MAX_SHAPES) {
      const [oldest] = this.#shapes
      if (oldest !== undefined) {
        this.#shapes.delete(oldest[0])
        void oldest[1].shelf.close()
      }
    }
    return known
  }

  #refill({ shelf }: KnownShape): void {
    const stop = this.#options.clock.after(REFILL_AFTER_MS, () => {
      this.#stops.delete(stop)
      shelf.want()
    })
    this.#stops.add(stop)
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_UNAVAILABLE', 'the boxes of this process are closed')
}
