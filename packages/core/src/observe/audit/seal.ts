import { createHmac, hash } from 'node:crypto'
import { AUDIT_START, type AuditHead, type AuditRecord, type AuditType, type SealedAuditRecord } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { ObservedSession } from '../../contract/observe.ts'
import { canonicalJson } from '../../util/canonical-json.ts'

/**
 * Owns the chain: numbers records, joins each to the one before it, and seals it with a hash. One chain for each session; not shared.
 *
 * The canonical form has its members in the order of their names, so the text that is hashed and the text that is kept differ in one
 * insertion only and are written once.
 */

/** A key shorter than this can be guessed. */
const MIN_KEY_BYTES = 16

/** Seals one text. With a key only who has it can make a hash that fits. */
export type SealText = (text: string) => string

/** @throws AdjutantError CONFIG_INVALID when the key is too short */
export function sealWith(key: string | undefined): SealText {
  if (key === undefined) return (text) => `sha256:${hash('sha256', text)}`
  if (Buffer.byteLength(key) < MIN_KEY_BYTES) {
    throw new AdjutantError('CONFIG_INVALID', `the audit key has ${Buffer.byteLength(key)} bytes; it needs ${MIN_KEY_BYTES} at least`, {
      hint: 'Make one with: openssl rand -hex 32',
    })
  }
  return (text) => `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`
}

/** The hash that a record should have. */
export function hashOf(record: AuditRecord, seal: SealText): string {
  const { hash: _, ...rest } = record
  return seal(canonicalJson(rest))
}

export class AuditChain {
  readonly #seal: SealText
  readonly #who: string
  readonly #tail: string
  /** What stands behind the number, by type: written once. */
  readonly #ends = new Map<AuditType, string>()
  #seq: number
  #previous: string
  #lastMs = Number.NaN
  #start = ''

  constructor(session: ObservedSession, seal: SealText, head: Pick<AuditHead, 'seq' | 'hash'>) {
    this.#seal = seal
    this.#seq = head.seq
    this.#previous = head.seq === 0 ? AUDIT_START : head.hash
    const { sessionId, traceId, principal } = session
    this.#who = `,"sessionId":${JSON.stringify(sessionId)},"tenant":${JSON.stringify(principal.tenantId)},"traceId":"${traceId}","type":"`
    this.#tail = `","user":${JSON.stringify(principal.userId)},"version":1}`
  }

  get head(): AuditHead {
    return { seq: this.#seq, hash: this.#previous }
  }

  /** @param body canonical JSON of an object @param ms milliseconds since 1970 */
  seal(type: AuditType, ms: number, body: string): SealedAuditRecord {
    const previous = this.#previous
    const seq = this.#seq + 1
    const start = this.#startOf(ms)
    const unsealed = `${start}${body},"previous":"${previous}","seq":${seq}${this.#endOf(type)}`
    const hash = this.#seal(unsealed)
    this.#seq = seq
    this.#previous = hash
    // Cut from the text that was hashed: its many pieces are put together once.
    const place = start.length + body.length
    const text = `${unsealed.slice(0, place)},"hash":"${hash}"${unsealed.slice(place)}`
    return { seq, previous, hash, text }
  }

  #endOf(type: AuditType): string {
    let end = this.#ends.get(type)
    if (end === undefined) {
      end = `${this.#who}${type}${this.#tail}`
      this.#ends.set(type, end)
    }
    return end
  }

  /** Records of one batch mostly share their millisecond. */
  #startOf(ms: number): string {
    const whole = Math.trunc(ms)
    if (whole !== this.#lastMs) {
      this.#lastMs = whole
      this.#start = `{"at":"${new Date(whole).toISOString()}","body":`
    }
    return this.#start
  }
}
