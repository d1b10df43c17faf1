/**
 * Owns making sandboxes of Landlock and seccomp where namespaces are refused, e.g. inside of a container. Finds out once, by trying, whether and what
 * boxes can be made here; ends all of them when it is closed, and leaves nothing that outlives the host. Weaker than boxes of namespaces: see
 * docs/reference/sandbox-landlock.md for what each of its claims means.
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
import { Turns } from '../pool/turns.ts'
import { WarmPool, type WarmPoolLimits } from '../pool/warm-pool.ts'
import { type BoxShape, checkSpec } from '../runs/check-spec.ts'
import { type FoundLandlock, findLandlock } from './find-landlock.ts'
import type { LandlockHouse } from './landlock-house.ts'
import { LANDLOCK, LandlockSandbox } from './landlock-sandbox.ts'
import { LandlockSlot, landlockGuarantees } from './landlock-slot.ts'

export interface LandlockOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** What may wait in advance. `number: 0`: nothing does. */
  readonly pool?: WarmPoolLimits
  /** Runs at once, of all sandboxes. Default 32. */
  readonly runsAtOnce?: number
  /** Runs that wait for their turn before the next is refused. Default 1 000. */
  readonly runsWaiting?: number
  /** Folder of this user's hosts for pipes and users. Default: the one of all boxes of this machine. */
  readonly stateRoot?: string
  /** Where boxes keep what they write; programs must be allowed to run from there. Default: in the temporary folder. */
  readonly filesRoot?: string
  /** Absolute path of the Node that runs JavaScript in boxes. Default: the one that runs us. */
  readonly node?: string
  /** A control group that was given to this user, as in `/proc/PID/cgroup`. */
  readonly cgroupParent?: string
  /** Default true. False: as on a machine that has none. */
  readonly controlGroups?: boolean
  /** Use no newer version of Landlock: as on an older kernel. Default: what the kernel has. */
  readonly newestAbi?: number
}

/**
 * Boxes of Landlock and seccomp.
 *
 * @example
 * ```ts
 * await using backend = landlockBackend({ clock: systemClock, ids: randomIds })
 * await using sandbox = await backend.open({ limits: { memoryMB: 256 } })
 * const report = await sandbox.run({ lang: 'bash', code: 'echo hello' })
 * ```
 */
export function landlockBackend(options: LandlockOptions): SandboxBackend {
  return new Backend(options)
}

class Backend implements SandboxBackend {
  readonly name = LANDLOCK
  readonly #options: LandlockOptions
  readonly #pool: WarmPool
  readonly #open = new Set<Sandbox>()
  #found: Promise<FoundLandlock> | undefined
  #known: FoundLandlock | undefined
  #closed: Promise<void> | undefined

  constructor(options: LandlockOptions) {
    this.#options = options
    this.#pool = new WarmPool(options.clock, options.pool)
  }

  get languages(): ReadonlySet<SandboxLanguage> {
    return this.#known?.house?.languages ?? new Set()
  }

  get enforces(): ReadonlySet<SandboxGuarantee> {
    return this.#known?.house?.enforces ?? new Set()
  }

  async probe(): Promise<SandboxProbe> {
    return (await this.#find()).probe
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    if (this.#closed !== undefined) throw closed()
    const { house, probe } = await this.#find()
    if (house === undefined)
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        `no box can be made here: ${probe.detail}`,
        probe.fix === undefined ? {} : { hint: probe.fix },
      )
    const slot = new LandlockSlot(house, this.#check(spec, house))
    try {
      if (this.#closed !== undefined) throw closed()
      const sandbox = await LandlockSandbox.open({
        id: house.ids.next('sandbox'),
        house,
        slot,
        closed: () => this.#open.delete(sandbox),
      })
      this.#open.add(sandbox)
      return sandbox
    } catch (error) {
      await slot.close()
      throw error
    }
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([...this.#open].map((sandbox) => sandbox.close()))
      await this.#pool.close()
      const house = (await this.#found)?.house
      house?.files.remove()
      house?.state.remove()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @throws AdjutantError SANDBOX_TOO_WEAK, UNSUPPORTED, CONFIG_INVALID, NOT_FOUND */
  #check(spec: SandboxSpec, house: LandlockHouse): BoxShape {
    const { network } = spec
    if (network !== undefined && network !== 'none' && network.allow.length > 0)
      throw new AdjutantError('SANDBOX_TOO_WEAK', 'boxes of Landlock reach no host at all: the kernel bounds ports here, not hosts', {
        hint: 'Use bubblewrap or a container for code that needs some hosts.',
      })
    const shape = checkSpec(spec, house.enforces)
    const moved = shape.mounts.find(({ host, path }) => host !== path)
    if (moved !== undefined)
      throw new AdjutantError(
        'UNSUPPORTED',
        `boxes of Landlock cannot show ${moved.host} as ${moved.path}: without namespaces nothing is mounted`,
        {
          hint: 'Mount it under its own path, or copy it into the workspace.',
        },
      )
    const given = landlockGuarantees(house, shape)
    const missing = (spec.requires ?? []).filter((one) => !given.has(one))
    if (missing.length > 0) throw new AdjutantError('SANDBOX_TOO_WEAK', `this box would not enforce ${missing.join(', ')}`)
    return shape
  }

  async #find(): Promise<FoundLandlock> {
    const { runsAtOnce = 32, runsWaiting = 1_000 } = this.#options
    this.#found ??= findLandlock({ ...this.#options, pool: this.#pool, turns: new Turns('runs in boxes', runsAtOnce, runsWaiting) })
    this.#known = await this.#found
    return this.#known
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_UNAVAILABLE', 'the boxes of this process are closed')
}
