/**
 * Owns one folder and the programs that run in it within the runtime's walls, one after the other. Time and output are bounded from outside; memory,
 * processes and what leaves its process group are not.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { boxLimits, runLimits } from '../runs/limits.ts'
import { checkEnvironment } from '../runs/run-frame.ts'
import { spawnRun } from '../spawn/spawn-run.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import { type BoxConfig, type BoxFolders, seatbeltConfig } from './box-config.ts'
import type { RuntimeLease } from './runtime.ts'

export const SEATBELT = 'seatbelt'

export interface SeatbeltSandboxOptions {
  readonly id: string
  readonly clock: Clock
  readonly platform: NodeJS.Platform
  readonly programs: ReadonlyMap<SandboxLanguage, readonly [string, ...string[]]>
  readonly readable: readonly string[]
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly spec: SandboxSpec
  /** Released when the sandbox is closed. */
  readonly lease: RuntimeLease
  readonly closed: () => void
}

const FILES: Readonly<Record<SandboxLanguage, string>> = { bash: 'code.sh', python: 'code.py', js: 'code.mjs', sql: 'code.sql' }

export class SeatbeltSandbox implements Sandbox {
  readonly id: string
  readonly backend = SEATBELT
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly workspace: string
  readonly temporary: string
  readonly #options: SeatbeltSandboxOptions
  readonly #own: string
  readonly #folders: BoxFolders
  readonly #config: BoxConfig
  readonly #files: Workspace
  readonly #closing = new AbortController()
  #tail: Promise<unknown> = Promise.resolve()
  #runs = 0
  #closed: Promise<void> | undefined

  private constructor(options: SeatbeltSandboxOptions, own: string, folders: BoxFolders, config: BoxConfig, files: Workspace) {
    this.id = options.id
    this.enforces = options.enforces
    this.workspace = folders.workspace
    this.temporary = folders.temporary
    this.#options = options
    this.#own = own
    this.#folders = folders
    this.#config = config
    this.#files = files
  }

  /** @throws AdjutantError CONFIG_INVALID, UNSUPPORTED, NOT_FOUND */
  static async open(options: SeatbeltSandboxOptions): Promise<SeatbeltSandbox> {
    const { spec } = options
    const { diskMB, files: maxFiles } = boxLimits(spec.limits)
    checkEnvironment(spec.env ?? {})
    // Links are resolved: the temporary folder of macOS lies behind one, and walls are built of real paths.
    const own = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-seatbelt-')))
    try {
      const folders = { workspace: await workspaceOf(spec, own), temporary: join(own, 'tmp'), code: join(own, 'code') }
      for (const folder of [folders.temporary, folders.code]) await mkdir(folder)
      const sharedFolders = options.lease.runtime.getDefaultWritePaths().filter((path) => !path.startsWith('/dev'))
      const config = seatbeltConfig({ ...options, folders, sharedFolders })
      const files = await openWorkspace(folders.workspace, { maxBytes: diskMB * 1_048_576, maxFiles })
      return new SeatbeltSandbox(options, own, folders, config, files)
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
    await this.#files.writeFile(path, bytes)
  }

  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array> {
    return this.#files.readFile(path, options)
  }

  list(path?: string): Promise<readonly SandboxFile[]> {
    return this.#files.list(path)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#closing.abort()
      await this.#tail
      await this.#files.close()
      await rm(this.#own, { recursive: true, force: true })
      await this.#options.lease.release()
      this.#options.closed()
    })()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(run: SandboxRun): Promise<SandboxReport> {
    const { programs, clock, spec, lease } = this.#options
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_FAILED', 'this sandbox is closed', { outcome: 'not-run' })
    const program = programs.get(run.lang)
    if (program === undefined) throw new AdjutantError('UNSUPPORTED', `boxes of seatbelt do not run ${run.lang} on this machine`)
    if (run.session === true)
      throw new AdjutantError('UNSUPPORTED', 'boxes of seatbelt keep nothing between runs', { hint: 'Run it without session.' })
    const limits = runLimits(boxLimits(spec.limits), run.limits)
    checkEnvironment(run.env ?? {})
    const signal = run.signal === undefined ? this.#closing.signal : AbortSignal.any([run.signal, this.#closing.signal])
    if (signal.aborted) throw new AdjutantError('CANCELLED', 'the run was stopped before it began', { outcome: 'not-run' })
    this.#runs += 1
    const file = join(this.#folders.code, `${this.#runs}-${FILES[run.lang]}`)
    await writeFile(file, run.code)
    // Whoever knows this word may reach the hosts of this run: it must not be guessed.
    const commandId = randomBytes(16).toString('base64url')
    const { SandboxManager } = lease.runtime
    const allowedDomains = this.#config.network.allowedDomains
    SandboxManager.registerCommandNetworkLists(commandId, { allowedDomains })
    try {
      const { argv, env } = await SandboxManager.wrapWithSandboxArgv(
        this.#command([...program, file], { ...spec.env, ...run.env }),
        '/bin/bash',
        this.#config,
        signal,
        this.#folders.workspace,
        { commandId },
      )
      const [first, ...rest] = argv
      if (first === undefined) throw new AdjutantError('SANDBOX_FAILED', 'the runtime gave no command', { outcome: 'not-run' })
      return await spawnRun([first, ...rest], {
        backend: SEATBELT,
        clock,
        run,
        signal,
        cwd: this.#locate(run.cwd),
        env: { ...proxies(env), PATH: '/usr/local/bin:/usr/bin:/bin', HOME: this.#folders.workspace },
        wallMs: limits.wallMs,
        outputBytes: limits.outputBytes,
      })
    } finally {
      SandboxManager.unregisterCommandNetworkLists(commandId)
      SandboxManager.cleanupAfterCommand()
      await rm(file, { force: true })
    }
  }

  /** As a shell reads it. The variables are set within the walls: the shells around them must not see any that were meant for the code. */
  #command(words: readonly string[], env: Readonly<Record<string, string>>): string {
    const set = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: this.#folders.workspace,
      LANG: 'C.UTF-8',
      TMPDIR: this.#folders.temporary,
      XDG_CACHE_HOME: this.#folders.temporary,
      ...env,
    }
    return `exec /usr/bin/env ${[...Object.entries(set).map(([name, value]) => `${name}=${value}`), ...words].map(quoted).join(' ')}`
  }

  #locate(cwd = '/workspace'): string {
    return cwd.replace(/^\/workspace(?=\/|$)/, () => this.#folders.workspace)
  }
}

async function workspaceOf({ workspace }: SandboxSpec, own: string): Promise<string> {
  if (workspace === undefined) {
    const folder = join(own, 'workspace')
    await mkdir(folder)
    return folder
  }
  try {
    return await realpath(workspace.host)
  } catch (cause) {
    throw new AdjutantError('NOT_FOUND', `workspace.host: ${workspace.host} is not there`, { cause })
  }
}

/** Of all that the runtime gives, the host's environment among it, what it made itself for the way out. */
function proxies(env: NodeJS.ProcessEnv): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const isNew = value !== undefined && process.env[name] !== value
    if (isNew) own[name] = value
  }
  return own
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
