import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { AdjutantError } from '../contract/errors.ts'
import type { Namespace } from '../contract/ports.ts'
import { bringBack } from './spill-bring.ts'
import { RESULT_SUFFIX, RESULTS_FOLDER, spillIdOf } from './spill-id.ts'
import type { RemovalReason } from './spill-removed.ts'
import { hasCode, keptIds, removalOf, removeExpired, spillHandle } from './spill-store.ts'

/** How many ids an error names. */
const NAMED = 20

/**
 * Opens a kept result of this namespace. An id is never taken as a path: whatever is not a plain name is turned into the one it
 * would have been kept under.
 * @throws AdjutantError NOT_FOUND saying whether it was removed, and naming what is kept
 */
export async function openSpill(namespace: Namespace, id: string, named: 'ids' | 'handles' = 'ids'): Promise<FileHandle> {
  await removeExpired(namespace)
  const path = await namespace.path(`${RESULTS_FOLDER}/${spillIdOf(id)}${RESULT_SUFFIX}`)
  let handle = await openPlain(path)
  if (handle === 'missing') {
    // It may have been kept on another machine.
    const there = await bringBack(namespace, spillIdOf(id))
    if (there === 'room' || there === 'age') throw await notFound(namespace, id, named, there)
    if (there === 'here') handle = await openPlain(path)
  }
  if (typeof handle !== 'string') return handle
  throw await notFound(namespace, id, named)
}

async function openPlain(path: string): Promise<FileHandle | 'missing' | 'other'> {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    return 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'missing'
    if (hasCode(error, 'ELOOP')) return 'other'
    throw error
  }
}

/** @param named how those that there are are told: a model reads them back by their handles */
export async function notFound(namespace: Namespace, id: string, named: 'ids' | 'handles', gone?: RemovalReason): Promise<AdjutantError> {
  const ids = await keptIds(namespace)
  const last = ids.slice(-NAMED)
  const said = (named === 'ids' ? last : await Promise.all(last.map((one) => spillHandle(namespace, one)))).join(', ')
  const hint =
    ids.length === 0
      ? 'Nothing is kept in this session: only results that were cut are.'
      : `Kept are${ids.length > NAMED ? `, newest last of ${ids.length}` : ''}: ${said}.`
  const name = JSON.stringify(id.slice(0, 100))
  const removed = gone ?? (await removalOf(namespace, spillIdOf(id)))
  if (removed === undefined) return new AdjutantError('NOT_FOUND', `no kept result ${name} in this session`, { hint })
  return new AdjutantError('NOT_FOUND', `the kept result ${name} was removed: ${REMOVED[removed]}`, {
    hint: `Make the call again if its result is still needed. ${hint}`,
  })
}

const REMOVED: Readonly<Record<RemovalReason, string>> = {
  room: 'newer results needed the room',
  age: 'it was older than results are kept',
}
