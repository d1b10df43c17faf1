/**
 * Owns what one sandbox has: its user, its folders, and the boxes that wait for it. Made for one shape, given to one sandbox, never used again.
 * Closing it ends every box that was ever started in it, then removes the folders with all in them; a folder of the host stays.
 */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { AdjutantError, type SandboxGuarantee, type SandboxLanguage } from '@adjutant/core/contract'
import type { BoxUser } from '../host/box-user.ts'
import { type FolderUser, isReachable } from '../host/host-folder.ts'
import { isRoot } from '../linux/index.ts'
import { allPids } from '../linux/process/pid-namespace.ts'
import { readProcessStat } from '../linux/process/process-stat.ts'
import type { Shelf } from '../pool/warm-pool.ts'
import { type BoxCommand, type BoxKind, boxCommand } from '../programs/box-command.ts'
import type { BoxShape } from '../runs/check-spec.ts'
import { INPUT_FOLDER, RunInput } from '../runs/run-input.ts'
import { removeWorkspace } from '../workspace/workspace.ts'
import { boxRules } from './box-rules.ts'
import { LandlockBox } from './landlock-box.ts'
import type { LandlockHouse } from './landlock-house.ts'

/** What a keeper takes while it waits, in MB: measured with Python 3.11. */
const KEEPER_MB = 7
/** What the keeper and what is kept ready beside it add to the number of processes. */
const KEEPERS = 1

export class LandlockSlot {
  readonly shape: BoxShape
  readonly workspacePath: string
  readonly #house: LandlockHouse
  readonly #owner: FolderUser
  readonly #folder: string
  readonly #input: RunInput
  readonly #shelves = new Map<string, Shelf<LandlockBox>>()
  readonly #boxes = new Set<LandlockBox>()
  #closed: Promise<void> | undefined

