/**
 * Owns where the cgroups of this process are in the file system. Boxes are made beneath its own ones: whatever limits it has been given
 * limits them too. Reads `/proc/self/mountinfo` and `/proc/self/cgroup`; lines it does not understand are passed over.
 */

export interface CgroupMount {
  readonly version: 1 | 2
  /** v1: the controllers of the hierarchy. v2: none, they are listed in the folder. */
  readonly controllers: readonly string[]
  /** Where it is mounted. */
  readonly mountPoint: string
  /** The folder of this process's own cgroup; the mount point when that cannot be seen from here. */
  readonly own: string
}

/**
 * @param mountinfo text of `/proc/self/mountinfo`
 * @param memberships text of `/proc/self/cgroup`
 */
export function cgroupMounts(mountinfo: string, memberships: string): readonly CgroupMount[] {
  const paths = readMemberships(memberships)
  const mounts: CgroupMount[] = []
  for (const line of mountinfo.split('\n')) {
    // proc_pid_mountinfo(5): id parent device root mountpoint options [optional…] - type source superoptions
    const [front = '', back = ''] = line.split(' - ', 2)
    const [, , , root, mountPoint] = front.split(' ').map(unescapeOctal)
    const [type, , superOptions = ''] = back.split(' ')
    if (root === undefined || mountPoint === undefined) continue
    if (type === 'cgroup2') {
      mounts.push({ version: 2, controllers: [], mountPoint, own: ownFolder(mountPoint, root, paths.get('')) })
    } else if (type === 'cgroup') {
      const controllers = superOptions.split(',').filter((option) => paths.has(option))
      const [first] = controllers
      if (first !== undefined) mounts.push({ version: 1, controllers, mountPoint, own: ownFolder(mountPoint, root, paths.get(first)) })
    }
  }
  return mounts
}

/** Controller → path in its hierarchy; the empty name is v2. */
function readMemberships(text: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (controllers === undefined || path === undefined) continue
    for (const name of controllers.split(',')) paths.set(name, path)
  }
  return paths
}

/** A mount may show only a part of the hierarchy (`root`), and in a cgroup namespace the own path may lie outside of it (`/..`). */
function ownFolder(mountPoint: string, root: string, path: string | undefined): string {
  const within = root === '/' ? path : path === root || path?.startsWith(`${root}/`) === true ? path.slice(root.length) : undefined
  if (within === undefined || within === '/' || within === '' || within.split('/').includes('..')) return mountPoint
  return mountPoint + within
}

function unescapeOctal(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
