/**
 * Owns limits where there is no cgroup: looks at the processes of a box again and again and says when they are over. It comes late by the
 * length of an interval; limits of the processes themselves (rlimits) and sized file systems must hold until then.
 * `hit` is called once, and nothing is looked at afterwards. When the box ends the watch ends by itself.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { identifyProcess } from '../process/process-identity.ts'
import { type ProcessStat, TICKS_PER_SECOND } from '../process/process-stat.ts'
import { type MemoryFiles, memfdBytes, memoryFileBytes, memoryFileSystems, ownMemory, residentBytes } from './box-memory.ts'
import { BoxProcesses } from './box-processes.ts'

/** What is absent is not limited. */
export interface WatchLimits {
  /** All processes together, with the files they hold in memory. */
  readonly memoryMB?: number
  /** Threads counted, as the kernel's own limits do. */
  readonly processes?: number
  /** Of all processes, also of those that have ended. */
  readonly cpuMs?: number
}

export type WatchLimitName = 'memory' | 'processes' | 'cpu'

/** The most that was seen. What came and went between two looks is not in it. */
export interface WatchUsage {
  readonly memoryMB: number
  readonly processes: number
  readonly cpuMs: number
}

export interface WatchOptions {
  readonly clock: Clock
  /** Must not throw; kill the box here. */
  readonly hit: (limit: WatchLimitName, usage: WatchUsage) => void
  /** Between two looks. A fifth of it when more than half of the memory is in use. Default 50. */
  readonly intervalMs?: number
  /** Look for memfds too. Give false where the filter of system calls refuses them: it is the dearest part. Default true. */
  readonly memfd?: boolean
}

export interface Watch {
  /** Safe to call twice, and in `hit`. */
  stop(): void
  /** Looks once more if it still watches. */
  usage(): WatchUsage
}

const MB = 1_048_576
/** A look at every process of the machine, and at what is mounted in the box, is made this rarely. */
const EVERYWHERE_EVERY = 32
/** Page tables are walked when the cheap count has grown by so much. */
const GROWTH = 1.25

/**
 * @param innerPid first process of the box: what bubblewrap names on its status descriptor
 * @throws AdjutantError CONFIG_INVALID when a limit or the interval is no positive number
 * @example
 * ```ts
 * const watching = watch(started.pid, { memoryMB: 512, processes: 64 }, { clock, hit: (limit) => void endBox(inner, { clock }) })
 * ```
 */
export function watch(innerPid: number, limits: WatchLimits, options: WatchOptions): Watch {
  for (const [name, value] of Object.entries({ ...limits, intervalMs: options.intervalMs })) {
    if (value !== undefined && !(value > 0)) throw new AdjutantError('CONFIG_INVALID', `${name} of a watch must be above 0, not ${value}`)
  }
  return new BoxWatch(innerPid, limits, options)
}

class BoxWatch implements Watch {
  readonly #pid: number
  readonly #limits: WatchLimits
  readonly #options: WatchOptions
  readonly #processes: BoxProcesses | undefined
  #systems: readonly MemoryFiles[] = []
  #cancel: (() => void) | undefined
  #stopped = false
  #looks = 0
  #countedAt = 0
  #peakBytes = 0
  #peakProcesses = 0

  constructor(pid: number, limits: WatchLimits, options: WatchOptions) {
    this.#pid = pid
    this.#limits = limits
    this.#options = options
    const first = identifyProcess(pid)
    this.#processes = first && new BoxProcesses(first)
    // Not at once: whoever is told must have the watch in hand.
    this.#cancel = options.clock.after(0, () => this.#look())
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  usage(): WatchUsage {
    if (!this.#stopped) {
      this.#countedAt = 0
      this.#measure()
    }
    return this.#usage()
  }

  #look(): void {
    const bytes = this.#measure()
    if (bytes === undefined) {
      this.stop()
      return
    }
    const usage = this.#usage()
    const limit = this.#over(bytes, usage)
    if (limit !== undefined) {
      this.stop()
      this.#options.hit(limit, usage)
      return
    }
    const { clock, intervalMs = 50 } = this.#options
    const near = this.#limits.memoryMB !== undefined && bytes > (this.#limits.memoryMB * MB) / 2
    this.#cancel = clock.after(near ? intervalMs / 5 : intervalMs, () => this.#look())
  }

  /** Bytes in use now; undefined when the box has ended. */
  #measure(): number | undefined {
    const everywhere = this.#looks % EVERYWHERE_EVERY === 0
    // The box may still be mounting at the first looks: 1, 2, 4, 8 … and then now and again.
    if (everywhere || (this.#looks & (this.#looks - 1)) === 0) this.#systems = memoryFileSystems(this.#pid)
    this.#looks++
    const processes = this.#processes?.look(everywhere) ?? []
    if (processes.length === 0) return undefined
    const bytes = this.#bytes(processes)
    let count = 0
    for (const { threads } of processes) count += threads
    this.#peakProcesses = Math.max(this.#peakProcesses, count)
    this.#peakBytes = Math.max(this.#peakBytes, bytes)
    return bytes
  }

  /** The cheap count is never too low: only when it has grown, or is over the limit, is the dear one made. */
  #bytes(processes: readonly ProcessStat[]): number {
    const files = memoryFileBytes(this.#pid, this.#systems) + (this.#options.memfd === false ? 0 : memfdBytes(processes))
    const most = residentBytes(processes) + files
    const limit = (this.#limits.memoryMB ?? Number.POSITIVE_INFINITY) * MB
    if (most <= limit && most <= this.#countedAt * GROWTH) return Math.min(most, this.#peakBytes)
    this.#countedAt = Math.max(most, this.#countedAt)
    const { anonymousBytes, sharedBytes } = ownMemory(processes)
    // Files in memory that are mapped are in both counts.
    return anonymousBytes + Math.max(sharedBytes, files)
  }

  #over(bytes: number, { processes, cpuMs }: WatchUsage): WatchLimitName | undefined {
    const { memoryMB, processes: mostProcesses, cpuMs: mostCpu } = this.#limits
    if (memoryMB !== undefined && bytes > memoryMB * MB) return 'memory'
    if (mostProcesses !== undefined && processes > mostProcesses) return 'processes'
    if (mostCpu !== undefined && cpuMs > mostCpu) return 'cpu'
    return undefined
  }

  #usage(): WatchUsage {
    return {
      memoryMB: Math.round((this.#peakBytes / MB) * 10) / 10,
      processes: this.#peakProcesses,
      cpuMs: ((this.#processes?.cpuTicks ?? 0) * 1000) / TICKS_PER_SECOND,
    }
  }
}
