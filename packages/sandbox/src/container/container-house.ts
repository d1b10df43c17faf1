/**
 * Owns making boxes with a daemon whose ways are known: user, name, mounts, the way out, and whether what came of it is what was promised. What was
 * made beside a container goes with it.
 */
import { statSync } from 'node:fs'
import { AdjutantError, type Clock, type IdSource, type Sandbox, type SandboxGuarantee } from '@adjutant/core/contract'
import type { BoxUser } from '../host/box-user.ts'
import { type FolderUser, HostFolders } from '../host/host-folder.ts'
import type { StateFolder } from '../host/state-folder.ts'
import { isRoot } from '../linux/index.ts'
import { BoxNetwork, type NetworkOptions } from '../network/box-network.ts'
import { relayCommand } from '../network/index.ts'
import type { Turns } from '../pool/turns.ts'
import { type BoxShape, guarantees } from '../runs/check-spec.ts'
import { type ContainerForm, type ContainerPlan, memoryBytes, mostProcesses } from './container-body.ts'
import { ContainerBox } from './container-box.ts'
import { BACKEND, ContainerSandbox } from './container-sandbox.ts'
import type { Daemon } from './daemon.ts'
import { ownerLabel } from './owner-label.ts'
import { heldGuarantees } from './warden-facts.ts'

/** Where a box finds the way out. */
const SOCKET = '/opt/adjutant/network.sock'
/** Users that are given to boxes: above those that people and systems have, and below what a daemon without the rights of root can map. */
const FIRST_USER = 20_000
const USERS = 40_000

export interface ContainerHouseParts {
  readonly daemon: Daemon
  readonly clock: Clock
  readonly ids: IdSource
  readonly turns: Turns
  readonly image: string
  /** Programs are looked for there. */
  readonly path: string
  readonly form: ContainerForm
  /** The rules as the form wants them. */
  readonly filter: string
  readonly runtime?: string
  readonly cpus?: number
  readonly network: NetworkOptions
  /** Only beside a daemon of this machine. */
  readonly state?: StateFolder
}

export interface OpenedBox {
  readonly sandbox: ContainerSandbox
  readonly box: ContainerBox
  /** What can be seen to hold. */
  readonly held: ReadonlySet<SandboxGuarantee>
}

export class ContainerHouse {
  readonly #parts: ContainerHouseParts
  readonly #folders = new HostFolders()

  constructor(parts: ContainerHouseParts) {
    this.#parts = parts
  }

  get state(): StateFolder | undefined {
    return this.#parts.state
  }

  /**
   * @param promised what its boxes must hold; undefined: whatever they do
   * @param closed told when it is gone
   * @throws AdjutantError SANDBOX_UNAVAILABLE, SANDBOX_TOO_WEAK, SANDBOX_FAILED
   */
  async open(shape: BoxShape, promised: ReadonlySet<SandboxGuarantee> | undefined, closed: (sandbox: Sandbox) => void): Promise<OpenedBox> {
    const { daemon, clock, ids } = this.#parts
    const owner = this.#owner(shape)
    let network: BoxNetwork | undefined
    let box: ContainerBox | undefined
    const undo = async (): Promise<void> => {
      try {
        await box?.close()
      } finally {
        await network?.close()
        owner.giveBack()
      }
    }
    try {
      network = shape.allow.length === 0 ? undefined : await this.#wayOut(shape, owner.user)
      const plan = this.#plan(shape, owner.user, network)
      box = await ContainerBox.start(daemon, clock, plan)
      this.#checkMounts(box, plan)
      const env = {
        PATH: this.#parts.path,
        HOME: '/workspace',
        LANG: 'C.UTF-8',
        TMPDIR: '/tmp',
        XDG_CACHE_HOME: '/tmp',
        ...network?.env,
        ...shape.env,
      }
      if (network !== undefined) await startRelay(box, env)
      const held = heldGuarantees(box.facts, {
        memoryBytes: memoryBytes(shape.limits),
        processes: mostProcesses(shape.limits),
        diskBytes: shape.limits.diskMB * 1_048_576,
        files: shape.limits.files,
        isFolder: shape.workspace !== undefined,
        given: [...(shape.workspace === undefined ? [] : ['/workspace']), ...(network === undefined ? [] : [SOCKET])],
        isOurs: this.#parts.form.filter !== 'none',
      })
      const enforces = promised === undefined ? held : guarantees(promised, shape)
      const missing = [...enforces].filter((guarantee) => !held.has(guarantee))
      if (missing.length > 0)
        throw new AdjutantError('SANDBOX_TOO_WEAK', `the container came out without ${missing.join(', ')}`, {
          hint: 'The daemon does less than it did when it was tried: look at what has changed, then start again.',
        })
      const sandbox: ContainerSandbox = await ContainerSandbox.open({
        id: ids.next('sandbox'),
        box,
        clock,
        ids,
        limits: shape.limits,
        enforces,
        env,
        turns: this.#parts.turns,
        ...(shape.workspace === undefined ? {} : { workspace: { folder: shape.workspace, owner: owner.user } }),
        takeRefused: () => network?.takeRefused() ?? [],
        remove: async () => {
          try {
            await undo()
          } finally {
            closed(sandbox)
          }
        },
      })
      return { sandbox, box, held }
    } catch (error) {
      await undo().catch(() => undefined)
      throw error
    }
  }

