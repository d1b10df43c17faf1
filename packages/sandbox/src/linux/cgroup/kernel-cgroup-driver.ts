/**
 * Owns making boxes in the hierarchies it was given, and removing those whose maker is gone. A box that cannot be made whole is taken back.
 */
import { AdjutantError, type Clock, type SandboxGuarantee } from '@adjutant/core/contract'
import { type BoxOwner, boxName, isLeftover } from './box-name.ts'
import type { CgroupBox, CgroupControl, CgroupDriver, CgroupHierarchy, CgroupLimits } from './cgroup.ts'
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

  async sweep(): Promise<number> {
    const names = new Set(this.#hierarchies.flatMap(({ folder }) => this.#files.children(folder)))
    let swept = 0
    for (const name of names) {
      if (!isLeftover(name, this.#owner.pidNamespace)) continue
      const box = new KernelCgroupBox(name, this.#hierarchies, this.#files, this.#clock)
      // Somebody else's leftover may be out of our reach, and another process may sweep it at the same time.
      swept += await box.remove().then(
        () => 1,
        () => 0,
      )
    }
    return swept
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
