/**
 * Owns the results of sessions that were too long, in a database: in pieces that are no burden to it, sealed like every body. A result is there as soon as its
 * row is, which is written last; pieces without one were left by a process that died, and go when the next one takes the session.
 *
 * Concurrency: one process at a time keeps results of a session; one that has lost it keeps nothing more. Reading needs no hold.
 */
import { AdjutantError, type NewResult, type ResultOwner, type ResultStore, type StoredResult } from '@adjutant/core/contract'
import { fromColumn, toColumn } from '../column-text.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'

export interface SqlResultStoreOptions {
  /** Of one result at most. Default 67 108 864 (64 MiB); a longer one stays on the machine that made it. */
  readonly maxResultBytes?: number
  /** Of one session at most, whatever the session may keep on a machine. Default 268 435 456 (256 MiB). */
  readonly maxSessionBytes?: number
}

const MAX_RESULT = 67_108_864
const MAX_SESSION = 268_435_456
const PIECE = 1_048_576

interface Row {
  result_id: string
  bytes: number
  content: string
  pieces: number
  created_at: number
  expires_at: number | null
  removed: string | null
}

/** On PostgreSQL it also keeps the row from being taken until the transaction is over. */
const HOLDS = hot('UPDATE sessions SET version = version WHERE tenant_id = ? AND session_id = ? AND user_id = ? AND fence = ?')
const OWNS = hot<{ n: number }>('SELECT 1 AS n FROM sessions WHERE tenant_id = ? AND session_id = ? AND user_id = ?')
const LEFT_OVER = hot(`DELETE FROM result_pieces WHERE tenant_id = ? AND session_id = ? AND content NOT IN
  (SELECT content FROM results WHERE tenant_id = ? AND session_id = ? AND removed IS NULL)`)
const LIST = hot<Row>(`SELECT result_id, bytes, content, pieces, created_at, expires_at, removed FROM results
  WHERE tenant_id = ? AND session_id = ? ORDER BY created_at, result_id`)
const FIND = hot<Row>(`SELECT r.result_id, r.bytes, r.content, r.pieces, r.created_at, r.expires_at, r.removed FROM results r
  JOIN sessions s ON s.tenant_id = r.tenant_id AND s.session_id = r.session_id
  WHERE r.tenant_id = ? AND r.session_id = ? AND r.result_id = ? AND s.user_id = ?`)
const PUT = hot(`INSERT INTO results (tenant_id, session_id, result_id, mime, bytes, content, pieces, created_at, expires_at)
  VALUES (?, ?, ?, 'text/plain', ?, ?, ?, ?, ?)`)
const PUT_PIECE = hot('INSERT INTO result_pieces (tenant_id, session_id, content, piece, body) VALUES (?, ?, ?, ?, ?)')
const READ_PIECE = hot<{ body: Uint8Array }>(
  'SELECT body FROM result_pieces WHERE tenant_id = ? AND session_id = ? AND content = ? AND piece = ?',
)
const DROP_PIECES = hot('DELETE FROM result_pieces WHERE tenant_id = ? AND session_id = ? AND content = ?')
const REMOVE = hot("UPDATE results SET removed = 'room', expires_at = NULL WHERE tenant_id = ? AND session_id = ? AND result_id = ?")
const PUT_SECRET = hot(`INSERT INTO session_secrets (tenant_id, session_id, body) VALUES (?, ?, ?)
  ON CONFLICT (tenant_id, session_id) DO NOTHING`)
const READ_SECRET = hot<{ body: Uint8Array }>('SELECT body FROM session_secrets WHERE tenant_id = ? AND session_id = ?')

export class SqlResultStore implements ResultStore {
  readonly #db: StoreDatabase
  readonly #maxResult: number
  readonly #maxSession: number

  constructor(db: StoreDatabase, options: SqlResultStoreOptions = {}) {
    this.#db = db
    this.#maxResult = options.maxResultBytes ?? MAX_RESULT
    this.#maxSession = options.maxSessionBytes ?? MAX_SESSION
  }

