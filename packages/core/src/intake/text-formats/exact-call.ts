import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../contract/json.ts'
import { argumentsOf } from '../arguments.ts'
import { parseJson } from '../parse-json.ts'
import type { TaggedCall } from '../tagged-body.ts'

/**
 * Owns the question whether JSON without any mark is a call: only when it is nothing else. It has a name, arguments that are an object, and
 * at most an id and a type beside them.
 */

const NAMES: readonly string[] = ['name', 'tool', 'tool_name']
const INPUTS: readonly string[] = ['arguments', 'parameters', 'input', 'args']
const NAME = /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u

/** The first keys that a call may have. */
const FIRST_KEYS: readonly string[] = [...NAMES, ...INPUTS, 'type', 'function', 'id']

function exactCall(value: JsonValue): TaggedCall | undefined {
  if (!isJsonObject(value)) return undefined
  const inner = ownValue(value, 'function')
  const id = ownValue(value, 'id')
  if (id !== undefined && typeof id !== 'string') return undefined
  const type = ownValue(value, 'type')
  if (type !== undefined && type !== 'function' && type !== 'tool_use') return undefined
  const rest = Object.keys(value).filter((key) => key !== 'id' && key !== 'type')
  const record: JsonObject = isJsonObject(inner) && rest.length === 1 ? inner : value
  const keys = record === value ? rest : Object.keys(record)
  const [first, second, more] = keys
  if (first === undefined || second === undefined || more !== undefined) return undefined
  const nameKey = NAMES.includes(first) ? first : second
  const inputKey = nameKey === first ? second : first
  const name = ownValue(record, nameKey)
  if (!NAMES.includes(nameKey) || !INPUTS.includes(inputKey) || typeof name !== 'string' || !NAME.test(name)) return undefined
  const input = ownValue(record, inputKey)
  const args = argumentsOf(input)
  if (!args.ok || (typeof input !== 'string' && !isJsonObject(input))) return undefined
  return { name, arguments: args, ...(id === undefined ? {} : { id }) }
}

/** A call that has begun: its name and the beginning of its arguments, and nothing else. */
const BEGUN =
  /^\s*\[?\s*\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"(?:name|tool|tool_name)"\s*:\s*"([\w.:/-]{1,128})"\s*,\s*"(?:arguments|parameters|input)"\s*:\s*\{/

/** The name of the call that a text begins with; undefined when it begins with something else. */
export function nameOfBegun(text: string): string | undefined {
  return BEGUN.exec(text)?.[1]
}

/** Whether a parsed value is a call and nothing else. */
export function isBareCall(value: JsonValue): boolean {
  return exactCall(value) !== undefined
}

/** The calls that a JSON text is, an object or a list of them; undefined when it is, or holds, anything else. */
export function exactCalls(text: string): readonly TaggedCall[] | undefined {
  let value: JsonValue
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  const items: readonly JsonValue[] = isJsonObject(value) ? [value] : Array.isArray(value) ? value : []
  const calls: TaggedCall[] = []
  for (const item of items) {
    const call = exactCall(item)
    if (call === undefined) return undefined
    calls.push(call)
  }
  return calls.length === 0 ? undefined : calls
}

/**
 * Whether JSON that begins so may still be a call. Looks at the first key only.
 * @param at the position of the opening brace or bracket
 */
export function mayBeCall(text: string, at: number): boolean | 'wait' {
  const head = /^\s*(?:\[\s*)?(?:\{\s*(?:"([a-z_]{0,12})("?))?)?/.exec(text.slice(at, at + 256))
  const read = head?.[0].length ?? 0
  const key = head?.[1]
  if (key !== undefined && head?.[2] === '"') return FIRST_KEYS.includes(key)
  if (at + read < text.length) return false
  return key === undefined || FIRST_KEYS.some((known) => known.startsWith(key)) ? 'wait' : false
}
