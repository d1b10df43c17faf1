/**
 * Owns what types a server has, as far as answers need them: their names, and what the members of an array are. Those built in are looked up once; others
 * when they first appear.
 */
import type { Client, FieldDef } from 'pg'

export interface SqlType {
  readonly name: string
  /** Of an array that is written with commas: the type of its members. */
  readonly element: number | undefined
}

const SELECT =
  "SELECT t.oid, format_type(t.oid, NULL), CASE WHEN t.typcategory = 'A' AND t.typdelim = ',' THEN t.typelem ELSE 0 END FROM pg_catalog.pg_type t"
const UNKNOWN: SqlType = { name: 'unknown', element: undefined }
/** Objects of users begin here. */
const FIRST_OWN = 16_384
/** Beyond that, all are forgotten: a database that makes types all the time must not fill our memory. */
const MAX_TYPES = 20_000

export class SqlTypes {
  readonly #known = new Map<number, SqlType>()

  /** Those that every database has. */
  async load(client: Client): Promise<void> {
    await this.#add(client, `${SELECT} WHERE t.oid < ${FIRST_OWN}`, [])
  }

  of(oid: number): SqlType {
    return this.#known.get(oid) ?? UNKNOWN
  }

  isKnown(fields: readonly FieldDef[]): boolean {
    return fields.every(({ dataTypeID }) => this.#known.has(dataTypeID))
  }

  /** Also the members of arrays. */
  async learn(client: Client, fields: readonly FieldDef[]): Promise<void> {
    if (this.isKnown(fields)) return
    if (this.#known.size > MAX_TYPES) this.#known.clear()
    const missing = fields.map(({ dataTypeID }) => dataTypeID).filter((oid) => !this.#known.has(oid))
    await this.#add(
      client,
      `${SELECT} WHERE t.oid = ANY($1::oid[]) OR t.oid IN (SELECT a.typelem FROM pg_catalog.pg_type a WHERE a.oid = ANY($1::oid[]))`,
      [`{${missing.join(',')}}`],
    )
  }

  async #add(client: Client, text: string, values: readonly string[]): Promise<void> {
    const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' })
    for (const [oid, name, element] of rows) {
      this.#known.set(Number(oid), { name: String(name), element: Number(element) === 0 ? undefined : Number(element) })
    }
  }
}