  async open(owner: ResultOwner, fence: number | undefined): Promise<readonly StoredResult[]> {
    const key = [owner.tenantId, owner.sessionId]
    return await this.#db.transaction(owner.tenantId, async (tx) => {
      await this.#check(tx, owner, fence)
      if (fence !== undefined) await tx.run(LEFT_OVER, [...key, ...key])
      return (await tx.all(LIST, key)).map((row) => this.#shown(row))
    })
  }

  async secret(owner: ResultOwner, proposed: Uint8Array): Promise<Uint8Array> {
    const { tenantId, sessionId, userId } = owner
    const { seal } = this.#db
    const place = bodyPlace('session_secrets', 'body', tenantId, sessionId)
    const body = seal.seal(proposed, place)
    const kept = await this.#db.transaction(tenantId, async (tx) => {
      if ((await tx.get(OWNS, [tenantId, sessionId, toColumn(userId)])) === undefined) return undefined
      await tx.run(PUT_SECRET, [tenantId, sessionId, body])
      return await tx.get(READ_SECRET, [tenantId, sessionId])
    })
    if (kept === undefined) throw new AdjutantError('NOT_FOUND', `there is no session ${sessionId}`, { outcome: 'not-run' })
    return seal.open(kept.body, place)
  }

  async put(owner: ResultOwner, fence: number | undefined, result: NewResult, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { tenantId, sessionId } = owner
    const { id, createdAt, limits } = result
    const name = this.#db.ids.next('content')
    const totalBytes = Math.min(limits.totalBytes, this.#maxSession)
    const most = Math.min(totalBytes, this.#maxResult)
    try {
      let bytes = 0
      let pieces = 0
      for await (const piece of inPieces(content)) {
        bytes += piece.length
        pieces += 1
        if (bytes > most) throw new AdjutantError('TOO_LARGE', `a result of more than ${most} bytes is not kept in the store`)
        const body = this.#db.seal.seal(piece, bodyPlace('result_pieces', 'body', tenantId, sessionId, name, pieces))
        const number = pieces
        await this.#db.transaction(tenantId, (tx) => tx.run(PUT_PIECE, [tenantId, sessionId, name, number, body]), { durable: false })
      }
      const expiresAt = limits.maxAgeMs === undefined ? null : createdAt + limits.maxAgeMs
      await this.#db.transaction(tenantId, async (tx) => {
        await this.#check(tx, owner, fence)
        await makeRoom(tx, owner, bytes, { totalBytes, files: limits.files })
        await tx.run(PUT, [tenantId, sessionId, toColumn(id), bytes, name, pieces, createdAt, expiresAt])
      })
    } catch (error) {
      // What cannot be taken away now goes when the session is taken the next time.
      await this.#db.transaction(tenantId, (tx) => tx.run(DROP_PIECES, [tenantId, sessionId, name]), { durable: false }).catch(() => 0)
      throw error
    }
  }

  async find(owner: ResultOwner, id: string): Promise<StoredResult | undefined> {
    const row = await this.#find(owner, id)
    return row === undefined ? undefined : this.#shown(row)
  }

  async *read(owner: ResultOwner, id: string): AsyncGenerator<Uint8Array, void, void> {
    const { tenantId, sessionId } = owner
    const row = await this.#find(owner, id)
    if (row === undefined || this.#shown(row).removed !== undefined) throw notThere(id)
    for (let piece = 1; piece <= row.pieces; piece++) {
      const kept = await this.#db.read(tenantId, (tx) => tx.get(READ_PIECE, [tenantId, sessionId, row.content, piece]))
      // It was removed while it was read.
      if (kept === undefined) throw notThere(id)
      yield this.#db.seal.open(kept.body, bodyPlace('result_pieces', 'body', tenantId, sessionId, row.content, piece))
    }
  }

  async #find({ tenantId, sessionId, userId }: ResultOwner, id: string): Promise<Row | undefined> {
    return await this.#db.read(tenantId, (tx) => tx.get(FIND, [tenantId, sessionId, toColumn(id), toColumn(userId)]))
  }

  async #check(tx: StoreTransaction, { tenantId, sessionId, userId }: ResultOwner, fence: number | undefined): Promise<void> {
    const owner = [tenantId, sessionId, toColumn(userId)]
    if (fence === undefined) {
      if ((await tx.get(OWNS, owner)) !== undefined) return
      throw new AdjutantError('NOT_FOUND', `there is no session ${sessionId}`, { outcome: 'not-run' })
    }
    if ((await tx.run(HOLDS, [...owner, fence])) === 1) return
    throw new AdjutantError('SESSION_LOST', `${sessionId} is not in the hands of this process any more`, { outcome: 'not-run' })
  }

  #shown({ result_id, bytes, created_at, expires_at, removed }: Row): StoredResult {
    const due = expires_at !== null && this.#db.clock.now() >= expires_at
    const why = removed === 'room' || removed === 'age' ? removed : due ? 'age' : undefined
    return { id: fromColumn(result_id), bytes, createdAt: created_at, ...(why === undefined ? {} : { removed: why }) }
  }
}

async function makeRoom(
  tx: StoreTransaction,
  { tenantId, sessionId }: ResultOwner,
  bytes: number,
  limits: { readonly totalBytes: number; readonly files: number },
): Promise<void> {
  const kept = (await tx.all(LIST, [tenantId, sessionId])).filter(({ removed }) => removed === null)
  let all = kept.reduce((sum, row) => sum + row.bytes, bytes)
  let count = kept.length + 1
  for (const oldest of kept) {
    if (all <= limits.totalBytes && count <= limits.files) return
    all -= oldest.bytes
    count -= 1
    await tx.run(REMOVE, [tenantId, sessionId, oldest.result_id])
    await tx.run(DROP_PIECES, [tenantId, sessionId, oldest.content])
  }
}

/** The same bytes in pieces of at most {@link PIECE}. */
async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const given of content) {
    for (let from = 0; from < given.length; ) {
      const part = given.subarray(from, from + PIECE - length)
      waiting.push(part)
      length += part.length
      from += part.length
      if (length < PIECE) continue
      yield waiting.length === 1 ? part : Buffer.concat(waiting)
      waiting = []
      length = 0
    }
    // Whoever gives it may write over it.
    if (length > 0) waiting = [Buffer.concat(waiting)]
  }
  if (length > 0) yield Buffer.concat(waiting)
}

function notThere(id: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `no result ${JSON.stringify(id.slice(0, 80))} is kept of this session`)
}
