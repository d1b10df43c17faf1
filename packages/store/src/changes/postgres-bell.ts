/**
 * Owns the rings between processes on one PostgreSQL schema: one connection that listens, made when somebody first waits, and shared by all who do. A ring is
 * sent after the commit it speaks of, many together; a message holds marks of topics, no names. What is lost (a process died between its commit and its
 * ring, a connection was down) only delays: everybody looks again by themselves, and at once when the connection is back.
 *
 * Rings go after the commit, not with it: a transaction that notifies makes all others of the server commit one after the other.
 */
import { hash } from 'node:crypto'
import type { Clock } from '@adjutant/core/contract'
import type { Client, Pool } from 'pg'
import type { ChangeBell, HeardOptions } from './change-bell.ts'
import { LocalBell } from './local-bell.ts'

export interface PostgresBellOptions {
  readonly clock: Clock
  readonly pool: Pool
  readonly connectionString: string
  readonly schema: string
  /** Of this process: it has heard its own rings already. */
  readonly tag: string
  readonly warn: (message: string) => void
}

/** A mark has 16 digits; the server takes 8 000 bytes. */
const MARKS = 400
/** More than this at once: everybody looks. */
const MANY = 4_000
const EVERYBODY = '*'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 10_000
const CONNECT_MS = 10_000

export class PostgresBell implements ChangeBell {
  readonly #options: PostgresBellOptions
  readonly #local: LocalBell
  readonly #channel: string
  #rung = new Set<string>()
  #sending: Promise<void> | undefined
  #listener: Client | undefined
  #connecting: Promise<void> | undefined
  #wait = FIRST_WAIT_MS
  /** Why it cannot hear was said. */
  #warned = false
  #disarm: (() => void) | undefined
  #closed = false

  constructor(options: PostgresBellOptions) {
    this.#options = options
    this.#local = new LocalBell(options.clock)
    this.#channel = `${options.schema}_changes`
  }

  ring(topic: string): void {
    if (this.#closed) return
    const mark = markOf(topic)
    this.#local.ring(mark)
    if (this.#rung.size >= MANY) this.#rung = new Set([EVERYBODY])
    this.#rung.add(mark)
    this.#sending ??= this.#send()
  }

  heard(topic: string, options: HeardOptions): Promise<void> {
    const heard = this.#local.heard(markOf(topic), options)
    if (!this.#closed && this.#listener === undefined && this.#disarm === undefined) this.#connecting ??= this.#listen()
    return heard
  }

  /** Waits for what is to be said yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#disarm?.()
    await this.#connecting
    await this.#sending
    await this.#local[Symbol.asyncDispose]()
    const listener = this.#listener
    this.#listener = undefined
    // The end is waited for: now it keeps the process.
    if (listener !== undefined && 'ref' in listener && typeof listener.ref === 'function') listener.ref()
    await listener?.end().catch(() => {})
  }

  async #send(): Promise<void> {
    // What is rung in the same turn goes along.
    await Promise.resolve()
    while (this.#rung.size > 0) {
      const marks = this.#rung.has(EVERYBODY) ? [EVERYBODY] : [...this.#rung].slice(0, MARKS)
      if (marks[0] === EVERYBODY) this.#rung.clear()
      else for (const mark of marks) this.#rung.delete(mark)
      try {
        const message = `${this.#options.tag}:${marks.join(',')}`
        await (this.#listener ?? this.#options.pool).query('SELECT pg_notify($1, $2)', [this.#channel, message])
      } catch {
        // Others look again by themselves; nothing is held up for it here.
        this.#rung.clear()
      }
    }
    this.#sending = undefined
  }

  async #listen(): Promise<void> {
    const { Client } = await import('pg')
    const listener = new Client({
      connectionString: this.#options.connectionString,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'adjutant listener',
    })
    listener.on('error', () => {})
    listener.on('notification', ({ payload }) => this.#hear(payload ?? ''))
    listener.once('end', () => this.#dropped(listener))
    try {
      await listener.connect()
      await listener.query(`LISTEN "${this.#channel}"`)
      // It does not keep a process from ending; whoever waits does.
      if ('unref' in listener && typeof listener.unref === 'function') listener.unref()
      this.#listener = listener
      this.#wait = FIRST_WAIT_MS
      this.#warned = false
      // What was rung before it listened was not heard.
      this.#local.ringAll()
    } catch (error) {
      await listener.end().catch(() => {})
      if (!this.#warned) {
        this.#warned = true
        const why = error instanceof Error ? error.message : String(error)
        this.#options.warn(`what other processes keep is heard of late, as the store's notifications cannot be heard: ${why}`)
      }
      this.#again()
    } finally {
      this.#connecting = undefined
    }
  }

  #dropped(listener: Client): void {
    if (this.#listener !== listener) return
    this.#listener = undefined
    this.#again()
  }

  /** Only for somebody who waits; whoever waits later connects anew. */
  #again(): void {
    if (this.#closed || this.#disarm !== undefined) return
    const wait = this.#wait
    this.#wait = Math.min(LONGEST_WAIT_MS, wait * 2)
    this.#disarm = this.#options.clock.after(wait, () => {
      this.#disarm = undefined
      if (!this.#closed && this.#local.awaited) this.#connecting ??= this.#listen()
    })
  }

  #hear(payload: string): void {
    const colon = payload.indexOf(':')
    if (colon === -1 || payload.slice(0, colon) === this.#options.tag) return
    const marks = payload.slice(colon + 1).split(',')
    if (marks.includes(EVERYBODY)) this.#local.ringAll()
    else for (const mark of marks) this.#local.ring(mark)
  }
}

function markOf(topic: string): string {
  return hash('sha256', topic).slice(0, 16)
}
