/**
 * Owns random values for a JSON Schema as reflection writes it: what a model that keeps to the schema might send. An unknown
 * keyword is an error, so that a new one cannot be passed over.
 */
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '@adjutant/core'
import fc from 'fast-check'

type Values = fc.Arbitrary<JsonValue>

const KNOWN = new Set([
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'contentEncoding',
  'default',
  'deprecated',
  'description',
  'enum',
  'examples',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'oneOf',
  'pattern',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'required',
  'title',
  'type',
  'uniqueItems',
])
/** References followed; below it the shortest values are taken. */
const MAX_DEPTH = 3

export function valuesOf(schema: JsonSchema): Values {
  return values(schema, schema, 0)
}

function values(schema: JsonSchema, root: JsonSchema, depth: number): Values {
  if (schema === true) return fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)))
  if (!isJsonObject(schema)) throw new Error('nothing fits this schema')
  for (const keyword of Object.keys(schema)) if (!KNOWN.has(keyword)) throw new Error(`the keyword ${keyword} is new here`)
  if (typeof schema.$ref === 'string') return values(definition(root, schema.$ref), root, depth + 1)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const branches = schema.oneOf ?? schema.anyOf
  if (Array.isArray(branches)) {
    const all = branches.filter(isSchema).toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)
    const ends = all.filter((branch) => !refers(branch))
    const fit = depth <= MAX_DEPTH ? all : ends.length > 0 ? ends : all.slice(0, 1)
    return fc.oneof(...fit.map((branch) => values(branch, root, depth)))
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return fc.oneof(...types.map((type) => ofType(String(type), schema, root, depth)))
}

function ofType(type: string, schema: JsonObject, root: JsonSchema, depth: number): Values {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: number(schema.minimum, -1e6), max: number(schema.maximum, 1e6) })
    case 'number':
      return fc
        .double({ min: number(schema.minimum, -1e21), max: number(schema.maximum, 1e21), noNaN: true })
        .map((value) => (Object.is(value, -0) ? 0 : value))
    case 'string':
      return texts(schema)
    case 'array':
      return lists(schema, root, depth)
    case 'object':
      return objects(schema, root, depth)
    default:
      throw new Error(`the type ${type} is new here`)
  }
}

function texts(schema: JsonObject): Values {
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString())
  }
  if (schema.format === 'uri') return fc.webUrl().map((text) => new URL(text).href)
  if (schema.contentEncoding === 'base64') return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u'), { size: 'small' })
  return fc.string({ minLength: number(schema.minLength, 0), maxLength: number(schema.maxLength, 20), unit: 'grapheme-composite' })
}

function lists(schema: JsonObject, root: JsonSchema, depth: number): Values {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems.filter(isSchema) : []
  const min = number(schema.minItems, 0)
  const first = fc.tuple(...prefix.map((item) => values(item, root, depth)))
  const fixed = fc.tuple(first, fc.integer({ min, max: prefix.length || min })).map(([items, length]) => items.slice(0, length))
  const { items = true } = schema
  if (items === false || !isSchema(items)) return fixed
  const many = {
    minLength: Math.max(0, min - prefix.length),
    maxLength: depth > MAX_DEPTH ? Math.max(0, min - prefix.length) : number(schema.maxItems, 4),
  }
  // Values are made ready before it is known how many are wanted: below a type that holds itself there must be none.
  if (depth > MAX_DEPTH && many.minLength === 0) return first.map((start) => [...start])
  const item = values(items, root, depth + (refers(items) ? 1 : 0))
  const rest =
    schema.uniqueItems === true ? fc.uniqueArray(item, { ...many, selector: (value) => JSON.stringify(value) }) : fc.array(item, many)
  return prefix.length === 0 ? rest : fc.tuple(first, rest).map(([start, end]) => [...start, ...end])
}

function objects(schema: JsonObject, root: JsonSchema, depth: number): Values {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const members: fc.Arbitrary<readonly [string, JsonValue] | undefined>[] = []
  for (const [name, member] of Object.entries(properties)) {
    if (!isSchema(member) || (!required.has(name) && depth > MAX_DEPTH)) continue
    const entry = values(member, root, depth + (refers(member) ? 1 : 0)).map((value) => [name, value] as const)
    members.push(required.has(name) ? entry : fc.option(entry, { nil: undefined }))
  }
  // Not fc.record: a member may be called __proto__.
  const named: Values = fc.tuple(...members).map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)))
  const others = otherMembers(schema, root, depth)
  return others === undefined ? named : fc.tuple(named, others).map(([own, more]) => ({ ...object(more), ...object(own) }))
}

function otherMembers(schema: JsonObject, root: JsonSchema, depth: number): Values | undefined {
  if (depth > MAX_DEPTH) return undefined
  const patterns = isJsonObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  const [pattern] = patterns
  const value = pattern === undefined ? schema.additionalProperties : pattern[1]
  if (value === undefined || value === false || !isSchema(value)) return undefined
  const taken = isJsonObject(schema.properties) ? schema.properties : {}
  const names = pattern === undefined ? nameValues(schema.propertyNames) : fc.stringMatching(new RegExp(pattern[0], 'u'), { size: 'small' })
  const free = names.filter((name) => !Object.hasOwn(taken, name) && name !== '__proto__')
  return fc.dictionary(free, values(value, root, depth + 1), { maxKeys: 3, noNullPrototype: true })
}

function nameValues(names: JsonValue | undefined): fc.Arbitrary<string> {
  if (!isJsonObject(names)) return fc.string({ maxLength: 8 })
  if (Array.isArray(names.enum)) return fc.constantFrom(...names.enum.map(String))
  const pattern = new RegExp(String(names.pattern), 'u')
  // As JavaScript itself writes a number, so that it comes back the same.
  return fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => String(Object.is(value, -0) ? 0 : value))
    .filter((name) => pattern.test(name))
}

function definition(root: JsonSchema, reference: string): JsonSchema {
  const definitions = isJsonObject(root) && isJsonObject(root.$defs) ? root.$defs : {}
  const found = definitions[reference.replace('#/$defs/', '')]
  if (found === undefined || !isSchema(found)) throw new Error(`${reference} leads nowhere`)
  return found
}

function refers(schema: JsonValue): boolean {
  return JSON.stringify(schema).includes('"$ref"')
}

function isSchema(value: JsonValue): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

function object(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {}
}

function number(value: JsonValue | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
