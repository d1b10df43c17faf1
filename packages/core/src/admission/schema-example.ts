import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, ownValue } from '../contract/json.ts'
import { guardedPattern } from './guarded-pattern.ts'
import { followReference, isJsonArray, isSchema, schemaTypes } from './json-shape.ts'
import { patternExample } from './pattern-example.ts'
import type { CompiledSchema } from './validate.ts'

/**
 * Owns the making of example values: what the author wrote (`examples`, `default`, `const`, `enum`) before what can be made of
 * types and limits. An example shows a form; it may not fit every keyword, so whoever shows a whole one checks it first. Pure.
 */

/** Levels of an example; below that, members are left out or empty. Nobody reads deeper ones. */
const MAX_DEPTH = 6
/** Subschemas looked at for one example; the schema may fan out without end. Ours. */
const MAX_STEPS = 500

/**
 * An example that the schema accepts, or nothing when none could be made.
 *
 * @example
 * ```ts
 * exampleFor(compileSchema({ type: 'object', properties: { limit: { type: 'integer', minimum: 10 } }, required: ['limit'] })) // { limit: 10 }
 * ```
 */
export function exampleFor(compiled: CompiledSchema): JsonValue | undefined {
  const example = exampleOf(compiled.schema, compiled.schema)
  if (example !== undefined && compiled.accepts(example)) return example
  // What an author gives as an example may itself be wrong; types and limits are not.
  const made = new ExampleMaker(compiled.schema, false).make(compiled.schema, 0)
  return made !== undefined && compiled.accepts(made) ? made : undefined
}

/** An example for one subschema of `root`; not checked. */
export function exampleOf(root: JsonSchema, schema: JsonSchema): JsonValue | undefined {
  return new ExampleMaker(root, true).make(schema, 0)
}

class ExampleMaker {
  readonly #root: JsonSchema
  readonly #trusting: boolean
  #steps = 0

  constructor(root: JsonSchema, trusting: boolean) {
    this.#root = root
    this.#trusting = trusting
  }

  make(schema: JsonSchema, depth: number): JsonValue | undefined {
    if (schema === false || ++this.#steps > MAX_STEPS) return undefined
    if (schema === true) return 'text'
    const whole = this.#flat(schema, 0)
    const given = this.#given(whole)
    if (given !== undefined) return given
    for (const keyword of ['oneOf', 'anyOf']) {
      const branches = ownValue(whole, keyword)
      if (!isJsonArray(branches)) continue
      const { [keyword]: _, ...rest } = whole
      // `null` is a poor example while there is another.
      const sorted = [...branches.filter(isSchema)].sort((a, b) => Number(isNullOnly(a)) - Number(isNullOnly(b)))
      for (const branch of sorted) {
        const example = this.make(isJsonObject(branch) ? merge(rest, branch) : branch, depth)
        if (example !== undefined) return example
      }
    }
    return this.#byType(whole, depth)
  }

  /** With its `$ref` and `allOf` written out. */
  #flat(schema: JsonObject, hops: number): JsonObject {
    if (hops > 16) return schema
    const { $ref, allOf, ...own } = schema
    let whole: JsonObject = own
    const target = typeof $ref === 'string' ? followReference(this.#root, $ref) : undefined
    if (target !== undefined && isJsonObject(target.schema)) whole = merge(this.#flat(target.schema, hops + 1), whole)
    if (isJsonArray(allOf)) {
      for (const part of allOf) if (isJsonObject(part)) whole = merge(whole, this.#flat(part, hops + 1))
    }
    return whole
  }

  #given(schema: JsonObject): JsonValue | undefined {
    const fixed = ownValue(schema, 'const')
    if (fixed !== undefined) return fixed
    if (this.#trusting) {
      const examples = ownValue(schema, 'examples')
      const first = isJsonArray(examples) ? examples[0] : ownValue(schema, 'example')
      if (first !== undefined) return first
      const fallback = ownValue(schema, 'default')
      if (fallback !== undefined && fallback !== null && fallback !== '') return fallback
    }
    const choices = ownValue(schema, 'enum')
    return isJsonArray(choices) ? (choices.find((choice) => choice !== null) ?? choices[0]) : undefined
  }

  #byType(schema: JsonObject, depth: number): JsonValue | undefined {
    const types = schemaTypes(schema)
    switch (types.find((type) => type !== 'null') ?? types[0] ?? impliedType(schema)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth)
      case 'integer':
        return numberWithin(schema, 1)
      case 'number':
        return numberWithin(schema, 0)
      case 'boolean':
        return true
      case 'null':
        return null
      default:
        return textFor(schema)
    }
  }

