/** Owns what a model is told of a database's schema: its tables with their size, or the columns and keys of one. Only what this account may read. */
import { AdjutantError } from '@adjutant/core/contract'
import type { Client } from 'pg'
import { plural } from '../../text/amounts.ts'
import { namesHint } from '../write-answer.ts'

const MAX_TABLES = 500
const MAX_COLUMNS = 1_000
const MAX_COMMENT = 300
/** Tables of the same name in several schemas. */
const MAX_SAME = 5

const TABLES = `
SELECT c.oid, n.nspname, c.relname,
  CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END,
  CASE WHEN c.relkind <> 'v' AND c.reltuples >= 0 THEN c.reltuples::int8 END,
  left(obj_description(c.oid, 'pg_class'), ${MAX_COMMENT}),
  pg_table_is_visible(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND ($1::text[] IS NULL OR n.nspname = ANY($1::text[]))
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')`

const COLUMNS = `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, left(pg_get_expr(d.adbin, d.adrelid), ${MAX_COMMENT}),
  left(col_description(a.attrelid, a.attnum), ${MAX_COMMENT})
FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum LIMIT ${MAX_COLUMNS}`

const KEYS = `
SELECT pg_get_constraintdef(oid) FROM pg_catalog.pg_constraint WHERE conrelid = $1::oid AND contype IN ('p', 'u', 'f')
ORDER BY array_position(ARRAY['p', 'u', 'f'], contype::text), conname LIMIT 100`

const INDEXES = `
SELECT pg_get_indexdef(i.indexrelid) FROM pg_catalog.pg_index i
WHERE i.indrelid = $1::oid AND NOT i.indisprimary AND NOT i.indisunique ORDER BY i.indexrelid LIMIT 100`

/** @param what `*`, or a table with or without its schema, as it is called or in quotes */
export async function describeDatabase(client: Client, what: string, schemas: readonly string[] | undefined): Promise<string> {
  return what === '*' ? listTables(client, schemas) : describeTables(client, what, schemas)
}

/** Names of tables as a statement has to write them, for help with a wrong one. */
export async function tableNames(client: Client, schemas: readonly string[] | undefined): Promise<readonly string[]> {
  const rows = await ask(client, `${TABLES} ORDER BY 2, 3 LIMIT 200`, [arrayText(schemas)])
  return rows.map(([, schema, name, , , , visible]) => (visible === true ? String(name) : `${String(schema)}.${String(name)}`))
}

/** `table.column` of these tables. */
export async function columnNames(client: Client, tables: readonly string[]): Promise<readonly string[]> {
  const rows = await ask(
    client,
    `SELECT c.relname || '.' || a.attname FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
     WHERE c.relname = ANY($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
       AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY c.relname, a.attnum LIMIT 200`,
    [arrayText(tables)],
  )
  return rows.map(([name]) => String(name))
}

async function listTables(client: Client, schemas: readonly string[] | undefined): Promise<string> {
  const rows = await ask(client, `${TABLES} ORDER BY 2, 3 LIMIT ${MAX_TABLES + 1}`, [arrayText(schemas)])
  const shown = rows.slice(0, MAX_TABLES)
  const more = rows.length > MAX_TABLES ? '; there are more: describe one by its name' : ''
  const lines = shown.map(([, schema, name, kind, estimate, comment]) => line(schema, name, kind, number(estimate), comment))
  return [
    '["schema","name","kind","rows, estimated","comment"]',
    ...lines,
    `[${plural(shown.length, 'table or view', 'tables and views')}${more}]`,
  ].join('\n')
}

async function describeTables(client: Client, what: string, schemas: readonly string[] | undefined): Promise<string> {
  const name = what.replaceAll('"', '')
  const filter = 'AND ($2 = c.relname OR $2 = n.nspname || chr(46) || c.relname)'
  const order = `ORDER BY pg_table_is_visible(c.oid) DESC, 2 LIMIT ${MAX_SAME}`
  const tables = await ask(client, `${TABLES} ${filter} ${order}`, [arrayText(schemas), name])
  if (tables.length === 0) {
    const names = await tableNames(client, schemas)
    throw new AdjutantError('NOT_FOUND', `there is no table ${JSON.stringify(what)} that this account may read`, {
      hint: names.length === 0 ? 'The database has no tables for this account.' : namesHint(name, 'tables', names),
    })
  }
  const parts: string[] = []
  for (const [oid, schema, relation, kind, estimate, comment] of tables) {
    const size = number(estimate) === null ? '' : `, about ${plural(Number(estimate), 'row')}`
    parts.push(`${String(schema)}.${String(relation)}: ${String(kind)}${size}${typeof comment === 'string' ? `. ${comment}` : ''}`)
    parts.push('["column","type","null","default","comment"]')
    for (const row of await ask(client, COLUMNS, [String(oid)])) parts.push(line(...row))
    for (const [key] of await ask(client, KEYS, [String(oid)])) parts.push(String(key))
    for (const [index] of await ask(client, INDEXES, [String(oid)])) parts.push(String(index))
  }
  return parts.join('\n')
}

async function ask(client: Client, text: string, values: readonly (string | null)[]): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' })
  return rows
}

function line(...cells: readonly unknown[]): string {
  return JSON.stringify(cells.map((cell) => cell ?? null))
}

function number(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

function arrayText(names: readonly string[] | undefined): string | null {
  return names === undefined ? null : `{${names.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
