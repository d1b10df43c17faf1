/** Owns which files of the host a Landlock box may reach: what belongs to the system, read-only, and its own folders. Nothing is followed or made here. */
import { existsSync, readdirSync } from 'node:fs'
import type { SandboxMount } from '@adjutant/core/contract'

/** `read`: with all below it, also to run; `read-file`: to read what is below it; `device`: to read and write it; `write`: with all below it. */
export type BoxRule = readonly [path: string, kind: 'read' | 'read-file' | 'device' | 'write']

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Where programs are found, libraries, trusted certificates, fonts, the kinds of files: nothing of what this machine is about. */
const SETTINGS = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  // Programs with OpenSSL in them, Node among them, do not start when it is there and cannot be read.
  'ssl/openssl.cnf',
  'fonts',
  'mime.types',
  'ImageMagick-6',
  // Debian's matplotlib does not start without.
  'matplotlibrc',
  'localtime',
  'magic',
  'nsswitch.conf',
]
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom']

/** The same for every box of this machine. */
export function systemRules(): readonly BoxRule[] {
  // Debian keeps a part of Python's own library there.
  const python = readdirSync('/etc').filter((name) => /^python3(\.\d+)?$/.test(name))
  const readable = [...SYSTEM, ...[...SETTINGS, ...python].map((name) => `/etc/${name}`)].filter((path) => existsSync(path))
  return [...readable.map((path): BoxRule => [path, 'read']), ...DEVICES.map((name): BoxRule => [`/dev/${name}`, 'device'])]
}

export interface BoxFolders {
  readonly workspace: string
  readonly temporary: string
  /** What runs read from their standard input. */
  readonly input: string
  readonly mounts: readonly SandboxMount[]
  /** Programs outside of the system's folders. */
  readonly programs: readonly string[]
}

export function boxRules(system: readonly BoxRule[], folders: BoxFolders): readonly BoxRule[] {
  return [
    ...system,
    ...[...folders.programs, ...folders.mounts.map(({ host }) => host)].map((path): BoxRule => [path, 'read']),
    [folders.input, 'read-file'],
    [folders.workspace, 'write'],
    [folders.temporary, 'write'],
  ]
}
