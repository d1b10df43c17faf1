/** Owns one folder on this machine and the programs that run in it, one after the other. Not a box: see host-backend.ts. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxFile,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxLimitName,
  type SandboxReport,
  type SandboxRun,
  type SandboxSpec,
} from '@adjutant/core/contract'
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
      return await spawned([program, file], {
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

interface SpawnOptions {
  readonly clock: Clock
  readonly run: SandboxRun
  readonly signal: AbortSignal
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly wallMs: number
  readonly outputBytes: number
}

function spawned([program, ...words]: readonly [string, ...string[]], options: SpawnOptions): Promise<SandboxReport> {
  const { clock, run, signal, outputBytes } = options
  const { promise, resolve, reject } = Promise.withResolvers<SandboxReport>()
  const began = clock.monotonic()
  const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  let room = outputBytes
  let limit: SandboxLimitName | undefined
  // A group of its own: what it started is ended with it.
  const child = spawn(program, words, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nobody of the group is left.
    }
  }
  const stop = (which: SandboxLimitName): void => {
    limit ??= which
    kill()
  }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, Math.max(0, room))
      room -= part.length
      if (part.length > 0) {
        kept[stream].push(part)
        run.output?.(stream, part)
      }
      if (part.length < bytes.length) stop('output')
    })
  // It may end before it has read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(run.stdin ?? '')
  signal.addEventListener('abort', kill, { once: true })
  const stopClock = clock.after(options.wallMs, () => stop('wall'))
  // What it left behind may hold the streams open.
  child.on('exit', kill)
  child.on('error', (cause) => {
    stopClock()
    signal.removeEventListener('abort', kill)
    reject(new AdjutantError('SANDBOX_FAILED', `host: ${program} could not be started: ${cause.message}`, { cause, outcome: 'not-run' }))
  })
  child.on('close', (exitCode, signalName) => {
    stopClock()
    signal.removeEventListener('abort', kill)
    if (signal.aborted && limit === undefined) {
      reject(new AdjutantError('CANCELLED', 'the run was stopped', { outcome: 'unknown' }))
      return
    }
    resolve({
      backend: 'host',
      mode: 'cold',
      ...(exitCode === null ? {} : { exitCode }),
      ...(signalName !== null && signalName in constants.signals ? { signal: signalName } : {}),
      timedOut: limit === 'wall',
      oom: false,
      ...(limit === undefined ? {} : { limit }),
      stdout: Buffer.concat(kept.stdout),
      stderr: Buffer.concat(kept.stderr),
      truncated: limit === 'output',
      durationMs: clock.monotonic() - began,
      usage: {},
      warning: WARNING,
    })
  })
  return promise
}
