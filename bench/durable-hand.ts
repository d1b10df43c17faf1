/** The rows that a session leaves, written and read with a driver alone: what the store is measured against. */
import { createHash } from 'node:crypto'
import type { JsonObject, StepRecord } from '@adjutant/core'
import { hot } from '@adjutant/store'
import type { Hand } from './durable-places.ts'

const MAKE = hot(`INSERT INTO sessions (tenant_id, session_id, user_id, principal, state, created_at, updated_at, trace_id)
  VALUES ('local', ?, 'user', '{}', 'open', 1, 1, 't')`)
const NEXT = hot<{ next_seq: number | string }>(`UPDATE sessions SET next_seq = next_seq + 1, updated_at = ?
  WHERE tenant_id = 'local' AND session_id = ? AND fence = 0 RETURNING next_seq`)
const APPEND = hot("INSERT INTO events (tenant_id, session_id, seq, at, type, body) VALUES ('local', ?, ?, ?, ?, ?)")
const TAIL = hot<{ body: Uint8Array }>("SELECT body FROM events WHERE tenant_id = 'local' AND session_id = ? AND seq > ? ORDER BY seq")
const SESSION = hot("SELECT * FROM sessions WHERE tenant_id = 'local' AND session_id = ?")
const CHECKPOINT = hot(`INSERT INTO checkpoints (tenant_id, session_id, seq, version, digest, created_at, body)
  VALUES ('local', ?, ?, 1, ?, ?, ?)`)
const FORGET = hot("DELETE FROM checkpoints WHERE tenant_id = 'local' AND session_id = ? AND seq < ?")
const NEWEST = hot<{ seq: number | string; digest: string; body: Uint8Array }>(
  "SELECT seq, digest, body FROM checkpoints WHERE tenant_id = 'local' AND session_id = ? ORDER BY seq DESC LIMIT 1",
)
const ASK =
  hot(`INSERT INTO approvals (tenant_id, approval_id, session_id, batch, call_id, state, version, created_at, request, arguments_digest,
  tool_digest, principal_digest) VALUES ('local', ?, ?, 1, ?, 'pending', 1, ?, ?, ?, ?, ?)`)
const DECIDE = hot(`UPDATE approvals SET state = 'approved', version = version + 1, decision = ?, decided_at = ?, decided_by = 'eve'
  WHERE tenant_id = 'local' AND approval_id = ? AND state = 'pending' AND version = ? RETURNING *`)
const JOB = hot(`INSERT INTO jobs (tenant_id, job_id, kind, state, group_key, payload, run_at, created_at, idempotency_key, session_id)
  VALUES ('local', ?, 'session.resume', 'queued', 'local', ?, ?, ?, ?, ?)`)
const ALONE = hot("SELECT pg_advisory_xact_lock(hashtextextended('desk', 0))")
const HEAD = hot<{ seq: number | string; hash: string }>(
  "SELECT seq, hash FROM audit WHERE tenant_id = 'local' AND session_id = 'desk' ORDER BY seq DESC LIMIT 1",
)
const AUDIT = hot("INSERT INTO audit (tenant_id, session_id, seq, previous, hash, text) VALUES ('local', 'desk', ?, ?, ?, ?)")
const TAKE =
  hot(`UPDATE approvals SET consumed_at = ?, version = version + 1 WHERE tenant_id = 'local' AND approval_id = ? AND session_id = ?
  AND consumed_at IS NULL AND state <> 'pending'`)
const PAGE = hot<{
  request: Uint8Array
  created_at: number | string
  approval_id: string
}>(`SELECT * FROM approvals WHERE tenant_id = 'local'
  AND state = 'pending' AND (created_at > ? OR (created_at = ? AND approval_id > ?)) ORDER BY created_at, approval_id LIMIT ?`)

type Asked = Extract<StepRecord, { type: 'asked' }>

export class HandSession {
  readonly #hand: Hand
  readonly #id: string

  private constructor(hand: Hand, id: string) {
    this.#hand = hand
    this.#id = id
  }

  static async make(hand: Hand, id: string): Promise<HandSession> {
    await hand.write(true, (tx) => tx.run(MAKE, [id]))
    return new HandSession(hand, id)
  }

