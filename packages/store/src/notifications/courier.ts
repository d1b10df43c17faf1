/**
 * Owns delivering: takes what is due, tells it, writes down what came of it. Any number of couriers, in any number of processes, share the work; each
 * attempt is in one hand. What fails is tried again after a delay that doubles, then stays as a dead letter. A target that is slow holds up itself.
 *
 * Crash rule: what was in hand is tried again when its lease is over: at least once, with the same id.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type { ClaimedDelivery, DeliveryBook, DeliveryEnd } from './delivery-book.ts'
import { DeliveryFailure } from './delivery-failure.ts'
import type { Notification } from './notification.ts'
import type { NotifyTarget } from './notify-target.ts'
import { sendEmail } from './send-email.ts'
import { type ResolveHost, sendWebhook } from './send-webhook.ts'

/** Told of what happened. A promise is waited for; what it throws, or rejects with, has it told again later. */
export type NotificationListener = (notification: Notification, options: { readonly signal: AbortSignal }) => unknown

export interface DeliverOptions {
  /** Attempts at once. Default 4. */
  readonly concurrency?: number
  /** Attempts at once for one target. Default 2. */
  readonly perTarget?: number
  /** How often it is looked whether something is due, in milliseconds. Default 1 000. */
  readonly pollMs?: number
  /** For one attempt, in milliseconds. Default 20 000. Nobody else begins the same for three times as long. */
  readonly attemptMs?: number
  /** Attempts in all. Default 12: with the delays below over about 6 hours. */
  readonly attempts?: number
  /** Before the second attempt, in milliseconds; doubled for each further one. Default 10 000. */
  readonly firstDelayMs?: number
  /** What is meant for a target of no configuration is given up after so many milliseconds. Default 3 days. */
  readonly giveUpMs?: number
  /** By name: for targets that are functions of this process. Others of that kind are left to other processes. */
  readonly events?: Readonly<Record<string, NotificationListener>>
  /** Told what came of each attempt. */
  readonly onAttempt?: (report: AttemptReport) => void
  /** How names of hosts are resolved. Default: as the machine does. */
  readonly resolve?: ResolveHost
}

export interface AttemptReport {
  readonly id: string
  readonly tenantId: string
  readonly target: string
  readonly attempt: number
  /** `lost`: it took too long, and was somebody else's when it had ended. */
  readonly outcome: 'delivered' | 'again' | 'dead' | 'lost'
  readonly why?: string
}

/** Delivers until it is stopped. */
export interface Courier extends AsyncDisposable {
  /** Attempts in hand. */
  readonly inHand: number
  /** Takes nothing more and waits for what is in hand, at most `graceMs`; then lets it go, for others to try again. Default 10 000. */
  stop(options?: { readonly graceMs?: number }): Promise<void>
}

export interface CourierParts {
  readonly clock: Clock
  readonly book: DeliveryBook
  readonly targets: readonly NotifyTarget[]
  /** Ends questions whose time is over, so that this is told in time. */
  readonly expire: () => Promise<number>
  readonly warn: (message: string) => void
}

const LONGEST_DELAY_MS = 6 * 3_600_000
/** Leases are longer than attempts: writing the outcome takes time too. */
const LEASE = 3
const TIDY_MS = 60_000

export function startCourier(parts: CourierParts, options: DeliverOptions = {}): Courier {
  return new PollingCourier(parts, options)
}

class PollingCourier implements Courier {
  readonly #cx: CourierParts
  readonly #options: DeliverOptions
  readonly #targets: ReadonlyMap<string, NotifyTarget>
  readonly #busy = new Map<Promise<void>, { readonly target: string; readonly abort: AbortController }>()
  readonly #loop: Promise<void>
  #wake: () => void = () => {}
  #stopping = false
  #turn = 0
  #tidied = Number.NEGATIVE_INFINITY
  #stopped: Promise<void> | undefined

