/**
 * Owns what the runtime is told of one box: it reads nothing of this machine but the system's folders, its mounts and its own, writes nothing but its
 * own, and reaches no host but those allowed. The runtime's own default is the other way round for reading: everything is open. Pure.
 */

import { AdjutantError, type SandboxSpec } from '@adjutant/core/contract'
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime'

export interface BoxFolders {
  readonly workspace: string
  readonly temporary: string
  /** Where the code is that runs. Read-only in the box. */
  readonly code: string
}

export interface BoxConfigOptions {
  readonly platform: NodeJS.Platform
  readonly folders: BoxFolders
  readonly spec: SandboxSpec
  /** Programs and what else must be readable outside of the system's folders. */
  readonly readable: readonly string[]
  /** Folders that the runtime opens for writing by itself, for all boxes alike. */
  readonly sharedFolders: readonly string[]
}

/** Programs, libraries and settings that programs need to start, and nothing of what people keep. */
const SYSTEM: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/usr',
    '/bin',
    '/sbin',
    '/System',
    '/Library/Apple',
    '/Library/Developer/CommandLineTools',
    '/Library/Frameworks',
    '/Library/Preferences/Logging',
    '/opt/homebrew',
    '/dev',
    '/private/etc/ssl',
    '/private/etc/localtime',
    '/private/var/db/dyld',
    '/private/var/db/timezone',
    '/private/var/select',
  ],
  linux: [
    '/usr',
    '/bin',
    '/sbin',
    '/lib',
    '/lib64',
    '/dev',
    '/proc',
    '/etc/alternatives',
    '/etc/ld.so.cache',
    '/etc/ssl/certs',
    '/etc/ssl/openssl.cnf',
  ],
}

export type BoxConfig = Pick<SandboxRuntimeConfig, 'network' | 'filesystem'>

/** @throws AdjutantError UNSUPPORTED for a system that it knows nothing of, mounts elsewhere, hosts with a port */
export function seatbeltConfig({ platform, folders, spec, readable, sharedFolders }: BoxConfigOptions): BoxConfig {
  const system = SYSTEM[platform]
  if (system === undefined) throw new AdjutantError('UNSUPPORTED', `nothing is known of the folders of ${platform}`)
  const mounts = (spec.mounts ?? []).map(({ host, path }) => {
    if (host !== path)
      throw new AdjutantError('UNSUPPORTED', `seatbelt cannot show ${host} as ${path}: files keep their place`, {
        hint: 'Mount it under its own path, or copy it into the workspace.',
      })
    return literal(host)
  })
  const own = [folders.workspace, folders.temporary].map(literal)
  return {
    network: { allowedDomains: [...allowedHosts(spec)], deniedDomains: [], allowLocalBinding: false, allowAllUnixSockets: false },
    filesystem: {
      denyRead: ['/'],
      allowRead: [...system, ...readable.map(literal), ...mounts, literal(folders.code), ...own],
      allowWrite: own,
      // What lies in a workspace may be read-only there, and what all boxes could write is written by none.
      denyWrite: [...mounts, ...sharedFolders.map(literal)],
    },
  }
}

/** @throws AdjutantError UNSUPPORTED */
function allowedHosts({ network }: SandboxSpec): readonly string[] {
  const allow = network === undefined || network === 'none' ? [] : network.allow
  const withPort = allow.find((host) => host.includes(':') || host.includes('/'))
  if (withPort !== undefined)
    throw new AdjutantError(
      'UNSUPPORTED',
      `network.allow: seatbelt bounds hosts and not ports, and ${JSON.stringify(withPort.slice(0, 80))} has one`,
      {
        hint: 'Name the host alone.',
      },
    )
  return allow
}

/** A name on disk, whatever signs are in it: never a pattern. */
function literal(path: string): { readonly path: string; readonly literal: true } {
  return { path, literal: true }
}
