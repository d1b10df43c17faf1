/**
 * Owns finding out which cgroups can be used, by using them: a box is made with limits, a process is put into it, the box is removed.
 * What the files say of rights and controllers is no proof: delegation, namespaces and containers each have rules of their own.
 */
import { spawn } from 'node:child_process'
import type { Clock } from '@adjutant/core/contract'
import { type BoxOwner, thisOwner } from './box-name.ts'
import type { CgroupControl, CgroupDriver, CgroupHierarchy } from './cgroup.ts'
import { type CgroupFiles, cgroupFiles } from './cgroup-files.ts'
import { type CgroupMount, cgroupMounts } from './cgroup-mounts.ts'
import { KernelCgroupDriver } from './kernel-cgroup-driver.ts'

export interface FindCgroupsOptions {
  readonly clock: Clock
  /**
   * Path of a cgroup that was delegated to this user, as in `/proc/PID/cgroup`, e.g. `/adjutant`: tried in each hierarchy before the
   * own one. Default: none.
   */
  readonly parent?: string
  /** Default: the machine's. */
  readonly files?: CgroupFiles
  /** Runs something with the pid of a process that can be moved and killed. Default: a real one. */
  readonly withProcess?: <T>(use: (pid: number) => Promise<T>) => Promise<T>
}

export type CgroupProbe =
  | { readonly ok: true; readonly driver: CgroupDriver; readonly detail: string; readonly problems: readonly string[] }
  | { readonly ok: false; readonly detail: string; readonly fix: string; readonly problems: readonly string[] }

/** What v1 hierarchies are used for. */
const V1_CONTROLS: readonly CgroupControl[] = ['memory', 'pids', 'cpu', 'cpuacct', 'freezer']
const V2_CONTROLS = ['memory', 'pids', 'cpu'] as const satisfies readonly CgroupControl[]
const PROBE_LIMITS = { memoryMB: 64, processes: 32, cpuShare: 1 }

/** The driver that works here, or undefined: see {@link probeCgroups} for why. Leftovers of processes that are gone are removed. */
export async function findCgroups(options: FindCgroupsOptions): Promise<CgroupDriver | undefined> {
  const probe = await probeCgroups(options)
  return probe.ok ? probe.driver : undefined
}

/**
 * Tries every hierarchy and says what works and what does not. Never rejects.
 *
 * @example
 * ```ts
 * const probe = await probeCgroups({ clock: systemClock })
 * console.log(probe.detail) // cgroup v1 (memory, pids, cpu)
 * ```
 */
export async function probeCgroups(options: FindCgroupsOptions): Promise<CgroupProbe> {
  const files = options.files ?? cgroupFiles
  const owner = thisOwner()
  const mounts = cgroupMounts(files.read('/proc/self/mountinfo') ?? '', files.read('/proc/self/cgroup') ?? '')
  if (owner === undefined || mounts.length === 0) {
    return { ok: false, detail: 'no cgroup file system is mounted here', fix: 'Mount cgroup2 at /sys/fs/cgroup, and /proc.', problems: [] }
  }
  const problems: string[] = []
  const withProcess = options.withProcess ?? withCat
  const found: CgroupHierarchy[] = []
  const covered = new Set<CgroupControl>()
  // v2 first: where it has a controller, no v1 hierarchy can have it.
  for (const mount of [...mounts].sort((a, b) => b.version - a.version)) {
    const wanted = mount.version === 2 ? (['core'] as const) : V1_CONTROLS.filter((control) => mount.controllers.includes(control))
    // What every v2 hierarchy has makes two of v1 unnecessary, and each more costs a box a move.
    const spared = covered.has('core') ? ['freezer', 'cpuacct'] : []
    const useful = wanted.filter((control) => !covered.has(control) && !spared.includes(control))
    if (useful.length === 0) continue
    const usable = await firstUsable(mount, new Set(useful), options, { files, owner, withProcess, problems })
    if (usable === undefined) continue
    found.push(usable)
    for (const control of usable.controls) covered.add(control)
  }
  if (!covered.has('memory') && !covered.has('pids')) {
    return { ok: false, detail: `cgroups limit nothing here: ${problems.join('; ') || 'neither memory nor pids'}`, fix: fix(), problems }
  }
  const driver = new KernelCgroupDriver(found, owner, files, options.clock)
  await driver.sweep()
  return { ok: true, driver, detail: driver.detail, problems }
}