  #plan(shape: BoxShape, user: BoxUser, network: BoxNetwork | undefined): ContainerPlan {
    const { ids, image, path, form, filter, runtime, cpus } = this.#parts
    if (shape.mounts.length > 0) this.#needSameFiles('mounts')
    return {
      form,
      filter,
      name: `adjutant-${ids.traceId()}`,
      owner: ownerLabel(),
      image,
      user,
      limits: shape.limits,
      mounts: [...shape.mounts, ...(network === undefined ? [] : [{ host: network.mount.host, path: SOCKET, writable: true }])],
      path,
      ...(shape.workspace === undefined ? {} : { workspace: shape.workspace }),
      ...(runtime === undefined ? {} : { runtime }),
      ...(cpus === undefined ? {} : { cpus }),
    }
  }

  /** Under whom it runs: never root, and in a folder of the host whoever it belongs to. */
  #owner(shape: BoxShape): FolderUser & { readonly user: BoxUser } {
    const { daemon, ids, state } = this.#parts
    if (shape.workspace === undefined) {
      const number = FIRST_USER + (Number.parseInt(ids.traceId().slice(-8), 16) % USERS)
      return { user: { uid: number, gid: number }, giveBack: () => undefined }
    }
    this.#needSameFiles('a workspace of the host')
    if (daemon.isRootless || state === undefined)
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        'a daemon without the rights of root shows a box other owners of files than there are',
        {
          hint: 'Leave the workspace to the box, or use a daemon with these rights, or bubblewrap.',
        },
      )
    const lent = this.#folders.take(shape.workspace, state)
    const user = lent.user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    return { user, giveBack: () => lent.giveBack() }
  }

  async #wayOut(shape: BoxShape, user: BoxUser): Promise<BoxNetwork> {
    const { clock, network, state } = this.#parts
    this.#needSameFiles('a way to some hosts')
    if (state === undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', 'a way to some hosts needs a daemon of this machine')
    return BoxNetwork.open({ allow: shape.allow, clock, ...network, ...(isRoot() ? { owner: user } : {}) }, `${state.path}/gates`)
  }

  #needSameFiles(what: string): void {
    if (this.#parts.daemon.isLocal) return
    throw new AdjutantError(
      'SANDBOX_UNAVAILABLE',
      `${BACKEND}: ${what} needs a daemon on this machine, not one in another or in a virtual one`,
      {
        hint: 'Write files into the box instead, and leave the network closed.',
      },
    )
  }

  /** A daemon that is reached from within another container shows its own files under our names. */
  #checkMounts(box: ContainerBox, plan: ContainerPlan): void {
    const mounts = plan.workspace === undefined ? plan.mounts : [{ host: plan.workspace }, ...plan.mounts]
    for (const [index, { host }] of mounts.entries()) {
      const there = statSync(host)
      if (box.facts.identities[index] !== `${there.ino} ${there.mode}`)
        throw new AdjutantError('SANDBOX_UNAVAILABLE', `the daemon of containers shows something else as ${host} than there is here`, {
          hint: 'It runs in another container or machine; use one that sees the same files.',
        })
    }
  }
}

async function startRelay(box: ContainerBox, env: Readonly<Record<string, string>>): Promise<void> {
  const { python3 } = box.facts.programs
  const [, ...words] = relayCommand(SOCKET)
  const answer = await box.line.ask('B', { argv: [python3, ...words], env })
  if (typeof answer.value === 'object' && answer.value !== null && 'failed' in answer.value)
    throw new AdjutantError('SANDBOX_FAILED', 'the way out could not be opened in the container', { outcome: 'not-run' })
}
