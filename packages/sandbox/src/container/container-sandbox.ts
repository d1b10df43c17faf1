/**
 * Owns one open box: its runs, one after the other, and the files between. A container that ended, or in which a run could not be ended, is never
 * used again: what it held is lost, and whoever asks next is told.
 */
import {
  AdjutantError,
  type Clock,
  type IdSource,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimitName,
  type SandboxLimits,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { recordOf } from '../e2b/json-value.ts'
import { Turns } from '../pool/turns.ts'
import { type RunLimits, runLimits } from '../runs/limits.ts'
import { checkEnvironment, runFrame } from '../runs/run-frame.ts'
import { type Outcome, RunGuard } from '../runs/run-guard.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import type { ContainerBox } from './container-box.ts'
import { containerProgram, waitsInAdvance } from './container-programs.ts'
import { containerReport, type RunFacts } from './container-report.ts'
import { outcomeOf, RunTold } from './run-told.ts'
import { measuredOf } from './warden-facts.ts'
import { type BoxFiles, WardenFiles } from './warden-files.ts'

/** Milliseconds in which the first process ends a run. */
const KILL_MS = 10_000
/** Milliseconds between two looks at a folder of the host. */
const LOOK_MS = 50

export const BACKEND = 'container'

export interface ContainerSandboxOptions {
  readonly id: string
  readonly box: ContainerBox
  readonly clock: Clock
  readonly ids: IdSource
  readonly limits: SandboxLimits
  readonly enforces: ReadonlySet<SandboxGuarantee>
  /** All that programs see. */
  readonly env: Readonly<Record<string, string>>
  /** Of all boxes. */
  readonly turns: Turns
  readonly workspace?: { readonly folder: string; readonly owner: { readonly uid: number; readonly gid: number } }
  /** Connections that were refused since this was asked last. */
  readonly takeRefused: () => readonly string[]
  /** Ends the container and what was made beside it. */
  readonly remove: () => Promise<void>
}

export class ContainerSandbox implements Sandbox {
  readonly id: string
  readonly backend = BACKEND
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly #options: ContainerSandboxOptions
  readonly #files: BoxFiles
  readonly #folder: Workspace | undefined
  readonly #turns = new Turns('runs of this sandbox', 1, 1_000)
  readonly #sessions = new Set<SandboxLanguage>()
  readonly #closing = new AbortController()
  #broken: AdjutantError | undefined
  #closed: Promise<void> | undefined

  private constructor(options: ContainerSandboxOptions, files: BoxFiles, folder: Workspace | undefined) {
    this.id = options.id
    this.enforces = options.enforces
    this.#options = options
    this.#files = files
    this.#folder = folder
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE */
  static async open(options: ContainerSandboxOptions): Promise<ContainerSandbox> {
    const { workspace, limits, box, ids } = options
    const most = { maxBytes: limits.diskMB * 1_048_576, maxFiles: limits.files }
    if (workspace === undefined) return new ContainerSandbox(options, new WardenFiles(box.line, ids, most), undefined)
    const folder = await openWorkspace(workspace.folder, {
      ...most,
      ...(process.geteuid?.() === 0 ? { owner: workspace.owner } : {}),
    })
    return new ContainerSandbox(options, folder, folder)
  }

  async run(run: SandboxRun): Promise<SandboxReport> {
    this.#checkOpen()
    const limits = runLimits(this.#options.limits, run.limits)
    checkEnvironment(run.env ?? {})
    const leave = await this.#turns.take(run.signal)
    try {
      const leaveAll = await this.#options.turns.take(run.signal)
      try {
        this.#checkOpen()
        return await this.#while(() => this.#run(run, limits))
      } finally {
        leaveAll()
      }
    } finally {
      leave()
    }
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#checkOpen()
    await this.#while(() => this.#files.writeFile(path, bytes))
  }

  async readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array> {
    this.#checkOpen()
    return this.#while(() => this.#files.readFile(path, options))
  }

  async list(path?: string): Promise<readonly SandboxFile[]> {
    this.#checkOpen()
    return this.#while(() => this.#files.list(path))
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort()
      await this.#files.close()
      await this.#options.remove()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(run: SandboxRun, limits: RunLimits): Promise<SandboxReport> {
    const { box, clock, ids } = this.#options
    const stays = run.session === true
    const program = containerProgram(run.lang, stays, box.facts, this.#options.limits)
    const word = ids.traceId()
    const input = typeof run.stdin === 'string' ? Buffer.from(run.stdin) : (run.stdin ?? Buffer.alloc(0))
    const stdin = input.length === 0 ? undefined : `/tmp/.adjutant-${word}`
    const frame = runFrame({
      word,
      // The kernel counts for each process, and in whole seconds; what is finer and counts for all is looked at by the first process.
      ...(stays ? {} : { cpuSeconds: Math.ceil(limits.cpuMs / 1_000) }),
      ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
      env: run.env ?? {},
      stdin: stdin ?? '/dev/null',
      code: run.code,
    })
    const plan = {
      key: `${stays ? 'session' : 'once'} ${run.lang}`,
      ...program,
      env: this.#options.env,
      stays,
      spare: waitsInAdvance(run.lang, stays, this.#options.limits),
      word,
      stdin: stdin ?? null,
      stdinLength: input.length,
      cpuMs: limits.cpuMs,
    }
    using guard = new RunGuard(BACKEND, clock, run, limits, this.#closing.signal)
    const told = new RunTold()
    const hadSession = this.#sessions.has(run.lang)
    if (stays) this.#sessions.add(run.lang)
    let isNew = false
    let number: number | undefined
    let outgrown: SandboxLimitName | undefined
    const kill = (): Promise<boolean> => (number === undefined ? Promise.resolve(true) : this.#kill(number, told))
    const stopLooking = this.#look((limit) => {
      outgrown = limit
      if (number !== undefined) box.line.kill(number)
    })
    let outcome: Outcome | undefined
    try {
      outcome = await guard.follow<Outcome>({
        follow: async () => {
          number = box.line.run(plan, input, frame, {
            started: (fresh) => {
              isNew = fresh
            },
            output: (stream, bytes) => guard.take(stream, bytes),
            ended: (how) => told.end(how),
            failed: (error) => told.fail(error),
          })
          return outcomeOf(await told.over)
        },
        kill,
      })
    } finally {
      stopLooking()
    }
    const end = recordOf(await told.over)
    // Told once: with the run in which it ended, else with the next one that gets a report.
    const lost = stays && ((isNew && hadSession) || end.alive !== true)
    if (stays && end.alive !== true) this.#sessions.delete(run.lang)
    const facts: RunFacts = {
      mode: stays ? 'session' : isNew ? 'cold' : 'warm',
      cpuMsLimit: limits.cpuMs,
      before: measuredOf(end.before),
      after: measuredOf(end.after),
      stateLost: lost,
      refused: this.#options.takeRefused(),
      ...(outgrown === undefined ? (end.limit === 'cpu' ? { hit: 'cpu' as const } : {}) : { hit: outgrown }),
    }
    return containerReport(guard.report(facts.mode, outcome), facts)
  }

  /** False when the container does not obey any more. */
  async #kill(number: number, told: RunTold): Promise<boolean> {
    const { box, clock } = this.#options
    box.line.kill(number)
    let stop: () => void = () => undefined
    const late = new Promise<boolean>((resolve) => {
      stop = clock.after(KILL_MS, () => resolve(false))
    })
    const sure = await Promise.race([
      told.over.then(
        () => true,
        () => true,
      ),
      late,
    ])
    stop()
    if (!sure) this.#break(new AdjutantError('SANDBOX_FAILED', 'a run in the container could not be ended'))
    return sure
  }

  /** What a folder of the host holds is counted now and then; a memory file system holds itself. */
  #look(outgrown: (limit: SandboxLimitName) => void): () => void {
    const folder = this.#folder
    if (folder === undefined) return () => undefined
    const { clock, limits } = this.#options
    let over = false
    let stop: () => void = () => undefined
    const again = (): void => {
      stop = clock.after(LOOK_MS, () => void look())
    }
    const look = async (): Promise<void> => {
      const limit = await folder.usage().then(
        ({ bytes, files }): SandboxLimitName | undefined =>
          bytes > limits.diskMB * 1_048_576 ? 'disk' : files > limits.files ? 'files' : undefined,
        // More files than are counted.
        (error: unknown): SandboxLimitName | undefined =>
          AdjutantError.isInstance(error) && error.code === 'TOO_LARGE' ? 'files' : undefined,
      )
      if (over) return
      if (limit === undefined) again()
      else outgrown(limit)
    }
    again()
    return () => {
      over = true
      stop()
    }
  }

  #break(error: AdjutantError): void {
    this.#broken ??= new AdjutantError('SANDBOX_FAILED', `this container cannot be used any more: ${error.message}`, {
      hint: 'Open a new box; what this one held is lost.',
      outcome: 'not-run',
      cause: error,
    })
    this.#options.box.line.close()
  }

  async #while<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body()
    } catch (error) {
      // Closing breaks whatever goes on; that is what happened then, whatever broke first.
      if (this.#closed !== undefined && !(AdjutantError.isInstance(error) && error.code === 'CANCELLED')) throw closed()
      if (this.#options.box.line.isBroken && AdjutantError.isInstance(error)) this.#break(error)
      throw error
    }
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closed()
    if (this.#broken !== undefined) throw this.#broken
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_FAILED', 'this sandbox is closed', { outcome: 'not-run' })
}
