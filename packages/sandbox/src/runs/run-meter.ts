/**
 * Owns what a run takes, by the box's control group where there is one, else by looking at its processes. Where we have to look ourselves the limit
 * on memory is ours to hold as well: late by a look, which is why nobody is promised it then.
 */
import type { Clock } from '@adjutant/core/contract'
import type { CgroupUsage } from '../linux/index.ts'
import { type Watch, watch } from '../linux/watchdog/watch.ts'
import type { RunBox } from './run-box.ts'

export interface Measured {
  /** Since the box was made. */
  readonly usage: CgroupUsage
  readonly oomKills: number
  readonly refusedForks: number
}

export class RunMeter {
  readonly #box: RunBox
  #watch: Watch | undefined
  #stopped = false

  /** @param full told once, only where the kernel does not hold the memory */
  constructor(box: RunBox, clock: Clock, memoryMB: number, full: () => void) {
    this.#box = box
    if (box.isGrouped) return
    const start = (): void => {
      if (this.#stopped || box.inner === undefined) return
      this.#watch = watch(box.inner.pid, { memoryMB }, { clock, hit: full })
    }
    if (box.inner === undefined) void box.standing.then(start)
    else start()
  }

  measure(): Measured {
    const { group } = this.#box
    if (group !== undefined) return { usage: group.usage(), oomKills: group.oomKills(), refusedForks: group.refusedForks() }
    return { usage: this.#watch?.usage() ?? {}, oomKills: 0, refusedForks: 0 }
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.stop()
  }
}
