import { AUDIT_START, type AuditRecord } from '../../contract/audit.ts'
import { readRecord } from './read-record.ts'
import { hashOf, sealWith } from './seal.ts'

/** What is wrong with a chain, and where. */
export interface AuditProblem {
  /** Number of the line, from 1; in a whole chain it is the record's `seq`. 0: of the chain as a whole. */
  readonly record: number
  readonly kind: 'unreadable' | 'changed' | 'unchecked' | 'missing' | 'inserted' | 'order' | 'foreign' | 'torn' | 'anchor' | 'open-end'
  readonly message: string
}

export interface AuditReport {
  readonly ok: boolean
  /** Whole records. */
  readonly records: number
  /** `hash` of the last one; absent when there is none. */
  readonly head?: string
  readonly sessionId?: string
  readonly firstAt?: string
  readonly lastAt?: string
  /** The last record says that the session was closed. Otherwise it runs, was killed, or its end was cut off. */
  readonly closed: boolean
  /** All hashes were made with a key, and it fits. */
  readonly keyed: boolean
  /** At most 20. */
  readonly problems: readonly AuditProblem[]
  /** Records of which only the hash is left, as what they said was erased on request. */
  readonly erased?: number
}

/** One line of a log. */
export interface AuditLine {
  readonly text: string
  /** False for a last one without its line end. */
  readonly complete: boolean
  /** What the record said was erased on request; this is the hash that it had, and holds its place. */
  readonly erased?: string
}

export interface VerifyAuditOptions {
  /** The key that the log was written with. Without it hashes made with a key cannot be checked, which is a problem of its own. */
  readonly key?: string
  /** A hash that was noted elsewhere: the chain must hold it, or its end was cut off, or all of it was written anew. */
  readonly head?: string
  /** Whose chain it has to be. */
  readonly sessionId?: string
  /** A chain that was not closed is a problem, too. */
  readonly closed?: boolean
}

const MOST_PROBLEMS = 20

/** Hashes before a record that are looked at to tell what was put in between. */
const LOOK_BACK = 10_000

/**
 * Checks a chain of audit records line by line, in bounded memory. Finds each changed, removed, inserted and moved record with its
 * number. Cannot find, without a key or an anchor: a chain written anew from some record on, and a cut off end.
 *
 * @param lines as they are in the file or the store
 * @throws AdjutantError CONFIG_INVALID for a key that is too short
 * @example
 * ```ts
 * const lines = ['not a record'].map((text) => ({ text, complete: true }))
 * const { ok, problems } = await verifyAudit(lines) // false, [{ record: 1, kind: 'unreadable', … }]
 * ```
 */
export async function verifyAudit(
  lines: AsyncIterable<AuditLine> | Iterable<AuditLine>,
  options: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const check = new ChainCheck(options)
  for await (const line of lines) check.take(line)
  return check.end()
}

class ChainCheck {
  readonly #options: VerifyAuditOptions
  readonly #plain = sealWith(undefined)
  readonly #keyed: ReturnType<typeof sealWith> | undefined
  readonly #problems: AuditProblem[] = []
  /** Hash → line. */
  readonly #seen = new Map<string, number>()
  #line = 0
  #records = 0
  #allKeyed = true
  #unchecked = 0
  #erased = 0
  #anchored = false
  /** Said once: a file in another one's place is foreign from its first record to its last. */
  #foreign = false
  #session: string | undefined
  #first: AuditRecord | undefined
  #last: AuditRecord | undefined
  /** What the next record has to follow; undefined after a line that could not be read. */
  #expected: string | undefined = AUDIT_START
  #nextSeq = 1

  constructor(options: VerifyAuditOptions) {
    this.#options = options
    this.#keyed = options.key === undefined ? undefined : sealWith(options.key)
    this.#session = options.sessionId
  }

  take({ text, complete, erased }: AuditLine): void {
    this.#line += 1
    if (erased !== undefined) {
      this.#erased += 1
      this.#remember(erased)
      this.#expected = erased
      this.#nextSeq += 1
      return
    }
    if (!complete) {
      this.#add('torn', `line ${this.#line} has no end: a crash cut it off, or somebody did (${text.length} characters)`)
      return
    }
    const read = readRecord(text)
    if (!read.ok) {
      this.#add('unreadable', `line ${this.#line} ${read.problem}`)
      this.#expected = undefined
      this.#nextSeq += 1
      return
    }
    this.#record(read.record)
  }

