/**
 * Owns which processes work on this store: each that joins gives signs of life, is listed with what it has in hand, and goes when it was drained. The list
 * is for people and for whoever watches: nobody's rights depend on it. What a process may write is held by fences of sessions, jobs and deliveries.
 */
import { hostname } from 'node:os'
import { thisNode } from '@adjutant/core'
import { AdjutantError, isJsonObject } from '@adjutant/core/contract'
import { fromColumn, toColumn } from '../column-text.ts'
import { hot, type StoreDatabase } from '../database/index.ts'
import { WorkNode } from './work-node.ts'

export interface NodeInfo {
  readonly id: string
  /** For people: on which machine it is. */
  readonly address?: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Its last sign of life. */
  readonly seenAt: number
  /** It gave one within the last three of its intervals, as far as they are the usual ones. */
  readonly alive: boolean
  /** Sessions in its hands. */
  readonly sessions: number
  /** Jobs in its hands. */
  readonly jobs: number
  /** What it says that it does: kinds of jobs, `notifications`. */
  readonly does: readonly string[]
}

export interface JoinOptions {
  /** What sessions and jobs name as their holder. Default: host, process id and a mark of the machine. */
  readonly id?: string
  /** Default: the host's name. */
  readonly address?: string
  /** What it does, for others to know that somebody does it: kinds of jobs, `notifications`. Default: it does not say. */
  readonly does?: readonly string[]
  /** Between two signs of life, in milliseconds. Default 5 000. */
  readonly signMs?: number
}

export interface NodesParts {
  readonly db: StoreDatabase
  readonly warn: (message: string) => void
}

interface NodeRow {
  readonly node_id: string
  readonly started_at: number
  readonly seen_at: number
  readonly address: string | null
}
interface Held {
  readonly lease_owner: string
  readonly held: number
}

const SIGN_MS = 5_000
/** Three signs that did not come. */
const DEAD_AFTER_MS = 3 * SIGN_MS
const JOIN = hot(`INSERT INTO nodes (node_id, started_at, seen_at, address) VALUES (?, ?, ?, ?)
  ON CONFLICT (node_id) DO UPDATE SET started_at = excluded.started_at, seen_at = excluded.seen_at, address = excluded.address`)
const SIGN = hot(`INSERT INTO nodes (node_id, started_at, seen_at, address) VALUES (?, ?, ?, ?)
  ON CONFLICT (node_id) DO UPDATE SET seen_at = excluded.seen_at`)
const LEAVE = hot('DELETE FROM nodes WHERE node_id = ? AND started_at = ?')
const ALL = hot<NodeRow>('SELECT node_id, started_at, seen_at, address FROM nodes ORDER BY started_at, node_id')
const SESSIONS = hot<Held>(
  'SELECT lease_owner, count(*) AS held FROM sessions WHERE lease_until > ? AND lease_owner IS NOT NULL GROUP BY lease_owner',
)
const JOBS = hot<Held>(
  "SELECT lease_owner, count(*) AS held FROM jobs WHERE state = 'running' AND lease_until > ? AND lease_owner IS NOT NULL GROUP BY lease_owner",
)
const SWEEP = hot('DELETE FROM nodes WHERE seen_at <= ?')
const NAME = /^[^\s\p{Cc}\p{Cs}]{1,300}$/u

export class Nodes {
  readonly #db: StoreDatabase
  readonly #warn: (message: string) => void
  readonly #joined = new Set<WorkNode>()

  constructor({ db, warn }: NodesParts) {
    this.#db = db
    this.#warn = warn
  }

  /**
   * This process works on the store from now on, until it was drained.
   *
   * @throws AdjutantError USAGE for an id that is none; STORE_FAILED
   * @example
   * ```ts
   * await using node = await store.nodes.join()
   * node.add(store.notifications.deliver())
   * process.once('SIGTERM', () => void node.drain({ graceMs: 30_000 }))
   * ```
   */
  async join({ id = thisNode(), address = hostname(), does = [], signMs = SIGN_MS }: JoinOptions = {}): Promise<WorkNode> {
    if (!NAME.test(id))
      throw new AdjutantError('USAGE', `not the id of a node: ${JSON.stringify(id.slice(0, 80))}`, {
        hint: 'Give 1 to 300 signs without spaces.',
      })
    if (!Number.isSafeInteger(signMs) || signMs < 1) throw new AdjutantError('USAGE', `signs of life cannot come every ${signMs} ms`)
    const { clock } = this.#db
    const startedAt = clock.now()
    const said = JSON.stringify({ address, does })
    const values = [toColumn(id), startedAt, startedAt, said]
    await this.#db.system((tx) => tx.run(JOIN, values), { durable: false })
    const node = new WorkNode({
      id,
      clock,
      signMs,
      warn: this.#warn,
      sign: async () => {
        await this.#db.system((tx) => tx.run(SIGN, [toColumn(id), startedAt, clock.now(), said]), { durable: false })
      },
      left: async () => {
        this.#joined.delete(node)
        await this.#db.system((tx) => tx.run(LEAVE, [toColumn(id), startedAt]), { durable: false })
      },
    })
    this.#joined.add(node)
    return node
  }

  /** The one that joined first first. */
  async list(): Promise<readonly NodeInfo[]> {
    const now = this.#db.clock.now()
    const { nodes, sessions, jobs } = await this.#db.system(
      async (tx) => ({ nodes: await tx.all(ALL), sessions: await tx.all(SESSIONS, [now]), jobs: await tx.all(JOBS, [now]) }),
      { readOnly: true },
    )
    const held = (rows: readonly Held[], id: string): number =>
      rows.reduce((sum, { lease_owner: owner, held: count }) => sum + (owner === id || owner.startsWith(`${id} `) ? Number(count) : 0), 0)
    return nodes.map(({ node_id: id, started_at, seen_at, address }) => ({
      id: fromColumn(id),
      ...saidBy(address),
      startedAt: started_at,
      seenAt: seen_at,
      alive: seen_at > now - DEAD_AFTER_MS,
      sessions: held(sessions, id),
      // A worker adds its own name to that of its process.
      jobs: held(jobs, id),
    }))
  }

  /**
   * Takes those away that gave no sign of life. One that was only asleep is there again with its next one. What they had in hand goes to others by itself:
   * when its leases are over.
   *
   * @returns how many
   */
  async sweep({ deadMs = 60_000 }: { readonly deadMs?: number } = {}): Promise<number> {
    return await this.#db.system((tx) => tx.run(SWEEP, [this.#db.clock.now() - deadMs]), { durable: false })
  }

  /** Drains those of this process without waiting for what runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#joined].map((node) => node.drain({ graceMs: 0 })))
  }
}

/** What a node of another version wrote is passed over. */
function saidBy(column: string | null): Pick<NodeInfo, 'address' | 'does'> {
  try {
    const value: unknown = JSON.parse(column ?? 'null')
    if (!isJsonObject(value)) return { does: [] }
    const { address, does } = value
    return {
      ...(typeof address === 'string' ? { address } : {}),
      does: Array.isArray(does) ? does.filter((one) => typeof one === 'string') : [],
    }
  } catch {
    return { does: [] }
  }
}
