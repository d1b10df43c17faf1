/**
 * Owns what becomes of sessions that are over: the lease that says which process has one in hand, and the sweep that removes those in which nothing
 * changed for as many days as the configuration says. A session with a lease is never touched, whatever its age; a lease of a process that
 * is gone is none. The sweep goes on beside a command's work and is stopped with it; what it did not get to is left to the next.
 */
import { hash } from 'node:crypto'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError, type Clock, type FileLock, type Swept, sweepNamespaces, takeLock } from '@adjutant/core'
import type { Config } from './config.ts'

const DAY_MS = 86_400_000
/** A sweep that came to its end is enough for so long. */
const SWEEP_EVERY_MS = 3_600_000
const SWEPT = '.adjutant-swept'
/** No name of a session begins with a dot: it lies beside them, out of reach of what a session's own code writes. */
const LEASE = /^\.owner-[0-9a-f]{32}\.lock$/
/** A sweep that looks whether a lease is still somebody's has it for a moment. */
const ATTEMPTS = 10
const AGAIN_MS = 20

function leaseFile(folder: string, key: string): string {
  return join(folder, `.owner-${hash('sha256', key).slice(0, 32)}.lock`)
}

/**
 * Says that this process has the session in hand, until the lease is released or the process is gone. Undefined where nothing can be written: then
 * nothing of the session can be kept there either.
 *
 * @param key of its namespace: see `namespaceKey`
 * @throws AdjutantError CONFLICT when another process has it
 */
export async function leaseSession(folder: string, key: string, clock: Clock): Promise<FileLock | undefined> {
  let lock: FileLock | string | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve))
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      lock = await takeLock(leaseFile(folder, key))
    } catch {
      return undefined
    }
    if (typeof lock !== 'string') return lock
  }
  throw new AdjutantError('CONFLICT', `the session ${key} is in use by ${String(lock)}`, { hint: 'Wait until it is done, or end it.' })
}

export interface SweepHost {
  readonly clock: Clock
  /** From 0 to below 1: where to begin, so that sweeps which are stopped early get round to all. */
  readonly random: () => number
  /** Told what a person should know. */
  readonly note?: (text: string) => void
}

export interface RunningSweep {
  /** Of tests, and of whoever wants to know: settles with what was removed; undefined when there was nothing to do. */
  readonly done: Promise<Swept | undefined>
  /** Ends it after the session in hand. Never rejects. */
  stop(): Promise<void>
}

/** Begins to remove what is older than the configuration says. Never throws, and takes no time of whoever calls it. */
export function startSweep(config: Pick<Config, 'sessions' | 'sessionsFolder'>, host: SweepHost): RunningSweep {
  const stop = new AbortController()
  const { keepDays } = config.sessions
  const done =
    keepDays === undefined
      ? Promise.resolve(undefined)
      : sweep(config.sessionsFolder, keepDays * DAY_MS, { ...host, signal: stop.signal }).catch((error: unknown) => {
          host.note?.(`old sessions were not removed: ${error instanceof Error ? error.message : String(error)}`)
          return undefined
        })
  return {
    done,
    async stop() {
      stop.abort()
      await done
    },
  }
}

async function sweep(
  folder: string,
  olderThanMs: number,
  { clock, random, signal, note }: SweepHost & { readonly signal: AbortSignal },
): Promise<Swept | undefined> {
  const stamp = join(folder, SWEPT)
  const last = await stat(stamp).catch(() => undefined)
  const sinceLast = last === undefined ? Number.POSITIVE_INFINITY : clock.now() - last.mtimeMs
  // A stamp of the future is none: the clock was put right.
  if (sinceLast >= 0 && sinceLast < SWEEP_EVERY_MS) return undefined
  const claim = async (key: string): Promise<AsyncDisposable | undefined> => {
    const lock = await takeLock(leaseFile(folder, key)).catch(() => 'nobody knows whom')
    return typeof lock === 'string' ? undefined : { [Symbol.asyncDispose]: () => lock.release() }
  }
  const swept = await sweepNamespaces(folder, { olderThanMs, claim, signal, start: random() }, clock)
  const [failed] = swept.failed
  if (failed !== undefined) note?.(`${swept.failed.length} old sessions could not be removed, e.g. ${failed.folder}: ${failed.reason}`)
  if (signal.aborted || (await stat(folder).catch(() => undefined)) === undefined) return swept
  await removeDeadLeases(folder, signal)
  const now = new Date(clock.now())
  await writeFile(stamp, '', { mode: 0o600 })
  await utimes(stamp, now, now)
  return swept
}

/** Of processes that were killed: whoever can have such a lease is the only one who has. */
async function removeDeadLeases(folder: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(folder)) {
    if (signal.aborted) return
    if (!LEASE.test(name)) continue
    const lock = await takeLock(join(folder, name))
    if (typeof lock !== 'string') await lock.release()
  }
}