  append(step: StepRecord, durable: boolean): Promise<number> {
    return this.#hand.write(durable, async (tx) => {
      const seq = Number((await tx.all(NEXT, [Date.now(), this.#id]))[0]?.next_seq) - 1
      await tx.run(APPEND, [this.#id, seq, Date.now(), step.type, bytes(step)])
      return seq
    })
  }

  /** Only reads the bytes. */
  async read(): Promise<number> {
    const rows = await this.#hand.read((tx) => tx.all(TAIL, [this.#id, 0]))
    return rows.reduce((all, { body }) => all + body.length, 0)
  }

  /** Reads and parses. */
  load(): Promise<number> {
    return this.#hand.read(async (tx) => {
      await tx.all(SESSION, [this.#id])
      const newest = (await tx.all(NEWEST, [this.#id]))[0]
      if (newest !== undefined) {
        if (digestOf(newest.body) !== newest.digest) throw new Error('damaged')
        parsed(newest.body)
      }
      const rows = await tx.all(TAIL, [this.#id, Number(newest?.seq ?? 0)])
      return rows.map(({ body }) => parsed(body)).length
    })
  }

  checkpoint(step: StepRecord, body: JsonObject): Promise<void> {
    return this.#hand.write(true, async (tx) => {
      const seq = Number((await tx.all(NEXT, [Date.now(), this.#id]))[0]?.next_seq) - 1
      await tx.run(APPEND, [this.#id, seq, Date.now(), step.type, bytes(step)])
      const kept = bytes(body)
      await tx.run(CHECKPOINT, [this.#id, seq, digestOf(kept), Date.now(), kept])
      await tx.run(FORGET, [this.#id, seq])
    })
  }

  /** Three transactions, as three processes make them: the second with the job that carries the session on, and its record in a chain of hashes. */
  async approval(asked: Asked, answered: StepRecord): Promise<void> {
    const { approval } = asked
    await this.ask([asked])
    await this.#hand.write(true, async (tx) => {
      await tx.all(DECIDE, [bytes({ type: 'approve', scope: 'once' }), Date.now(), approval.id, 1])
      const payload = bytes({ sessionId: this.#id, approvalId: approval.id })
      await tx.run(JOB, [`job-${approval.id}`, payload, Date.now(), Date.now(), `resume/${approval.id}`, this.#id])
      if (this.#hand.kind === 'PostgreSQL') await tx.all(ALONE, [])
      const head = (await tx.all(HEAD, []))[0] ?? { seq: 0, hash: '' }
      const record = JSON.stringify({ at: Date.now(), by: 'eve', answer: 'approve', approvalId: approval.id, binding: approval.binding })
      await tx.run(AUDIT, [Number(head.seq) + 1, head.hash, digestOf(Buffer.from(head.hash + record)), record])
    })
    await this.#hand.write(true, async (tx) => {
      const seq = Number((await tx.all(NEXT, [Date.now(), this.#id]))[0]?.next_seq) - 1
      await tx.run(APPEND, [this.#id, seq, Date.now(), answered.type, bytes(answered)])
      await tx.run(TAKE, [Date.now(), approval.id, this.#id])
    })
  }

  ask(questions: readonly Asked[]): Promise<void> {
    return this.#hand.write(true, async (tx) => {
      for (const step of questions) {
        const { id, callId, binding, createdAt } = step.approval
        const seq = Number((await tx.all(NEXT, [Date.now(), this.#id]))[0]?.next_seq) - 1
        await tx.run(APPEND, [this.#id, seq, Date.now(), step.type, bytes(step)])
        const digests = [binding.arguments, binding.tool, binding.principal]
        await tx.run(ASK, [id, this.#id, callId, createdAt, bytes(step.approval), ...digests])
      }
    })
  }

  /** @param after time and id of the last one of the page before */
  async page(after: readonly [number, string], limit: number): Promise<readonly [number, string]> {
    const rows = await this.#hand.read((tx) => tx.all(PAGE, [after[0], after[0], after[1], limit]))
    for (const { request } of rows) parsed(request)
    const last = rows.at(-1)
    return [Number(last?.created_at), last?.approval_id ?? '']
  }
}

function bytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8')
}

function parsed(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
}

function digestOf(body: Uint8Array): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}
