/**
 * Owns what one sandbox has: its den, its user, its folder, and the boxes that wait for it. Made for one shape, given to one sandbox, never used again.
 * Closing it ends every box that was ever started in it, then the den with all files in it.
 */
import { statfsSync } from 'node:fs'
import { AdjutantError, type SandboxLanguage } from '@adjutant/core/contract'
import type { BoxUser } from '../host/box-user.ts'
import { type FolderUser, isReachable } from '../host/host-folder.ts'
import type { StateFolder } from '../host/state-folder.ts'
import { type CgroupFamily, isRoot } from '../linux/index.ts'
import { BoxNetwork } from '../network/box-network.ts'
import type { Shelf } from '../pool/warm-pool.ts'
import { type BoxCommand, type BoxKind, boxCommand } from '../programs/box-command.ts'
import type { BoxMount } from '../runs/box-mount.ts'
import type { BoxShape } from '../runs/check-spec.ts'
import { INPUT_FOLDER, RunInput } from '../runs/run-input.ts'
import { Box } from './box.ts'
import { BoxPlace } from './box-place.ts'
import { Den } from './den.ts'
import type { House } from './house.ts'

/** What waits in a sandbox for its next runs takes at most so much, in MB, beside what runs. */
const READY_MB = 32
/** What a shell of the system takes, in MB. */
const PLACE_MB = 0.5
/** What the relay in a box is run with. */
const RELAY_PYTHON = '/usr/bin/python3'

export class Slot {
  readonly shape: BoxShape
  readonly #owner: FolderUser
  readonly #house: House
  readonly #den: Den
  readonly #network: BoxNetwork | undefined
  readonly #family: CgroupFamily | undefined
  /** Files in memory that the family's limit has room for, in MB. */
  #keptMB = 0
  readonly #shelves = new Map<string, Shelf<Box>>()
  readonly #boxes = new Set<Box>()
  /** Where the next box may be made. */
  readonly #places: Shelf<BoxPlace>
  readonly #input: RunInput
  #closed: Promise<void> | undefined

