import type { AuditSink, AuditType, SealedAuditRecord } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { CallId, SessionId } from '../../contract/ids.ts'
import type { ObservedSession, SessionFollower, SessionObserver } from '../../contract/observe.ts'
import type { Clock } from '../../contract/ports.ts'
import type { Redactor } from '../../contract/redact.ts'
import type { ToolResult } from '../../contract/result.ts'
import { type AuditLimits, RecordBodies } from './record-body.ts'
import { AuditChain, type SealText, sealWith } from './seal.ts'

/** So many records that are whole wait at most before they are written without being asked for. */
const WRITE_AT = 512

/** So many of all wait at most, reads without a result included. */
const WRITE_ALL_AT = 8_192

/** More than any model asks for in one answer. */
const DEFAULT_MAX_PENDING = 65_536

export interface AuditOptions extends AuditLimits {
  readonly sink: AuditSink
  readonly clock: Clock
  /** Default: nothing is taken out. */
  readonly redactor?: Redactor
  /** At least 16 bytes. With it a chain that was written anew is recognised, too. Default: hashes without a key. */
  readonly key?: string
  /** Records that one session may have waiting. Beyond that they are counted, a `gap` record says how many, and `flush` rejects. Default 65 536. */
  readonly maxPending?: number
  /** Told where a chain ends, each time that something was kept. To put it where who can change the log cannot reach. Must not throw. */
  readonly anchor?: (head: { readonly sessionId: SessionId; readonly seq: number; readonly hash: string }) => void
}

/**
 * Writes what happens in a session to an audit log that shows when it was changed (D20): the person's words, each call with its arguments and
 * the decision on it, each question and answer, each result. One chain for each session, carried on by whoever continues the session.
 *
 * A read and its result are one record where the result is there before the record is written; a change is on record before it runs.
 *
 * Telling it of an event costs next to nothing; records are written at `flush`, before a person is asked, and as soon as a call may change
 * something. What could not be written is kept and tried again: `flush` rejects until it is on disk. The sink is asked to make everything durable
 * at once but reads and what came of them. Secrets never get into it.
 *
 * @throws AdjutantError CONFIG_INVALID for a key that is too short
 * @example
 * ```ts
 * const audit = auditObserver({ sink: new FileAuditSink('/var/lib/adjutant/audit'), clock: systemClock })
 * const follower = audit.follow({ sessionId: sessionId('s'), traceId: traceId('1'.repeat(32)), principal: LOCAL_PRINCIPAL, startedAt: 0 })
 * follower.event({ type: 'task', text: 'Tidy up', at: 0 })
 * await follower.close?.()
 * ```
 */
export function auditObserver(options: AuditOptions): SessionObserver {
  const seal = sealWith(options.key)
  return { follow: (session) => new AuditFollower(session, options, seal) }
}

interface Pending {
  readonly type: AuditType
  /** Milliseconds since 1970. */
  readonly ms: number
  /** Written down at once, as what it tells of may change. A promise only while a redactor works on it; never rejects. */
  body: string | Promise<string>
  /** What stands behind it: of a call the name of its tool, as its result may come in between. */
  readonly tail: string
}

/** The rest is how it went, not what was asked, decided or done. */
const WANTED: ReadonlySet<SessionEvent['type']> = new Set([
  'judged',
  'results',
  'answer-retried',
  'task',
  'refused',
  'approval-asked',
  'approval-answered',
  'loop',
  'budget',
  'ended',
])

class AuditFollower implements SessionFollower {
  readonly wants = WANTED
  readonly #session: ObservedSession
  readonly #options: AuditOptions
  readonly #seal: SealText
  readonly #bodies: RecordBodies
  readonly #maxPending: number
  #pending: Pending[] = []
  /** Reads among them that were let through at once and have no result yet. Of calls with one id the last: a result is of that one. */
  readonly #reads = new Map<CallId, Pending>()
  /** Sealed and not yet kept: sealed once only, or the chain would fork. */
  #unsent: SealedAuditRecord[] = []
  #chain: AuditChain | undefined
  /** Among what waits is a record that has to be durable. */
  #matters = false
  /** A call of this turn may change something: what comes of the turn has to be durable. */
  #changing = false
  #lost = 0
  #writing: Promise<void> = Promise.resolve()
  #scheduled = false
  #closed = false

  constructor(session: ObservedSession, options: AuditOptions, seal: SealText) {
    this.#session = session
    this.#options = options
    this.#seal = seal
    this.#bodies = new RecordBodies(options.redactor, options)
    this.#maxPending = options.maxPending ?? DEFAULT_MAX_PENDING
  }

