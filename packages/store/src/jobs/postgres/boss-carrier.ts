/**
 * Owns how workers on PostgreSQL hear of jobs: by pg-boss. Each attempt that may begin is one ticket, sent in the transaction that queues it, with an id that
 * follows from job and attempt. Whoever gets a ticket looks into the jobs; the ticket itself names no job and no tenant, so that nothing of a tenant lies
 * outside the walls. pg-boss has its tables in a schema of its own and makes them when they are missing.
 */
import { createHash } from 'node:crypto'
import { AdjutantError } from '@adjutant/core/contract'
import { fromKysely, PgBoss } from 'pg-boss'
import type { StoreDatabase, StoreTransaction } from '../../database/index.ts'
import type { JobCarrier, JobNews } from '../job-carrier.ts'

/** Everybody looks this often in any case. */
const POLL_MS = 500
/** Where notifications are heard, its own looking is the second net; where they are not, the first. */
const NOTIFIED_POLL_SECONDS = 5
const POLL_SECONDS = 0.5
const CONNECTIONS = 4
/** A ticket that nobody took is of no use after a day, one that was taken after a minute. */
const QUEUE = {
  notify: true,
  retryLimit: 0,
  expireInSeconds: 60,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 60,
} as const

export class BossCarrier implements JobCarrier {
  readonly pollMs = POLL_MS
  readonly #where: NonNullable<StoreDatabase['postgres']>
  readonly #warn: (message: string) => void
  readonly #queues = new Map<string, Promise<void>>()
  readonly #ears = new Set<() => Promise<void>>()
  #started: Promise<PgBoss> | undefined
  #closed = false

  constructor(where: NonNullable<StoreDatabase['postgres']>, warn: (message: string) => void) {
    this.#where = where
    this.#warn = warn
  }

  async ready(kind: string): Promise<void> {
    let ready = this.#queues.get(kind)
    if (ready === undefined) {
      ready = this.#makeQueue(kind)
      this.#queues.set(kind, ready)
      ready.catch(() => this.#queues.delete(kind))
    }
    await ready
  }

  async send(tx: StoreTransaction, news: JobNews): Promise<void> {
    await this.ready(news.kind)
    const boss = await this.#boss()
    await boss.send(news.kind, null, { id: ticketId(news), startAfter: new Date(news.runAt), db: fromKysely(tx.db) })
  }

  /** Workers of this process need not wait for the ticket. */
  sent(): void {
    for (const look of this.#ears) void look()
  }

  listen(kinds: readonly string[], look: () => Promise<void>): AsyncDisposable {
    const over = new AbortController()
    const ear = (): Promise<void> => look()
    this.#ears.add(ear)
    const workers = Promise.all(kinds.map((kind) => this.#hear(kind, look, over.signal)))
    return {
      [Symbol.asyncDispose]: async () => {
        over.abort()
        this.#ears.delete(ear)
        await Promise.all((await workers).map((off) => off()))
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const boss = await this.#started?.catch(() => undefined)
    await boss?.stop({ graceful: false })
  }

  async #hear(kind: string, look: () => Promise<void>, signal: AbortSignal): Promise<() => Promise<void>> {
    try {
      await this.ready(kind)
      const boss = await this.#boss()
      if (signal.aborted) return async () => {}
      const options = {
        batchSize: 50,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: POLL_SECONDS,
        notifyPollingIntervalSeconds: NOTIFIED_POLL_SECONDS,
      }
      const id = await boss.work(kind, options, async () => {
        if (!signal.aborted) await look()
      })
      return async () => {
        if (!this.#closed) await boss.offWork(kind, { id, wait: false })
      }
    } catch (error) {
      if (!signal.aborted) this.#warn(`tickets of ${kind} are not heard, jobs are only looked for: ${said(error)}`)
      return async () => {}
    }
  }

  async #makeQueue(kind: string): Promise<void> {
    const boss = await this.#boss()
    await boss.createQueue(kind, QUEUE)
    // Another program's settings of the queue would be kept otherwise.
    await boss.updateQueue(kind, QUEUE)
  }

  async #boss(): Promise<PgBoss> {
    if (this.#closed) throw new AdjutantError('STORE_FAILED', 'the queue was closed', { outcome: 'not-run', grade: 'final' })
    if (this.#started === undefined) {
      this.#started = this.#start()
      this.#started.catch(() => {
        this.#started = undefined
      })
    }
    return await this.#started
  }

  async #start(): Promise<PgBoss> {
    const { connectionString, schema } = this.#where
    const own = `${schema}_jobs`
    const boss = new PgBoss({
      connectionString,
      schema: own,
      max: CONNECTIONS,
      application_name: 'adjutant jobs',
      useListenNotify: true,
      schedule: false,
      registerInstance: false,
      openTelemetry: { enabled: false },
    })
    boss.on('error', (error) => this.#warn(`pg-boss: ${said(error)}`))
    boss.on('warning', ({ message }) => this.#warn(`pg-boss: ${message}`))
    try {
      await boss.start()
      // By its own connection: those of the store may all be held by transactions that wait for this very queue.
      await boss.getDb().executeSql(GRANTS(own, `${schema}_app`))
      return boss
    } catch (cause) {
      await boss.stop({ graceful: false }).catch(() => {})
      throw new AdjutantError('STORE_FAILED', `the queue of jobs cannot be opened in the schema ${own}: ${said(cause)}`, {
        cause,
        outcome: 'not-run',
        hint: `Let this user make the schema ${own}, or make it and give it to this user.`,
      })
    }
  }
}

/** The role that transactions of the store take may send tickets. It is missing where it could not be made. Two nodes cannot grant at one moment. */
const GRANTS = (schema: string, role: string): string => `
  SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('${schema}/grants'));
  DO $grant$
  BEGIN
    IF EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '${role}') THEN
      GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
      GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA "${schema}" TO "${role}";
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO "${role}";
    END IF;
  END $grant$;`

/** The same for the same attempt, as a UUID (version 8: made of what we like). */
function ticketId({ tenantId, id, attempt }: JobNews): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([tenantId, id, attempt]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
