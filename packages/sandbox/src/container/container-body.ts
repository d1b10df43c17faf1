/** Owns what is asked of the daemon for a container: everything that walls it in, in one place. Pure. */
import type { SandboxLimits } from '@adjutant/core/contract'
import type Dockerode from 'dockerode'
import type { BoxUser } from '../host/box-user.ts'
import { OWNER_LABEL } from './owner-label.ts'
import { WARDEN_PROGRAM } from './warden-program.ts'

/** How this daemon takes what not all take in the same way; found by trying. */
export interface ContainerForm {
  /** The filter of system calls: in the request, in a file of this machine, or the daemon's own. */
  readonly filter: 'inline' | 'file' | 'none'
  /** Memory file systems with a number of files: as such, as volumes, or only with a size. */
  readonly rooms: 'tmpfs' | 'volumes' | 'sized'
  /** The daemon can bound memory and processes. */
  readonly limits: boolean
}

export interface ContainerPlan {
  readonly form: ContainerForm
  /** Text or path, as the form says. */
  readonly filter: string
  readonly name: string
  readonly owner: string
  readonly image: string
  readonly user: BoxUser
  readonly limits: SandboxLimits
  readonly mounts: readonly { readonly host: string; readonly path: string; readonly writable?: boolean }[]
  /** On the host; absent: gone with the container. */
  readonly workspace?: string
  /** Programs are looked for there. */
  readonly path: string
  readonly runtime?: string
  readonly cpus?: number
}

interface Room {
  readonly path: string
  readonly bytes: number
  readonly files: number
  readonly mode: string
}

/** For the first process and what it holds of the host's; counts beside what the box may have. */
const WARDEN_MB = 24
/** Folders in which runtimes put memory file systems of any size when the root is read-only. */
const OTHERWISE_OPEN = ['/run', '/var/tmp']
/** Open files of one process; more than any program here is allowed. */
const OPEN_FILES = 1_024
/** The kernel counts for a user on the whole machine; how many a box may have is held by its group. */
const USER_PROCESSES = 4_096

export function memoryBytes(limits: SandboxLimits): number {
  return (limits.memoryMB + WARDEN_MB) * 1_048_576
}

/** The first process is one. */
export function mostProcesses(limits: SandboxLimits): number {
  return limits.processes + 1
}

/** Where the box may write: together as much as it may. */
function roomsOf(limits: SandboxLimits, hasFolder: boolean): readonly Room[] {
  const eighth = { bytes: Math.floor((limits.diskMB * 1_048_576) / 8 / 65_536) * 65_536, files: Math.floor(limits.files / 8) }
  const rest = { bytes: limits.diskMB * 1_048_576 - 2 * eighth.bytes, files: limits.files - 2 * eighth.files }
  const shared = [{ path: '/dev/shm', ...eighth, mode: '1777' }]
  if (hasFolder) return [{ path: '/tmp', bytes: rest.bytes, files: rest.files, mode: '1777' }, ...shared]
  return [{ path: '/workspace', ...rest, mode: '0700' }, { path: '/tmp', ...eighth, mode: '1777' }, ...shared]
}

/** Each needs a volume of this name; none where the form has no use for them. */
export function volumesOf(plan: ContainerPlan): readonly Dockerode.VolumeCreateOptions[] {
  if (plan.form.rooms !== 'volumes') return []
  return roomsOf(plan.limits, plan.workspace !== undefined).map((room) => ({
    Name: volumeName(plan, room),
    Driver: 'local',
    DriverOpts: {
      type: 'tmpfs',
      device: 'tmpfs',
      // Blocks and not bytes: Podman takes "size" for a quota of a disk. A page is 4 KiB or more; what came of it is looked at.
      o: `nr_blocks=${room.bytes / 4_096},nr_inodes=${room.files},mode=${room.mode},uid=${plan.user.uid},gid=${plan.user.gid},nosuid,nodev`,
    },
    Labels: { [OWNER_LABEL]: plan.owner },
  }))
}

function volumeName(plan: ContainerPlan, room: Room): string {
  return `${plan.name}${room.path.replaceAll('/', '-')}`
}

export function containerBody(plan: ContainerPlan): Dockerode.ContainerCreateOptions {
  const { form, limits, user, workspace } = plan
  const rooms = roomsOf(limits, workspace !== undefined)
  const sized = form.rooms === 'tmpfs' || form.rooms === 'sized'
  const tmpfs = (room: Room): string => {
    const counted = form.rooms === 'tmpfs' ? `,nr_inodes=${room.files},uid=${user.uid},gid=${user.gid}` : ''
    return `rw,exec,nosuid,nodev,size=${room.bytes / 1_024}k,mode=${form.rooms === 'sized' ? '1777' : room.mode}${counted}`
  }
  const binds = [
    ...(workspace === undefined ? [] : [{ host: workspace, path: '/workspace', writable: true }]),
    // Last: they may lie in the workspace.
    ...plan.mounts,
  ]
  return {
    name: plan.name,
    Image: plan.image,
    Entrypoint: ['python3', '-I', '-S', '-X', 'utf8', '-c', WARDEN_PROGRAM],
    Cmd: [
      JSON.stringify({
        root: '/workspace',
        sync: plan.name,
        path: plan.path,
        rooms: rooms.map(({ path }) => path),
        identities: binds.map(({ path }) => path),
      }),
    ],
    User: `${user.uid}:${user.gid}`,
    WorkingDir: '/',
    Env: [`PATH=${plan.path}`],
    Labels: { [OWNER_LABEL]: plan.owner },
    // Ends with whoever is at the other end of its input.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Privileged: false,
      SecurityOpt: ['no-new-privileges', ...(form.filter === 'none' ? [] : [`seccomp=${plan.filter}`])],
      ...(form.limits
        ? { Memory: memoryBytes(limits), MemorySwap: memoryBytes(limits), PidsLimit: mostProcesses(limits), OomKillDisable: false }
        : {}),
      ...(plan.cpus === undefined ? {} : { NanoCpus: Math.round(plan.cpus * 1e9) }),
      // Both have to be said: else Podman asks for more than it may give.
      Ulimits: [
        { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: 'nproc', Soft: USER_PROCESSES, Hard: USER_PROCESSES },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: 'none', Config: {} },
      Tmpfs: {
        ...Object.fromEntries(OTHERWISE_OPEN.map((path) => [path, 'ro,nosuid,nodev,noexec,size=4k,mode=0755'])),
        ...(sized ? Object.fromEntries(rooms.map((room) => [room.path, tmpfs(room)])) : {}),
      },
      Mounts: [
        ...(sized ? [] : rooms.map((room) => ({ Type: 'volume' as const, Source: volumeName(plan, room), Target: room.path }))),
        ...binds.map(bind),
      ],
      ...(plan.runtime === undefined ? {} : { Runtime: plan.runtime }),
    },
  }
}

function bind({ host, path, writable }: ContainerPlan['mounts'][number]): Dockerode.MountSettings {
  // What is mounted below it on the host would be writable; the word is newer than the types are.
  const options = { Propagation: 'rprivate', NonRecursive: true } as const
  return { Type: 'bind', Source: host, Target: path, ReadOnly: writable !== true, BindOptions: options }
}
