/** Owns that a spec can be fulfilled before anything is made for it: mounts, network, environment. What it refuses is named with its place. */
import { realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { AdjutantError, type SandboxGuarantee, type SandboxLimits, type SandboxMount, type SandboxSpec } from '@adjutant/core/contract'
import { boxLimits } from './limits.ts'
import { checkEnvironment } from './run-frame.ts'

export interface BoxShape {
  readonly limits: SandboxLimits
  /** With the links in their hosts' paths resolved. */
  readonly mounts: readonly SandboxMount[]
  readonly env: Readonly<Record<string, string>>
  /** Hosts that may be reached. Empty: none, and no way out is made. */
  readonly allow: readonly string[]
  /** Absent: gone with the box. */
  readonly workspace?: string
}

/** What a box is made of; nobody else's files go over it. */
const OWN_FOLDERS = new Set(['bin', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'libx32', 'proc', 'run', 'sbin', 'sys', 'tmp', 'usr'])

/** @throws AdjutantError SANDBOX_TOO_WEAK, CONFIG_INVALID, NOT_FOUND */
export function checkSpec(spec: SandboxSpec, enforces: ReadonlySet<SandboxGuarantee>): BoxShape {
  const { network } = spec
  const allow = network === undefined || network === 'none' ? [] : network.allow
  const shape: BoxShape = {
    limits: boxLimits(spec.limits),
    mounts: (spec.mounts ?? []).map((mount, index) => checkMount(mount, `mounts[${index}]`)),
    env: spec.env ?? {},
    allow,
    ...(spec.workspace === undefined ? {} : { workspace: existing(spec.workspace.host, 'workspace.host') }),
  }
  checkEnvironment(shape.env)
  const given = guarantees(enforces, shape)
  const missing = (spec.requires ?? []).filter((guarantee) => !given.has(guarantee))
  if (missing.length > 0)
    throw new AdjutantError('SANDBOX_TOO_WEAK', `this box would not enforce ${missing.join(', ')}`, {
      hint:
        shape.workspace === undefined
          ? 'Use another backend, or require less.'
          : 'Leave the workspace to the box: on a folder of the host neither bytes nor files are held by the kernel.',
    })
  return shape
}

/** On a folder of the host what the box writes is looked at now and then, which is no guarantee. */
export function guarantees(enforces: ReadonlySet<SandboxGuarantee>, shape: BoxShape): ReadonlySet<SandboxGuarantee> {
  if (shape.workspace === undefined) return enforces
  return new Set([...enforces].filter((guarantee) => guarantee !== 'disk' && guarantee !== 'file-count'))
}

function checkMount({ host, path }: SandboxMount, place: string): SandboxMount {
  const isPlain = path.startsWith('/') && posix.normalize(path) === path && !path.endsWith('/') && !path.includes('\0')
  const first = path.split('/')[1]
  if (!isPlain || first === undefined || OWN_FOLDERS.has(first) || path === '/workspace' || path.startsWith('/opt/adjutant'))
    throw new AdjutantError('CONFIG_INVALID', `${place}.path is ${JSON.stringify(path.slice(0, 200))}`, {
      hint: 'Give an absolute path of its own in the box, e.g. /inputs/data.',
    })
  const real = existing(host, `${place}.host`)
  if (real === '/')
    throw new AdjutantError('CONFIG_INVALID', `${place}.host is the whole machine`, { hint: 'Mount the folder that is needed.' })
  return { host: real, path }
}

function existing(host: string, place: string): string {
  if (!host.startsWith('/') || host.includes('\0'))
    throw new AdjutantError('CONFIG_INVALID', `${place} is ${JSON.stringify(host.slice(0, 200))}`, {
      hint: 'Give an absolute path on the host.',
    })
  try {
    return realpathSync(host)
  } catch (error) {
    throw new AdjutantError('NOT_FOUND', `${place}: ${host} is not there`, { cause: error })
  }
}
