/**
 * Owns the boxes of a service that speaks the E2B protocol: E2B itself, or one of one's own. Refuses what such a box cannot have: mounts and folders
 * of the host, allow-lists by port, guarantees that nobody gives. Disposing of it deletes every box; those that could not be deleted are named.
 */
import { randomBytes } from 'node:crypto'
import {
  AdjutantError,
  type Clock,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxNetwork,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { boxLimits } from '../wasm/box-limits.ts'
import { type E2bConnection, type E2bConnectionOptions, e2bConnection, type RemoteBox } from './connection.ts'
import { ControlPlane } from './control-plane.ts'
import { assertEnv, E2bSandbox } from './e2b-sandbox.ts'
import { Envd } from './envd.ts'
import { Exchange } from './exchange.ts'
import { Files } from './files.ts'
import { Interpreter } from './interpreter.ts'
import { COMMANDS, type E2bCommands } from './program.ts'

const NAME = 'e2b'
const LANGUAGES: ReadonlySet<SandboxLanguage> = new Set(['bash', 'python', 'js'])
/** Another machine: what is of this one is not there. */
const ELSEWHERE: readonly SandboxGuarantee[] = ['filesystem', 'processes', 'environment']

export interface E2bBackendOptions extends E2bConnectionOptions {
  readonly clock: Clock
  /** What boxes are made of. Default `code-interpreter-v1`. */
  readonly template?: string
  /** Whose rights and home runs have. Default: the service's own choice. */
  readonly user?: string
  /** Where the workspace is: absolute, or relative to the user's home. Default `/workspace`. */
  readonly workspace?: string
  /** Milliseconds that a box lives without being used; whoever uses it lets it live on. At least 30 000. Default 600 000. */
  readonly lifetimeMs?: number
  /** Milliseconds that making a box may take. Default 60 000. */
  readonly createTimeoutMs?: number
  /** What starts a language in the box. Default: `/bin/bash`, `python3`, `node`. */
  readonly commands?: Partial<E2bCommands>
  /**
   * What the service's boxes enforce. Default: `filesystem`, `processes`, `environment`, and for E2B itself `network`; with `debug` nothing. Say more
   * only of a service that you know.
   */
  readonly enforces?: Iterable<SandboxGuarantee>
  /** Told what a person should know, e.g. that a box could not be deleted. Default: nobody. */
  readonly note?: (text: string) => void
}

export interface E2bBackend extends SandboxBackend {
  /** Ids of boxes that could not be deleted; they end with their time. Tried again with every box that is opened, and at the end. */
  readonly leftBehind: ReadonlySet<string>
}

/**
 * Boxes of E2B, or of a service that speaks its protocol.
 *
 * @throws AdjutantError CONFIG_INVALID for addresses, a key or times that cannot be
 * @example
 * ```ts
 * await using backend = e2bBackend({ clock: systemClock, env: process.env })
 * await using box = await backend.open({ limits: { wallMs: 10_000 } })
 * const report = await box.run({ lang: 'python', code: 'print(6 * 7)' })
 * // Buffer.from(report.stdout).toString() is '42\n'
 * ```
 */
export function e2bBackend(options: E2bBackendOptions): E2bBackend {
  return new RemoteBackend(options)
}

class RemoteBackend implements E2bBackend {
  readonly name = NAME
  readonly languages = LANGUAGES
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly leftBehind = new Set<string>()
  readonly #options: E2bBackendOptions
  readonly #connection: E2bConnection
  readonly #exchange: Exchange
  readonly #control: ControlPlane
  readonly #lifetimeMs: number
  readonly #open = new Set<Sandbox>()
  readonly #opening = new Set<Promise<unknown>>()
  #probed: Promise<SandboxProbe> | undefined
  #closed: Promise<void> | undefined

  constructor(options: E2bBackendOptions) {
    this.#options = options
    this.#connection = e2bConnection(options)
    this.#exchange = new Exchange(options.clock)
    this.#control = new ControlPlane(this.#connection, this.#exchange)
    this.#lifetimeMs = milliseconds('lifetimeMs', options.lifetimeMs, 600_000, 30_000)
    milliseconds('createTimeoutMs', options.createTimeoutMs, 60_000, 1)
    const { hosted } = this.#connection
    const debug = options.debug ?? options.env?.E2B_DEBUG?.toLowerCase() === 'true'
    const usual = debug ? [] : hosted ? [...ELSEWHERE, 'network' as const] : ELSEWHERE
    this.enforces = new Set(options.enforces ?? usual)
  }

  probe(): Promise<SandboxProbe> {
    this.#probed ??= this.#probe()
    return this.#probed
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    this.#assertOpen()
    const opening = this.#make(spec)
    this.#opening.add(opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(opening)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#opening)
    await Promise.all([...this.#open].map((box) => box.close()))
    await this.#retryLeftBehind()
  }

  async #make(spec: SandboxSpec): Promise<Sandbox> {
    const limits = boxLimits(spec.limits)
    assertEnv(spec.env)
    this.#assertFits(spec)
    await this.#retryLeftBehind()
    const { clock, template, user, workspace, commands, createTimeoutMs } = this.#options
    const remote = await this.#control.create({
      template: template ?? 'code-interpreter-v1',
      seconds: Math.ceil(this.#lifetimeMs / 1_000),
      mark: randomBytes(12).toString('hex'),
      allow: allowedHosts(spec.network ?? 'none'),
      timeoutMs: createTimeoutMs ?? 60_000,
    })
    for (const token of [remote.accessToken, remote.trafficToken]) this.#exchange.hide(token)
    try {
      const envd = new Envd(this.#connection, this.#exchange, remote, user)
      const files = await Files.open(envd, workspace ?? '/workspace', limits.diskMB * 2 ** 20)
      this.#assertOpen()
      const box = new E2bSandbox({
        backend: this.name,
        enforces: this.enforces,
        clock,
        control: this.#control,
        envd,
        interpreter: new Interpreter(this.#connection, this.#exchange, envd),
        files,
        commands: { ...COMMANDS, ...commands },
        limits,
        env: spec.env ?? {},
        lifetimeMs: this.#lifetimeMs,
        remove: async () => {
          this.#open.delete(box)
          await this.#remove(remote)
        },
      })
      this.#open.add(box)
      return box
    } catch (error) {
      await this.#remove(remote)
      throw error
    }
  }

  async #remove(remote: RemoteBox): Promise<void> {
    await this.#delete(remote.id)
    for (const token of [remote.accessToken, remote.trafficToken]) this.#exchange.unhide(token)
  }

  async #delete(id: string): Promise<void> {
    try {
      await this.#control.delete(id)
      this.leftBehind.delete(id)
    } catch (error) {
      this.leftBehind.add(id)
      const why = error instanceof Error ? error.message : String(error)
      this.#options.note?.(`e2b: box ${id} could not be deleted and ends by itself within ${Math.ceil(this.#lifetimeMs / 1_000)} s: ${why}`)
    }
  }

  async #retryLeftBehind(): Promise<void> {
    await Promise.all([...this.leftBehind].map((id) => this.#delete(id)))
  }

  async #probe(): Promise<SandboxProbe> {
    const { apiUrl } = this.#connection
    const detail = `E2B protocol at ${apiUrl}`
    try {
      await using box = await this.open({ limits: { wallMs: 30_000 } })
      const report = await box.run({ lang: 'bash', code: 'echo ok' })
      const said = Buffer.from(report.stdout).toString()
      if (said === 'ok\n') return { ok: true, detail }
      return { ok: false, detail: `${detail}: bash said ${JSON.stringify(said.slice(0, 200))}`, fix: 'Use a template with /bin/bash.' }
    } catch (error) {
      const failure = AdjutantError.from(error, 'SANDBOX_UNAVAILABLE')
      return { ok: false, detail: `${detail}: ${failure.message}`, fix: failure.hint }
    }
  }

  #assertFits(spec: SandboxSpec): void {
    const missing = (spec.requires ?? []).filter((guarantee) => !this.enforces.has(guarantee))
    if (missing.length > 0) throw new AdjutantError('SANDBOX_TOO_WEAK', `${NAME} does not enforce ${missing.join(', ')}`)
    const lacks =
      (spec.mounts ?? []).length > 0 ? 'mounts of the host' : spec.workspace !== undefined ? 'a workspace of the host' : undefined
    if (lacks === undefined) return
    throw new AdjutantError('SANDBOX_UNAVAILABLE', `${NAME}: a box on another machine cannot have ${lacks}`, {
      hint: 'Write the files into the box instead.',
    })
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', `${NAME} is closed`)
  }
}

/** @throws AdjutantError SANDBOX_TOO_WEAK for ports, which the service does not tell apart; CONFIG_INVALID */
function allowedHosts(network: SandboxNetwork): readonly string[] {
  if (network === 'none') return []
  for (const host of network.allow) {
    if (/^(\*\.)?[A-Za-z0-9.-]+:\d+$/.test(host)) {
      throw new AdjutantError('SANDBOX_TOO_WEAK', `${NAME} cannot allow ${host}: the service does not tell ports apart`, {
        hint: 'Allow the host without a port, or use another box.',
      })
    }
    if (!/^(\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/.test(host)) {
      throw new AdjutantError('CONFIG_INVALID', `network.allow: ${JSON.stringify(host.slice(0, 100))} is no host`)
    }
  }
  return network.allow
}

function milliseconds(name: string, value: number | undefined, fallback: number, least: number): number {
  const ms = value ?? fallback
  if (!(ms >= least && ms <= 2 ** 31 - 1))
    throw new AdjutantError('CONFIG_INVALID', `e2b: ${name} is ${String(ms)} and must be at least ${least}`)
  return ms
}
