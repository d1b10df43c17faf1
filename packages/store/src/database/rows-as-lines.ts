/**
 * Owns the form of rows in exports and backups: one JSON object a line. Bytes are `{"$bytes": base64}`, numbers beyond ±2^53 `{"$int": text}`; every other
 * value is itself. An object with such a member never occurs otherwise, as columns hold no objects.
 */
import { AdjutantError } from '@adjutant/core/contract'
import type { SqlValue } from './connection.ts'
import { type Tables, TENANT_TABLES } from './tables.ts'

export type TableName = keyof Tables

/** In which rows can be put back: parents before children. */
export const ALL_TABLES: readonly TableName[] = [...TENANT_TABLES, 'nodes']

export function rowToLine(table: TableName, row: Readonly<Record<string, unknown>>): string {
  const written = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, writeValue(value)]))
  return JSON.stringify({ table, row: written })
}

function writeValue(value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: value.toString() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
  return value
}

/** @throws AdjutantError CONFIG_INVALID when the line is no row of a table that there is */
export function lineToRow(line: string, place: string): { readonly table: TableName; readonly row: Readonly<Record<string, SqlValue>> } {
  const value = parseObject(line, place)
  const { table, row } = value
  if (!isTable(table) || !isRecord(row)) throw wrong(place, 'it is no row of a table that this program has')
  return { table, row: Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, readValue(cell, `${place}, ${name}`)])) }
}

/** @throws AdjutantError CONFIG_INVALID */
export function parseObject(line: string, place: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw wrong(place, 'it is no JSON', error)
  }
  if (!isRecord(value)) throw wrong(place, 'it is no JSON object')
  return value
}

function readValue(cell: unknown, place: string): SqlValue {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell
  if (isRecord(cell)) {
    if (typeof cell.$bytes === 'string') return Buffer.from(cell.$bytes, 'base64')
    if (typeof cell.$int === 'string' && /^-?\d{1,19}$/.test(cell.$int)) return BigInt(cell.$int)
  }
  throw wrong(place, 'it holds a value that no column can have')
}

export function wrong(place: string, how: string, cause?: unknown): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${place} cannot be restored: ${how}`, {
    hint: 'Use another backup, or one that was not changed.',
    ...(cause === undefined ? {} : { cause }),
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTable(value: unknown): value is TableName {
  return typeof value === 'string' && ALL_TABLES.some((name) => name === value)
}
