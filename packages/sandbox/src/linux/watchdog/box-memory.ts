/**
 * Owns how much memory a box uses where the kernel does not count it. Three things are added: what processes have for themselves, what they
 * share among each other (once, not once for each), and files in memory, which belong to no process: those in tmpfs and memfd.
 * Memory is shared with the host, or not in use at the moment of the look, or in flight between sockets: that is not seen.
 */
import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import type { ProcessStat } from '../process/process-stat.ts'

const KB = 1024
const MOST_DESCRIPTORS = 4096
/** Page tables take at most a 512th of the addresses in use: below this they are not worth a look of their own. */
const FEW_ADDRESSES = 4 * 1024 ** 3

/** Bytes of a page of this machine. */
const PAGE_BYTES = pageBytes()

/**
 * Bytes in memory of all processes with their page tables, shared pages once for each process: never less than there are, often more. Costs
 * little but the sum.
 */
export function residentBytes(processes: readonly ProcessStat[]): number {
  let bytes = 0
  for (const stat of processes) {
    if (stat.state === 'Z') bytes += bytesOfThreads(stat.pid)
    else bytes += stat.residentPages * PAGE_BYTES + pageTableBytes(stat)
  }
  return bytes
}

export interface OwnMemory {
  /** Anonymous memory, in RAM and swapped out, and page tables; each shared page counts once. */
  readonly anonymousBytes: number
  /** Mapped files in memory, and memory that was shared on purpose; each page counts once. */
  readonly sharedBytes: number
}

/** Walks the page tables of every process: exact, and dear when there is much. Pages of files on disk are left out: they can be dropped. */
export function ownMemory(processes: readonly ProcessStat[]): OwnMemory {
  let [anonymousBytes, sharedBytes] = [0, 0]
  for (const stat of processes) {
    const rollup = readText(`/proc/${stat.pid}/smaps_rollup`)
    if (rollup === undefined || rollup === '') {
      // Not ours to look into, or its first thread has ended: what it has at most.
      anonymousBytes += residentBytes([stat])
      continue
    }
    const field = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0) * KB
    anonymousBytes += field('Pss_Anon') + field('SwapPss') + pageTableBytes(stat)
    sharedBytes += field('Pss_Shmem')
  }
  return { anonymousBytes, sharedBytes }
}

export interface MemoryFiles {
  readonly device: string
  readonly mountPoint: string
}

/** File systems in memory that the process sees and this one does not: those of the box. */
export function memoryFileSystems(pid: number): readonly MemoryFiles[] {
  const own = new Set(tmpfsMounts('self').map(({ device }) => device))
  const found = new Map<string, MemoryFiles>()
  for (const mount of tmpfsMounts(pid)) if (!own.has(mount.device)) found.set(mount.device, mount)
  return [...found.values()]
}

/** Bytes in these file systems, seen through the eyes of the process. */
export function memoryFileBytes(pid: number, systems: readonly MemoryFiles[]): number {
  let bytes = 0
  for (const { mountPoint } of systems) {
    try {
      const { type, blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root${mountPoint}`)
      if (type === TMPFS_MAGIC) bytes += (blocks - bfree) * bsize
    } catch {
      // The process is gone, or something else lies over it.
    }
  }
  return bytes
}

/** Bytes in memfds that a process holds open, each once. Mapped and closed ones count as shared memory of the processes. */
export function memfdBytes(processes: readonly ProcessStat[]): number {
  const bytes = new Map<string, number>()
  for (const { pid } of processes) {
    let descriptors: readonly string[]
    try {
      descriptors = readdirSync(`/proc/${pid}/fd`)
    } catch {
      continue
    }
    for (const descriptor of descriptors.slice(0, MOST_DESCRIPTORS)) {
      const path = `/proc/${pid}/fd/${descriptor}`
      try {
        if (!readlinkSync(path).startsWith('/memfd:')) continue
        const { dev, ino, blocks } = statSync(path)
        bytes.set(`${dev}:${ino}`, blocks * 512)
      } catch {
        // Closed between the look at the folder and at it.
      }
    }
  }
  return [...bytes.values()].reduce((sum, size) => sum + size, 0)
}

/** linux/magic.h */
const TMPFS_MAGIC = 0x0102_1994

function tmpfsMounts(pid: number | 'self'): readonly MemoryFiles[] {
  const mounts: MemoryFiles[] = []
  for (const line of (readText(`/proc/${pid}/mountinfo`) ?? '').split('\n')) {
    const [front = '', back = ''] = line.split(' - ', 2)
    const [, , device, , mountPoint] = front.split(' ')
    if (!back.startsWith('tmpfs ') || device === undefined || mountPoint === undefined) continue
    mounts.push({
      device,
      mountPoint: mountPoint.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    })
  }
  return mounts
}

/** Whoever maps much and touches little of it fills the memory with page tables, which are in no count of pages. */
function pageTableBytes({ pid, virtualBytes }: ProcessStat): number {
  return virtualBytes < FEW_ADDRESSES ? 0 : statusField(`/proc/${pid}/status`, 'VmPTE')
}

/** A process whose first thread has ended shows nothing of its memory; its other threads do. */
function bytesOfThreads(pid: number): number {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = `/proc/${pid}/task/${thread}/status`
      const bytes = statusField(status, 'VmRSS') + statusField(status, 'VmPTE')
      if (bytes > 0) return bytes
    }
  } catch {
    // It is gone.
  }
  return 0
}

function statusField(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readText(file) ?? '')?.[1] ?? 0) * KB
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}

/** AT_PAGESZ of the auxiliary vector: pairs of 64-bit words, the kind and its value. */
function pageBytes(): number {
  try {
    const vector = readFileSync('/proc/self/auxv')
    for (let at = 0; at + 16 <= vector.length; at += 16)
      if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8))
  } catch {
    // Not Linux: nothing is watched here.
  }
  return 4096
}
