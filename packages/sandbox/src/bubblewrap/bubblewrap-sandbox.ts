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
import { BACKEND, type House } from './house.ts'
import type { Slot } from './slot.ts'

export interface BubblewrapSandboxOptions {
  readonly id: string
  readonly house: House
  readonly slot: Slot
  readonly enforces: ReadonlySet<SandboxGuarantee>
  /** Told which kind of box is of use, so that the next sandbox of this shape has one ready. */
  readonly used: (kind: 'once' | 'session', lang: SandboxLanguage) => void
  readonly closed: () => void
}

export class BubblewrapSandbox implements Sandbox {
  readonly id: string
  readonly backend = BACKEND
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly #options: BubblewrapSandboxOptions
  readonly #workspace: Workspace
  readonly #turns = new Turns('runs of this sandbox', 1, 1_000)
  readonly #runners = new Map<SandboxLanguage, SessionRunner>()
  #closed: Promise<void> | undefined

  private constructor(options: BubblewrapSandboxOptions, workspace: Workspace) {
    this.id = options.id
    this.enforces = options.enforces
    this.#options = options
    this.#workspace = workspace
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE */
  static async open(options: BubblewrapSandboxOptions): Promise<BubblewrapSandbox> {
    const { slot } = options
    const workspace = await openWorkspace(slot.workspacePath, {
      maxBytes: slot.shape.limits.diskMB * 1_048_576,
      maxFiles: slot.shape.limits.files,
      ...(slot.user === undefined ? {} : { owner: slot.user }),
    })
    return new BubblewrapSandbox(options, workspace)
  }

  async run(run: SandboxRun): Promise<SandboxReport> {
    this.#checkOpen()
    const { house, slot } = this.#options
    if (!house.languages.has(run.lang)) throw new AdjutantError('UNSUPPORTED', `boxes of bubblewrap do not run ${run.lang} on this machine`)
    const limits = runLimits(slot.shape.limits, run.limits)
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
    await this.#workspace.writeFile(path, bytes)
  }

  async readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array> {
    this.#checkOpen()
    return this.#workspace.readFile(path, options)
  }

  async list(path?: string): Promise<readonly SandboxFile[]> {
    this.#checkOpen()
    return this.#workspace.list(path)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([this.#options.slot.close(), this.#workspace.close()])
      this.#options.closed()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #once(run: SandboxRun, limits: RunLimits): Promise<SandboxReport> {
    const { house, slot, used } = this.#options
    const input = await slot.putInput(run.stdin)
    const warm = slot.take('once', run.lang)
    let watched: WatchedRun
    try {
      const frame = runFrame({
        word: '-',
        // The kernel counts for each process, and in whole seconds; what is finer and counts for all is looked at from outside.
        cpuSeconds: Math.ceil(limits.cpuMs / 1000),
        ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
        env: run.env ?? {},
        stdin: input.path,
        code: run.code,
      })
      const box = warm ?? (await slot.start('once', run.lang))
      watched = await watchRun({ clock: house.clock, box, run, limits, memoryMB: slot.shape.limits.memoryMB, look: this.#look() }, () => {
        box.give(frame, true)
        return box.ended
      })
    } finally {
      warm?.kill()
      await input.remove()
    }
    used('once', run.lang)
    slot.wantPlace()
    slot.want('once', run.lang)
    return this.#report(watched, warm === undefined ? 'cold' : 'warm', limits)
  }

  async #inSession(run: SandboxRun, limits: RunLimits): Promise<SandboxReport> {
    const before = this.#runners.get(run.lang)
    const isLost = before !== undefined && !before.isAlive
    const runner = before?.isAlive === true ? before : await this.#startRunner(run.lang)
    const watched = await runner.run(run, limits, this.#look())
    const isEnded = !runner.isAlive
    const report = this.#report(watched, 'session', limits, isLost || isEnded)
    // Each loss is told once: with the run that it ended in, or, when nobody was told then, with the next.
    if (isEnded) this.#runners.delete(run.lang)
    return report
  }

  async #startRunner(lang: SandboxLanguage): Promise<SessionRunner> {
    const { house, slot, used } = this.#options
    const box = slot.take('session', lang) ?? (await slot.start('session', lang))
    used('session', lang)
    const runner = new SessionRunner({ box, slot, clock: house.clock, ids: house.ids })
    this.#runners.set(lang, runner)
    slot.wantPlace()
    return runner
  }

  #report(watched: WatchedRun, mode: SandboxReport['mode'], limits: RunLimits, stateLost = false): SandboxReport {
    if (watched.failed && watched.hit === undefined) {
      const said = Buffer.from(watched.stderr).toString().trim().slice(0, 500)
      throw new AdjutantError('SANDBOX_FAILED', `the box could not be made: ${said || 'bubblewrap ended at once'}`, { outcome: 'not-run' })
    }
    const room = this.#options.slot.room()
    if (room !== undefined) this.#options.slot.holdMemory(room.usedMB)
    const refused = this.#options.slot.takeRefused()
    const facts = { mode, cpuMsLimit: limits.cpuMs, stateLost, refused, ...(room === undefined ? {} : { room }) }
    return { backend: BACKEND, ...runReport(watched, facts) }
  }

  /** What a folder of the host holds is counted now and then; a memory file system holds itself. */
  #look(): () => Promise<SandboxLimitName | undefined> {
    const { shape } = this.#options.slot
    if (shape.workspace === undefined) return () => Promise.resolve(undefined)
    return async () => {
      try {
        const { bytes, files } = await this.#workspace.usage()
        return bytes > shape.limits.diskMB * 1_048_576 ? 'disk' : files > shape.limits.files ? 'files' : undefined
      } catch (error) {
        // More files than are counted.
        return AdjutantError.isInstance(error) && error.code === 'TOO_LARGE' ? 'files' : undefined
      }
    }
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closed()
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_FAILED', 'this sandbox is closed', { outcome: 'not-run' })
}
