import type { CallId, SessionId, TraceId } from './ids.ts'
import type { JsonObject } from './json.ts'

/**
 * The words of the audit log: who asked for what, what was decided, what came of it. Each session has a chain of its own; each record holds
 * the hash of the one before it, so that a change is found. See docs/reference/audit.md.
 */

export const AUDIT_TYPES = [
  /** Records of this session are written from here on: once for each process that carries it on. */
  'opened',
  'task',
  /** With its `result`, where it is a read that settled before it was written. */
  'call',
  'refused',
  'approval-asked',
  'approval-answered',
  'result',
  'loop',
  'budget',
  'ended',
  /** A crash had cut the last record off; what was there of it is kept aside. */
  'recovered',
  /** Records that could not be held. */
  'gap',
  'closed',
] as const
export type AuditType = (typeof AUDIT_TYPES)[number]

export interface AuditRecord {
  /** The shape's own. */
  readonly version: 1
  /** From 1, without a gap. */
  readonly seq: number
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly tenant: string
  readonly user: string
  readonly type: AuditType
  /** By type: see docs/reference/audit.md. Secrets are taken out. */
  readonly body: JsonObject
  /** `hash` of the record before; of the first one {@link AUDIT_START}. */
  readonly previous: string
  /** `sha256:` or `hmac-sha256:`, and 64 hex digits over the canonical JSON of the record without this member. */
  readonly hash: string
}

/** What the first record of a chain follows. */
export const AUDIT_START = `sha256:${'0'.repeat(64)}`

/** A record as it is kept: `text` is its canonical JSON, `hash` included, so that no sink encodes it a second time. */
export interface SealedAuditRecord {
  readonly seq: number
  readonly previous: string
  readonly hash: string
  readonly text: string
}

/** Where a chain ends. */
export interface AuditHead {
  /** Of the last record; 0 when there is none. */
  readonly seq: number
  readonly hash: string
  /** The sink found the beginning of a record after it, which a crash had cut off, and put it aside. */
  readonly recovered?: { readonly bytes: number; readonly keptIn: string }
}

/**
 * How safe records are when a sink has taken them. `durable`: they outlive the machine. `written`: they outlive the process, and are made durable
 * with the next ones that must be, within a second, or when the chain is closed.
 */
export type AuditSafety = 'durable' | 'written'

/** Keeps audit records, append-only. */
export interface AuditSink {
  /**
   * Begins to append to a session's chain: nobody else may until `close`.
   *
   * @throws AdjutantError CONFLICT while another writer has it; CONFIG_INVALID when what is there cannot be carried on
   */
  open(sessionId: SessionId): Promise<AuditHead>
  /**
   * Keeps records before it resolves: all of them or, when it rejects, none. The same records may then be handed in again.
   *
   * @param safety what is asked for at least; default `durable`
   * @throws AdjutantError CONFLICT when the session is not open or the records do not follow the last one kept
   */
  append(sessionId: SessionId, records: readonly SealedAuditRecord[], safety?: AuditSafety): Promise<void>
  /** Every record in order; an unknown session gives none. */
  read(sessionId: SessionId): AsyncIterable<AuditRecord>
  /** The chain may be opened again. Harmless when it is not open. */
  close(sessionId: SessionId): Promise<void>
}

/** What a call used of something that is counted. */
export interface MeteringRecord {
  readonly version: 1
  readonly at: string
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly tenant: string
  readonly user: string
  readonly callId: CallId
  readonly tool: string
  readonly units: number
  readonly unit: string
  /** Millionths of the currency that the host counts in. */
  readonly microPrice: number
}

/** Keeps metering records, append-only, those of all sessions in one place. */
export interface MeteringSink {
  /** Resolves when they are durable; when it rejects none is kept, and the same ones may be handed in again. */
  append(records: readonly MeteringRecord[]): Promise<void>
}
