import { AUDIT_START, type AuditHead, type AuditRecord, type AuditSink, type SealedAuditRecord } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { readRecord } from './read-record.ts'
import { follows, notFollowing, notOpen, takenError } from './sink-errors.ts'

interface Chain {
  readonly lines: string[]
  head: AuditHead
  open: boolean
}

/** Keeps chains as long as the process lives: for tests, and for hosts that send them on by themselves. */
export class MemoryAuditSink implements AuditSink {
  readonly #chains = new Map<SessionId, Chain>()

  async open(sessionId: SessionId): Promise<AuditHead> {
    const chain = this.#chains.get(sessionId) ?? { lines: [], head: { seq: 0, hash: AUDIT_START }, open: false }
    this.#chains.set(sessionId, chain)
    if (chain.open) throw takenError(sessionId, 'this process')
    chain.open = true
    return chain.head
  }

  async append(sessionId: SessionId, records: readonly SealedAuditRecord[]): Promise<void> {
    const chain = this.#chains.get(sessionId)
    if (chain === undefined || !chain.open) throw notOpen(sessionId)
    if (!follows(chain.head, records)) throw notFollowing(sessionId, chain.head.seq)
    for (const record of records) {
      chain.lines.push(record.text)
      chain.head = { seq: record.seq, hash: record.hash }
    }
  }

  async *read(sessionId: SessionId): AsyncGenerator<AuditRecord, void, void> {
    for (const line of this.#chains.get(sessionId)?.lines ?? []) {
      // Read anew each time: what a reader does with it changes nothing here.
      const read = readRecord(line)
      if (!read.ok) throw new AdjutantError('CONFIG_INVALID', `a record of session ${sessionId} ${read.problem}`)
      yield read.record
    }
  }

  async close(sessionId: SessionId): Promise<void> {
    const chain = this.#chains.get(sessionId)
    if (chain !== undefined) chain.open = false
  }
}