  #object(schema: JsonObject, depth: number): JsonValue | undefined {
    const properties = ownValue(schema, 'properties')
    const declared = isJsonObject(properties) ? properties : {}
    const required = ownValue(schema, 'required')
    const names = new Set(isJsonArray(required) ? required.filter((name) => typeof name === 'string') : [])
    const least = ownValue(schema, 'minProperties')
    for (const name of Object.keys(declared)) {
      if (typeof least !== 'number' || names.size >= least) break
      names.add(name)
    }
    const members: [string, JsonValue][] = []
    for (const name of names) {
      const property = ownValue(declared, name) ?? ownValue(schema, 'additionalProperties')
      const example = depth >= MAX_DEPTH ? undefined : this.make(isSchema(property) ? property : true, depth + 1)
      if (example !== undefined) members.push([name, example])
    }
    return Object.fromEntries(members)
  }

  #array(schema: JsonObject, depth: number): JsonValue | undefined {
    const items = ownValue(schema, 'items')
    const list = isJsonArray(items) ? items : ownValue(schema, 'prefixItems')
    const rest = isJsonArray(items) ? ownValue(schema, 'additionalItems') : items
    const least = ownValue(schema, 'minItems')
    const most = ownValue(schema, 'maxItems')
    const wanted = Math.max(typeof least === 'number' ? least : 1, isJsonArray(list) ? list.length : 0)
    const count = Math.min(wanted, typeof most === 'number' ? most : wanted, 20)
    if (depth >= MAX_DEPTH) return []
    const made: JsonValue[] = []
    for (let index = 0; index < count; index++) {
      const listed = isJsonArray(list) ? list[index] : undefined
      const item = isSchema(listed) ? listed : isSchema(rest) ? rest : (ownValue(schema, 'contains') ?? true)
      const example = isSchema(item) ? this.make(item, depth + 1) : undefined
      if (example === undefined) break
      made.push(ownValue(schema, 'uniqueItems') === true ? differentFrom(made, example, isJsonObject(item) ? item : {}) : example)
    }
    return made
  }
}

function isNullOnly(schema: JsonSchema): boolean {
  return isJsonObject(schema) && schema.type === 'null'
}

/** Both at once, as far as an example needs it: the later word wins, members and required names add up. */
function merge(a: JsonObject, b: JsonObject): JsonObject {
  const [aProperties, bProperties] = [ownValue(a, 'properties'), ownValue(b, 'properties')]
  const [aRequired, bRequired] = [ownValue(a, 'required'), ownValue(b, 'required')]
  return {
    ...a,
    ...b,
    ...(isJsonObject(aProperties) && isJsonObject(bProperties) ? { properties: { ...aProperties, ...bProperties } } : {}),
    ...(isJsonArray(aRequired) && isJsonArray(bRequired) ? { required: [...aRequired, ...bRequired] } : {}),
  }
}

function impliedType(schema: JsonObject): string {
  if (Object.hasOwn(schema, 'properties') || Object.hasOwn(schema, 'required')) return 'object'
  if (Object.hasOwn(schema, 'items') || Object.hasOwn(schema, 'prefixItems')) return 'array'
  if (Object.hasOwn(schema, 'minimum') || Object.hasOwn(schema, 'maximum') || Object.hasOwn(schema, 'multipleOf')) return 'number'
  return 'string'
}

