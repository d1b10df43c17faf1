/** Owns as whom the suite lets anything run on the host: never as root. */

/** A user that nobody is. What runs as it can touch only what everybody may touch, and what is given to it. */
const NOBODY = { uid: 60_451, gid: 60_451 } as const

/** As whom controls and planted processes run: when the suite itself is no root, as itself. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  return process.geteuid?.() === 0 ? NOBODY : undefined
}
