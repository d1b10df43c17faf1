/**
 * Owns what the configuration that came with a workspace may not do unasked: loosen boxes, spend more of the machine, have sessions thrown away, log
 * in to a server or read a database that is not the workspace's. As
 * with the policy of a workspace, its file can make things stricter; each setting that does more is left out, and said, until a person agreed to
 * it as it is written. What was agreed to lies outside of every workspace, with what was agreed to of policies.
 */
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AdjutantError, digestOf, policyPlaces, readTrust } from '@adjutant/core'
import type { SandboxGuarantee, SandboxLimits } from '@adjutant/core/contract'
import type { RawConfig } from './config.ts'
import type { ConfigDocument, Path } from './config-document.ts'
import { isPostgresAddress } from './postgres-address.ts'
import { isInside } from './sessions-folder.ts'

/** One setting of a workspace's file that does more than the usual. */
export interface WorkspaceAsk {
  /** `sandbox.limits.memoryMB`. */
  readonly setting: string
  /** `file:line:column`. */
  readonly place: string
  /** What it does. */
  readonly reason: string
  /** Of the setting as it is written, variables not replaced. */
  readonly digest: string
  readonly agreed: boolean
}

interface FileOrigin {
  readonly file: string
  readonly workspace: string
  /** It was named, and not found in the folder of the command. */
  readonly named: boolean
  /** The workspace was named on the command line, and is not what the file says. */
  readonly workspaceNamed: boolean
}

/**
 * Whether the file came with the workspace. One that was found comes with its folder, unless somebody named another workspace; one that was named
 * is whoever named it's own, unless it lies where the model's tools can write.
 */
