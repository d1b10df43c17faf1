/**
 * Owns the answer to whether the filter can be used here. It reads what the kernel says of itself; that a launcher takes the filter, the
 * launcher's own probe shows.
 */
import { readFile } from 'node:fs/promises'
import { type SeccompArch, seccompArch } from './syscall-table.ts'

export type SeccompProbe =
  | { readonly ok: true; readonly arch: SeccompArch; readonly detail: string }
  | { readonly ok: false; readonly detail: string; readonly fix: string }

export interface SeccompProbeOptions {
  /** Default: `process.arch`. */
  readonly arch?: string
  /** Where the kernel lists what a filter may answer. Default `/proc/sys/kernel/seccomp/actions_avail`. */
  readonly actionsFile?: string
}

/** What our filters answer. */
const NEEDED = ['kill_process', 'errno', 'allow'] as const

/**
 * Never rejects.
 *
 * @example
 * ```ts
 * const seccomp = await probeSeccomp()
 * if (seccomp.ok) seccompFilter(seccomp.arch)
 * ```
 */
export async function probeSeccomp(options: SeccompProbeOptions = {}): Promise<SeccompProbe> {
  const name = options.arch ?? process.arch
  const arch = seccompArch(name)
  if (arch === undefined) {
    return { ok: false, detail: `there is no table of system calls for ${name}`, fix: 'Run on x86-64 or arm64.' }
  }
  const file = options.actionsFile ?? '/proc/sys/kernel/seccomp/actions_avail'
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) {
    return {
      ok: false,
      detail: `the kernel has no seccomp filters (${file} cannot be read)`,
      fix: 'Use a kernel with CONFIG_SECCOMP_FILTER, 4.14 or newer, and mount /proc.',
    }
  }
  const actions = text.trim().split(/\s+/)
  const absent = NEEDED.filter((action) => !actions.includes(action))
  if (absent.length > 0) {
    return { ok: false, detail: `the kernel's seccomp lacks ${absent.join(', ')}`, fix: 'Use a kernel of 4.14 or newer.' }
  }
  return { ok: true, arch, detail: `seccomp (${arch})` }
}