  /** @throws AdjutantError SANDBOX_UNAVAILABLE, CONFIG_INVALID, UNSUPPORTED */
  constructor(house: LandlockHouse, shape: BoxShape) {
    this.#house = house
    this.shape = shape
    this.#owner = shape.workspace === undefined ? ownUser(house) : house.folders.take(shape.workspace, house.state)
    this.#folder = `${house.files.path}/dens/${house.ids.next('den')}`
    this.workspacePath = shape.workspace ?? `${this.#folder}/workspace`
    try {
      if (isRoot()) checkReach(shape)
      mkdirSync(this.#folder)
      chmodSync(this.#folder, 0o711)
      for (const name of shape.workspace === undefined ? ['workspace', 'tmp'] : ['tmp']) {
        const path = `${this.#folder}/${name}`
        mkdirSync(path, { mode: 0o700 })
        const { user } = this.#owner
        if (user !== undefined) chownSync(path, user.uid, user.gid)
      }
      this.#input = new RunInput(`${house.state.path}/input/${house.ids.next('input')}`)
      chmodSync(this.#input.folder, 0o711)
    } catch (error) {
      this.#owner.giveBack()
      throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', 'the folders of a box cannot be made')
    }
  }

  get temporaryPath(): string {
    return `${this.#folder}/tmp`
  }

  get user(): BoxUser | undefined {
    return this.#owner.user
  }

  get enforces(): ReadonlySet<SandboxGuarantee> {
    return landlockGuarantees(this.#house, this.shape)
  }

  /** One that waits, or undefined. */
  take(kind: BoxKind, lang: SandboxLanguage): LandlockBox | undefined {
    return this.#shelves.get(`${kind} ${lang}`)?.take()
  }

  /** Has one ready for the next time, as far as the pool allows. */
  want(kind: BoxKind, lang: SandboxLanguage): void {
    if (this.#closed !== undefined) return
    const key = `${kind} ${lang}`
    let shelf = this.#shelves.get(key)
    if (shelf === undefined) {
      shelf = this.#house.pool.shelf<LandlockBox>({
        memoryMB: this.#command(kind, lang).waitingMB + KEEPER_MB,
        make: () => this.start(kind, lang),
        isAlive: (box) => !box.isOver,
        dispose: async (box) => {
          box.kill()
          await box.gone
        },
      })
      this.#shelves.set(key, shelf)
    }
    shelf.want()
  }

  /** @throws AdjutantError SANDBOX_FAILED, UNSUPPORTED */
  async start(kind: BoxKind, lang: SandboxLanguage): Promise<LandlockBox> {
    const { command } = this.#command(kind, lang)
    const { house, shape } = { house: this.#house, shape: this.shape }
    const { memoryMB, processes } = shape.limits
    if (this.#closed !== undefined) throw closed()
    const box = await LandlockBox.start({
      python: house.python,
      pipes: house.pipes,
      inherited: house.inherited,
      group: house.cgroups?.create(house.ids.next('box'), { memoryMB, processes: processes + KEEPERS }),
      user: this.user,
      ownUser: !this.#isShared,
      side: kind === 'session',
      plan: {
        abi: house.abi,
        filter: this.#isShared ? house.filters.sharedUser : house.filters.ownUser,
        folder: this.workspacePath,
        ...(this.#isShared ? { changes: house.changes } : {}),
        rules: boxRules(house.rules, {
          workspace: this.workspacePath,
          temporary: this.temporaryPath,
          input: this.#input.folder,
          mounts: shape.mounts,
          programs: house.programFiles,
        }),
        command,
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          HOME: this.workspacePath,
          USER: 'sandbox',
          LANG: 'C.UTF-8',
          TMPDIR: this.temporaryPath,
          XDG_CACHE_HOME: this.temporaryPath,
          // Else git finds that the machine has settings that it may not read, and gives up.
          GIT_CONFIG_NOSYSTEM: '1',
          ...shape.env,
        },
      },
    })
    this.#boxes.add(box)
    void box.gone.then(() => this.#boxes.delete(box))
    if (this.#closed !== undefined) {
      box.kill()
      throw closed()
    }
    return box
  }

  /** Puts what a run reads where its box finds it; gives that path, and how to take it away. */
  async putInput(bytes: string | Uint8Array | undefined): Promise<{ readonly path: string; remove(): Promise<void> }> {
    const put = await this.#input.put(bytes)
    return { path: put.path.replace(INPUT_FOLDER, () => this.#input.folder), remove: () => put.remove() }
  }

  /** Files of the host that a folder named so in a run stand for. */
  locate(path: string): string {
    return path === '/workspace' || path.startsWith('/workspace/') ? `${this.workspacePath}${path.slice('/workspace'.length)}` : path
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Files outside may belong to whoever runs in the boxes. */
  get #isShared(): boolean {
    return !isRoot() || this.shape.workspace !== undefined
  }

  #command(kind: BoxKind, lang: SandboxLanguage): BoxCommand {
    const { cgroups, programs } = this.#house
    const grouped = cgroups?.enforces.has('process-count') === true
    const { processes } = this.shape.limits
    // The kernel's own count is for all processes of the user: where control groups count exactly it is only a second net.
    const most = grouped ? processes + 4096 : this.#isShared ? processes + threadsOf(this.user?.uid ?? process.geteuid?.() ?? 0) : processes
    const limits = { ...this.shape.limits, processes: most }
    return boxCommand(kind, lang, programs, limits, cgroups?.enforces.has('memory') === true)
  }

  async #close(): Promise<void> {
    const shelves = [...this.#shelves.values()].map((shelf) => shelf.close())
    for (const box of this.#boxes) box.kill()
    await Promise.all(shelves)
    for (const box of this.#boxes) box.kill()
    await Promise.all([...this.#boxes].map((box) => box.gone))
    this.#input.close()
    try {
      await removeWorkspace(this.#folder)
    } finally {
      this.#owner.giveBack()
    }
  }
}

/** What boxes of this shape enforce. */
export function landlockGuarantees(
  { enforces, cgroups }: Pick<LandlockHouse, 'enforces' | 'cgroups'>,
  shape: BoxShape,
): ReadonlySet<SandboxGuarantee> {
  // In a folder of the host the user may be one who runs other things as well: the kernel's count is of no use then.
  const uncounted = shape.workspace !== undefined && cgroups?.enforces.has('process-count') !== true
  return uncounted ? new Set([...enforces].filter((one) => one !== 'process-count')) : enforces
}

/** Without mounts the user must be able to get there by itself. @throws AdjutantError SANDBOX_UNAVAILABLE */
function checkReach(shape: BoxShape): void {
  const paths = [...(shape.workspace === undefined ? [] : [shape.workspace]), ...shape.mounts.map(({ host }) => host)]
  for (const path of paths)
    if (!isReachable(path))
      throw new AdjutantError('SANDBOX_UNAVAILABLE', `${path} lies in a folder through which only root may pass`, {
        hint: 'Let others pass through the folders above it (chmod o+x), or use a folder elsewhere.',
      })
}

function ownUser({ state }: LandlockHouse): FolderUser {
  if (!isRoot()) return { giveBack: () => undefined }
  const lease = state.takeUser()
  return { user: lease, giveBack: () => void lease.release() }
}

/** How many the user has already: what the kernel counts before the first of ours. */
function threadsOf(uid: number): number {
  let count = 0
  for (const pid of allPids()) if (ownerOf(pid) === uid) count += readProcessStat(pid)?.threads ?? 0
  return count
}

function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    return undefined
  }
}

function closed(): AdjutantError {
  return new AdjutantError('SANDBOX_FAILED', 'the box was closed', { outcome: 'not-run' })
}