  end(): AuditReport {
    const { head, closed: mustBeClosed } = this.#options
    const closed = this.#last?.type === 'closed'
    if (head !== undefined && !this.#anchored) {
      this.#line = 0
      this.#add('anchor', `the chain does not hold ${head}: its end was cut off, or it was written anew`)
    }
    if (this.#unchecked > 0) {
      this.#line = 0
      this.#add('unchecked', `${this.#unchecked} records are sealed with a key and could not be checked without it`)
    }
    if (mustBeClosed === true && !closed) {
      this.#line = 0
      this.#add('open-end', 'the chain was not closed: the session still runs, was killed, or the end was cut off')
    }
    return {
      ok: this.#problems.length === 0,
      records: this.#records,
      ...(this.#last === undefined ? {} : { head: this.#last.hash, lastAt: this.#last.at }),
      ...(this.#first === undefined ? {} : { firstAt: this.#first.at }),
      ...(this.#session === undefined ? {} : { sessionId: this.#session }),
      ...(this.#erased === 0 ? {} : { erased: this.#erased }),
      closed,
      keyed: this.#keyed !== undefined && this.#allKeyed && this.#records > 0,
      problems: this.#problems,
    }
  }

  #record(record: AuditRecord): void {
    this.#records += 1
    this.#first ??= record
    this.#last = record
    if (record.hash === this.#options.head) this.#anchored = true
    this.#session ??= record.sessionId
    if (record.sessionId !== this.#session && !this.#foreign) {
      this.#foreign = true
      this.#add('foreign', `record ${this.#line} is of session ${record.sessionId}, not of ${this.#session}`)
    }
    this.#place(record)
    this.#content(record)
    this.#remember(record.hash)
    this.#expected = record.hash
    this.#nextSeq = record.seq + 1
  }

  /** Does it stand where it was written? */
  #place(record: AuditRecord): void {
    const expected = this.#expected
    // After a line that could not be read only the number says something.
    if (record.seq === this.#nextSeq && (expected === undefined || record.previous === expected)) return
    const line = this.#line
    const after = this.#seen.get(record.previous)
    if (after !== undefined && after < line - 1 && record.seq < this.#nextSeq) {
      const between = after + 1 === line - 1 ? `record ${after + 1} was` : `records ${after + 1} to ${line - 1} were`
      this.#add('inserted', `${between} put in, or records were moved: record ${line} follows record ${after}`)
    } else if (record.seq > this.#nextSeq) {
      const missing = record.seq - this.#nextSeq
      this.#add('missing', `${missing === 1 ? '1 record is' : `${missing} records are`} missing before record ${line} (seq ${record.seq})`)
    } else if (record.seq < this.#nextSeq) {
      this.#add('order', `record ${line} (seq ${record.seq}) stands in the wrong place`)
    } else {
      this.#add('changed', `record ${line} does not follow record ${line - 1}: one of them was exchanged`)
    }
  }

  #content(record: AuditRecord): void {
    const line = this.#line
    if (record.hash.startsWith('hmac-')) {
      if (this.#keyed === undefined) {
        this.#unchecked += 1
        return
      }
      if (hashOf(record, this.#keyed) !== record.hash) {
        this.#add('changed', `record ${line} was changed, or another key was used: its hash does not fit`)
      }
      return
    }
    this.#allKeyed = false
    if (this.#keyed !== undefined) this.#add('changed', `record ${line} has a hash without a key, which anybody can make`)
    else if (hashOf(record, this.#plain) !== record.hash) this.#add('changed', `record ${line} was changed: its hash does not fit`)
  }

  #remember(hash: string): void {
    this.#seen.set(hash, this.#line)
    if (this.#seen.size <= LOOK_BACK) return
    const oldest = this.#seen.keys().next()
    if (oldest.done !== true) this.#seen.delete(oldest.value)
  }

  #add(kind: AuditProblem['kind'], message: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ record: this.#line, kind, message })
  }
}
