/**
 * Owns making boxes in the hierarchies it was given, and removing those whose maker is gone. A box that cannot be made whole is taken back.
 */
import { AdjutantError, type Clock, type SandboxGuarantee } from '@adjutant/core/contract'
import { type BoxOwner, boxName, isLeftover } from './box-name.ts'
import type { CgroupBox, CgroupControl, CgroupDriver, CgroupFamily, CgroupHierarchy, CgroupLimits } from './cgroup.ts'
import { type CgroupFiles, errorCode } from './cgroup-files.ts'
import { KernelCgroupBox } from './kernel-cgroup-box.ts'

const MB = 1_048_576
/** Length of the spans in which the kernel counts a share of the processor, in microseconds: its own default. */
const PERIOD = 100_000
/** The kernel takes no less than 1 ms in each span. */
const LEAST_SHARE = 0.01

const GUARANTEES: ReadonlyMap<CgroupControl, SandboxGuarantee> = new Map([
  ['memory', 'memory'],
  ['pids', 'process-count'],
  ['cpu', 'cpu'],
])

export class KernelCgroupDriver implements CgroupDriver {
  readonly detail: string
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly #hierarchies: readonly CgroupHierarchy[]
  readonly #owner: BoxOwner
  readonly #files: CgroupFiles
  readonly #clock: Clock

  constructor(hierarchies: readonly CgroupHierarchy[], owner: BoxOwner, files: CgroupFiles, clock: Clock) {
    this.#hierarchies = hierarchies
    this.#owner = owner
    this.#files = files
    this.#clock = clock
    const enforced = [...GUARANTEES].filter(([control]) => hierarchies.some(({ controls }) => controls.has(control)))
    this.enforces = new Set(enforced.map(([, guarantee]) => guarantee))
    const limiting = hierarchies.find(({ controls }) => controls.has('memory')) ?? hierarchies.find(({ controls }) => controls.has('pids'))
    this.detail = `cgroup v${limiting?.version ?? 1} (${enforced.map(([control]) => control).join(', ')})`
  }

