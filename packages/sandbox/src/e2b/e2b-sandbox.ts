/**
 * Owns one open box of the service: its runs, its files, its life. Runs by themselves go beside each other; those of a session one after the
 * other. A box that does not obey any more is never used again. Closing it deletes it, and says so when that could not be done.
 */
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLimits,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { type Outcome, RunGuard } from '../runs/run-guard.ts'
import { runLimits } from '../wasm/box-limits.ts'
import { BashSession, type SessionRun } from './bash-session.ts'
import { ContextSession } from './context-session.ts'
import type { ControlPlane } from './control-plane.ts'
import { type Envd, EnvdRefusal, unexpected } from './envd.ts'
import type { Files } from './files.ts'
import type { Interpreter } from './interpreter.ts'
import { Processes } from './processes.ts'
import { type E2bCommands, type E2bLanguage, prepare } from './program.ts'

/** What a run may take beyond its own time, e.g. to be ended. */
const MARGIN_MS = 60_000

export interface E2bSandboxOptions {
  readonly backend: string
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly clock: Clock
  readonly control: ControlPlane
  readonly envd: Envd
  readonly interpreter: Interpreter
  readonly files: Files
  readonly commands: E2bCommands
  readonly limits: SandboxLimits
  readonly env: Readonly<Record<string, string>>
  readonly lifetimeMs: number
  /** Deletes the box; resolves also when it could not be, which is noted. */
  readonly remove: () => Promise<void>
}

export class E2bSandbox implements Sandbox {
  readonly id: string
  readonly backend: string
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly #options: E2bSandboxOptions
  readonly #processes: Processes
  readonly #shell: BashSession
  readonly #contexts: Readonly<Record<'python' | 'js', ContextSession>>
  readonly #closing = new AbortController()
  readonly #turns = new Map<E2bLanguage, Promise<unknown>>()
  #aliveUntil: number
  #broken: AdjutantError | undefined
  #closed: Promise<void> | undefined

