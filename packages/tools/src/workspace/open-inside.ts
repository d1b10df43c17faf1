/** Owns opening one file without waiting on the event loop, for worker threads that open thousands; as strict as Workspace.openForReading. */
import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { isInside, openFailure, outside } from './workspace-path.ts'

export interface OpenFile extends Disposable {
  readonly descriptor: number
  readonly size: number
}

/**
 * @param root absolute, links resolved
 * @param real absolute, found by a walk that followed no link
 * @throws AdjutantError when it is no plain file any more, or lies outside
 */
export function openInside(root: string, real: string, given: string): OpenFile {
  let descriptor: number
  try {
    descriptor = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw openFailure(error, given)
  }
  try {
    if (process.platform === 'linux' && !isInside(root, readlinkSync(`/proc/self/fd/${descriptor}`))) throw outside(given)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw outside(given)
    return { descriptor, size: stats.size, [Symbol.dispose]: () => closeSync(descriptor) }
  } catch (error) {
    closeSync(descriptor)
    throw openFailure(error, given)
  }
}
