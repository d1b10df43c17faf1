/**
 * Owns the argument list that makes a box: what is in it, in which order, and under which numbers the host speaks to it. Pure: no file is
 * looked at here. The order matters: a later mount covers an earlier one, and what is closed for writing comes last.
 */
import type { SystemFolder } from '../host/machine.ts'
import type { BoxMount } from '../runs/box-mount.ts'

/**
 * Descriptors in the box's first processes. The last two are high, so that scripts that open 3 to 9 themselves do not meet them.
 * They are closed before the code runs, or closed to its children.
 */
export const DESCRIPTORS = {
  /** The system call filter; bubblewrap reads it. */
  seccomp: 3,
  /** bubblewrap tells the box's first process and how it ended. */
  status: 4,
  /** Code goes in. */
  code: 198,
  /** What a lasting shell or interpreter says of itself comes out. */
  side: 199,
} as const

export interface BoxPlan {
  readonly systemFolders: readonly SystemFolder[]
  /** In this order; the workspace and the temporary folders are among them. */
  readonly mounts: readonly BoxMount[]
  readonly env: Readonly<Record<string, string>>
  readonly hostname: string
  readonly seccomp: boolean
  readonly command: readonly string[]
}

/** What a box's environment holds when nobody says otherwise. */
const BOX_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/workspace',
  USER: 'sandbox',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  // Else what programs keep for later lies in the workspace, which is HOME.
  XDG_CACHE_HOME: '/tmp',
}

/** Arguments for `bwrap`, without its own name. */
export function bubblewrapArguments(plan: BoxPlan): readonly string[] {
  return [
    ...['--json-status-fd', String(DESCRIPTORS.status)],
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net', '--disable-userns'],
    ...['--uid', '1000', '--gid', '1000', '--hostname', plan.hostname, '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    '--clearenv',
    ...Object.entries({ ...BOX_ENVIRONMENT, ...plan.env }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...plan.systemFolders.flatMap((folder) =>
      'linkTo' in folder ? ['--symlink', folder.linkTo, folder.path] : ['--ro-bind', folder.host, folder.path],
    ),
    // The settings of a namespace belong to whoever is in it: some could be written.
    ...['--proc', '/proc', '--ro-bind-try', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ...plan.mounts.flatMap((mount) => [mount.writable === true ? '--bind' : '--ro-bind', mount.host, mount.path]),
    // bubblewrap's own root and /dev are memory file systems without a size: a hole to fill the host's memory through.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/workspace'],
    ...(plan.seccomp ? ['--seccomp', String(DESCRIPTORS.seccomp)] : []),
    '--',
    ...plan.command,
  ]
}