function comesWithWorkspace({ file, workspace, named, workspaceNamed }: FileOrigin): boolean {
  if (!named && !workspaceNamed) return true
  return isInside(resolve(file), resolve(workspace)) || isInside(realOf(file), realOf(workspace))
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

interface Rule {
  readonly path: Path
  /** What it loosens; undefined: nothing. */
  loosens(value: unknown): string | undefined
}

/** Run in this process without a way to the system: that they stand somewhere loosens nothing. */
const HARMLESS: readonly string[] = ['quickjs', 'sqljs']
const REMOTE = 'e2b'
/** Of a pool, of workers and of sessions, when nothing is said. */
const USUAL = { size: 16, memoryMB: 256, workers: 4, sessions: 32, runsAtOnce: 32, runsWaiting: 1_000, maxBoxes: 64, maxWaiting: 256 }
const USUAL_QUOTA = { maxMB: 1_024, maxFiles: 1_000 }

interface Usual {
  readonly order: readonly string[]
  readonly requires: readonly SandboxGuarantee[]
  readonly limits: SandboxLimits
}

function more(path: Path, usual: number): Rule {
  return {
    path,
    loosens: (value) => (typeof value === 'number' && value > usual ? `${value} is more than the usual ${usual}` : undefined),
  }
}

function always(path: Path, reason: string): Rule {
  return { path, loosens: () => reason }
}

const SESSION_RULES: readonly Rule[] = [
  always(['store'], 'it says which database gets what is kept of sessions'),
  always(['notify'], 'it says who is sent what the calls of sessions are about'),
  always(['sessions', 'keepDays'], 'it has sessions removed, also those of other workspaces'),
  more(['sessions', 'maxMB'], USUAL_QUOTA.maxMB),
  more(['sessions', 'maxFiles'], USUAL_QUOTA.maxFiles),
]

function boxRules({ order, requires, limits }: Usual): readonly Rule[] {
  const asOrder = (path: Path): Rule => ({
    path,
    loosens: (value) => (isStricterOrder(value, order) ? undefined : `its order is another than ${order.join(', ')}`),
  })
  const asRequired = (path: Path): Rule => ({
    path,
    loosens(value) {
      const missing = requires.filter((one) => !(Array.isArray(value) && value.includes(one)))
      return missing.length === 0 ? undefined : `it does not require ${missing.join(', ')}`
    },
  })
  const languages = ['bash', 'python', 'js', 'sql']
  return [
    ...languages.map((lang) => asOrder(['sandbox', 'order', lang])),
    ...languages.map((lang) => asRequired(['sandbox', 'requires', lang])),
    ...Object.entries(limits).flatMap(([name, usual]) => [
      more(['sandbox', 'limits', name], usual),
      more(['tools', 'code', 'limits', name], usual),
    ]),
    ...(['size', 'memoryMB'] as const).map((name) => more(['sandbox', 'pool', name], USUAL[name])),
    ...(['quickjs', 'sqljs'] as const).flatMap((engine) =>
      (['workers', 'sessions'] as const).map((name) => more(['sandbox', engine, name], USUAL[name])),
    ),
    ...(['bubblewrap', 'landlock'] as const).flatMap((backend) =>
      (['runsAtOnce', 'runsWaiting'] as const).map((name) => more(['sandbox', backend, name], USUAL[name])),
    ),
    ...['path', 'node', 'stateFolder'].map((name) => always(['sandbox', 'bubblewrap', name], 'it says which program makes the boxes')),
    always(['sandbox', 'cgroupParent'], 'it says where boxes are counted'),
    ...['node', 'stateFolder', 'filesFolder'].map((name) => always(['sandbox', 'landlock', name], 'it says what the boxes stand on')),
    always(['sandbox', 'container'], 'it says who makes the containers, and of which image'),
    always(['sandbox', 'e2b'], 'it says which machine gets the code, and the key'),
    asOrder(['tools', 'code', 'order']),
    ...(['maxBoxes', 'maxWaiting'] as const).map((name) => more(['tools', 'code', name], USUAL[name])),
    {
      path: ['tools', 'code', 'network'],
      loosens: (value) => (Array.isArray(value) && value.length === 0 ? undefined : 'it lets code reach hosts'),
    },
  ]
}

/** An address with the workspace's words may be any server's; a file of SQLite in the workspace is one of its files. */
function databaseRules({ databases }: RawConfig, { file, workspace }: FileOrigin): readonly Rule[] {
  return Object.keys(databases ?? {}).map((name) => ({
    path: ['databases', name],
    loosens(value) {
      if (typeof value !== 'string' || isPostgresAddress(value)) return 'it logs in to a server'
      const path = resolve(dirname(file), value)
      return isInside(path, resolve(workspace)) && isInside(realOf(path), realOf(workspace))
        ? undefined
        : 'it lies outside of the workspace'
    },
  }))
}

/** Imported here: who says nothing of boxes does not load them. */
async function rulesFor(raw: RawConfig, origin: FileOrigin): Promise<readonly Rule[]> {
  const others = [...SESSION_RULES, ...databaseRules(raw, origin)]
  if (raw.sandbox === undefined && typeof raw.tools?.code !== 'object') return others
  const { DEFAULT_LIMITS, DEFAULT_ORDER, DEFAULT_REQUIRES } = await import('@adjutant/sandbox')
  return [...boxRules({ order: DEFAULT_ORDER.bash, requires: DEFAULT_REQUIRES, limits: DEFAULT_LIMITS }), ...others]
}

/** Some of the usual ones as they stand; the remote one only when all before it were tried. */
function isStricterOrder(value: unknown, usual: readonly string[]): boolean {
  if (!Array.isArray(value)) return false
  let last = -1
  for (const [index, name] of value.filter((one) => !HARMLESS.includes(one)).entries()) {
    const place = usual.indexOf(name)
    if (place <= last || (name === REMOTE && place !== index)) return false
    last = place
  }
  return true
}

/**
 * What the file asks for beyond the usual, and the configuration without what nobody agreed to.
 *
 * @param written the value of the document before variables were replaced: what was agreed to must not change with the environment
 * @throws AdjutantError CONFIG_INVALID when what was agreed to cannot be read
 */
export async function admitSettings(
  raw: RawConfig,
  {
    document,
    written,
    origin,
    env,
  }: {
    readonly document: ConfigDocument
    readonly written: unknown
    readonly origin: FileOrigin
    readonly env: Readonly<Record<string, string | undefined>>
  },
): Promise<{ readonly raw: RawConfig; readonly asks: readonly WorkspaceAsk[] }> {
  if (!comesWithWorkspace(origin)) return { raw, asks: [] }
  const trusted = await readTrust(policyPlaces({ workspace: origin.workspace, env }).trust, origin.file)
  const asks: WorkspaceAsk[] = []
  let admitted = raw
  for (const { path, loosens } of await rulesFor(raw, origin)) {
    const value = at(raw, path)
    const reason = value === undefined ? undefined : loosens(value)
    if (reason === undefined) continue
    const setting = path.join('.')
    const digest = digestOf({ setting, written: at(written, path) ?? null })
    const agreed = trusted.has(digest)
    asks.push({ setting, place: document.place(path, { key: true }), reason, digest, agreed })
    if (agreed) continue
    const less = without(admitted, path)
    assertSameShape(less)
    admitted = less
  }
  return { raw: admitted, asks }
}

/** What to say of each setting that does not count. */
export function askNotes(asks: readonly WorkspaceAsk[]): readonly string[] {
  return asks
    .filter(({ agreed }) => !agreed)
    .map(
      ({ place, setting, reason }) =>
        `${place}: ${setting} does not count: ${reason}, and the file comes with the workspace. Read it; adjutant sandbox trust agrees to it.`,
    )
}

function at(value: unknown, path: Path): unknown {
  let here = value
  for (const part of path)
    here = typeof here === 'object' && here !== null && Object.hasOwn(here, part) ? Reflect.get(here, part) : undefined
  return here
}

function without(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name !== key ? [[name, inner]] : rest.length === 0 ? [] : [[name, without(inner, rest)]],
    ),
  )
}

/** Taking keys away, none of which is required, leaves what was checked. */
function assertSameShape(value: unknown): asserts value is RawConfig {
  if (typeof value !== 'object' || value === null) throw new AdjutantError('INTERNAL', 'a configuration without one of its keys is none')
}