  private constructor(
    house: House,
    shape: BoxShape,
    den: Den,
    owner: FolderUser,
    { network, family }: { readonly network: BoxNetwork | undefined; readonly family: CgroupFamily | undefined },
  ) {
    this.#house = house
    this.shape = shape
    this.#den = den
    this.#owner = owner
    this.#network = network
    this.#family = family
    this.#input = new RunInput(`${house.state.path}/input/${house.ids.next('input')}`)
    this.#places = house.pool.shelf<BoxPlace>({
      memoryMB: PLACE_MB,
      make: () => this.#makePlace(),
      isAlive: (place) => !place.isOver,
      dispose: (place) => place.remove(),
    })
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE, OVERLOADED */
  static async make(house: House, shape: BoxShape): Promise<Slot> {
    const { state } = house
    const owner = shape.workspace === undefined ? ownUser(state) : house.folders.take(shape.workspace, state)
    const { user } = owner
    let network: BoxNetwork | undefined
    let family: CgroupFamily | undefined
    try {
      // Where one group may not have others in it, each box is held alone.
      family = await house.cgroups?.family('boxes', shape.limits.memoryMB + READY_MB).catch(() => undefined)
      if (shape.allow.length > 0) network = await openNetwork(house, shape, user)
      const den = await Den.start({
        bubblewrap: house.tools.bubblewrap,
        nsenter: house.tools.nsenter,
        folder: `${state.path}/dens/${house.ids.next('den')}`,
        diskMB: shape.limits.diskMB,
        files: shape.limits.files,
        clock: house.clock,
        ...(user === undefined ? {} : { user }),
        binds: user === undefined ? [] : needed(house, shape).filter((path) => !isReachable(path)),
      })
      const slot = new Slot(house, shape, den, owner, { network, family })
      slot.wantPlace()
      return slot
    } catch (error) {
      await family?.remove().catch(() => undefined)
      await network?.close()
      owner.giveBack()
      throw error
    }
  }

  /** Under whom its boxes run; absent: under whom we do. */
  get user(): BoxUser | undefined {
    return this.#owner.user
  }

  /** The workspace, for the host. */
  get workspacePath(): string {
    return this.shape.workspace ?? `${this.#den.hostPath}/workspace`
  }

  get isAlive(): boolean {
    return this.#den.alive && this.#closed === undefined
  }

  /** What is left of the memory file system; undefined when it is gone. */
  room(): { readonly freeBytes: number; readonly freeFiles: number; readonly usedMB: number } | undefined {
    try {
      const { bsize, blocks, bfree, ffree } = statfsSync(this.#den.hostPath)
      return { freeBytes: bfree * bsize, freeFiles: ffree, usedMB: Math.round(((blocks - bfree) * bsize) / 104_857.6) / 10 }
    } catch {
      return undefined
    }
  }

  /** One that waits, or undefined. */
  take(kind: BoxKind, lang: SandboxLanguage): Box | undefined {
    return this.#shelves.get(`${kind} ${lang}`)?.take()
  }

  /** Has one ready for the next time, as far as the pool allows. */
  want(kind: BoxKind, lang: SandboxLanguage): void {
    if (!this.isAlive) return
    const key = `${kind} ${lang}`
    let shelf = this.#shelves.get(key)
    if (shelf === undefined) {
      const { waitingMB } = this.#command(kind, lang)
      shelf = this.#house.pool.shelf<Box>({
        memoryMB: waitingMB,
        make: async () => this.#start(await this.#makePlace(), this.#command(kind, lang)),
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

  /** Has a place ready for the next box that is made while somebody waits for it. */
  wantPlace(): void {
    if (this.isAlive) this.#places.want()
  }

  /** @throws AdjutantError SANDBOX_FAILED, UNSUPPORTED */
  async start(kind: BoxKind, lang: SandboxLanguage): Promise<Box> {
    const command = this.#command(kind, lang)
    return this.#start(this.#places.take() ?? (await this.#makePlace()), command)
  }

  /** A box with another program than ours. @throws AdjutantError SANDBOX_FAILED */
  async startProgram(command: readonly string[]): Promise<Box> {
    return this.#start(await this.#makePlace(), { command, mounts: [] })
  }

  async #makePlace(): Promise<BoxPlace> {
    if (!this.isAlive) throw new AdjutantError('SANDBOX_FAILED', 'the files of this box are gone: what held them has ended')
    const { ids, tools } = this.#house
    const { memoryMB, processes } = this.shape.limits
    const groups = this.#family ?? this.#house.cgroups
    return BoxPlace.make(tools, {
      name: ids.next('box'),
      den: this.#den,
      // The box's own first process and bubblewrap outside of it are among its processes.
      ...(groups === undefined ? {} : { group: (name) => groups.create(name, { memoryMB, processes: processes + 2 }) }),
    })
  }

  async #start(place: BoxPlace, { command, mounts }: Pick<BoxCommand, 'command' | 'mounts'>): Promise<Box> {
    if (this.#closed !== undefined) {
      await place.remove()
      throw new AdjutantError('SANDBOX_FAILED', 'the box was closed', { outcome: 'not-run' })
    }
    const { etc, systemFolders, tools } = this.#house
    const { folder } = this.#den
    const { workspace } = this.shape
    const located = (mount: BoxMount): BoxMount => ({ ...mount, host: this.#den.locate(mount.host) })
    const box = new Box(tools, place, {
      systemFolders,
      hostname: 'sandbox',
      env: { ...this.#network?.env, ...this.shape.env },
      command: this.#network?.lead(command) ?? command,
      mounts: [
        { host: etc, path: '/etc' },
        ...mounts.map(located),
        { host: this.#input.folder, path: INPUT_FOLDER },
        ...(this.#network === undefined ? [] : [this.#network.mount]),
        { host: workspace === undefined ? `${folder}/workspace` : this.#den.locate(workspace), path: '/workspace', writable: true },
        { host: `${folder}/tmp`, path: '/tmp', writable: true },
        { host: `${folder}/shm`, path: '/dev/shm', writable: true },
        // Last: they may lie in the workspace.
        ...this.shape.mounts.map(located),
      ],
    })
    this.#boxes.add(box)
    void box.gone.then(() => this.#boxes.delete(box))
    return box
  }

  /** Puts what a run reads where its box finds it; gives that path, and how to take it away. Nothing to read: an empty file. */
  async putInput(bytes: string | Uint8Array | undefined): Promise<{ readonly path: string; remove(): Promise<void> }> {
    return this.#input.put(bytes)
  }

  /** All boxes together may use what the spec says beside files that are kept in memory: these change from run to run. */
  holdMemory(filesMB: number): void {
    const keptMB = Math.ceil(filesMB)
    if (keptMB === this.#keptMB) return
    this.#keptMB = keptMB
    void this.#family?.limit(this.shape.limits.memoryMB + READY_MB + keptMB)
  }

  /** Connections that were tried and refused since this was asked last. */
  takeRefused(): readonly string[] {
    return this.#network?.takeRefused() ?? []
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  #command(kind: BoxKind, lang: SandboxLanguage): BoxCommand {
    return boxCommand(kind, lang, this.#house.programs, this.shape.limits, this.#house.memoryHeld)
  }

  async #close(): Promise<void> {
    const shelves = [...this.#shelves.values()].map((shelf) => shelf.close())
    for (const box of this.#boxes) box.kill()
    await Promise.all(shelves)
    for (const box of this.#boxes) box.kill()
    await Promise.all([this.#places.close(), ...[...this.#boxes].map((box) => box.gone)])
    await this.#family?.remove().catch(() => undefined)
    await this.#den.close()
    this.#input.close()
    await this.#network?.close()
    this.#owner.giveBack()
  }
}

/** Everything of the host that boxes of this shape see, but what belongs to the system. */
function needed(house: House, shape: BoxShape): readonly string[] {
  const mounts = [...shape.mounts, ...(house.programs.js?.mounts ?? [])].map(({ host }) => host)
  return [...new Set(shape.workspace === undefined ? mounts : [shape.workspace, ...mounts])]
}

function ownUser(state: StateFolder): FolderUser {
  if (!isRoot()) return { giveBack: () => undefined }
  const lease = state.takeUser()
  return { user: lease, giveBack: () => void lease.release() }
}

function openNetwork({ clock, network, programs, state }: House, { allow }: BoxShape, user: BoxUser | undefined): Promise<BoxNetwork> {
  if (programs.python !== RELAY_PYTHON)
    throw new AdjutantError('SANDBOX_TOO_WEAK', `some hosts are to be reached, and the way to them in a box needs ${RELAY_PYTHON}`, {
      hint: 'Install python3, or ask for no network.',
    })
  return BoxNetwork.open({ allow, clock, ...network, ...(user === undefined ? {} : { owner: user }) }, `${state.path}/gates`)
}
