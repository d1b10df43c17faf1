/**
 * Owns which processes belong to a box. The kernel gives orphans of a pid namespace to its first process: all of a box descend from that
 * one. Descendants are found by the lists of children, so a look costs what the box is and not what the machine is; at times, and where
 * the kernel keeps no such lists, every process of the machine is asked for its parent and its namespace.
 * A list of children may miss some while others end: what was seen once is asked for again by itself.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { allPids, pidNamespaceOf } from '../process/pid-namespace.ts'
import type { ProcessIdentity } from '../process/process-identity.ts'
import { hasEnded, type ProcessStat, readProcessStat } from '../process/process-stat.ts'

/** The kernel lists the children of each thread (CONFIG_PROC_CHILDREN). */
export const CHILDREN_LISTED = process.platform === 'linux' && existsSync(`/proc/self/task/${process.pid}/children`)

export class BoxProcesses {
  readonly #first: ProcessIdentity
  readonly #namespace: number | undefined
  /** Of processes that ran at the last look: when they started and how long they had run. */
  #known = new Map<number, ProcessStat>()
  #goneTicks = 0
  #cpuTicks = 0

  constructor(first: ProcessIdentity) {
    this.#first = first
    const own = pidNamespaceOf(first.pid)
    this.#namespace = own === pidNamespaceOf('self') ? undefined : own
  }

  /**
   * Those that run now, the first one first; none when the box has ended.
   *
   * @param everywhere ask every process of the machine
   */
  look(everywhere: boolean): readonly ProcessStat[] {
    const first = this.#stat(this.#first.pid, this.#first.startTime)
    const found = new Map<number, ProcessStat>()
    if (first !== undefined) {
      found.set(first.pid, first)
      if (everywhere || !CHILDREN_LISTED) this.#findEverywhere(found)
      else this.#findByChildren(found)
    }
    this.#account(found)
    return [...found.values()]
  }

  /**
   * Clock ticks that the box has used: the most of what two counts know. The first has all processes that were ever seen, also those that
   * nobody waited for; the second has those that came and went between looks, where they were waited for.
   */
  get cpuTicks(): number {
    return this.#cpuTicks
  }

  #findByChildren(found: Map<number, ProcessStat>): void {
    const queue = [...found.values()]
    for (const { pid, startTime } of this.#known.values()) {
      const stat = found.has(pid) ? undefined : this.#stat(pid, startTime)
      if (stat === undefined) continue
      found.set(pid, stat)
      queue.push(stat)
    }
    for (let stat = queue.pop(); stat !== undefined; stat = queue.pop()) {
      for (const pid of childrenOf(stat)) {
        if (found.has(pid)) continue
        const child = this.#stat(pid)
        // Its pid may have gone to a stranger since the list was read.
        if (child === undefined || !found.has(child.parent)) continue
        found.set(pid, child)
        queue.push(child)
      }
    }
  }

  #findEverywhere(found: Map<number, ProcessStat>): void {
    const children = new Map<number, ProcessStat[]>()
    for (const pid of allPids()) {
      const stat = found.has(pid) ? undefined : this.#stat(pid)
      if (stat === undefined) continue
      if (this.#namespace !== undefined && pidNamespaceOf(pid) === this.#namespace) found.set(pid, stat)
      const siblings = children.get(stat.parent)
      if (siblings === undefined) children.set(stat.parent, [stat])
      else siblings.push(stat)
    }
    const queue = [...found.keys()]
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      for (const child of children.get(pid) ?? []) {
        if (found.has(child.pid)) continue
        found.set(child.pid, child)
        queue.push(child.pid)
      }
    }
  }

  #stat(pid: number, startTime?: number): ProcessStat | undefined {
    const stat = readProcessStat(pid)
    if (stat === undefined || hasEnded(stat)) return undefined
    return startTime === undefined || stat.startTime === startTime ? stat : undefined
  }

  #account(found: Map<number, ProcessStat>): void {
    for (const before of this.#known.values()) {
      if (found.get(before.pid)?.startTime !== before.startTime) this.#goneTicks += before.cpuTicks
    }
    let [own, withChildren] = [this.#goneTicks, 0]
    for (const { cpuTicks, childCpuTicks } of found.values()) {
      own += cpuTicks
      withChildren += cpuTicks + childCpuTicks
    }
    this.#known = found
    this.#cpuTicks = Math.max(this.#cpuTicks, own, withChildren)
  }
}

/** Children of all its threads: each thread has a list of its own. */
function childrenOf({ pid, threads }: ProcessStat): readonly number[] {
  if (threads === 1) return listed(pid, pid)
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => listed(pid, thread))
  } catch {
    return []
  }
}

function listed(pid: number, thread: number | string): readonly number[] {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
  } catch {
    return []
  }
  return text === '' ? [] : text.trim().split(' ').map(Number)
}
