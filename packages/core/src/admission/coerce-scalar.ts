import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { exactDecimal } from '../util/exact-decimal.ts'
import { dateToTimestamp, timestampToDate } from './coerce-date.ts'
import { isDeeperThan, isJsonArray, jsonTypeOf, schemaTypes, typeFits } from './json-shape.ts'
import { MAX_VALUE_DEPTH } from './limits.ts'

/**
 * Owns the rules by which one value becomes another type, each only where nothing is lost and nothing is guessed. Whether the
 * new value is allowed is decided by whoever asked: see coerce.ts. Pure.
 */

export interface Converted {
  readonly value: JsonValue
  /** For the record, e.g. `string → integer`. */
  readonly rule: string
}

/** Formats that digits or a truth value cannot be written in: a number there is a mistake, not a spelling. */
const WORDY_FORMATS: ReadonlySet<string> = new Set(
  'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference uri-template iri iri-reference uuid json-pointer relative-json-pointer regex'.split(
    ' ',
  ),
)

/** Tried in this order where a schema allows several types: the first that fits is taken. */
const ORDER = ['integer', 'number', 'boolean', 'null', 'object', 'array', 'string'] as const

/**
 * What `value` may have been meant as under this one subschema (its `type`, `enum`, `const`, `format`); nothing when it is of an
 * allowed type and an allowed choice already, or when there is no safe reading.
 *
 * @example
 * ```ts
 * convertScalar({ type: 'integer' }, '5') // { value: 5, rule: 'string → integer' }
 * convertScalar({ type: 'integer' }, '5px') // undefined
 * convertScalar({ enum: ['asc', 'desc'] }, 'DESC') // { value: 'desc', rule: 'enum case' }
 * ```
 */
export function convertScalar(schema: JsonObject, value: JsonValue): Converted | undefined {
  const choices = choicesOf(schema)
  if (choices !== undefined) {
    const chosen = chooseFrom(choices, namesOf(schema), value)
    if (chosen !== undefined) return chosen
  }
  const types = schemaTypes(schema)
  const actual = jsonTypeOf(value)
  if (types.length === 0 || types.some((type) => typeFits(type, actual))) return undefined
  for (const type of ORDER) {
    if (!types.includes(type)) continue
    const converted = convertTo(type, value, schema)
    if (converted !== undefined) return converted
  }
  if (isJsonArray(value) && value.length === 1 && value[0] !== undefined) return { value: value[0], rule: 'array of one → single value' }
  return undefined
}

function convertTo(type: (typeof ORDER)[number], value: JsonValue, schema: JsonObject): Converted | undefined {
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' ? (toNumber(type, value) ?? dateToTimestamp(schema, value, type)) : undefined
    case 'boolean':
      return typeof value === 'string' ? toBoolean(value) : undefined
    case 'null':
      return value === 'null' ? { value: null, rule: 'string → null' } : undefined
    case 'object':
      return typeof value === 'string' ? parsed(value, 'object') : undefined
    case 'array':
      return toArray(value)
    case 'string':
      return toText(schema, value)
    default:
      return type satisfies never
  }
}

/** Takes only text whose every digit the number keeps: "9007199254740993" stays text. */
function toNumber(type: 'integer' | 'number', text: string): Converted | undefined {
  const trimmed = text.trim()
  const written = exactDecimal(trimmed)
  if (written === undefined) return undefined
  const number = Number(trimmed)
  if (!Number.isFinite(number) || exactDecimal(String(number)) !== written) return undefined
  if (type === 'integer' && !Number.isInteger(number)) return undefined
  // `-0` would be written as `0`; say what will be seen.
  return { value: number === 0 ? 0 : number, rule: `string → ${type}` }
}

function toBoolean(text: string): Converted | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === 'yes') return { value: true, rule: 'string → boolean' }
  if (word === 'false' || word === 'no') return { value: false, rule: 'string → boolean' }
  return undefined
}

