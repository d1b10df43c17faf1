import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isJsonObject } from '../contract/json.ts'
import { readProcess } from './process-table.ts'

/**
 * Owns saying which process writes a file: a lock file beside it, made by link, so that it is there whole or not at all. A lock whose process is
 * gone is taken over; a process that got the same number later is told apart by its start. A lock of another machine (a shared
 * folder) is never taken over: nobody here can know.
 */

interface Holder {
  readonly pid: number
  readonly started: number
  readonly host: string
}

export interface FileLock {
  /** Harmless when called twice. */
  release(): Promise<void>
}

/** Paths that this process holds: its own number alone says nothing in a container, where each start gets the same. */
const held = new Set<string>()

/** @returns the lock, or who has it, in words */
export async function takeLock(path: string): Promise<FileLock | string> {
  if (held.has(path)) return 'this process'
  held.add(path)
  try {
    const refused = await makeLock(path)
    if (refused === undefined) return { release: () => releaseLock(path) }
    held.delete(path)
    return refused
  } catch (error) {
    held.delete(path)
    throw error
  }
}

async function releaseLock(path: string): Promise<void> {
  if (!held.delete(path)) return
  await unlink(path).catch(ignore('ENOENT'))
}

async function makeLock(path: string): Promise<string | undefined> {
  const mine: Holder = { pid: process.pid, started: readProcess(process.pid)?.started ?? 0, host: hostname() }
  const draft = `${path}.${process.pid}`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(mine))
  } finally {
    await file.close()
  }
  try {
    // Twice: the second time after a dead one was moved away.
    for (let attempt = 0; ; attempt += 1) {
      if (await linked(draft, path)) return undefined
      const found = await readHolder(path)
      if (found === undefined) continue
      const alive = holderAlive(found.holder)
      if (alive !== undefined || attempt > 0) return alive ?? 'another process that began at the same moment'
      await removeDead(path, found.text)
    }
  } finally {
    await unlink(draft).catch(ignore('ENOENT'))
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readHolder(path: string): Promise<{ readonly text: string; readonly holder: Holder | undefined } | undefined> {
  const text = await readFile(path, 'utf8').catch(ignore('ENOENT'))
  if (text === undefined) return undefined
  return { text, holder: parseHolder(text) }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return undefined
    const { pid, started, host } = value
    return typeof pid === 'number' && typeof started === 'number' && typeof host === 'string' ? { pid, started, host } : undefined
  } catch {
    return undefined
  }
}

/** Who has it, in words; undefined when nobody does any more. */
function holderAlive(holder: Holder | undefined): string | undefined {
  // A lock is made whole: what cannot be read is no lock of ours, and not ours to remove.
  if (holder === undefined) return 'somebody that this program does not know'
  if (holder.host !== hostname()) return `process ${holder.pid} on ${holder.host}`
  const running = readProcess(holder.pid)
  if (running === undefined || running.dead || running.started !== holder.started) return undefined
  // Our own number and start: we would know of it, unless a second copy of this module has it.
  return holder.pid === process.pid ? 'this process' : `process ${holder.pid}`
}

/** Moves the dead lock away. Whoever was quicker may have made a new one meanwhile: that is put back. */
async function removeDead(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}.dead`
  await rename(path, aside).catch(ignore('ENOENT'))
  const moved = await readFile(aside, 'utf8').catch(ignore('ENOENT'))
  if (moved !== undefined && moved !== text) await linked(aside, path)
  await unlink(aside).catch(ignore('ENOENT'))
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (hasCode(error, code)) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
