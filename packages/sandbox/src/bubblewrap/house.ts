/** What all boxes of one backend have in common, once it was found out that boxes can be made. */
import type { Clock, IdSource, SandboxLanguage } from '@adjutant/core/contract'
import type { HostFolders } from '../host/host-folder.ts'
import type { SystemFolder } from '../host/machine.ts'
import type { StateFolder } from '../host/state-folder.ts'
import type { CgroupDriver } from '../linux/index.ts'
import type { NetworkOptions } from '../network/box-network.ts'
import type { Turns } from '../pool/turns.ts'
import type { WarmPool } from '../pool/warm-pool.ts'
import type { BoxPrograms } from '../programs/box-command.ts'
import type { BoxTools } from './box-place.ts'

export const BACKEND = 'bubblewrap'

export interface House {
  readonly clock: Clock
  readonly ids: IdSource
  readonly tools: BoxTools
  readonly state: StateFolder
  readonly folders: HostFolders
  readonly network: NetworkOptions
  /** On the host; `/etc` in the box. */
  readonly etc: string
  readonly systemFolders: readonly SystemFolder[]
  readonly programs: BoxPrograms
  readonly languages: ReadonlySet<SandboxLanguage>
  readonly cgroups: CgroupDriver | undefined
  /** Memory is held by the kernel: then the limit on one process's memory is only a second net. */
  readonly memoryHeld: boolean
  readonly pool: WarmPool
  /** Runs at once, of all boxes. */
  readonly turns: Turns
}
