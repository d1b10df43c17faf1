import { isJsonObject, type JsonObject, type JsonSchema, ownValue } from '../contract/json.ts'
import { clippedJson, followReference, isJsonArray, isSchema, jsonTypeOf, schemaTypes } from './json-shape.ts'

/**
 * Owns the saying of a schema in a few words for a model: `integer from 1 to 50`, `one of "asc", "desc"`. Bounded. Pure.
 */

const MAX_CHOICES = 12
const MAX_BRANCHES = 5
const MAX_LENGTH = 300

/**
 * @example
 * ```ts
 * describeSchema(true, { type: 'integer', minimum: 1, maximum: 50 }) // 'integer from 1 to 50'
 * ```
 */
export function describeSchema(root: JsonSchema, schema: JsonSchema): string {
  const text = describe(root, schema, 0)
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`
}

/** `string "5px"`, `array [1,2]`, `nothing`: type and clipped value. */
export function describeValue(value: unknown): string {
  const type = jsonTypeOf(value)
  if (type === 'undefined') return 'nothing'
  return type === 'null' ? 'null' : `${type} ${clippedJson(value)}`
}

function describe(root: JsonSchema, schema: JsonSchema, depth: number): string {
  if (schema === true) return 'any value'
  if (schema === false) return 'no value at all'
  const fixed = ownValue(schema, 'const')
  if (fixed !== undefined) return withTitle(schema, clippedJson(fixed))
  const choices = ownValue(schema, 'enum')
  if (isJsonArray(choices)) {
    const shown = choices.slice(0, MAX_CHOICES).map((choice) => clippedJson(choice, 40))
    return `one of ${shown.join(', ')}${more(choices.length, MAX_CHOICES)}`
  }
  const reference = ownValue(schema, '$ref')
  if (typeof reference === 'string' && depth < 4) {
    const target = followReference(root, reference)
    if (target !== undefined) return describe(root, target.schema, depth + 1)
  }
  const types = schemaTypes(schema)
  for (const keyword of ['oneOf', 'anyOf']) {
    const branches = ownValue(schema, keyword)
    if (!isJsonArray(branches) || depth >= 3) continue
    const said = new Set(branches.filter(isSchema).map((branch) => describe(root, branch, depth + 1)))
    return `${[...said].slice(0, MAX_BRANCHES).join(', or ')}${more(said.size, MAX_BRANCHES)}`
  }
  const all = ownValue(schema, 'allOf')
  if (types.length === 0 && isJsonArray(all) && depth < 3) {
    return all
      .filter(isSchema)
      .slice(0, MAX_BRANCHES)
      .map((part) => describe(root, part, depth + 1))
      .join(' and ')
  }
  return (types.length === 0 ? [''] : types).map((type) => describeType(root, schema, type, depth)).join(' or ')
}

function describeType(root: JsonSchema, schema: JsonObject, type: string, depth: number): string {
  switch (type) {
    case 'integer':
    case 'number':
      return `${type}${range(schema)}`
    case 'string':
      return `string${textLimits(schema)}`
    case 'array': {
      const items = ownValue(schema, 'items')
      const of = isJsonObject(items) && depth < 3 ? ` of ${describe(root, items, depth + 1)}` : ''
      return `array${of}${between(schema, 'minItems', 'maxItems', 'items')}`
    }
    case 'object': {
      const required = ownValue(schema, 'required')
      const names = isJsonArray(required) ? required.map(String) : []
      return names.length === 0 ? 'object' : `object with ${names.slice(0, MAX_CHOICES).join(', ')}${more(names.length, MAX_CHOICES)}`
    }
    case '':
      return `a value${range(schema)}${textLimits(schema)}${between(schema, 'minItems', 'maxItems', 'items')}`
    default:
      return type
  }
}

function range(schema: JsonObject): string {
  const said: string[] = []
  const [least, most] = [ownValue(schema, 'minimum'), ownValue(schema, 'maximum')]
  if (typeof least === 'number' && typeof most === 'number') said.push(`from ${least} to ${most}`)
  else if (typeof least === 'number') said.push(`of at least ${least}`)
  else if (typeof most === 'number') said.push(`of at most ${most}`)
  const [above, below] = [ownValue(schema, 'exclusiveMinimum'), ownValue(schema, 'exclusiveMaximum')]
  if (typeof above === 'number') said.push(`above ${above}`)
  if (typeof below === 'number') said.push(`below ${below}`)
  const multiple = ownValue(schema, 'multipleOf')
  if (typeof multiple === 'number') said.push(`a multiple of ${multiple}`)
  return said.length === 0 ? '' : ` ${said.join(', ')}`
}

function textLimits(schema: JsonObject): string {
  const format = ownValue(schema, 'format')
  const pattern = ownValue(schema, 'pattern')
  return [
    between(schema, 'minLength', 'maxLength', 'characters'),
    typeof format === 'string' ? ` (${format.slice(0, 40)})` : '',
    typeof pattern === 'string' ? ` matching ${pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern}` : '',
  ].join('')
}

function between(schema: JsonObject, least: string, most: string, unit: string): string {
  const [from, to] = [ownValue(schema, least), ownValue(schema, most)]
  if (typeof from === 'number' && typeof to === 'number') return ` of ${from} to ${to} ${unit}`
  if (typeof from === 'number') return ` of at least ${from} ${unit}`
  return typeof to === 'number' ? ` of at most ${to} ${unit}` : ''
}

function withTitle(schema: JsonObject, text: string): string {
  const title = ownValue(schema, 'title')
  return typeof title === 'string' ? `${text} (${title.slice(0, 60)})` : text
}

function more(count: number, shown: number): string {
  return count > shown ? ` … and ${count - shown} more` : ''
}
