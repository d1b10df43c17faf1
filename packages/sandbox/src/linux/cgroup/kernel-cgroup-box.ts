/**
 * Owns one box's cgroups, one folder in each hierarchy. Methods may be called in any order and at once; a folder that is gone counts as
 * empty. Killing is complete before removing: on v2 the kernel kills all at once; on v1 no process may fork any more (pids.max 0) and all
 * are stopped (freezer), then each gets SIGKILL until none is left.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { waitUntil } from '../process/pid-namespace.ts'
import type { CgroupBox, CgroupControl, CgroupHierarchy, CgroupUsage } from './cgroup.ts'
import { type CgroupFiles, errorCode, readKeyed, readNumber, readPids } from './cgroup-files.ts'

const MB = 1_048_576

interface Folder {
  readonly version: 1 | 2
  readonly path: string
}

export class KernelCgroupBox implements CgroupBox {
  readonly name: string
  readonly #files: CgroupFiles
  readonly #clock: Clock
  readonly #hierarchies: readonly CgroupHierarchy[]
  readonly #folders: readonly Folder[]
  #last: { readonly usage: CgroupUsage; readonly oomKills: number; readonly refusedForks: number } | undefined

  constructor(name: string, hierarchies: readonly CgroupHierarchy[], files: CgroupFiles, clock: Clock) {
    this.name = name
    this.#files = files
    this.#clock = clock
    this.#hierarchies = hierarchies
    this.#folders = hierarchies.map(({ version, folder }) => ({ version, path: `${folder}/${name}` }))
  }

  async add(pid: number): Promise<void> {
    // Whoever removes the box would kill itself.
    if (pid === process.pid) throw new AdjutantError('INTERNAL', 'a process cannot put itself into a box that it will remove')
    for (const { path } of this.#folders) {
      try {
        await this.#files.write(`${path}/cgroup.procs`, `${pid}`)
      } catch (error) {
        const why = errorCode(error)
        const said = why === 'ESRCH' ? 'it has ended' : why === 'ENOENT' ? 'the box was removed' : String(error)
        throw new AdjutantError('SANDBOX_FAILED', `process ${pid} cannot be put into the box ${path}: ${said}`, { cause: error })
      }
    }
  }

  entries(): readonly string[] {
    // One thread that moves itself cannot fork meanwhile: the kernel then takes no lock that waits for all processors.
    return this.#folders.map(({ version, path }) => `${path}/${version === 1 ? 'tasks' : 'cgroup.procs'}`)
  }

  usage(): CgroupUsage {
    if (this.#last !== undefined) return this.#last.usage
    const [memory, pids] = [this.#folder('memory'), this.#folder('pids')]
    const bytes =
      memory?.version === 1
        ? readNumber(this.#files, `${memory.path}/memory.max_usage_in_bytes`)
        : memory && (readNumber(this.#files, `${memory.path}/memory.peak`) ?? readNumber(this.#files, `${memory.path}/memory.current`))
    const processes = pids && (readNumber(this.#files, `${pids.path}/pids.peak`) ?? readNumber(this.#files, `${pids.path}/pids.current`))
    const cpuMs = this.#cpuMs()
    return {
      ...(bytes === undefined ? {} : { memoryMB: Math.round((bytes / MB) * 10) / 10 }),
      ...(cpuMs === undefined ? {} : { cpuMs }),
      ...(processes === undefined ? {} : { processes }),
    }
  }

  async resetPeak(): Promise<boolean> {
    const memory = this.#folder('memory')
    return memory?.version === 1 && (await this.#try(`${memory.path}/memory.max_usage_in_bytes`, '0'))
  }

  oomKills(): number {
    if (this.#last !== undefined) return this.#last.oomKills
    const memory = this.#folder('memory')
    if (memory === undefined) return 0
    return readKeyed(this.#files, `${memory.path}/${memory.version === 1 ? 'memory.oom_control' : 'memory.events'}`, 'oom_kill') ?? 0
  }

  refusedForks(): number {
    if (this.#last !== undefined) return this.#last.refusedForks
    const pids = this.#folder('pids')
    return pids === undefined ? 0 : (readKeyed(this.#files, `${pids.path}/pids.events`, 'max') ?? 0)
  }

  pids(): readonly number[] {
    return [...new Set(this.#folders.flatMap(({ path }) => readPids(this.#files, path)))]
  }

  async freeze(): Promise<boolean> {
    const core = this.#folder('core')
    if (core !== undefined && (await this.#try(`${core.path}/cgroup.freeze`, '1'))) {
      return this.#wait(() => readKeyed(this.#files, `${core.path}/cgroup.events`, 'frozen') === 1)
    }
    const freezer = this.#folder('freezer')
    if (freezer === undefined || !(await this.#try(`${freezer.path}/freezer.state`, 'FROZEN'))) return false
    return this.#wait(() => this.#files.read(`${freezer.path}/freezer.state`)?.trim() === 'FROZEN')
  }

  async thaw(): Promise<void> {
    const [core, freezer] = [this.#folder('core'), this.#folder('freezer')]
    if (core !== undefined) await this.#try(`${core.path}/cgroup.freeze`, '0')
    if (freezer !== undefined) await this.#try(`${freezer.path}/freezer.state`, 'THAWED')
  }

  async kill(): Promise<boolean> {
    const pids = this.#folder('pids')
    if (pids !== undefined) await this.#try(`${pids.path}/pids.max`, '0')
    const core = this.#folder('core')
    const atOnce = core !== undefined && (await this.#try(`${core.path}/cgroup.kill`, '1'))
    if (!atOnce) {
      const frozen = this.#folder('freezer') !== undefined && (await this.freeze())
      this.#signalAll()
      if (frozen) await this.thaw()
    }
    // What was put into only some of the hierarchies, or came in meanwhile, is killed on the next look.
    return this.#wait(() => {
      if (this.pids().length === 0) return true
      this.#signalAll()
      return false
    })
  }

  async remove(): Promise<void> {
    this.#last ??= { usage: this.usage(), oomKills: this.oomKills(), refusedForks: this.refusedForks() }
    const killed = await this.kill()
    const left = killed ? await this.#removeFolders() : this.#folders.map(({ path }) => path)
    if (left.length > 0) {
      throw new AdjutantError(
        'SANDBOX_FAILED',
        `the box ${left.join(', ')} cannot be removed: processes ${this.pids().join(', ')} do not end`,
        {
          hint: 'Look at these processes on the host: they hang in the kernel.',
        },
      )
    }
  }

  /** Those that could not be removed. A process that has just ended keeps its folder busy for a moment. */
  async #removeFolders(): Promise<readonly string[]> {
    let left = this.#folders.map(({ path }) => path)
    const until = this.#clock.monotonic() + 5000
    for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
      const busy: string[] = []
      for (const path of left) {
        try {
          await this.#files.removeFolder(path)
        } catch (error) {
          if (errorCode(error) !== 'ENOENT') busy.push(path)
        }
      }
      left = busy
      if (left.length === 0 || this.#clock.monotonic() >= until) return left
      await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
    }
  }

  #signalAll(): void {
    for (const pid of this.pids()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended between the look and the signal, or is not ours: then it stays in the list and the wait says so.
      }
    }
  }

  #cpuMs(): number | undefined {
    const account = this.#folder('cpuacct')
    const nanoseconds = account && readNumber(this.#files, `${account.path}/cpuacct.usage`)
    if (nanoseconds !== undefined) return Math.round(nanoseconds / 1e6)
    const core = this.#folder('core')
    const microseconds = core && readKeyed(this.#files, `${core.path}/cpu.stat`, 'usage_usec')
    return microseconds === undefined ? undefined : Math.round(microseconds / 1e3)
  }

  #folder(control: CgroupControl): Folder | undefined {
    return this.#folders[this.#hierarchies.findIndex(({ controls }) => controls.has(control))]
  }

  async #try(file: string, text: string): Promise<boolean> {
    return this.#files.write(file, text).then(
      () => true,
      () => false,
    )
  }

  #wait(done: () => boolean): Promise<boolean> {
    return waitUntil(done, { clock: this.#clock })
  }
}
