/** Owns one folder on this machine and the programs that run in it, one after the other. Not a box: see host-backend.ts. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxReport,
  type SandboxRun,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { spawnRun } from '../spawn/spawn-run.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'

export interface HostSandboxOptions {
  readonly id: string
  readonly clock: Clock
  readonly programs: ReadonlyMap<SandboxLanguage, string>
  readonly spec: SandboxSpec
  readonly closed: () => void
}

const WARNING = 'not in a box: this ran on the machine itself, as its user, and nothing was enforced'
const DEFAULTS = { wallMs: 60_000, outputBytes: 10_485_760 } as const
const FILES: Readonly<Record<SandboxLanguage, string>> = { bash: 'code.sh', python: 'code.py', js: 'code.mjs', sql: 'code.sql' }

export class HostSandbox implements Sandbox {
  readonly id: string
  readonly backend = 'host'
  readonly enforces: ReadonlySet<SandboxGuarantee> = new Set()
  readonly #options: HostSandboxOptions
  readonly #own: string
  readonly #workspace: Workspace
  readonly #closing = new AbortController()
  #tail: Promise<unknown> = Promise.resolve()
  #runs = 0
  #closed: Promise<void> | undefined

  private constructor(options: HostSandboxOptions, own: string, workspace: Workspace) {
    this.id = options.id
    this.#options = options
    this.#own = own
    this.#workspace = workspace
  }

  /** @throws AdjutantError UNSUPPORTED for what only a box can have */
  static async open(options: HostSandboxOptions): Promise<HostSandbox> {
    if ((options.spec.mounts ?? []).length > 0) throw new AdjutantError('UNSUPPORTED', 'host: nothing can be mounted without a box')
    const own = await mkdtemp(join(tmpdir(), 'adjutant-host-'))
    try {
      await mkdir(join(own, 'workspace'))
      return new HostSandbox(options, own, await openWorkspace(options.spec.workspace?.host ?? join(own, 'workspace')))
    } catch (error) {
      await rm(own, { recursive: true, force: true })
      throw error
    }
  }

  run(run: SandboxRun): Promise<SandboxReport> {
    const turn = this.#tail.then(() => this.#run(run))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    await this.#workspace.writeFile(path, bytes)
  }

  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array> {
    return this.#workspace.readFile(path, options)
  }

  list(path?: string): Promise<readonly SandboxFile[]> {
    return this.#workspace.list(path)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort()
      await this.#tail
      await this.#workspace.close()
      await rm(this.#own, { recursive: true, force: true })
      this.#options.closed()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(run: SandboxRun): Promise<SandboxReport> {
    const { programs, clock, spec } = this.#options
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_FAILED', 'this sandbox is closed', { outcome: 'not-run' })
    const program = programs.get(run.lang)
    if (program === undefined) throw new AdjutantError('UNSUPPORTED', `host: there is no ${run.lang} on this machine`)
    if (run.session === true) throw new AdjutantError('UNSUPPORTED', 'host: nothing is kept between runs without a box')
    const signal = run.signal === undefined ? this.#closing.signal : AbortSignal.any([run.signal, this.#closing.signal])
    if (signal.aborted) throw new AdjutantError('CANCELLED', 'the run was stopped before it began')
    this.#runs += 1
    const file = join(this.#own, `${this.#runs}-${FILES[run.lang]}`)
    await writeFile(file, run.code)
    try {
      return await spawnRun([program, file], {
        backend: this.backend,
        warning: WARNING,
        clock,
        run,
        signal,
        cwd: resolve(this.#workspace.folder, run.cwd?.replace(/^\/workspace(?=\/|$)/, '.') ?? '.'),
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...spec.env, ...run.env },
        wallMs: Math.min(run.limits?.wallMs ?? Number.POSITIVE_INFINITY, spec.limits?.wallMs ?? DEFAULTS.wallMs),
        outputBytes: Math.min(run.limits?.outputBytes ?? Number.POSITIVE_INFINITY, spec.limits?.outputBytes ?? DEFAULTS.outputBytes),
      })
    } finally {
      await rm(file, { force: true })
    }
  }
}
