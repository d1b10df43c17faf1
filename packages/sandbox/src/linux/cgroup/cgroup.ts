/** The words for cgroups: what limits a box, what is known of it, and who makes it. */
import type { SandboxGuarantee } from '@adjutant/core/contract'

export interface CgroupLimits {
  /** All processes together, with the files they hold in memory. 1 MB is 1 048 576 bytes. */
  readonly memoryMB: number
  /** At once; the kernel counts threads too. */
  readonly processes: number
  /** Cores, e.g. 0.5 or 2. Default: as many as there are. */
  readonly cpuShare?: number
}

/** What this machine cannot measure is absent. */
export interface CgroupUsage {
  /** The most that was in use at once. */
  readonly memoryMB?: number
  /** Of all processes, also of those that have ended. */
  readonly cpuMs?: number
  /** The most that there were at once, threads counted; on old kernels those that are there now. */
  readonly processes?: number
}

/** One box's share of the machine. All methods may be called after `remove`. */
export interface CgroupBox {
  /** Unguessable, and says which process made it. */
  readonly name: string
  /** Puts the process here; its children come after it. @throws AdjutantError SANDBOX_FAILED when it is gone or may not be moved */
  add(pid: number): Promise<void>
  /**
   * Files, one for each hierarchy: a process with one thread that writes `0` into all of them is here, with what it starts from then on. Whoever
   * opened them must have the right; whoever writes needs none. On v1 it need not wait for anybody, as `add` does.
   */
  entries(): readonly string[]
  /** After `remove`: what it was then. */
  usage(): CgroupUsage
  /** Forgets the most memory that was in use, e.g. before the next run in the same box. False when this kernel cannot: v2 cannot. */
  resetPeak(): Promise<boolean>
  /** Processes that were killed because the memory was full. */
  oomKills(): number
  /** Processes and threads that were not made because there were too many. */
  refusedForks(): number
  /** Processes that are here now. */
  pids(): readonly number[]
  /** Stops all at once until `thaw`. False when this machine cannot. */
  freeze(): Promise<boolean>
  thaw(): Promise<void>
  /** Kills all, also what forks as fast as it can, and waits until none is left. False when some did not end in time. */
  kill(): Promise<boolean>
  /** Kills all, then removes the box. Safe to call twice. @throws AdjutantError SANDBOX_FAILED when a process does not end */
  remove(): Promise<void>
}

/** Boxes that may use so much memory together, each within its own limit. */
export interface CgroupFamily {
  /** As {@link CgroupDriver.create}. */
  create(label: string, limits: CgroupLimits): Promise<CgroupBox>
  /** From now on so much together. False when it cannot be: there is nothing that holds it, or more is in use. Never rejects. */
  limit(memoryMB: number): Promise<boolean>
  /** To be called when all of its boxes are removed. Safe to call twice. @throws AdjutantError SANDBOX_FAILED */
  remove(): Promise<void>
}

export interface CgroupDriver {
  /** e.g. `cgroup v1 (memory, pids, cpu)`. */
  readonly detail: string
  /** Of `memory`, `process-count` and `cpu` what boxes made here enforce. */
  readonly enforces: ReadonlySet<SandboxGuarantee>
  /**
   * @param label for people who look at the machine; letters, digits and `-` of it are kept
   * @throws AdjutantError CONFIG_INVALID for limits that are none, SANDBOX_FAILED when the kernel refuses
   */
  create(label: string, limits: CgroupLimits): Promise<CgroupBox>
  /** Where nothing holds memory its boxes are like any. @throws AdjutantError as `create` */
  family(label: string, memoryMB: number): Promise<CgroupFamily>
  /** Removes the boxes of processes that are gone, with all that runs in them. How many there were. Never rejects. */
  sweep(): Promise<number>
}

/** What a hierarchy is used for. `core`: what every v2 hierarchy has: cgroup.kill, cgroup.freeze and cpu.stat. */
export type CgroupControl = 'memory' | 'pids' | 'cpu' | 'cpuacct' | 'freezer' | 'core'

/** A place where boxes are made. On v1 there is one for each controller, on v2 one for all, and on many machines both. */
export interface CgroupHierarchy {
  readonly version: 1 | 2
  /** Boxes are its children. */
  readonly folder: string
  readonly controls: ReadonlySet<CgroupControl>
}