function parsed(text: string, type: 'object' | 'array'): Converted | undefined {
  const start = type === 'object' ? '{' : '['
  if (!text.trimStart().startsWith(start) || losesDigits(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isDeeperThan(value, MAX_VALUE_DEPTH)) return undefined
    if (type === 'object' ? !isJsonObject(value) : !isJsonArray(value)) return undefined
    return isJsonObject(value) || isJsonArray(value) ? { value, rule: `JSON text → ${type}` } : undefined
  } catch {
    return undefined
  }
}

const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d{3}/
const STRING = /"(?:[^"\\]|\\.)*"/g
const NUMBER_IN_JSON = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A number in the text would not be the same after parsing. */
function losesDigits(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false
  return text
    .replace(STRING, '')
    .matchAll(NUMBER_IN_JSON)
    .some(([number]) => {
      const written = exactDecimal(number)
      return written === undefined || written !== exactDecimal(String(Number(number)))
    })
}

function toArray(value: JsonValue): Converted | undefined {
  if (value === null) return undefined
  // A text that begins like a list and is none was hardly meant as the only item of one.
  if (typeof value === 'string' && value.trimStart().startsWith('[')) return parsed(value, 'array')
  return { value: [value], rule: 'single value → array' }
}

function toText(schema: JsonObject, value: JsonValue): Converted | undefined {
  const format = ownValue(schema, 'format')
  if (typeof value === 'number') {
    const date = timestampToDate(format, value)
    if (date !== undefined) return date
  }
  if (typeof format === 'string' && WORDY_FORMATS.has(format)) return undefined
  if (typeof value === 'number') return { value: String(value), rule: 'number → string' }
  if (typeof value === 'boolean') return { value: String(value), rule: 'boolean → string' }
  return undefined
}

/** The allowed values, where the schema lists them. */
function choicesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const fixed = ownValue(schema, 'const')
  if (fixed !== undefined) return [fixed]
  const list = ownValue(schema, 'enum')
  return isJsonArray(list) ? list : undefined
}

/** Labels beside `enum`, as form generators write them. */
function namesOf(schema: JsonObject): readonly JsonValue[] {
  for (const key of ['enumNames', 'x-enumNames', 'x-enum-varnames']) {
    const names = ownValue(schema, key)
    if (isJsonArray(names)) return names
  }
  return []
}

/** The one choice that the value is another spelling of; nothing when it is a choice itself, or could be several. */
export function chooseFrom(
  choices: readonly JsonValue[],
  labels: readonly (JsonValue | undefined)[],
  value: JsonValue,
): Converted | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  if (choices.includes(value)) return undefined
  const text = String(value)
  for (const fold of FOLDS) {
    const wanted = fold(text)
    const found = only(choices, (choice) => choice !== null && typeof choice !== 'object' && fold(String(choice)) === wanted)
    if (found !== undefined) {
      return { value: found, rule: typeof found === typeof value ? 'enum case' : `${jsonTypeOf(value)} → ${jsonTypeOf(found)}` }
    }
  }
  for (const fold of FOLDS) {
    const wanted = fold(text)
    const found = only(choices, (_choice, index) => {
      const label = labels[index]
      return typeof label === 'string' && fold(label) === wanted
    })
    if (found !== undefined) return { value: found, rule: 'label → code' }
  }
  return undefined
}

/** From exact to generous; the first that finds exactly one choice wins. */
const FOLDS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.trim().toLowerCase(),
  (text) =>
    text
      .trim()
      .toLowerCase()
      .replace(/[\s_-]+/g, '_'),
]

function only(choices: readonly JsonValue[], fits: (choice: JsonValue, index: number) => boolean): JsonValue | undefined {
  let found: JsonValue | undefined
  let count = 0
  choices.forEach((choice, index) => {
    if (!fits(choice, index)) return
    found = choice
    count++
  })
  return count === 1 ? found : undefined
}