/** @param step what a number moves by to leave an exclusive limit: 1 for integers, 0 for "half way" */
function numberWithin(schema: JsonObject, step: 0 | 1): number {
  const limit = (key: string): number | undefined => {
    const value = ownValue(schema, key)
    return typeof value === 'number' ? value : undefined
  }
  const [exclusiveLeast, exclusiveMost] = [limit('exclusiveMinimum'), limit('exclusiveMaximum')]
  const nudge = step === 1 ? 1 : 0.5
  const least = Math.max(limit('minimum') ?? -Infinity, exclusiveLeast === undefined ? -Infinity : exclusiveLeast + nudge)
  const most = Math.min(limit('maximum') ?? Infinity, exclusiveMost === undefined ? Infinity : exclusiveMost - nudge)
  const multiple = limit('multipleOf')
  let value = Math.min(Math.max(1, least), most)
  if (step === 0 && least > most && exclusiveLeast !== undefined)
    value = (exclusiveLeast + (limit('maximum') ?? exclusiveMost ?? exclusiveLeast)) / 2
  if (step === 1) value = value >= least && value > 0 ? Math.floor(value) : Math.ceil(value)
  if (step === 1 && value < least) value = Math.ceil(least)
  if (multiple !== undefined && multiple > 0) {
    const above = Math.ceil(value / multiple) * multiple
    value = above <= most ? above : Math.floor(most / multiple) * multiple
  }
  return value
}

const BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-31T09:30:00Z'],
  ['date', '2026-01-31'],
  ['time', '09:30:00Z'],
  ['duration', 'PT15M'],
  ['email', 'name@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
  ['json', '{}'],
])

/** Texts of many forms, for patterns that no text can be made from; one of them often fits. */
const SAMPLES: readonly string[] = ['text', 'abc', 'A1', '123', '1.0.0', 'a/b', '/a', '2026-01-31 09:30:00', ...BY_FORMAT.values(), ' ', '']

function textFor(schema: JsonObject): string {
  const format = ownValue(schema, 'format')
  const least = ownValue(schema, 'minLength')
  const most = ownValue(schema, 'maxLength')
  let text = (typeof format === 'string' ? BY_FORMAT.get(format) : undefined) ?? 'text'
  const pattern = ownValue(schema, 'pattern')
  if (typeof pattern === 'string') text = textForPattern(pattern, text, (sample) => lengthFits(sample, least, most))
  if (typeof least === 'number' && text.length < least) text = text.padEnd(Math.min(least, 1_000), 'x')
  if (typeof most === 'number' && text.length > most) text = text.slice(0, most)
  return text
}

function textForPattern(pattern: string, text: string, lengthFits: (sample: string) => boolean): string {
  try {
    const fits = guardedPattern(pattern)
    const made = patternExample(pattern)
    const samples = made === undefined ? [text, ...SAMPLES] : [text, made, ...SAMPLES]
    return samples.find((sample) => fits.test(sample) && lengthFits(sample)) ?? made ?? text
  } catch {
    // No regular expression, or one without end: then there is no example of it.
    return text
  }
}

function lengthFits(text: string, least: JsonValue | undefined, most: JsonValue | undefined): boolean {
  return (typeof least !== 'number' || text.length >= least) && (typeof most !== 'number' || text.length <= most)
}

function differentFrom(made: readonly JsonValue[], example: JsonValue, schema: JsonObject): JsonValue {
  if (!made.includes(example)) return example
  const choices = ownValue(schema, 'enum')
  if (isJsonArray(choices)) return choices.find((choice) => !made.includes(choice)) ?? example
  if (typeof example === 'string') return `${example} ${made.length + 1}`
  if (typeof example === 'number') return example + made.length
  return typeof example === 'boolean' ? !example : example
}
