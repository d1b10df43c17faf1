/**
 * Owns one open sandbox: which box a run gets, one run after the other, what is said of it, and the files between. A session's shell that ended is
 * replaced by a new one, and the next report says so. Closing ends everything, also a run that goes on.
 */
import {
  AdjutantError,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimitName,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { Turns } from '../pool/turns.ts'
import { type RunLimits, runLimits } from '../runs/limits.ts'
import { runFrame } from '../runs/run-frame.ts'
import { runReport } from '../runs/run-report.ts'
import { SessionRunner } from '../runs/session-runner.ts'
import { type WatchedRun, watchRun } from '../runs/watch-run.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import type { LandlockBox } from './landlock-box.ts'
import type { LandlockHouse } from './landlock-house.ts'
import type { LandlockSlot } from './landlock-slot.ts'

export const LANDLOCK = 'landlock'

export interface LandlockSandboxOptions {
  readonly id: string
  readonly house: LandlockHouse
  readonly slot: LandlockSlot
  readonly closed: () => void
}

export class LandlockSandbox implements Sandbox {
  readonly id: string
  readonly backend = LANDLOCK
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly workspace: string
  readonly temporary: string
  readonly #options: LandlockSandboxOptions
  readonly #files: Workspace
  readonly #temporaryFiles: Workspace
  readonly #turns = new Turns('runs of this sandbox', 1, 1_000)
  readonly #runners = new Map<SandboxLanguage, { readonly runner: SessionRunner; readonly box: LandlockBox }>()
  #closed: Promise<void> | undefined

  private constructor(options: LandlockSandboxOptions, files: Workspace, temporary: Workspace) {
    this.id = options.id
    this.enforces = options.slot.enforces
    this.workspace = options.slot.workspacePath
    this.#options = options
    this.#files = files
    this.temporary = options.slot.temporaryPath
    this.#temporaryFiles = temporary
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE */
  static async open(options: LandlockSandboxOptions): Promise<LandlockSandbox> {
    const { slot } = options
    const { diskMB, files: maxFiles } = slot.shape.limits
    const most = { maxBytes: diskMB * 1_048_576, maxFiles }
    const files = await openWorkspace(slot.workspacePath, { ...most, ...(slot.user === undefined ? {} : { owner: slot.user }) })
    try {
      return new LandlockSandbox(options, files, await openWorkspace(slot.temporaryPath, most))
    } catch (error) {
      await files.close()
      throw error
    }
  }

  async run(given: SandboxRun): Promise<SandboxReport> {
    this.#checkOpen()
    const { house, slot } = this.#options
    if (!house.languages.has(given.lang))
      throw new AdjutantError('UNSUPPORTED', `boxes of Landlock do not run ${given.lang} on this machine`)
    const limits = runLimits(slot.shape.limits, given.limits)
    const run: SandboxRun = given.cwd === undefined ? given : { ...given, cwd: slot.locate(given.cwd) }
    const leave = await this.#turns.take(run.signal)
    try {
      const leaveHouse = await house.turns.take(run.signal)
      try {
        this.#checkOpen()
        const report = run.session === true ? await this.#inSession(run, limits) : await this.#once(run, limits)
        // Whatever it says, it was closing that ended it.
        this.#checkOpen()
        return report
      } catch (error) {
        // Closing breaks whatever went on; that is what happened then, whatever broke first.
        if (this.#closed !== undefined) throw closed()
        throw error
      } finally {
        leaveHouse()
      }
    } finally {
      leave()
    }
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#checkOpen()
    await this.#files.writeFile(path, bytes)
  }

  async readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array> {
    this.#checkOpen()
    return this.#files.readFile(path, options)
  }

  async list(path?: string): Promise<readonly SandboxFile[]> {
    this.#checkOpen()
    return this.#files.list(path)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([this.#options.slot.close(), this.#files.close(), this.#temporaryFiles.close()])
      this.#options.closed()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #once(run: SandboxRun, limits: RunLimits): Promise<SandboxReport> {
    const { house, slot } = this.#options
    const input = await slot.putInput(run.stdin)
    const warm = slot.take('once', run.lang)
    let box = warm
    try {
      const frame = runFrame({
        word: '-',
        cpuSeconds: Math.ceil(limits.cpuMs / 1000),
        ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
        env: run.env ?? {},
        stdin: input.path,
        code: run.code,
      })
      const started = box ?? (await slot.start('once', run.lang))
      box = started
      const watched = await watchRun(
        { clock: house.clock, box: started, run, limits, memoryMB: slot.shape.limits.memoryMB, look: () => this.#look() },
        () => {
          started.give(frame, true)
          return started.ended
        },
      )
      return this.#report(watched, started, warm === undefined ? 'cold' : 'warm', limits)
    } finally {
      box?.kill()
      await input.remove()
      if (box !== undefined) slot.want('once', run.lang)
    }
  }

  async #inSession(run: SandboxRun, limits: RunLimits): Promise<SandboxReport> {
    const before = this.#runners.get(run.lang)
    const isLost = before !== undefined && !before.runner.isAlive
    const { runner, box } = before?.runner.isAlive === true ? before : await this.#startRunner(run.lang)
    const watched = await runner.run(run, limits, () => this.#look())
    const isEnded = !runner.isAlive
    const report = this.#report(watched, box, 'session', limits, isLost || isEnded)
    // Each loss is told once: with the run that it ended in, or, when nobody was told then, with the next.
    if (isEnded) this.#runners.delete(run.lang)
    return report
  }

  async #startRunner(lang: SandboxLanguage): Promise<{ readonly runner: SessionRunner; readonly box: LandlockBox }> {
    const { house, slot } = this.#options
    const box = await slot.start('session', lang)
    const started = { runner: new SessionRunner({ box, slot, clock: house.clock, ids: house.ids }), box }
    this.#runners.set(lang, started)
    return started
  }

  #report(watched: WatchedRun, box: LandlockBox, mode: SandboxReport['mode'], limits: RunLimits, stateLost = false): SandboxReport {
    if (watched.failed && watched.hit === undefined)
      throw new AdjutantError('SANDBOX_FAILED', `the box could not be made: ${box.failure ?? 'its keeper ended at once'}`, {
        outcome: 'not-run',
      })
    return { backend: LANDLOCK, ...runReport(watched, { mode, cpuMsLimit: limits.cpuMs, stateLost }) }
  }

  /** Nothing holds what a box writes but its own end: it is counted now and then. */
  async #look(): Promise<SandboxLimitName | undefined> {
    const { limits } = this.#options.slot.shape
    try {
      const [kept, temporary] = await Promise.all([this.#files.usage(), this.#temporaryFiles.usage()])
      if (kept.bytes + temporary.bytes > limits.diskMB * 1_048_576) return 'disk'
      return kept.files + temporary.files > limits.files ? 'files' : undefined
    } catch (error) {
      // More files than are counted.
      return AdjutantError.isInstance(error) && error.code === 'TOO_LARGE' ? 'files' : undefined
    }
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closed()
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_FAILED', 'this sandbox is closed', { outcome: 'not-run' })
}