  async create(label: string, limits: CgroupLimits): Promise<CgroupBox> {
    checkLimits(limits)
    // Without a share the processor's own hierarchy has nothing to do; on v1 that is one folder less.
    const used = this.#hierarchies.filter(({ version, controls }) => {
      return version === 2 || limits.cpuShare !== undefined || !controls.has('cpu') || controls.size > 1
    })
    const name = boxName(this.#owner, label)
    const box = new KernelCgroupBox(name, used, this.#files, this.#clock)
    try {
      for (const { version, folder, controls } of used) {
        const path = `${folder}/${name}`
        await this.#files.makeFolder(path)
        for (const [file, text, needed] of version === 1 ? versionOne(limits, controls) : versionTwo(limits, controls)) {
          await this.#files.write(`${path}/${file}`, text).catch((error: unknown) => {
            if (needed || errorCode(error) !== 'ENOENT') throw error
          })
        }
      }
    } catch (error) {
      await box.remove().catch(() => {})
      const said = error instanceof Error ? error.message : String(error)
      throw new AdjutantError('SANDBOX_FAILED', `the cgroup of a box cannot be made: ${said}`, { cause: error })
    }
    return box
  }

  async family(label: string, memoryMB: number): Promise<CgroupFamily> {
    checkLimits({ memoryMB, processes: 1 })
    const memory = this.#hierarchies.find(({ controls }) => controls.has('memory'))
    if (memory === undefined)
      return { create: (name, limits) => this.create(name, limits), limit: () => Promise.resolve(false), remove: () => Promise.resolve() }
    const name = boxName(this.#owner, label)
    const path = `${memory.folder}/${name}`
    const parent = new KernelCgroupBox(name, [memory], this.#files, this.#clock)
    const write = async (file: string, text: string): Promise<boolean> =>
      this.#files.write(`${path}/${file}`, text).then(
        () => true,
        () => false,
      )
    try {
      await this.#files.makeFolder(path)
      if (memory.version === 1) {
        // Old kernels have to be told that children count; new ones have no such choice.
        await write('memory.use_hierarchy', '1')
        for (const [file, text, needed] of versionOne({ memoryMB, processes: 1 }, new Set(['memory'])))
          if (!(await write(file, text)) && needed) throw new Error(`${path}/${file} takes no ${text}`)
      } else {
        await this.#files.write(`${path}/memory.max`, `${memoryMB * MB}`)
        await write('memory.swap.max', '0')
        for (const control of ['memory', 'pids', 'cpu'] as const)
          if (memory.controls.has(control)) await this.#files.write(`${path}/cgroup.subtree_control`, `+${control}`)
      }
    } catch (error) {
      await parent.remove().catch(() => {})
      const said = error instanceof Error ? error.message : String(error)
      throw new AdjutantError('SANDBOX_FAILED', `the cgroup of several boxes cannot be made: ${said}`, { cause: error })
    }
    const inside = this.#hierarchies.map((one) => (one === memory ? { ...one, folder: path } : one))
    const boxes = new KernelCgroupDriver(inside, this.#owner, this.#files, this.#clock)
    return {
      create: (label, limits) => boxes.create(label, limits),
      limit: async (memoryMB) => {
        const bytes = `${memoryMB * MB}`
        if (memory.version === 2) return write('memory.max', bytes)
        // Memory with swap is never less than memory: whichever way it goes, one of the two has to go first.
        await write('memory.memsw.limit_in_bytes', bytes)
        const held = await write('memory.limit_in_bytes', bytes)
        await write('memory.memsw.limit_in_bytes', bytes)
        return held
      },
      remove: () => parent.remove(),
    }
  }

  async sweep(): Promise<number> {
    const names = new Set(this.#hierarchies.flatMap(({ folder }) => this.#files.children(folder)))
    let swept = 0
    for (const name of names) {
      if (!isLeftover(name, this.#owner.pidNamespace)) continue
      await this.#sweepFamily(name)
      const box = new KernelCgroupBox(name, this.#hierarchies, this.#files, this.#clock)
      // Somebody else's leftover may be out of our reach, and another process may sweep it at the same time.
      swept += await box.remove().then(
        () => 1,
        () => 0,
      )
    }
    return swept
  }

  /** Boxes inside of it, when it was one for several. */
  async #sweepFamily(name: string): Promise<void> {
    for (const memory of this.#hierarchies) {
      const folder = `${memory.folder}/${name}`
      const inside = this.#hierarchies.map((one) => (one === memory ? { ...one, folder } : one))
      for (const child of this.#files.children(folder)) {
        if (isLeftover(child, this.#owner.pidNamespace))
          await new KernelCgroupBox(child, inside, this.#files, this.#clock).remove().catch(() => undefined)
      }
    }
  }
}

type Setting = readonly [file: string, text: string, needed: boolean]

function versionOne({ memoryMB, processes, cpuShare }: CgroupLimits, controls: ReadonlySet<CgroupControl>): readonly Setting[] {
  const settings: Setting[] = []
  if (controls.has('memory')) {
    const bytes = `${memoryMB * MB}`
    settings.push(['memory.limit_in_bytes', bytes, true], ['memory.swappiness', '0', false], ['memory.memsw.limit_in_bytes', bytes, false])
  }
  if (controls.has('pids')) settings.push(['pids.max', `${processes}`, true])
  if (controls.has('cpu') && cpuShare !== undefined) {
    settings.push(['cpu.cfs_period_us', `${PERIOD}`, true], ['cpu.cfs_quota_us', `${Math.round(cpuShare * PERIOD)}`, true])
  }
  return settings
}

function versionTwo({ memoryMB, processes, cpuShare }: CgroupLimits, controls: ReadonlySet<CgroupControl>): readonly Setting[] {
  const settings: Setting[] = []
  if (controls.has('memory')) settings.push(['memory.max', `${memoryMB * MB}`, true], ['memory.swap.max', '0', false])
  if (controls.has('pids')) settings.push(['pids.max', `${processes}`, true])
  if (controls.has('cpu') && cpuShare !== undefined) settings.push(['cpu.max', `${Math.round(cpuShare * PERIOD)} ${PERIOD}`, true])
  return settings
}

function checkLimits({ memoryMB, processes, cpuShare }: CgroupLimits): void {
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 1 && value <= 2 ** 30
  const problem =
    (!whole(memoryMB) && `memoryMB must be a whole number from 1, not ${memoryMB}`) ||
    (!whole(processes) && `processes must be a whole number from 1, not ${processes}`) ||
    (cpuShare !== undefined &&
      !(cpuShare >= LEAST_SHARE && cpuShare <= 4096) &&
      `cpuShare must lie from ${LEAST_SHARE} to 4096, not ${cpuShare}`)
  if (problem !== false) throw new AdjutantError('CONFIG_INVALID', `limits of a box: ${problem}`)
}
