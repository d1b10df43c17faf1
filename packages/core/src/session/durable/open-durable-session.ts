import type { DurableStore } from '../../contract/durable.ts'
import { sessionId, traceId } from '../../contract/ids.ts'
import { LOCAL_PRINCIPAL } from '../../contract/principal.ts'
import type { ResultStore } from '../../contract/result-store.ts'
import { randomIds } from '../../util/random-ids.ts'
import { systemClock } from '../../util/system-clock.ts'
import { Session } from '../session.ts'
import type { SessionOptions } from '../session-options.ts'
import { DurableSide } from './durable-side.ts'
import { isGone, thisNode } from './process-node.ts'

export interface DurableSessionOptions extends Omit<SessionOptions, 'store' | 'durable'> {
  readonly store: DurableStore
  /** Keeps results that were too long so that the session finds them on every machine. Default: they stay on the machine that made them. */
  readonly resultStore?: ResultStore
  /** For people: which process this is. Default: host name and process id. */
  readonly node?: string
  /** Nobody is waited for: a batch with calls that a person must decide on ends with SessionPaused. Default false. */
  readonly defers?: boolean
  /** Default true: a session that does not exist is made. */
  readonly create?: boolean
  /** After how many milliseconds without a sign of life another process may take the session. Default 30 000. */
  readonly leaseMs?: number
}

/**
 * Takes a session that outlives the process: a new one, or one that another process left, was killed in, or paused. It goes on as if nothing had
 * happened: what has its result keeps it, what was running is settled, what waited for a person still waits or runs as it was approved.
 *
 * @throws AdjutantError SESSION_BUSY while another process has it; NOT_FOUND; CONFLICT when what was kept cannot be used; STORE_FAILED
 *
 * @example
 * ```ts
 * await using session = await openDurableSession({ store, id, tools, namespaceRoot, mode: 'ask', approver, asker, defers: true })
 * const results = session.open === undefined ? await session.execute(calls) : await session.resume()
 * ```
 */
export async function openDurableSession(options: DurableSessionOptions): Promise<Session> {
  const { store, resultStore, node = thisNode(), defers = false, create, leaseMs, ...rest } = options
  const { clock = systemClock, ids = randomIds, principal = LOCAL_PRINCIPAL } = options
  const id = options.id ?? sessionId(ids.next('session'))
  const hold = await store.hold(
    { tenantId: principal.tenantId, sessionId: id },
    {
      principal,
      traceId: traceId(ids.traceId()),
      node,
      gone: isGone,
      ...(create === undefined ? {} : { create }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    },
  )
  try {
    const loaded = await hold.load()
    const durable = new DurableSide({ store, hold, loaded, principal, clock, defers, resultStore })
    const session = new Session({ ...rest, id, clock, ids, principal, durable })
    if (loaded.session.steps > 0) {
      const step = {
        version: 1,
        type: 'resumed',
        time: clock.now(),
        node,
        traceId: session.traceId,
      } as const
      await session.record(step)
    }
    return session
  } catch (error) {
    await hold.close()
    throw error
  }
}
