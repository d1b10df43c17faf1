/**
 * Owns making boxes of containers, with Docker or Podman. One container for each sandbox, for as long as that is open; nothing is made in advance and
 * none is used twice. Closing the backend removes all of them.
 */
import {
  AdjutantError,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { checkSpec } from '../runs/check-spec.ts'
import { type ContainerOptions, checkOptions } from './container-options.ts'
import { BACKEND } from './container-sandbox.ts'
import { type FoundContainers, findContainers } from './find-containers.ts'

/**
 * Boxes of containers: Docker, Podman, and whatever else speaks as they do.
 *
 * @throws AdjutantError CONFIG_INVALID
 * @example
 * ```ts
 * await using backend = containerBackend({ clock: systemClock, ids: randomIds, image: 'python:3.13-slim' })
 * await using sandbox = await backend.open({ limits: { memoryMB: 256 } })
 * const report = await sandbox.run({ lang: 'python', code: 'print(6 * 7)' })
 * ```
 */
export function containerBackend(options: ContainerOptions): SandboxBackend {
  checkOptions(options)
  return new Backend(options)
}

class Backend implements SandboxBackend {
  readonly name = BACKEND
  readonly #options: ContainerOptions
  readonly #open = new Set<Sandbox>()
  readonly #opening = new Set<Promise<unknown>>()
  #found: Promise<FoundContainers> | undefined
  #known: FoundContainers | undefined
  #closed: Promise<void> | undefined

  constructor(options: ContainerOptions) {
    this.#options = options
  }

  get languages(): ReadonlySet<SandboxLanguage> {
    return this.#known?.languages ?? new Set()
  }

  get enforces(): ReadonlySet<SandboxGuarantee> {
    return this.#known?.enforces ?? new Set()
  }

  async probe(): Promise<SandboxProbe> {
    return (await this.#find()).probe
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    this.#checkOpen()
    const { house, probe } = await this.#find()
    if (house === undefined)
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        `no container can be made here: ${probe.detail}`,
        probe.fix === undefined ? {} : { hint: probe.fix },
      )
    const shape = checkSpec(spec, this.enforces)
    this.#checkOpen()
    const opening = house.open(shape, this.enforces, (sandbox) => void this.#open.delete(sandbox))
    this.#opening.add(opening)
    try {
      const { sandbox } = await opening
      this.#open.add(sandbox)
      return sandbox
    } finally {
      this.#opening.delete(opening)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.allSettled([...this.#opening])
      const closed = await Promise.allSettled([...this.#open].map((sandbox) => sandbox.close()))
      ;(await this.#found)?.house?.state?.remove()
      for (const one of closed) if (one.status === 'rejected') throw one.reason
    })()
    return this.#closed
  }

  async #find(): Promise<FoundContainers> {
    this.#found ??= findContainers(this.#options)
    this.#known = await this.#found
    return this.#known
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', 'the boxes of this process are closed')
  }
}
