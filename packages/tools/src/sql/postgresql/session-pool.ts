/**
 * Owns the connections to one server and what happens on one: a transaction that the server holds read-only, with its limits, ended in every case. A query that
 * is stopped is ended on the server by a cancel request; its connection is never used again, so that a request that arrives late can hit no other query.
 * Connections do not keep the process running while nobody asks.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { type Client, Pool, type PoolClient } from 'pg'
import { type BackendKey, cancelRequest } from './cancel-request.ts'
import type { ConnectionTarget } from './connection-target.ts'
import { explainConnection, serverError } from './explain-failure.ts'
import { ReadingQuery, type RowSink } from './reading-query.ts'

export interface SessionPoolOptions {
  readonly target: ConnectionTarget
  readonly size: number
  readonly timeoutMs: number
  readonly idleMs: number
  readonly schemas: readonly string[] | undefined
  readonly clock: Clock
}

/** One transaction. */
export interface ReadingSession {
  readonly client: Client
  /** One statement, stopped with the signal. */
  read(text: string, values: readonly (string | null)[], sink: RowSink): Promise<void>
  /** Takes the transaction back to its beginning, after a statement that failed. */
  recover(): Promise<void>
}

const CONNECT_MS = 10_000
/** The server's own limit is to speak first. */
const LATER_MS = 1_000
/** For a cancel request to be brought there, and for the server to act on it. */
const CANCEL_MS = 5_000
const REPEAT_MS = 100
/** Bytes that one statement may send us; the answer holds far less. */
const MAX_WIRE_BYTES = 32 * 1_024 * 1_024
/** A server that asks itself whether its client is still there, from this version on. */
const CHECKS_CLIENT = 140_000

export class SessionPool {
  readonly #options: SessionPoolOptions
  readonly #pool: Pool
  #begin: string
  #closed = false
  readonly #closing = new AbortController()

