import type { MeteringRecord, MeteringSink } from '../../contract/audit.ts'
import type { SessionEvent } from '../../contract/events.ts'
import type { ObservedSession, SessionFollower, SessionObserver } from '../../contract/observe.ts'

/**
 * Turns what calls used into records for an account: tenant, user, tool, units, price. Written at `flush`; what could not be written is kept and tried
 * again, in order.
 *
 * @example
 * ```ts
 * const metering = meteringObserver({ sink: new FileMeteringSink('/var/lib/adjutant/metering.jsonl') })
 * ```
 */
export function meteringObserver(options: { readonly sink: MeteringSink }): SessionObserver {
  return { follow: (session) => new MeteringFollower(session, options.sink) }
}

const WANTED: ReadonlySet<SessionEvent['type']> = new Set(['metered'])

class MeteringFollower implements SessionFollower {
  readonly wants = WANTED
  readonly #session: ObservedSession
  readonly #sink: MeteringSink
  #pending: MeteringRecord[] = []
  #writing: Promise<void> = Promise.resolve()
  #lastMs = Number.NaN
  #lastAt = ''

  constructor(session: ObservedSession, sink: MeteringSink) {
    this.#session = session
    this.#sink = sink
  }

  event(event: SessionEvent): void {
    if (event.type !== 'metered') return
    const { sessionId, traceId, principal, startedAt } = this.#session
    this.#pending.push({
      version: 1,
      at: this.#time(startedAt + event.at),
      sessionId,
      traceId,
      tenant: principal.tenantId,
      user: principal.userId,
      callId: event.id,
      tool: event.name,
      units: event.units,
      unit: event.unit,
      microPrice: event.microPrice,
    })
  }

  /** One write after the other. */
  flush(): Promise<void> {
    const write = this.#writing.then(() => this.#write())
    this.#writing = write.catch(() => {})
    return write
  }

  close(): Promise<void> {
    return this.flush()
  }

  /** Calls of one batch mostly share their millisecond. */
  #time(ms: number): string {
    const whole = Math.trunc(ms)
    if (whole !== this.#lastMs) {
      this.#lastMs = whole
      this.#lastAt = new Date(whole).toISOString()
    }
    return this.#lastAt
  }

  async #write(): Promise<void> {
    const records = this.#pending
    if (records.length === 0) return
    this.#pending = []
    try {
      await this.#sink.append(records)
    } catch (error) {
      this.#pending = [...records, ...this.#pending]
      throw error
    }
  }
}