  event(event: SessionEvent): void {
    if (this.#closed) return
    const bodies = this.#bodies
    switch (event.type) {
      case 'judged': {
        // Written down now: the tool gets this very object and may change it.
        const { call, decision } = event
        const changes = call.effect !== 'read'
        const body = bodies.call(call, decision, bodies.argumentsOf(call))
        const added = this.#add('call', event.at, body, changes, bodies.toolEnd(call.tool))
        if (!changes) {
          if (added !== undefined && decision.effect === 'allow') this.#reads.set(call.call.id, added)
          return
        }
        this.#changing = true
        this.#soon()
        return
      }
      case 'results':
        for (const result of event.results) this.#result(result, event.at)
        // What is left of them is of an answer that broke off.
        this.#reads.clear()
        this.#changing = false
        if (this.#pending.length >= WRITE_AT) this.#soon()
        return
      case 'answer-retried':
        // The next answer's calls may have the same ids.
        this.#reads.clear()
        return
      case 'task':
        this.#add('task', event.at, bodies.task(event.text))
        return
      case 'refused':
        this.#add('refused', event.at, bodies.refused(event.call, event.error, bodies.argumentsOf(event.call)))
        return
      case 'approval-asked':
        this.#add('approval-asked', event.at, bodies.asked(event.request))
        // An answer may take hours.
        this.#soon()
        return
      case 'approval-answered':
        this.#add('approval-answered', event.at, bodies.answered(event.request, event.decision))
        this.#soon()
        return
      case 'loop':
        this.#add('loop', event.at, bodies.loop(event))
        return
      case 'budget':
        this.#add('budget', event.at, bodies.budget(event))
        return
      case 'ended':
        this.#add('ended', event.at, bodies.ended(event.reason, event.text))
        return
      default:
        return
    }
  }

  async flush(): Promise<void> {
    await this.#write()
    if (this.#lost === 0) return
    const lost = this.#lost
    this.#lost = 0
    this.#matters = true
    this.#pending.push({ type: 'gap', ms: this.#options.clock.now(), body: `{"records":${lost}}`, tail: '' })
    await this.#write()
    throw new AdjutantError('TOO_LARGE', `${lost} audit records of session ${this.#session.sessionId} could not be held`, {
      hint: 'Ask for fewer calls in one answer, or set maxPending higher.',
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // A session in which nothing happened leaves nothing behind.
    if (this.#chain === undefined && this.#pending.length === 0) return
    try {
      await this.flush()
    } finally {
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    try {
      this.#matters = true
      this.#pending.push({ type: 'closed', ms: this.#options.clock.now(), body: '{}', tail: '' })
      await this.#write()
    } finally {
      // Never opened: then it is somebody else's.
      if (this.#chain !== undefined) await this.#options.sink.close(this.#session.sessionId)
    }
  }

  #result(result: ToolResult, at: number): void {
    // The call that it names is the first one with its id; this is the result of the second.
    const call = result.code === 'DUPLICATE_CALL_ID' ? undefined : this.#reads.get(result.id)
    if (call === undefined) {
      this.#add('result', at, this.#bodies.result(result), this.#changing)
      return
    }
    call.body = this.#bodies.settled(call.body, result, this.#session.startedAt + at)
    if (this.#changing) this.#matters = true
  }

  #add(type: AuditType, at: number, body: Pending['body'], matters = true, tail = ''): Pending | undefined {
    const waiting = this.#pending.length
    if (waiting + this.#unsent.length >= this.#maxPending) {
      this.#lost += 1
      return undefined
    }
    if (matters) this.#matters = true
    const added: Pending = { type, ms: this.#session.startedAt + at, body, tail }
    this.#pending.push(added)
    if (waiting - this.#reads.size >= WRITE_AT || waiting >= WRITE_ALL_AT) this.#soon()
    return added
  }

  /** Once for all that is told of in one go. What fails stays, and the next flush meets the failure. */
  #soon(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    void Promise.resolve()
      .then(() => {
        this.#scheduled = false
        return this.#write()
      })
      .catch(() => {})
  }

  /** One after the other. */
  #write(): Promise<void> {
    const write = this.#writing.then(() => this.#writeAll())
    this.#writing = write.catch(() => {})
    return write
  }

  async #writeAll(): Promise<void> {
    if (this.#pending.length === 0 && this.#unsent.length === 0) return
    const { sink, anchor } = this.#options
    const { sessionId } = this.#session
    this.#chain ??= await this.#open()
    const chain = this.#chain
    const pending = this.#pending
    this.#pending = []
    // What is written now gets its result in a record of its own.
    this.#reads.clear()
    let done = 0
    try {
      for (const { type, ms, body, tail } of pending) {
        this.#unsent.push(chain.seal(type, ms, `${typeof body === 'string' ? body : await body}${tail}`))
        done += 1
      }
    } finally {
      if (done < pending.length) this.#pending = [...pending.slice(done), ...this.#pending]
    }
    const unsent = this.#unsent
    const matters = this.#matters
    this.#matters = false
    try {
      await sink.append(sessionId, unsent, matters ? 'durable' : 'written')
    } catch (error) {
      if (matters) this.#matters = true
      throw error
    }
    this.#unsent = []
    anchor?.({ sessionId, ...chain.head })
  }

  async #open(): Promise<AuditChain> {
    const head = await this.#options.sink.open(this.#session.sessionId)
    const chain = new AuditChain(this.#session, this.#seal, head)
    const now = this.#options.clock.now()
    const { recovered } = head
    this.#matters = true
    if (recovered !== undefined) {
      const body = `{"bytes":${recovered.bytes},"keptIn":${JSON.stringify(recovered.keptIn)}}`
      this.#unsent.push(chain.seal('recovered', now, body))
    }
    const roles = JSON.stringify(this.#session.principal.roles)
    this.#unsent.push(chain.seal('opened', Math.min(now, this.#session.startedAt), `{"continued":${head.seq > 0},"roles":${roles}}`))
    return chain
  }
}
