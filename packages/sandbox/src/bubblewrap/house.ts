/** What all boxes of one backend have in common, once it was found out that boxes can be made. */
import type { Clock, IdSource, SandboxLanguage } from '@adjutant/core/contract'
import type { CgroupDriver } from '../linux/index.ts'
import type { Turns } from '../pool/turns.ts'
import type { WarmPool } from '../pool/warm-pool.ts'
import type { NetworkOptions } from './box-network.ts'
import type { BoxTools } from './box-place.ts'
import type { BoxMount, SystemFolder } from './bubblewrap-arguments.ts'
import type { HostFolders } from './host-folder.ts'
import type { StateFolder } from './state-folder.ts'

/** Programs, under their paths in a box. */
export interface BoxPrograms {
  readonly bash?: string
  readonly python?: string
  readonly js?: { readonly node: string; readonly prlimit: string; readonly mounts: readonly BoxMount[] }
}

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