  constructor(options: E2bSandboxOptions) {
    this.#options = options
    this.id = options.envd.box.id
    this.backend = options.backend
    this.enforces = options.enforces
    this.#processes = new Processes(options.envd, options.clock)
    const { files, env, interpreter } = options
    this.#shell = new BashSession(this.#processes, files, env)
    this.#contexts = {
      python: new ContextSession(interpreter, 'python', files.root, env),
      js: new ContextSession(interpreter, 'js', files.root, env),
    }
    this.#aliveUntil = options.clock.monotonic() + options.lifetimeMs
  }

  async run(run: SandboxRun): Promise<SandboxReport> {
    const { lang } = run
    if (lang === 'sql') throw new AdjutantError('UNSUPPORTED', 'e2b: a box of this kind runs bash, python and js, not sql')
    const limits = runLimits(this.#options.limits, run.limits)
    assertEnv(run.env)
    if (run.cwd !== undefined && (!run.cwd.startsWith('/') || run.cwd.includes('\0'))) {
      throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${JSON.stringify(run.cwd)} is no absolute folder of the box`)
    }
    const stdin = typeof run.stdin === 'string' ? Buffer.from(run.stdin) : run.stdin
    return this.#while(async () => {
      if (run.signal?.aborted === true) throw new AdjutantError('CANCELLED', 'e2b: the run was stopped before it began')
      await this.#keepAlive(limits.wallMs)
      if (run.session !== true) {
        using guard = new RunGuard(this.backend, this.#options.clock, run, limits, this.#closing.signal)
        return guard.report('cold', await this.#once({ ...run, lang }, stdin, guard, limits.wallMs))
      }
      return this.#inTurn(lang, async () => {
        // Its time begins when it is its turn.
        using guard = new RunGuard(this.backend, this.#options.clock, run, limits, this.#closing.signal)
        const turn: SessionRun = { code: run.code, stdin, cwd: run.cwd, env: run.env ?? {} }
        const session = lang === 'bash' ? this.#shell : this.#contexts[lang]
        const outcome = await session.run(turn, guard)
        const report = guard.report('session', outcome)
        return outcome === undefined ? { ...report, stateLost: true } : report
      })
    })
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    await this.#while(async () => {
      await this.#keepAlive(0)
      await this.#options.files.write(path, bytes, this.#closing.signal)
    })
  }

  async readFile(path: string, options: { readonly maxBytes?: number } = {}): Promise<Uint8Array> {
    return this.#while(async () => {
      await this.#keepAlive(0)
      return this.#options.files.read(path, options.maxBytes, this.#closing.signal)
    })
  }

  async list(path = ''): Promise<readonly SandboxFile[]> {
    return this.#while(async () => {
      await this.#keepAlive(0)
      return this.#options.files.list(path, this.#closing.signal)
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    this.#shell.drop()
    await this.#options.remove()
  }

  async #once(
    run: { readonly lang: E2bLanguage } & Pick<SandboxRun, 'code' | 'cwd' | 'env'>,
    stdin: Uint8Array | undefined,
    guard: RunGuard,
    wallMs: number,
  ): Promise<Outcome | undefined> {
    const { files, commands, envd, env } = this.#options
    let kept: readonly string[] = []
    let mark: string | undefined
    let pid: number | undefined
    try {
      return await guard.follow<Outcome>({
        follow: async (signal) => {
          const prepared = await prepare(
            { lang: run.lang, code: run.code, stdin },
            { files, commands, envdVersion: envd.box.envdVersion, signal },
          )
          kept = prepared.kept
          signal.throwIfAborted()
          const started = this.#processes.start(
            { argv: prepared.argv, cwd: run.cwd ?? files.root, env: { ...env, ...run.env }, stdin: prepared.stdin, wallMs },
            signal,
          )
          mark = started.mark
          for await (const event of started.events) {
            if (event.type === 'start') pid = event.pid
            else if (event.type === 'output') guard.take(event.stream, event.bytes)
            else {
              const { type: _, ...outcome } = event
              return outcome
            }
          }
          throw new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.id}: a process ended without saying how`)
        },
        kill: async () => mark === undefined || (await this.#processes.kill(mark, pid)),
      })
    } catch (error) {
      if (error instanceof EnvdRefusal) throw this.#notStarted(error, run)
      throw error
    } finally {
      for (const path of kept) await files.forget(path)
    }
  }

  #notStarted(refusal: EnvdRefusal, run: { readonly lang: E2bLanguage } & Pick<SandboxRun, 'cwd'>): AdjutantError {
    const folder = /cwd|chdir|working directory/i.test(refusal.message)
    if (folder && run.cwd !== undefined) return new AdjutantError('NOT_FOUND', `${run.cwd} is no folder of the box`)
    if (folder || refusal.code !== 'invalid_argument') return unexpected(refusal, this.#options.envd.box)
    return new AdjutantError('UNSUPPORTED', `e2b: ${run.lang} cannot be started in this box: ${refusal.message}`, {
      hint: 'Use a template that has it, or name another command for it.',
    })
  }

  #inTurn<T>(lang: E2bLanguage, turn: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(lang) ?? Promise.resolve()
    const result = before.then(turn, turn)
    this.#turns.set(lang, result)
    result.catch(() => undefined)
    return result
  }

  /** Only when it must: an idle box costs nothing and ends by itself. */
  async #keepAlive(forMs: number): Promise<void> {
    const { clock, control, lifetimeMs } = this.#options
    const needed = clock.monotonic() + forMs + Math.min(MARGIN_MS, lifetimeMs / 2)
    if (needed <= this.#aliveUntil) return
    const life = Math.max(lifetimeMs, forMs + MARGIN_MS)
    await control.extend(this.id, Math.ceil(life / 1_000), this.#closing.signal)
    this.#aliveUntil = clock.monotonic() + life
  }

  async #while<T>(body: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.id} is closed`, { outcome: 'not-run' })
    if (this.#broken !== undefined) throw this.#broken
    try {
      return await body()
    } catch (thrown) {
      const error = unexpected(thrown, this.#options.envd.box)
      if (error.code !== 'SANDBOX_FAILED' || this.#closing.signal.aborted) throw error
      // A broken connection is not a broken box; one that is not there is.
      if ((await this.#options.control.exists(this.id)) !== false && !/could not be ended/.test(error.message)) throw error
      this.#broken = new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.id} cannot be used any more: ${error.message}`, {
        hint: 'Open a new box.',
        outcome: 'not-run',
      })
      throw error
    }
  }
}

/** @throws AdjutantError CONFIG_INVALID */
export function assertEnv(env: Readonly<Record<string, string>> | undefined): void {
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(name)) {
      throw new AdjutantError('CONFIG_INVALID', `env: ${JSON.stringify(name.slice(0, 100))} is no name of a variable`)
    }
    if (typeof value !== 'string' || value.includes('\0')) {
      throw new AdjutantError('CONFIG_INVALID', `env.${name} is no text without NUL`)
    }
  }
}
