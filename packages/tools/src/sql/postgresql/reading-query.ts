/**
 * Owns one statement on the wire: sent in the extended protocol, which takes one statement and no more, and fetched in portions, so that what is not
 * wanted stays on the server. Rows are handed on one by one and not kept.
 */
import type { Connection, FieldDef, Submittable } from 'pg'

/** Rows of one portion: few enough that what nobody wants is little, enough that most answers take one trip. */
const PORTION = 128

export interface RowSink {
  columns(fields: readonly FieldDef[]): void
  /** @returns false: no more rows are wanted */
  row(cells: readonly (string | null)[]): boolean
}

export class ReadingQuery implements Submittable {
  readonly #text: string
  readonly #values: readonly (string | null)[]
  readonly #sink: RowSink
  readonly #done = Promise.withResolvers<void>()
  #enough = false
  #problem: Error | undefined

  constructor(text: string, values: readonly (string | null)[], sink: RowSink) {
    this.#text = text
    this.#values = values
    this.#sink = sink
    // Whoever gave up on it must not be met by its failure later.
    this.#done.promise.catch(() => {})
  }

  /** Settles when the server is ready again, or the connection is gone. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  /** Nothing that still comes is looked at. */
  stop(): void {
    this.#enough = true
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.bind({ portal: '', statement: '', values: [...this.#values] }, true)
    connection.describe({ type: 'P', name: '' }, true)
    this.#fetch(connection)
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#guarded(() => this.#sink.columns(fields))
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#enough) return
    this.#guarded(() => {
      if (!this.#sink.row(fields)) this.#enough = true
    })
  }

  handlePortalSuspended(connection: Connection): void {
    if (this.#enough) connection.sync()
    else this.#fetch(connection)
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    connection.sync()
  }

  handleEmptyQuery(connection: Connection): void {
    connection.sync()
  }

  handleReadyForQuery(): void {
    if (this.#problem === undefined) this.#done.resolve()
    else this.#done.reject(this.#problem)
  }

  handleError(error: Error, connection: Connection): void {
    // The server skips all until it is asked to go on; a connection that is gone swallows this.
    connection.sync()
    this.#done.reject(error)
  }

  handleCopyInResponse(connection: Connection): void {
    this.#problem = new Error('COPY is no question')
    connection.sync()
  }

  handleCopyData(): void {
    this.#problem = new Error('COPY is no question')
  }

  /** What throws in here would end the process: it runs where bytes arrive. */
  #guarded(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#enough = true
      this.#problem = error instanceof Error ? error : new Error(String(error))
    }
  }

  #fetch(connection: Connection): void {
    connection.execute({ portal: '', rows: String(PORTION) }, true)
    connection.flush()
  }
}
