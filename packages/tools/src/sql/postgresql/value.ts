/**
 * Owns how a value of PostgreSQL is written to a model and to programs. Exact whatever its size: whole and decimal numbers are written digit by digit, and to
 * programs as texts where a number of JavaScript could not hold them. Of bytes only their count is given.
 */
import type { JsonValue } from '@adjutant/core/contract'
import { types } from 'pg'
import { writeCell } from '../cell-text.ts'
import type { SqlTypes } from './types.ts'

export interface Value {
  /** JSON, or `<bytea n bytes>`. */
  readonly text: string
  readonly value: JsonValue
  /** How many texts in it are cut. */
  readonly cut: number
}

const NULL: Value = { text: 'null', value: null, cut: 0 }
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
/** `text[]`: members as they are, or null, lists in lists. */
const TEXT_ARRAY: number = 1009
const readArray = types.getTypeParser(TEXT_ARRAY, 'text')

/** @param raw as the server wrote it */
export function readValue(raw: string | null, oid: number, known: SqlTypes, maxChars: number): Value {
  if (raw === null) return NULL
  const { element } = known.of(oid)
  if (element !== undefined && oid !== OID.int2vector && oid !== OID.oidvector) return arrayOf(raw, element, known, maxChars)
  switch (oid) {
    case OID.bool:
      return { text: raw === 't' ? 'true' : 'false', value: raw === 't', cut: 0 }
    case OID.int2:
    case OID.int4:
    case OID.oid:
    case OID.float4:
    case OID.float8:
      // NaN and Infinity are no numbers of JSON.
      return NUMBER.test(raw) ? { text: raw, value: Number(raw), cut: 0 } : textual(raw, maxChars)
    case OID.int8:
    case OID.numeric:
      return NUMBER.test(raw) && raw.length <= maxChars ? { text: raw, value: raw, cut: 0 } : textual(raw, maxChars)
    case OID.bytea:
      return bytes(raw)
    case OID.json:
    case OID.jsonb:
      return json(raw, maxChars)
    default:
      return textual(raw, maxChars)
  }
}

function textual(raw: string, maxChars: number): Value {
  const { text, cut } = writeCell(raw, maxChars)
  return { text, value: cut ? raw.slice(0, maxChars).toWellFormed() : raw, cut: cut ? 1 : 0 }
}

/** `\x` and two digits a byte. */
function bytes(raw: string): Value {
  const count = Math.max(0, (raw.length - 2) / 2)
  return { text: `<bytea ${count} bytes>`, value: { bytes: count }, cut: 0 }
}

function json(raw: string, maxChars: number): Value {
  if (raw.length > maxChars) return textual(raw, maxChars)
  try {
    const value: JsonValue = JSON.parse(raw)
    // Between its signs, JSON may hold line ends, and a row is one line; in its texts it cannot.
    return { text: raw.replace(/[\r\n\t]+/g, ' '), value, cut: 0 }
  } catch {
    return textual(raw, maxChars)
  }
}

function arrayOf(raw: string, element: number, known: SqlTypes, maxChars: number): Value {
  // Written out, an array can be longer than the whole answer may be.
  if (raw.length > maxChars) return textual(raw, maxChars)
  const members: unknown = readArray(raw)
  return Array.isArray(members) ? listOf(members, element, known, maxChars) : textual(raw, maxChars)
}

function listOf(members: readonly unknown[], element: number, known: SqlTypes, maxChars: number): Value {
  const values = members.map((member) =>
    Array.isArray(member)
      ? listOf(member, element, known, maxChars)
      : readValue(typeof member === 'string' ? member : null, element, known, maxChars),
  )
  return {
    text: `[${values.map(({ text }) => text).join(',')}]`,
    value: values.map(({ value }) => value),
    cut: values.reduce((sum, { cut }) => sum + cut, 0),
  }
}

/** Of pg_type; they never change. */
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int2vector: 22,
  int4: 23,
  oid: 26,
  oidvector: 30,
  json: 114,
  float4: 700,
  float8: 701,
  numeric: 1700,
  jsonb: 3802,
} as const