interface Tools {
  readonly files: CgroupFiles
  readonly owner: BoxOwner
  readonly withProcess: <T>(use: (pid: number) => Promise<T>) => Promise<T>
  readonly problems: string[]
}

/** Delegated, own, and on v2 the one above: a cgroup with processes in it can have no children with limits, its siblings can. */
async function firstUsable(
  mount: CgroupMount,
  controls: ReadonlySet<CgroupControl>,
  { clock, parent }: FindCgroupsOptions,
  tools: Tools,
): Promise<CgroupHierarchy | undefined> {
  const candidates = new Set<string>()
  if (parent !== undefined) candidates.add(`${mount.mountPoint}/${parent}`.replaceAll(/\/+/g, '/').replace(/\/$/, ''))
  candidates.add(mount.own)
  if (mount.version === 2 && mount.own !== mount.mountPoint) candidates.add(mount.own.slice(0, mount.own.lastIndexOf('/')))
  const said: string[] = []
  let fallback: CgroupHierarchy | undefined
  for (const folder of candidates) {
    const all = mount.version === 2 ? new Set([...controls, ...(await enabledControls(folder, tools.files))]) : controls
    const hierarchy: CgroupHierarchy = { version: mount.version, folder, controls: all }
    const problem = await tryOut(hierarchy, clock, tools)
    if (problem !== undefined) said.push(`${folder}: ${problem}`)
    else if (mount.version === 1 || all.has('memory')) return hierarchy
    else fallback ??= hierarchy
  }
  if (fallback === undefined) tools.problems.push(...said)
  return fallback
}

/** Turns on for children what the folder has; says what is on then. */
async function enabledControls(folder: string, files: CgroupFiles): Promise<readonly CgroupControl[]> {
  const has = (file: string): readonly string[] => (files.read(`${folder}/${file}`) ?? '').trim().split(/\s+/)
  const offered = has('cgroup.controllers')
  for (const control of V2_CONTROLS) {
    if (offered.includes(control) && !has('cgroup.subtree_control').includes(control)) {
      await files.write(`${folder}/cgroup.subtree_control`, `+${control}`).catch(() => {})
    }
  }
  const enabled = has('cgroup.subtree_control')
  return V2_CONTROLS.filter((control) => enabled.includes(control))
}

/** Undefined when all of it works, else why not. */
async function tryOut(hierarchy: CgroupHierarchy, clock: Clock, { files, owner, withProcess }: Tools): Promise<string | undefined> {
  try {
    const box = await new KernelCgroupDriver([hierarchy], owner, files, clock).create('probe', PROBE_LIMITS)
    try {
      return await withProcess(async (pid) => {
        await box.add(pid)
        if (!box.pids().includes(pid)) return 'a process that was put into it is not there'
        return (await box.kill()) ? undefined : 'a process in it cannot be killed'
      })
    } finally {
      await box.remove()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A process that waits for us, and ends when we do. */
async function withCat<T>(use: (pid: number) => Promise<T>): Promise<T> {
  const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], env: {}, cwd: '/' })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  try {
    if (child.pid === undefined) throw new Error('/bin/cat cannot be started')
    return await use(child.pid)
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}

function fix(): string {
  return process.getuid?.() === 0
    ? 'Run where /sys/fs/cgroup is writable and has the memory and pids controllers, or give the service Delegate=yes and DelegateSubgroup=main.'
    : 'Start it by `systemd-run --user --scope -p Delegate=yes`, or let an administrator make a cgroup, give it to this user (chown) and name it as parent.'
}