  constructor(options: SessionPoolOptions) {
    this.#options = options
    const { host, port, user, database, password, tls } = options.target
    this.#pool = new Pool({
      host,
      port,
      user,
      database,
      password,
      ssl: tls,
      max: options.size,
      idleTimeoutMillis: options.idleMs,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'adjutant sql_query',
      keepAlive: true,
      allowExitOnIdle: true,
    })
    // An idle connection that breaks is replaced when it is needed.
    this.#pool.on('error', () => {})
    this.#begin = beginText(options, 0)
  }

  /** Opens the first connection. @throws AdjutantError that says what to check */
  async open(start: (client: Client) => Promise<void>): Promise<void> {
    await this.run(new AbortController().signal, async ({ client }) => {
      const { rows } = await client.query<unknown[]>({ text: "SELECT current_setting('server_version_num')", rowMode: 'array' })
      this.#begin = beginText(this.#options, Number(rows[0]?.[0]))
      await start(client)
    })
  }

  /** @throws AdjutantError CANCELLED, TIMEOUT, ORIGIN_UNAVAILABLE, CONFIG_INVALID; what the server says of a statement as it comes */
  async run<T>(signal: AbortSignal, work: (session: ReadingSession) => Promise<T>): Promise<T> {
    const { target } = this.#options
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const client = await this.#connect(stop)
    const onError = (): void => {}
    client.on('error', onError)
    let broken = true
    try {
      await client.query(this.#begin)
      const result = await work({
        client,
        read: (text, values, sink) => this.#read(client, stop, new ReadingQuery(text, values, sink)),
        recover: async () => void (await client.query('ROLLBACK TO SAVEPOINT adjutant')),
      })
      await client.query('ROLLBACK')
      broken = false
      return result
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.code !== 'CANCELLED' && error.code !== 'TIMEOUT' && error.code !== 'TOO_LARGE') {
        broken = !(await endsWell(client))
        throw error
      }
      if (AdjutantError.isInstance(error)) throw error
      const said = serverError(error)
      if (said !== undefined && !/^(?:08|57P|28|3D)/.test(said.code)) {
        broken = !(await endsWell(client))
        throw error
      }
      throw explainConnection(error, target)
    } finally {
      // One that is thrown away may still fail, and an error that nobody hears would end the process.
      if (!broken) client.off('error', onError)
      client.release(broken)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#closing.abort()
    await this.#pool.end()
  }

  async #connect(stop: AbortSignal): Promise<PoolClient> {
    if (stop.aborted) throw this.#stopped()
    const connecting = this.#pool.connect()
    const { promise, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(this.#stopped())
    stop.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([connecting, promise])
    } catch (error) {
      // It may still come, and somebody else can have it.
      connecting.then((client) => client.release()).catch(() => {})
      throw AdjutantError.isInstance(error) ? error : explainConnection(error, this.#options.target)
    } finally {
      stop.removeEventListener('abort', onAbort)
    }
  }

  async #read(client: PoolClient, stop: AbortSignal, query: ReadingQuery): Promise<void> {
    if (stop.aborted) throw this.#stopped()
    const { clock, timeoutMs } = this.#options
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    givenUp.catch(() => {})
    let received = 0
    const onData = (chunk: Buffer): void => {
      received += chunk.length
      if (received <= MAX_WIRE_BYTES) return
      reject(tooMuch())
      // A server that cannot send ends what it does; what it sends is kept until it is whole, so none of it may come.
      stream.destroy()
    }
    const onAbort = (): void => reject(this.#stopped())
    const cancelTimer = clock.after(timeoutMs + LATER_MS, () => reject(tooSlow(timeoutMs)))
    const { stream } = client.connection
    stream.on('data', onData)
    stop.addEventListener('abort', onAbort, { once: true })
    try {
      client.query(query)
      await Promise.race([query.done, givenUp])
    } catch (error) {
      if (serverError(error)?.code === '57014') throw stop.aborted ? this.#stopped() : tooSlow(timeoutMs)
      if (AdjutantError.isInstance(error)) {
        await this.#cancel(client, query)
      }
      throw error
    } finally {
      cancelTimer()
      stream.off('data', onData)
      stop.removeEventListener('abort', onAbort)
    }
  }

  /**
   * A request that arrives before the statement has begun is lost, so it is repeated until the statement has ended. Then, or after some seconds, the
   * connection is closed, which the server notices as well.
   */
  async #cancel(client: PoolClient, query: ReadingQuery): Promise<void> {
    const { clock, target } = this.#options
    const key = backendKey(client)
    const giveUp = new AbortController()
    const cancelTimer = clock.after(CANCEL_MS, () => giveUp.abort())
    const ended = query.done.then(
      () => true,
      () => true,
    )
    query.stop()
    try {
      while (key !== undefined && !giveUp.signal.aborted) {
        await cancelRequest(target, key, giveUp.signal)
        if (await Promise.race([ended, this.#pause()])) return
      }
    } finally {
      cancelTimer()
      client.connection.stream.destroy()
    }
  }

  #pause(): Promise<false> {
    const { promise, resolve } = Promise.withResolvers<false>()
    this.#options.clock.after(REPEAT_MS, () => resolve(false))
    return promise
  }

  #stopped(): AdjutantError {
    return new AdjutantError('CANCELLED', this.#closed ? 'the databases were closed' : 'the query was stopped')
  }
}

/** Whether the connection can be used again. */
async function endsWell(client: Client): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

/**
 * Sent before every statement, in one go. All settings end with the transaction, so they hold behind a pooler too. The savepoint is there to go back to, and
 * within it the server does not let a transaction become one that writes.
 */
function beginText({ timeoutMs, schemas }: SessionPoolOptions, version: number): string {
  const settings = [
    `statement_timeout = ${timeoutMs}`,
    `lock_timeout = ${timeoutMs}`,
    `idle_in_transaction_session_timeout = ${timeoutMs + 60_000}`,
    "DateStyle = 'ISO, YMD'",
    "bytea_output = 'hex'",
    'extra_float_digits = 1',
    'standard_conforming_strings = on',
    ...(schemas === undefined ? [] : [`search_path = ${schemas.map(quoted).join(', ')}`]),
    ...(version >= CHECKS_CLIENT ? ['client_connection_check_interval = 2000'] : []),
  ]
  return [
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
    'BEGIN READ ONLY',
    ...settings.map((setting) => `SET LOCAL ${setting}`),
    'SAVEPOINT adjutant',
  ].join('; ')
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function backendKey(client: PoolClient): BackendKey | undefined {
  const processId: unknown = Reflect.get(client, 'processID')
  const secretKey: unknown = Reflect.get(client, 'secretKey')
  return typeof processId === 'number' && typeof secretKey === 'number' ? { processId, secretKey } : undefined
}

function tooSlow(timeoutMs: number): AdjutantError {
  return new AdjutantError('TIMEOUT', `the query took longer than ${timeoutMs / 1_000} s and was ended`, {
    grade: 'clarify',
    hint: 'Narrow it with WHERE on an indexed column, or look at EXPLAIN.',
  })
}

function tooMuch(): AdjutantError {
  return new AdjutantError('TOO_LARGE', `the rows are longer than ${MAX_WIRE_BYTES / 1_048_576} MiB and the query was ended`, {
    hint: 'Select fewer or shorter columns: left(column, 1000), octet_length(column).',
  })
}
