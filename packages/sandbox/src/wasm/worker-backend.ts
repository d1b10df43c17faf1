/**
 * Owns a way to make boxes whose code runs in WebAssembly in workers of this process: the compiled module, the pool of workers, the boxes
 * that are open. Refuses what such a box cannot have: mounts, a network, guarantees that it does not give. Disposing of it closes every box.
 */
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { MEGABYTE } from './bounded-memory.ts'
import { boxLimits } from './box-limits.ts'
import { FolderFiles } from './folder-files.ts'
import { grantShapes, type HostGrants } from './host-grants.ts'
import { LanePool } from './lane-pool.ts'
import { quietAfter } from './quiet-after.ts'
import { type WasmModule, wasm } from './web-assembly.ts'
import { WorkerLane } from './worker-lane.ts'
import { WorkerSandbox } from './worker-sandbox.ts'

/** Boxes that keep a worker for their session, at once. */
const MAX_SESSIONS = 32
const PROBE_MS = 10_000

/**
 * What holds by construction: the engine has no way to the system but the functions that it is given, one thread and one bounded memory.
 */
const ENFORCED: ReadonlySet<SandboxGuarantee> = new Set<SandboxGuarantee>([
  'filesystem',
  'network',
  'processes',
  'environment',
  'memory',
  'cpu',
  'process-count',
  'disk',
  'file-count',
  'kernel',
])

export interface WorkerBackendOptions {
  readonly clock: Clock
  /** Workers that are made in advance. Default: one for each two processors, at least 1, at most 4. */
  readonly pool?: number
  /** Boxes that may keep a session at once, each in a worker of its own. Default 32. */
  readonly sessions?: number
  /** Milliseconds after which a worker that nobody used is ended; the next run makes one again. Default 120 000. */
  readonly idleMs?: number
}

export interface WorkerEngine {
  readonly name: string
  readonly language: SandboxLanguage
  /** The worker's program. */
  readonly program: URL
  /** The engine's WebAssembly. */
  readonly wasmFile: URL
  /** The least that its memory can be. */
  readonly minMemoryMB: number
  /** The most that its memory can be. */
  readonly maxMemoryMB: number
  /** Code that prints `ok`. */
  readonly probe: string
  readonly detail: string
}

export class WorkerBackend implements SandboxBackend {
  readonly name: string
  readonly languages: ReadonlySet<SandboxLanguage>
  readonly enforces = ENFORCED
  readonly #engine: WorkerEngine
  readonly #options: WorkerBackendOptions
  readonly #grants: HostGrants
  readonly #open = new Set<WorkerSandbox>()
  #pool: Promise<LanePool> | undefined
  #probed: Promise<SandboxProbe> | undefined
  #sessions = 0
  #opened = 0
  #closed: Promise<void> | undefined

  constructor(engine: WorkerEngine, options: WorkerBackendOptions, grants: HostGrants) {
    this.name = engine.name
    this.languages = new Set([engine.language])
    this.#engine = engine
    this.#options = options
    this.#grants = grants
    grantShapes(grants)
    const { pool, sessions, idleMs = 1 } = options
    if (!(idleMs >= 1 && idleMs <= 2_147_483_647))
      throw new AdjutantError('CONFIG_INVALID', `${engine.name}: idleMs is ${String(idleMs)} and must be a number from 1 to 2147483647`)
    for (const [key, value] of Object.entries({ pool, sessions })) {
      if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 256)) {
        throw new AdjutantError('CONFIG_INVALID', `${engine.name}: ${key} is ${String(value)} and must be a whole number from 1 to 256`)
      }
    }
  }

  probe(): Promise<SandboxProbe> {
    this.#probed ??= this.#probe()
    return this.#probed
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    this.#assertOpen()
    const limits = boxLimits(spec.limits)
    this.#assertFits(spec, limits.memoryMB)
    const pool = await this.#lanes()
    const bytes = limits.diskMB * MEGABYTE
    const folder = spec.workspace === undefined ? undefined : await FolderFiles.open(spec.workspace.host, { bytes, files: limits.files })
    if (this.#closed !== undefined) await folder?.close()
    this.#assertOpen()
    this.#opened += 1
    const box = new WorkerSandbox({
      id: `${this.name}_${process.pid}_${this.#opened}`,
      backend: this.name,
      language: this.#engine.language,
      enforces: this.enforces,
      clock: this.#options.clock,
      pool,
      limits: { ...limits, memoryMB: Math.min(limits.memoryMB, this.#engine.maxMemoryMB) },
      env: spec.env ?? {},
      grants: this.#grants,
      ...(folder === undefined ? {} : { folder }),
      reserveSession: () => this.#reserveSession(),
      onClose: (closed) => void this.#open.delete(closed),
    })
    this.#open.add(box)
    return box
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#open].map((box) => box.close()))
    const pool = await this.#pool?.catch(() => undefined)
    await pool?.close()
  }

  async #probe(): Promise<SandboxProbe> {
    const { detail, language, probe } = this.#engine
    try {
      await using box = await this.open({ limits: { wallMs: PROBE_MS } })
      const report = await box.run({ lang: language, code: probe })
      const said = Buffer.from(report.stdout).toString()
      if (said.includes('ok')) return { ok: true, detail }
      return { ok: false, detail: `${detail}: it gave ${JSON.stringify(said.slice(0, 200))}`, fix: 'Install the package again.' }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      return {
        ok: false,
        detail: `${detail}: ${said}`,
        fix: 'Allow worker threads and WebAssembly in this process, or install the package again.',
      }
    }
  }

  #lanes(): Promise<LanePool> {
    this.#pool ??= this.#makePool()
    return this.#pool
  }

  async #makePool(): Promise<LanePool> {
    const { name, program, wasmFile } = this.#engine
    let module: WasmModule
    try {
      module = await wasm.compile(await readFile(wasmFile))
    } catch (error) {
      throw new AdjutantError('SANDBOX_UNAVAILABLE', `${name}: its WebAssembly cannot be loaded`, { cause: error })
    }
    const size = this.#options.pool ?? Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))
    const { idleMs } = this.#options
    const make = (): WorkerLane => new WorkerLane(program, module)
    const pool = new LanePool({ size, after: quietAfter, make, ...(idleMs === undefined ? {} : { idleMs }) })
    pool.fill()
    return pool
  }

  #assertFits(spec: SandboxSpec, memoryMB: number): void {
    const missing = (spec.requires ?? []).filter((guarantee) => !this.enforces.has(guarantee))
    if (missing.length > 0) throw new AdjutantError('SANDBOX_TOO_WEAK', `${this.name} does not enforce ${missing.join(', ')}`)
    const lacks =
      (spec.mounts ?? []).length > 0
        ? 'mounts of the host'
        : spec.network !== undefined && spec.network !== 'none'
          ? 'a network'
          : memoryMB < this.#engine.minMemoryMB
            ? `less than ${this.#engine.minMemoryMB} MB of memory`
            : undefined
    if (lacks !== undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', `${this.name}: a box of this kind cannot have ${lacks}`)
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', `${this.name} is closed`)
  }

  #reserveSession(): () => void {
    const most = this.#options.sessions ?? MAX_SESSIONS
    if (this.#sessions >= most) {
      throw new AdjutantError('OVERLOADED', `${most} boxes keep a session already, and no more may`, {
        hint: 'Run without keeping variables, or close a box first.',
      })
    }
    this.#sessions += 1
    let held = true
    return () => {
      if (held) this.#sessions -= 1
      held = false
    }
  }
}
