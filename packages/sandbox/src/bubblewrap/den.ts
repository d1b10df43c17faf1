/**
 * Owns the place where the boxes of one sandbox keep what they write: a memory file system with a size and a number of files, mounted in a mount
 * namespace of its own. A process holds that namespace; when it ends, for whatever reason, the kernel takes the mount and all in it away, so nothing
 * is left to unmount. Boxes are started inside of it. Nothing from a model runs here, only the few lines below.
 *
 * An ordinary user needs a user namespace for that. Root does without: its own files could not be written into the other's memory file system,
 * and whoever runs the boxes could not reach folders that only root may pass through; here they are bound to a place that can be reached.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type { BoxUser } from '../host/box-user.ts'
import { readBoxStatus } from '../linux/index.ts'

/** Folders of the memory file system and what is bound there, which count as files in it as well. */
const FOLDERS = 8
/** Milliseconds: 4 are usual; a host that swaps may take long. */
const START_MS = 20_000

/** Mounts, says so, and waits for the end of its input: that is the end of the host. As few programs as can be: each costs a millisecond. */
const MOUNT = 'mount -t tmpfs -o "size=$1,nr_inodes=$2,mode=$3,nosuid,nodev" tmpfs "$4" && cd "$4" && shift 4 || exit 1'
const BIND = 'while [ $# -gt 0 ]; do if [ -d "$2" ]; then mkdir "$1"; else : > "$1"; fi && mount --bind "$2" "$1" || exit 1; shift 2; done'
const PROGRAM = `${MOUNT}; ${BIND}; echo ready; read -r end`

export interface DenOptions {
  readonly bubblewrap: string
  readonly nsenter: string
  /** Made here; goes with the den. */
  readonly folder: string
  readonly diskMB: number
  readonly files: number
  /** Under whom the boxes run when root starts them. Absent: under whom the host runs, which is not root then. */
  readonly user?: BoxUser
  /** Only for root: paths of the host that boxes need and that their user may not be able to reach. */
  readonly binds: readonly string[]
  readonly clock: Clock
}

export class Den {
  /** Seen from inside of the den. */
  readonly folder: string
  readonly pid: number
  readonly #options: DenOptions
  readonly #process: ChildProcess
  readonly #gone: Promise<void>

  private constructor(options: DenOptions, pid: number, process: ChildProcess, gone: Promise<void>) {
    this.#options = options
    this.folder = options.folder
    this.pid = pid
    this.#process = process
    this.#gone = gone
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE with what was said */
  static async start(options: DenOptions): Promise<Den> {
    const { folder } = options
    await mkdir(folder, { mode: 0o755 })
    const [command, ...args] = holder(options)
    const child = spawn(command, args, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    let said = ''
    const gone = new Promise<void>((resolve) => {
      child.on('close', () => resolve())
      child.on('error', (error) => {
        said += error.message
        if (child.pid === undefined) resolve()
      })
    }).then(() => rmdir(folder).catch(() => undefined))
    child.stdin.on('error', () => undefined)
    child.stderr.on('data', (bytes: Buffer) => {
      if (said.length < 2_000) said += bytes.toString()
    })
    const stop = options.clock.after(START_MS, () => child.kill('SIGKILL'))
    const streams: readonly unknown[] = child.stdio
    const status = streams[3]
    const started = status instanceof Socket ? readBoxStatus(status).started : Promise.resolve(undefined)
    const isReady = await new Promise<boolean>((resolve) => {
      child.stdout.once('data', () => resolve(true))
      void gone.then(() => resolve(false))
    })
    stop()
    const pid = isReady ? (options.user === undefined ? (await started)?.pid : child.pid) : undefined
    if (pid === undefined) {
      child.kill('SIGKILL')
      await gone
      throw new AdjutantError('SANDBOX_UNAVAILABLE', `no memory file system could be made for a box: ${said.trim() || 'it ended at once'}`)
    }
    const den = new Den(options, pid, child, gone)
    try {
      den.#makeFolders()
      return den
    } catch (error) {
      await den.close()
      throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', 'the folders of a box cannot be made')
    }
  }

  /** Seen from the host. */
  get hostPath(): string {
    return `/proc/${this.pid}/root${this.folder}`
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Where a path of the host is found in the den. */
  locate(path: string): string {
    const index = this.#options.binds.indexOf(path)
    return index === -1 ? path : `${this.folder}/${index}`
  }

  /** What goes before the command that makes a box in here; under the box's user from then on. */
  enter(): readonly [string, ...string[]] {
    const { nsenter, user } = this.#options
    if (user === undefined) return [nsenter, '--preserve-credentials', '--user', '--mount', `--target=${this.pid}`, '--']
    return [nsenter, '--mount', `--target=${this.pid}`, `--setgid=${user.gid}`, `--setuid=${user.uid}`, '--']
  }

  #makeFolders(): void {
    const { user } = this.#options
    for (const [name, mode] of [['workspace', 0o700] as const, ['tmp', 0o1777] as const, ['shm', 0o1777] as const]) {
      const path = `${this.hostPath}/${name}`
      mkdirSync(path)
      // Not by mkdir: it leaves out what the host's own mask says.
      chmodSync(path, mode)
      if (user !== undefined) chownSync(path, user.uid, user.gid)
    }
  }

  async close(): Promise<void> {
    this.#process.stdin?.destroy()
    if (this.alive) {
      try {
        process.kill(this.pid, 'SIGKILL')
      } catch {
        // Gone between the look and the signal.
      }
    }
    await this.#gone
  }
}

function holder({ bubblewrap, diskMB, files, folder, user, binds }: DenOptions): readonly [string, ...string[]] {
  const root = user !== undefined
  const size = [String(diskMB * 1_048_576), String(files + FOLDERS + binds.length)]
  const words = [
    '/bin/sh',
    '-c',
    PROGRAM,
    'sh',
    ...size,
    root ? '0711' : '0700',
    folder,
    ...binds.flatMap((path, index) => [String(index), path]),
  ]
  if (root) return ['/usr/bin/unshare', '--mount', '--propagation', 'private', '--', ...words]
  return [
    bubblewrap,
    ...['--json-status-fd', '3', '--unshare-user', '--uid', '0', '--gid', '0', '--cap-add', 'CAP_SYS_ADMIN', '--die-with-parent'],
    ...['--clearenv', '--setenv', 'PATH', '/usr/bin:/bin:/usr/sbin:/sbin', '--dev-bind', '/', '/', '--', ...words],
  ]
}
