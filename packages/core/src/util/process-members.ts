import type { ProcessEntry } from './process-table.ts'

/** What tells one tree from all others. */
export interface TreeIdentity {
  /** The value of the tree's environment variable. A tree inside a tree has `outer/inner`. */
  readonly marker: string
  /** The first process, leader of a process group of its own. */
  readonly pid: number
  readonly started: number
}

/** Members seen before, pid → started: one that lost its parent and its environment is still known. */
export type KnownMembers = ReadonlyMap<number, number>

/**
 * Which processes of a table belong to a tree. Three ways lead to a member, as each has a hole that another closes: the group
 * (left by `setsid`), the parents (lost when a parent ends), and the marker in the environment (lost with `env -i`).
 * Pure; the marker is read only of processes that no cheaper way found and that are not older than the tree.
 */
export function findMembers(
  table: readonly ProcessEntry[],
  tree: TreeIdentity,
  markerOf: (pid: number) => string | undefined,
  known: KnownMembers = new Map(),
): readonly ProcessEntry[] {
  // Once the whole group is gone its number may be given to a stranger; then the group says nothing more.
  const reused = table.some((entry) => entry.pid === tree.pid && entry.started !== tree.started)
  const found = new Map<number, ProcessEntry>()
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of table) {
    if (entry.dead) continue
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [entry])
    else siblings.push(entry)
    const inGroup = !reused && (entry.pid === tree.pid || entry.group === tree.pid)
    if (inGroup || known.get(entry.pid) === entry.started) found.set(entry.pid, entry)
  }
  addDescendants(found, children)
  for (const entry of table) {
    if (entry.dead || entry.started < tree.started || found.has(entry.pid)) continue
    const marker = markerOf(entry.pid)
    if (marker === tree.marker || marker?.startsWith(`${tree.marker}/`)) found.set(entry.pid, entry)
  }
  addDescendants(found, children)
  return [...found.values()]
}

function addDescendants(found: Map<number, ProcessEntry>, children: ReadonlyMap<number, readonly ProcessEntry[]>): void {
  // A Map visits what is set while it is walked, so this reaches every depth.
  for (const pid of found.keys()) for (const child of children.get(pid) ?? []) found.set(child.pid, child)
}
