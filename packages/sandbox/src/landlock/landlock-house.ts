/** What all Landlock boxes of one backend have in common, once it was found out that they can be made. */
import type { Clock, IdSource, SandboxGuarantee, SandboxLanguage } from '@adjutant/core/contract'
import type { HostFolders } from '../host/host-folder.ts'
import type { StateFolder } from '../host/state-folder.ts'
import type { CgroupDriver } from '../linux/index.ts'
import type { Turns } from '../pool/turns.ts'
import type { WarmPool } from '../pool/warm-pool.ts'
import type { BoxPrograms } from '../programs/box-command.ts'
import type { NamedPipes } from '../runs/named-pipes.ts'
import type { BoxRule } from './box-rules.ts'
import type { ChangeCalls } from './keeper-changes.ts'

export interface LandlockHouse {
  readonly clock: Clock
  readonly ids: IdSource
  /** Runs the keepers. */
  readonly python: string
  /** The version of Landlock that is made use of. */
  readonly abi: number
  /** Pipes, users and input of runs. */
  readonly state: StateFolder
  /** What boxes write: on a disk, and where programs may be run from. */
  readonly files: StateFolder
  readonly folders: HostFolders
  readonly pipes: NamedPipes
  readonly inherited: readonly number[]
  /** Files with the filters of system calls. */
  readonly filters: { readonly ownUser: string; readonly sharedUser: string }
  /** What keepers change on behalf of code under a shared user. */
  readonly changes: ChangeCalls
  readonly rules: readonly BoxRule[]
  readonly programs: BoxPrograms
  /** Programs outside of the system's folders. */
  readonly programFiles: readonly string[]
  readonly cgroups: CgroupDriver | undefined
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly languages: ReadonlySet<SandboxLanguage>
  readonly pool: WarmPool
  readonly turns: Turns
}