  constructor(parts: CourierParts, options: DeliverOptions) {
    for (const [name, value] of Object.entries(options)) {
      if (typeof value === 'number' && !(Number.isSafeInteger(value) && value >= 1)) {
        throw new AdjutantError('USAGE', `${name} of a courier is no whole number of at least 1: ${value}`)
      }
    }
    this.#cx = parts
    this.#options = options
    const listeners = options.events ?? {}
    this.#targets = new Map(
      parts.targets
        .filter((target) => target.kind !== 'event' || Object.hasOwn(listeners, target.event.name))
        .map((target) => [target.id, target]),
    )
    this.#loop = this.#run()
  }

  get inHand(): number {
    return this.#busy.size
  }

  stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#end(graceMs)
    return this.#stopped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const woken = Promise.withResolvers<void>()
      this.#wake = woken.resolve
      const disarm = this.#cx.clock.after(this.#options.pollMs ?? 1_000, woken.resolve)
      try {
        await this.#tidy()
        await this.#take()
      } catch (error) {
        this.#cx.warn(`notifications: ${AdjutantError.from(error, 'STORE_FAILED').message}`)
      }
      await woken.promise
      disarm()
    }
  }

  async #end(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#wake()
    await this.#loop
    const late = Promise.withResolvers<void>()
    const disarm = this.#cx.clock.after(graceMs, late.resolve)
    await Promise.race([Promise.all(this.#busy.keys()), late.promise])
    disarm()
    for (const { abort } of this.#busy.values()) abort.abort(new LetGo())
    await Promise.all(this.#busy.keys())
  }

  async #take(): Promise<void> {
    const { concurrency = 4, perTarget = 2, attemptMs = 20_000 } = this.#options
    if (this.#busy.size >= concurrency) return
    const due = (await this.#cx.book.due()).filter((id) => this.#targets.has(id))
    // Each time another one is first, so that none waits behind all others for ever.
    this.#turn += 1
    for (const index of due.keys()) {
      const target = due[(index + this.#turn) % due.length]
      if (target === undefined || this.#stopping) return
      const room = Math.min(concurrency - this.#busy.size, perTarget - this.#busyWith(target))
      if (room <= 0) continue
      for (const each of await this.#cx.book.claim(target, room, attemptMs * LEASE)) this.#begin(each, attemptMs)
    }
  }

  #busyWith(target: string): number {
    let count = 0
    for (const each of this.#busy.values()) if (each.target === target) count += 1
    return count
  }

  #begin(claimed: ClaimedDelivery, attemptMs: number): void {
    const abort = new AbortController()
    const disarm = this.#cx.clock.after(attemptMs, () => abort.abort(new DeliveryFailure(`it took longer than ${attemptMs} ms`)))
    const work = this.#attempt(claimed, abort.signal)
      .catch((error: unknown) => this.#cx.warn(`notifications: ${AdjutantError.from(error, 'STORE_FAILED').message}`))
      .finally(() => {
        disarm()
        this.#busy.delete(work)
        this.#wake()
      })
    this.#busy.set(work, { target: claimed.row.target, abort })
  }

  async #attempt(claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { row, attempt } = claimed
    const end = await this.#tell(claimed, signal)
    const kept = await this.#cx.book.end(claimed, end)
    this.#options.onAttempt?.({
      id: row.delivery_id,
      tenantId: row.tenant_id,
      target: row.target,
      attempt,
      outcome: kept ? end.type : 'lost',
      ...(end.type === 'delivered' ? {} : { why: end.why }),
    })
  }

  async #tell(claimed: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryEnd> {
    try {
      await this.#send(claimed, signal)
      return { type: 'delivered' }
    } catch (error) {
      const now = this.#cx.clock.now()
      if (error instanceof LetGo || signal.reason instanceof LetGo) return { type: 'again', at: now, why: 'its process stopped' }
      const why = error instanceof DeliveryFailure ? error.message : AdjutantError.from(error, 'TOOL_FAILED').message.slice(0, 300)
      const { attempt } = claimed
      const { attempts = 12 } = this.#options
      if (attempt >= attempts || (error instanceof DeliveryFailure && error.final)) return { type: 'dead', why }
      const asked = error instanceof DeliveryFailure ? (error.retryAfterMs ?? 0) : 0
      return { type: 'again', at: now + Math.min(LONGEST_DELAY_MS, Math.max(this.#delay(attempt), asked)), why }
    }
  }

  #delay(attempt: number): number {
    return Math.min(LONGEST_DELAY_MS, (this.#options.firstDelayMs ?? 10_000) * 2 ** (attempt - 1))
  }

  async #send({ row }: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const { clock, book } = this.#cx
    const target = this.#targets.get(row.target)
    if (target === undefined) throw new DeliveryFailure('its target is not known here')
    const notification = book.read(row)
    const link = linkOf(notification, target.links)
    const options = { clock, signal, ...(link === undefined ? {} : { link }) }
    switch (target.kind) {
      case 'webhook': {
        const { resolve } = this.#options
        return await sendWebhook(notification, target.webhook, { ...options, ...(resolve === undefined ? {} : { resolve }) })
      }
      case 'email':
        return await sendEmail(notification, target.email, options)
      case 'event':
        return await this.#listen(notification, target.event.name, signal)
      default:
        target satisfies never
    }
  }

  /** A function that does not look at the signal must not keep its place for ever. */
  async #listen(notification: Notification, name: string, signal: AbortSignal): Promise<void> {
    const listener = this.#options.events?.[name]
    if (listener === undefined) throw new DeliveryFailure('nobody listens here')
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    aborted.promise.catch(() => {})
    try {
      await Promise.race([listener(notification, { signal }), aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Now and then: what nobody else does in time. */
  async #tidy(): Promise<void> {
    await this.#cx.expire()
    const now = this.#cx.clock.monotonic()
    if (now - this.#tidied < TIDY_MS) return
    this.#tidied = now
    const known = this.#cx.targets.map(({ id }) => id)
    await this.#cx.book.giveUp(known, this.#cx.clock.now() - (this.#options.giveUpMs ?? 3 * 86_400_000))
  }
}

/** The courier goes: somebody else is to try. */
class LetGo extends Error {}

function linkOf({ data }: Notification, base: string | undefined): string | undefined {
  if (base === undefined) return undefined
  if (typeof data.approvalId === 'string') return `${base}/approvals/${encodeURIComponent(data.approvalId)}`
  return typeof data.jobId === 'string' ? `${base}/jobs/${encodeURIComponent(data.jobId)}` : base
}
