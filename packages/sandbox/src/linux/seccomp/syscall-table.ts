/**
 * Owns which number a system call has on which architecture. Names are the kernel's. Refuses nothing; a name that an architecture does
 * not have is absent from its table.
 */
import { ARM64_CALLS } from './syscalls-arm64.ts'
import { COMMON_CALLS } from './syscalls-common.ts'
import { X64_CALLS } from './syscalls-x64.ts'

/** Architectures for which a filter can be made, as `process.arch` names them. */
export type SeccompArch = 'x64' | 'arm64'

/** From this number on all architectures agree. */
const COMMON_FROM = 424

const TABLES: Readonly<Record<SeccompArch, ReadonlyMap<string, number>>> = { x64: table(X64_CALLS), arm64: table(ARM64_CALLS) }

/**
 * Name → number of every call that the architecture has in Linux 6.19.
 *
 * @example
 * ```ts
 * syscallNumbers('x64').get('openat') // 257
 * ```
 */
export function syscallNumbers(arch: SeccompArch): ReadonlyMap<string, number> {
  return TABLES[arch]
}

/** The architecture of this process, or undefined when there is no table for it. */
export function seccompArch(arch: string = process.arch): SeccompArch | undefined {
  return arch === 'x64' || arch === 'arm64' ? arch : undefined
}

function table(own: string): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  const read = (text: string, first: number): void => {
    for (const [index, name] of text.trim().split(/\s+/).entries()) if (name !== '-') numbers.set(name, first + index)
  }
  read(own, 0)
  read(COMMON_CALLS, COMMON_FROM)
  return numbers
}
