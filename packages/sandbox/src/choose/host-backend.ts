/**
 * Owns the backend that is none: code runs on this machine, as this user, with nothing in between. It enforces nothing and says so in every report.
 * Time and output are still bounded, and what a run started is ended with it as far as it stays in its process group; nothing of that is a guarantee.
 */
import { accessSync, constants } from 'node:fs'
import type { Sandbox, SandboxBackend, SandboxGuarantee, SandboxLanguage, SandboxProbe, SandboxSpec } from '@adjutant/core/contract'
import type { BackendTools } from './backends.ts'
import { HostSandbox } from './host-sandbox.ts'

/** Absolute: what stands first in somebody's search path may be anything. */
const PLACES = { bash: ['/bin/bash', '/usr/bin/bash'], python: ['/usr/bin/python3', '/usr/local/bin/python3'] } as const

/**
 * Only for whoever has asked for it in words.
 *
 * @example
 * ```ts
 * const sandboxes = openSandboxes({ clock: systemClock, ids: randomIds, unsafeHost: true, order: ['host'] })
 * ```
 */
export function hostBackend(tools: BackendTools): SandboxBackend {
  return new HostBackend(tools)
}

class HostBackend implements SandboxBackend {
  readonly name = 'host'
  readonly enforces: ReadonlySet<SandboxGuarantee> = new Set()
  readonly #tools: BackendTools
  readonly #programs: ReadonlyMap<SandboxLanguage, string>
  readonly #open = new Set<Sandbox>()

  constructor(tools: BackendTools) {
    this.#tools = tools
    const programs = new Map<SandboxLanguage, string>([['js', process.execPath]])
    for (const lang of ['bash', 'python'] as const) {
      const found = PLACES[lang].find(isProgram)
      if (found !== undefined) programs.set(lang, found)
    }
    this.#programs = programs
  }

  get languages(): ReadonlySet<SandboxLanguage> {
    return new Set(this.#programs.keys())
  }

  probe(): Promise<SandboxProbe> {
    return Promise.resolve({
      ok: true,
      detail: 'no box: code runs on this machine as this user, with nothing in between',
    })
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    const sandbox: Sandbox = await HostSandbox.open({
      id: this.#tools.ids.next('sandbox'),
      clock: this.#tools.clock,
      programs: this.#programs,
      spec,
      closed: () => this.#open.delete(sandbox),
    })
    this.#open.add(sandbox)
    return sandbox
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((sandbox) => sandbox.close()))
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
