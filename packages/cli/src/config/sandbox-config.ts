/**
 * Owns the shape of `sandbox:` in a configuration, and that what it names is there. `host` is refused wherever it stands: that code runs with
 * nothing in between is typed, and never read from a file.
 */
import { AdjutantError, nearestNames } from '@adjutant/core'
import type { SandboxGuarantee, SandboxLanguage, SandboxLimits } from '@adjutant/core/contract'
import type { RawConfig } from './config.ts'
import type { ConfigDocument, Path } from './config-document.ts'

type ByLanguage<T> = Readonly<Partial<Record<SandboxLanguage, T>>>

/** Of all boxes of one backend. */
interface RunsConfig {
  readonly runsAtOnce?: number
  readonly runsWaiting?: number
  /** Where hosts of this user keep what they need while boxes are open. */
  readonly stateFolder?: string
}

/** Boxes of a system program. */
interface BubblewrapConfig extends RunsConfig {
  /** Absolute path of `bwrap`. */
  readonly path?: string
  /** Absolute path of the Node that runs JavaScript in boxes. */
  readonly node?: string
}

/** Boxes where namespaces are refused. */
interface LandlockConfig extends RunsConfig {
  readonly node?: string
  /** Where boxes keep what they write. */
  readonly filesFolder?: string
}

/** Docker, Podman, and what speaks as they do. */
interface ContainerConfig extends RunsConfig {
  readonly socket?: string
  readonly image?: string
  readonly pull?: boolean
  readonly runtime?: string
  readonly cpus?: number
}

/** Boxes in workers of this process. */
interface WorkersConfig {
  readonly workers?: number
  readonly sessions?: number
}

/** A service that speaks the E2B protocol. */
interface E2bConfig {
  readonly url?: string
  readonly sandboxUrl?: string
  readonly domain?: string
  readonly apiKey?: string
  readonly validateApiKey?: boolean
  readonly template?: string
  readonly user?: string
  readonly workspace?: string
  readonly lifetimeMs?: number
  readonly createTimeoutMs?: number
}

export interface SandboxConfig {
  /** Backends, best first. */
  readonly order?: ByLanguage<readonly string[]>
  /** What a box must enforce, in place of the usual. */
  readonly requires?: ByLanguage<readonly SandboxGuarantee[]>
  /** Where nobody says another. */
  readonly limits?: Partial<SandboxLimits>
  /** Boxes that wait in advance. */
  readonly pool?: { readonly size?: number; readonly memoryMB?: number; readonly idleMs?: number }
  readonly cgroupParent?: string
  readonly bubblewrap?: BubblewrapConfig
  readonly container?: ContainerConfig
  readonly landlock?: LandlockConfig
  readonly quickjs?: WorkersConfig
  readonly sqljs?: WorkersConfig
  readonly e2b?: E2bConfig
}

/** All that may stand in an order. Which of them work is found out when a box is needed. */
export const BACKENDS = ['bubblewrap', 'container', 'e2b', 'landlock', 'seatbelt', 'quickjs', 'sqljs'] as const

/** @throws AdjutantError CONFIG_INVALID with `file:line:column` */
export function checkSandbox(raw: RawConfig, document: ConfigDocument): void {
  const { code } = raw.tools ?? {}
  const orders: readonly (readonly [Path, readonly string[]])[] = [
    ...Object.entries(raw.sandbox?.order ?? {}).map(([lang, names]) => [['sandbox', 'order', lang], names] as const),
    ...(typeof code === 'object' && code.order !== undefined ? [[['tools', 'code', 'order'], code.order] as const] : []),
  ]
  for (const [path, names] of orders) {
    for (const [index, name] of names.entries()) checkBackend(name, path, document.place([...path, index]))
  }
}

function checkBackend(name: string, path: Path, place: string): void {
  if (BACKENDS.some((known) => known === name)) return
  if (name === 'host') {
    throw new AdjutantError('CONFIG_INVALID', `${place}: ${path.join('.')} names host, where code runs with nothing in between`, {
      hint: 'No file may say so. Leave it out; whoever wants it types adjutant sandbox run --unsafe-host.',
    })
  }
  const near = nearestNames(name, BACKENDS, 2)
  throw new AdjutantError('CONFIG_INVALID', `${place}: ${path.join('.')} names ${JSON.stringify(name.slice(0, 80))}, which is no backend`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are: ${BACKENDS.join(', ')}.`,
  })
}
