/** Owns one connection to PostgreSQL while a transaction has it: how statements are sent, and how values come out. */
import type { CompiledQuery, QueryResult } from 'kysely'
import type { ClientBase, CustomTypesConfig, QueryResult as PostgresResult } from 'pg'
import { type SqlValue, type StoreConnection, toSqlValue, trustRows } from './connection.ts'
import { DriverFault, postgresFault } from './driver-fault.ts'
import type { HotStatement } from './hot.ts'

export class PostgresConnection implements StoreConnection {
  readonly #client: ClientBase
  readonly #shown: string
  readonly #types: CustomTypesConfig
  /** The server ended the connection: it cannot be given to anybody else. */
  broken = false

  constructor(client: ClientBase, types: CustomTypesConfig, shown: string) {
    this.#client = client
    this.#types = types
    this.#shown = shown
  }

  async all<Row>(statement: HotStatement<Row>, parameters: readonly SqlValue[]): Promise<Row[]> {
    const { rows } = await this.#send({ name: statement.name, text: statement.numbered, values: [...parameters] })
    trustRows<Row>(rows)
    return rows
  }

  async run(statement: HotStatement<unknown>, parameters: readonly SqlValue[]): Promise<number> {
    const { rowCount } = await this.#send({ name: statement.name, text: statement.numbered, values: [...parameters] })
    return rowCount ?? 0
  }

  async script(sql: string): Promise<void> {
    await this.#send({ text: sql })
  }

  /** @returns what the server says that it did, e.g. ROLLBACK for a COMMIT of what had failed */
  async command(sql: string): Promise<string> {
    return (await this.#send({ text: sql })).command
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#send({ text: query.sql, values: query.parameters.map(toSqlValue) })
    trustRows<R>(rows)
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return changes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    await this.#send({
      text: `DECLARE adjutant_stream NO SCROLL CURSOR FOR ${query.sql}`,
      values: query.parameters.map(toSqlValue),
    })
    try {
      for (;;) {
        const { rows } = await this.#send({ text: `FETCH ${Math.max(1, Math.trunc(chunkSize))} FROM adjutant_stream` })
        if (rows.length === 0) return
        trustRows<R>(rows)
        yield { rows }
      }
    } finally {
      if (!this.broken) await this.#send({ text: 'CLOSE adjutant_stream' }).catch(() => {})
    }
  }

  async #send(query: { readonly text: string; readonly name?: string; readonly values?: SqlValue[] }): Promise<PostgresResult> {
    try {
      return await this.#client.query({ ...query, types: this.#types })
    } catch (error) {
      const fault = postgresFault(error, this.#shown)
      if (fault instanceof DriverFault && fault.fault === 'connection') this.broken = true
      throw fault
    }
  }
}
