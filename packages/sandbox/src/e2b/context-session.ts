/**
 * Owns the persistent interpreter of one language in one box: a context of its code interpreter. One run after the other. A context that was ended
 * by a limit, or that its interpreter lost, is replaced with the next run, whose report says that what it knew is gone.
 */
import { AdjutantError } from '@adjutant/core/contract'
import type { Outcome, RunGuard } from '../runs/run-guard.ts'
import type { SessionRun } from './bash-session.ts'
import { ContextGone, type Interpreter } from './interpreter.ts'

/** What the interpreter calls a language, and how its folder is changed. */
const LANGUAGES = {
  python: { name: 'python', chdir: (path: string) => `__import__("os").chdir(${JSON.stringify(path)})` },
  js: { name: 'javascript', chdir: (path: string) => `process.chdir(${JSON.stringify(path)})` },
} as const

export class ContextSession {
  readonly #interpreter: Interpreter
  readonly #language: (typeof LANGUAGES)['python' | 'js']
  readonly #root: string
  readonly #env: Readonly<Record<string, string>>
  #context: string | undefined
  #had = false

  constructor(interpreter: Interpreter, lang: 'python' | 'js', root: string, env: Readonly<Record<string, string>>) {
    this.#interpreter = interpreter
    this.#language = LANGUAGES[lang]
    this.#root = root
    this.#env = env
  }

  /** @throws AdjutantError UNSUPPORTED for input, or where there is no interpreter; CANCELLED, SANDBOX_FAILED */
  async run(run: SessionRun, guard: RunGuard): Promise<Outcome | undefined> {
    if (run.stdin !== undefined) {
      throw new AdjutantError('UNSUPPORTED', `e2b: a session of ${this.#language.name} has no input`, {
        hint: 'Write what it shall read to a file first.',
      })
    }
    const before = this.#had && this.#context === undefined
    this.#had = true
    const outcome = await guard.follow({
      follow: async (signal) => {
        const outcome = await this.#execute(run, guard, signal)
        return before ? { ...outcome, stateLost: true } : outcome
      },
      kill: () => this.#kill(),
    })
    // Each loss is told once: this one with this run.
    if (this.#context === undefined) this.#had = false
    return outcome
  }

  async #execute(run: SessionRun, guard: RunGuard, signal: AbortSignal): Promise<Outcome> {
    const known = this.#context !== undefined
    try {
      return await this.#cells(run, guard, signal)
    } catch (error) {
      if (!(error instanceof ContextGone)) throw error
      this.#context = undefined
      if (!known) throw new AdjutantError('SANDBOX_FAILED', 'e2b: the code interpreter forgot a context that it had just made')
      // Nothing was run: once more, in a new one.
      return { ...(await this.#cells(run, guard, signal)), stateLost: true }
    }
  }

  async #cells(run: SessionRun, guard: RunGuard, signal: AbortSignal): Promise<Outcome> {
    this.#context ??= await this.#interpreter.createContext(this.#language.name, this.#root, signal)
    if (run.cwd !== undefined) {
      const outcome = await this.#cell(this.#language.chdir(run.cwd), run.env, guard, signal)
      if (outcome.exitCode !== 0) return outcome
    }
    return this.#cell(run.code, run.env, guard, signal)
  }

  async #cell(code: string, env: Readonly<Record<string, string>>, guard: RunGuard, signal: AbortSignal): Promise<Outcome> {
    const context = this.#context ?? ''
    let exitCode = 0
    for await (const event of this.#interpreter.execute({ context, code, env: { ...this.#env, ...env } }, signal)) {
      switch (event.type) {
        case 'output':
          guard.take(event.stream, Buffer.from(event.text))
          break
        case 'error':
          exitCode = exitCodeOf(event.name, event.value)
          if (event.name !== 'SystemExit') {
            const said = event.traceback === '' ? `${event.name}: ${event.value}` : event.traceback
            guard.take('stderr', Buffer.from(said.endsWith('\n') ? said : `${said}\n`))
          }
          break
        case 'died':
          // Its interpreter ended within the run; nobody says how.
          this.#context = undefined
          return { stateLost: true }
        default:
          event satisfies never
      }
    }
    return { exitCode }
  }

  async #kill(): Promise<boolean> {
    const context = this.#context
    this.#context = undefined
    return context === undefined || (await this.#interpreter.removeContext(context))
  }
}

/** As a program of its own would have ended. */
function exitCodeOf(name: string, value: string): number {
  if (name !== 'SystemExit') return 1
  return value === '' || value === 'None' ? 0 : /^\d{1,3}$/.test(value) ? Number(value) & 255 : 1
}
