/** Owns what the first process of a container says of where it is, and what of a box's promises that bears out. Nothing is believed unread. */
import { AdjutantError, type SandboxGuarantee } from '@adjutant/core/contract'
import { isRecord, listOf, numberOf, recordOf, textOf } from '../e2b/json-value.ts'

/** What the kernel counted for the whole container. */
export interface Measured {
  readonly cpuMs: number | undefined
  readonly memoryBytes: number | undefined
  readonly processes: number | undefined
  readonly oomKills: number | undefined
  readonly refusedForks: number | undefined
  /** Of what may be written. */
  readonly rooms: readonly { readonly freeBytes: number; readonly freeFiles: number; readonly usedBytes: number }[]
}

export interface WardenFacts {
  readonly uid: number
  readonly isFirst: boolean
  readonly python: string
  readonly programs: { readonly bash: string | undefined; readonly python3: string | undefined; readonly node: string | undefined }
  readonly hasCapabilities: boolean
  readonly noNewPrivileges: boolean
  readonly isFiltered: boolean
  /** It could make a namespace, or a socket to the machine that runs this machine. */
  readonly isOpen: boolean
  readonly interfaces: readonly string[]
  readonly mounts: readonly { readonly path: string; readonly type: string; readonly isReadOnly: boolean }[]
  readonly rooms: readonly { readonly path: string; readonly bytes: number; readonly files: number }[]
  readonly memoryBytes: number | undefined
  readonly processes: number | undefined
  readonly nproc: number
  readonly measured: Measured
  /** Of paths that were asked for: which file that is. */
  readonly identities: readonly string[]
}

/** @throws AdjutantError SANDBOX_FAILED */
export function wardenFacts(said: unknown): WardenFacts {
  if (!isRecord(said)) throw new AdjutantError('SANDBOX_FAILED', 'the container did not say what it is')
  const programs = recordOf(said.programs)
  return {
    uid: numberOf(said.uid) ?? 0,
    isFirst: said.pid === 1,
    python: textOf(said.python) ?? '?',
    programs: { bash: textOf(programs.bash), python3: textOf(programs.python3), node: textOf(programs.node) },
    hasCapabilities: said.capabilities !== '',
    noNewPrivileges: said.noNewPrivileges === true,
    isFiltered: said.seccomp === true,
    isOpen: said.nested !== false || said.vsock !== false,
    interfaces: listOf(said.interfaces).map((name) => textOf(name) ?? '?'),
    mounts: listOf(said.mounts).map((mount) => {
      const [path, type, isReadOnly] = listOf(mount)
      return { path: textOf(path) ?? '?', type: textOf(type) ?? '?', isReadOnly: isReadOnly === true }
    }),
    rooms: listOf(said.rooms).map((room) => {
      const [path, bytes, files] = listOf(room)
      return { path: textOf(path) ?? '?', bytes: numberOf(bytes) ?? 0, files: numberOf(files) ?? 0 }
    }),
    memoryBytes: numberOf(said.memory),
    processes: numberOf(said.pids),
    nproc: numberOf(said.nproc) ?? 0,
    measured: measuredOf(said.measured),
    identities: listOf(said.identities).map((identity) => textOf(identity) ?? ''),
  }
}

export function measuredOf(said: unknown): Measured {
  const all = recordOf(said)
  return {
    cpuMs: numberOf(all.cpuMs),
    memoryBytes: numberOf(all.memory),
    processes: numberOf(all.processes),
    oomKills: numberOf(all.oom),
    refusedForks: numberOf(all.forks),
    rooms: listOf(all.rooms).map((room) => {
      const [freeBytes, freeFiles, usedBytes] = listOf(room)
      return { freeBytes: numberOf(freeBytes) ?? 0, freeFiles: numberOf(freeFiles) ?? 0, usedBytes: numberOf(usedBytes) ?? 0 }
    }),
  }
}

export interface Expected {
  readonly memoryBytes: number
  readonly processes: number
  readonly diskBytes: number
  readonly files: number
  /** The workspace is a folder of the host. */
  readonly isFolder: boolean
  /** What else may be written, because it was given. */
  readonly given: readonly string[]
  /** The filter is ours. */
  readonly isOurs: boolean
}

/** Where everybody may write and nothing can be kept: the kernel's own windows. */
const KERNEL_TYPES = new Set(['proc', 'sysfs', 'cgroup', 'cgroup2', 'mqueue', 'devpts', 'devtmpfs'])

/** What of the promises can be seen to hold. */
export function heldGuarantees(facts: WardenFacts, expected: Expected): ReadonlySet<SandboxGuarantee> {
  const rooms = new Set([...facts.rooms.map(({ path }) => path), ...expected.given])
  const isClosed = facts.mounts.every(({ path, type, isReadOnly }) => isReadOnly || rooms.has(path) || KERNEL_TYPES.has(type))
  const isPoor = !facts.hasCapabilities && facts.noNewPrivileges && facts.uid !== 0 && facts.isFirst
  const own = facts.rooms.filter(({ path }) => !expected.isFolder || path !== '/workspace')
  const bytes = own.reduce((sum, room) => sum + room.bytes, 0)
  const files = own.reduce((sum, room) => sum + room.files, 0)
  const sized = isClosed && own.every((room) => room.bytes > 0) && bytes <= expected.diskBytes
  const counted = isClosed && own.every((room) => room.files > 0) && files <= expected.files
  const holds: readonly (readonly [SandboxGuarantee, boolean])[] = [
    ['filesystem', isClosed && isPoor],
    ['network', isPoor && facts.interfaces.every((name) => name === 'lo')],
    ['processes', isPoor],
    ['environment', isPoor],
    ['memory', facts.memoryBytes !== undefined && facts.memoryBytes <= expected.memoryBytes],
    ['process-count', facts.processes !== undefined && facts.processes <= expected.processes],
    ['cpu', facts.measured.cpuMs !== undefined],
    ['disk', sized && !expected.isFolder],
    ['file-count', counted && !expected.isFolder],
    ['kernel', isPoor && facts.isFiltered && expected.isOurs && !facts.isOpen],
  ]
  return new Set(holds.filter(([, held]) => held).map(([guarantee]) => guarantee))
}
