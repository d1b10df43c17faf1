/** A model of the rules of cgroup v2, for machines whose controllers belong to v1: who may write, who may have children with limits. */
import type { CgroupFiles } from './cgroup-files.ts'

/** Above every pid that a kernel gives: a signal to it reaches nobody. */
export const MODEL_PID = 2_000_000_000

export interface ModelFolder {
  readonly controllers: readonly string[]
  /** This user may change it. */
  readonly writable: boolean
  readonly pids?: readonly number[]
  readonly enabled?: readonly string[]
}

interface State {
  readonly controllers: ReadonlySet<string>
  readonly writable: boolean
  readonly pids: Set<number>
  readonly enabled: Set<string>
  readonly texts: Map<string, string>
}

const ROOT = '/sys/fs/cgroup'
const FILES: Readonly<Record<string, readonly string[]>> = {
  memory: ['memory.max', 'memory.swap.max', 'memory.peak', 'memory.events'],
  pids: ['pids.max', 'pids.peak', 'pids.events'],
  cpu: ['cpu.max'],
}

export class VersionTwoModel implements CgroupFiles {
  readonly #folders = new Map<string, State>()
  readonly #own: string

  /** @param folders by path from the root, with `own` among them */
  constructor(own: string, folders: Readonly<Record<string, ModelFolder>>) {
    this.#own = own
    for (const [path, { controllers, writable, pids = [], enabled = [] }] of Object.entries(folders)) {
      this.#folders.set(`${ROOT}${path === '/' ? '' : path}`, {
        controllers: new Set(controllers),
        writable,
        pids: new Set(pids),
        enabled: new Set(enabled),
        texts: new Map(),
      })
    }
  }

  read(file: string): string | undefined {
    if (file === '/proc/self/mountinfo') return `31 23 0:38 / ${ROOT} rw - cgroup2 cgroup2 rw`
    if (file === '/proc/self/cgroup') return `0::${this.#own}\n`
    if (!this.#folders.has(file.slice(0, file.lastIndexOf('/')))) return undefined
    const { state, name } = this.#find(file)
    if (name === 'cgroup.procs') return [...state.pids].join('\n')
    if (name === 'cgroup.controllers') return [...state.controllers].join(' ')
    if (name === 'cgroup.subtree_control') return [...state.enabled].join(' ')
    return state.texts.get(name)
  }

  async write(file: string, text: string): Promise<void> {
    const { state, name, path } = this.#find(file)
    if (!state.writable) throw failure('EACCES', file)
    if (name === 'cgroup.procs') {
      if (state.enabled.size > 0 && path !== ROOT) throw failure('EBUSY', file)
      for (const other of this.#folders.values()) other.pids.delete(Number(text))
      state.pids.add(Number(text))
    } else if (name === 'cgroup.kill') {
      state.pids.clear()
    } else if (name === 'cgroup.subtree_control') {
      const controller = text.slice(1)
      if (!state.controllers.has(controller)) throw failure('ENOENT', file)
      if (state.pids.size > 0 && path !== ROOT) throw failure('EBUSY', file)
      state.enabled.add(controller)
    } else {
      const [controller = ''] = name.split('.')
      if (!state.controllers.has(controller) || FILES[controller]?.includes(name) !== true) throw failure('ENOENT', file)
      state.texts.set(name, text)
    }
  }

  async makeFolder(folder: string): Promise<void> {
    const parent = this.#state(folder.slice(0, folder.lastIndexOf('/')))
    if (!parent.writable) throw failure('EACCES', folder)
    if (this.#folders.has(folder)) throw failure('EEXIST', folder)
    this.#folders.set(folder, {
      controllers: new Set(parent.enabled),
      writable: true,
      pids: new Set(),
      enabled: new Set(),
      texts: new Map(),
    })
  }

  async removeFolder(folder: string): Promise<void> {
    if (this.#state(folder).pids.size > 0 || this.children(folder).length > 0) throw failure('EBUSY', folder)
    this.#folders.delete(folder)
  }

  children(folder: string): readonly string[] {
    const names = [...this.#folders.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1))
    return names.filter((name) => !name.includes('/'))
  }

  /** As the kernel would, behind our back. */
  tell(file: string, text: string): void {
    const { state, name } = this.#find(file)
    state.texts.set(name, text)
  }

  #find(file: string): { readonly state: State; readonly name: string; readonly path: string } {
    const at = file.lastIndexOf('/')
    const path = file.slice(0, at)
    return { state: this.#state(path), name: file.slice(at + 1), path }
  }

  #state(path: string): State {
    const state = this.#folders.get(path)
    if (state === undefined) throw failure('ENOENT', path)
    return state
  }
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
