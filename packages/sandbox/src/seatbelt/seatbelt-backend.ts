/**
 * Owns making sandboxes by macOS's own means, through the package `@anthropic-ai/sandbox-runtime`, which is loaded when it is needed. It bounds files
 * and the network, and nothing else: no limits, no other processes. Not tried on a Mac by whoever wrote it; the same code runs on Linux in tests.
 */
import { accessSync, constants, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  AdjutantError,
  type Clock,
  type IdSource,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { leaseRuntime, loadRuntime } from './runtime.ts'
import { SEATBELT, SeatbeltSandbox } from './seatbelt-sandbox.ts'

export interface SeatbeltOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** Also on Linux, where the package uses other walls: for trying this backend, there are better ones. Default false. */
  readonly onLinux?: boolean
}

/** `network`: hosts, by a proxy of the package. `filesystem`: no more than the package's own walls, see docs/reference/sandbox-macos.md. */
const ENFORCES: ReadonlySet<SandboxGuarantee> = new Set<SandboxGuarantee>(['filesystem', 'network'])
const PACKAGE = '@anthropic-ai/sandbox-runtime'
/** What is written waits until it is taken, as other programs do: else a loop that prints fills the memory, and nothing of it is seen. */
const BLOCKING = `data:text/javascript,${encodeURIComponent('for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true)')}`
const USE_ANOTHER = 'Use another backend: bubblewrap, a container or a remote one.'

type Program = readonly [string, ...string[]]

/**
 * Boxes of macOS.
 *
 * @example
 * ```ts
 * await using backend = seatbeltBackend({ clock: systemClock, ids: randomIds })
 * const probe = await backend.probe()
 * ```
 */
export function seatbeltBackend(options: SeatbeltOptions): SandboxBackend {
  return new Backend(options)
}

class Backend implements SandboxBackend {
  readonly name = SEATBELT
  readonly #options: SeatbeltOptions
  readonly #open = new Set<Sandbox>()
  #probed: Promise<SandboxProbe> | undefined
  #programs: ReadonlyMap<SandboxLanguage, Program> = new Map()
  #closed = false

  constructor(options: SeatbeltOptions) {
    this.#options = options
  }

  get languages(): ReadonlySet<SandboxLanguage> {
    return new Set(this.#programs.keys())
  }

  get enforces(): ReadonlySet<SandboxGuarantee> {
    return this.#programs.size === 0 ? new Set() : ENFORCES
  }

  probe(): Promise<SandboxProbe> {
    this.#probed ??= this.#probe()
    return this.#probed
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    const probe = await this.probe()
    if (!probe.ok)
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        `no box can be made here: ${probe.detail}`,
        probe.fix === undefined ? {} : { hint: probe.fix },
      )
    const missing = (spec.requires ?? []).filter((guarantee) => !ENFORCES.has(guarantee))
    if (missing.length > 0)
      throw new AdjutantError('SANDBOX_TOO_WEAK', `seatbelt does not enforce ${missing.join(', ')}`, {
        hint: 'Use another backend, or require less.',
      })
    return this.#make(spec, this.#programs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#open].map((sandbox) => sandbox.close()))
  }

  async #make(spec: SandboxSpec, programs: ReadonlyMap<SandboxLanguage, Program>): Promise<Sandbox> {
    if (this.#closed) throw new AdjutantError('SANDBOX_UNAVAILABLE', 'the boxes of this process are closed')
    const { clock, ids } = this.#options
    const lease = await leaseRuntime()
    try {
      const sandbox: Sandbox = await SeatbeltSandbox.open({
        id: ids.next('sandbox'),
        clock,
        platform: process.platform,
        programs,
        readable: [realpathSync(process.execPath), ...(process.platform === 'linux' ? [runtimeFolder()] : [])],
        enforces: ENFORCES,
        spec,
        lease,
        closed: () => this.#open.delete(sandbox),
      })
      this.#open.add(sandbox)
      return sandbox
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  async #probe(): Promise<SandboxProbe> {
    const refused = (detail: string, fix: string): SandboxProbe => ({ ok: false, detail, fix })
    const isHere = process.platform === 'darwin' || (process.platform === 'linux' && this.#options.onLinux === true)
    if (!isHere) return refused('seatbelt is there for macOS only', USE_ANOTHER)
    const runtime = await loadRuntime()
    if (runtime === undefined) return refused(`the package ${PACKAGE} is not installed`, `npm install ${PACKAGE}`)
    const { errors } = runtime.SandboxManager.checkDependencies()
    if (!runtime.SandboxManager.isSupportedPlatform() || errors.length > 0)
      return refused(`${PACKAGE} does not work here: ${errors.join('; ') || 'it does not know this system'}`, USE_ANOTHER)
    try {
      const programs = await this.#tryLanguages()
      if (programs.size === 0) return refused(`no program ran in a box of ${PACKAGE}`, USE_ANOTHER)
      this.#programs = programs
      return {
        ok: true,
        detail: `${PACKAGE}, ${[...programs.keys()].join(' ')}, weaker than a box: files and network only, no limits, not tried on a Mac`,
        fix: 'Stronger boxes need a container or a remote service.',
      }
    } catch (error) {
      const { message, hint } = AdjutantError.from(error, 'SANDBOX_UNAVAILABLE')
      return refused(message, hint === '' ? USE_ANOTHER : hint)
    }
  }

  /** Those whose program greets from within a box. */
  async #tryLanguages(): Promise<ReadonlyMap<SandboxLanguage, Program>> {
    const python = ['/usr/bin/python3', '/opt/homebrew/bin/python3', '/usr/local/bin/python3'].find(isProgram)
    const candidates = new Map<SandboxLanguage, Program>([
      ['bash', ['/bin/bash', '--noprofile', '--norc']],
      ...(python === undefined ? [] : ([['python', [python, '-I', '-u']]] as const)),
      ['js', [process.execPath, '--import', BLOCKING]],
    ])
    const greetings = { bash: 'echo hello', python: 'print("hello")', js: 'console.log("hello")', sql: '' } as const
    await using box = await this.#make({ limits: { wallMs: 20_000 } }, candidates)
    const working = new Map<SandboxLanguage, Program>()
    for (const [lang, program] of candidates) {
      const { stdout } = await box.run({ lang, code: greetings[lang] })
      if (Buffer.from(stdout).toString() === 'hello\n') working.set(lang, program)
    }
    return working
  }
}

/** On Linux a program of the package itself runs in each box. */
function runtimeFolder(): string {
  return dirname(dirname(realpathSync(fileURLToPath(import.meta.resolve(PACKAGE)))))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
