/** Opens the boxes that a configuration describes. What they stand on is loaded here, so that whoever needs none starts without it. */
import { type Clock, randomIds, systemClock } from '@adjutant/core'
import type { SandboxGuarantee, SandboxLanguage } from '@adjutant/core/contract'
import type { BubblewrapOptions, ByLanguage, MakeBackend, Sandboxes, SandboxesOptions } from '@adjutant/sandbox'
import type { SandboxConfig } from './sandbox-config.ts'

export interface BoxesOptions {
  /** Of whoever typed the command: a key in it allows a remote service. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** Goes before the configuration's, for every language. */
  readonly order?: readonly string[]
  /** Beside what the configuration requires, or the usual. */
  readonly alsoRequires?: readonly SandboxGuarantee[]
  readonly unsafeHost?: boolean
}

/** @throws AdjutantError CONFIG_INVALID for a backend that there is not, or that is not allowed */
export async function openBoxes(config: SandboxConfig, options: BoxesOptions): Promise<Sandboxes> {
  const sandbox = await import('@adjutant/sandbox')
  const { env, clock = systemClock, unsafeHost = false, alsoRequires = [] } = options
  const order = options.order ?? config.order
  return sandbox.openSandboxes({
    clock,
    ids: randomIds,
    env,
    unsafeHost,
    backends: backendsOf(config, sandbox),
    ...(order === undefined ? {} : { order }),
    ...requiresOf(config, alsoRequires, sandbox),
  })
}

type SandboxModule = typeof import('@adjutant/sandbox')

/** What is not said stays unsaid: who typed --unsafe-host and required nothing meant that. */
function requiresOf(
  { requires }: SandboxConfig,
  more: readonly SandboxGuarantee[],
  { DEFAULT_REQUIRES, SANDBOX_LANGUAGES }: SandboxModule,
): Pick<SandboxesOptions, 'requires'> {
  if (more.length === 0) return requires === undefined ? {} : { requires }
  const each = SANDBOX_LANGUAGES.map((lang): [SandboxLanguage, readonly SandboxGuarantee[]] => [
    lang,
    [...(requires?.[lang] ?? DEFAULT_REQUIRES), ...more],
  ])
  const all: ByLanguage<readonly SandboxGuarantee[]> = Object.fromEntries(each)
  return { requires: all }
}

/** In the place of the built-in ones, only where something is said of them. */
function backendsOf(config: SandboxConfig, sandbox: SandboxModule): Readonly<Record<string, MakeBackend>> {
  const { bubblewrap, container, e2b, landlock, quickjs, sqljs } = config
  const { path, ...ofBubblewrap } = bubblewrap ?? {}
  const { filesFolder, ...ofLandlock } = landlock ?? {}
  return {
    bubblewrap: ({ clock, ids }) =>
      sandbox.bubblewrapBackend({
        clock,
        ids,
        ...inAdvance(config),
        ...stateRoot(ofBubblewrap),
        ...(path === undefined ? {} : { bubblewrap: path }),
      }),
    landlock: ({ clock, ids }) =>
      sandbox.landlockBackend({
        clock,
        ids,
        ...inAdvance(config),
        ...stateRoot(ofLandlock),
        ...(filesFolder === undefined ? {} : { filesRoot: filesFolder }),
      }),
    container: ({ clock, ids, env = {} }) => sandbox.containerBackend({ clock, ids, env, ...stateRoot(container ?? {}) }),
    quickjs: ({ clock }) => sandbox.quickJsBackend({ clock, ...workersOf(quickjs) }),
    sqljs: ({ clock }) => sandbox.sqlJsBackend({ clock, ...workersOf(sqljs) }),
    ...(e2b === undefined ? {} : { e2b: ({ clock, env = {} }) => sandbox.e2bBackend({ clock, env, ...e2bOf(e2b) }) }),
  }
}

/** What waits in advance, and where it is counted. */
function inAdvance({ cgroupParent, pool }: SandboxConfig): Pick<BubblewrapOptions, 'cgroupParent' | 'pool'> {
  const { size, ...rest } = pool ?? {}
  return {
    ...(cgroupParent === undefined ? {} : { cgroupParent }),
    ...(pool === undefined ? {} : { pool: { ...rest, ...(size === undefined ? {} : { number: size }) } }),
  }
}

function stateRoot<T extends { readonly stateFolder?: string }>({ stateFolder, ...rest }: T) {
  return { ...rest, ...(stateFolder === undefined ? {} : { stateRoot: stateFolder }) }
}

function workersOf({ workers, sessions }: NonNullable<SandboxConfig['quickjs']> = {}): {
  readonly pool?: number
  readonly sessions?: number
} {
  return { ...(workers === undefined ? {} : { pool: workers }), ...(sessions === undefined ? {} : { sessions }) }
}

function e2bOf({ url, ...rest }: NonNullable<SandboxConfig['e2b']>) {
  return { ...rest, ...(url === undefined ? {} : { apiUrl: url }) }
}
