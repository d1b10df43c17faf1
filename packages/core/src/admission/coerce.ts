import type { Conversion } from '../contract/call.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, ownValue } from '../contract/json.ts'
import { type Converted, chooseFrom, convertScalar } from './coerce-scalar.ts'
import { guardedPattern } from './guarded-pattern.ts'
import { clippedJson, followReference, isJsonArray, isSchema, pointerToken } from './json-shape.ts'
import type { Checker, CompiledSchema, Issue } from './validate.ts'

/**
 * Owns tolerant conversion: what a model plainly meant is taken as meant, and each change is recorded.
 *
 * It begins where checking failed and touches nothing that fits. A conversion counts only when the whole value fits in the
 * end; where a schema offers alternatives, only when exactly one of them comes to fit. Nothing is invented: a missing argument
 * stays missing, and `default` is an annotation that is never filled in (tools know their defaults).
 *
 * Pure: the value that is given is never changed; the new one shares what is the same.
 */

export interface Coercion {
  /** With every conversion that was found; fits when `issues` is empty. */
  readonly value: JsonValue
  readonly conversions: readonly Conversion[]
  /** What is still wrong with `value`. */
  readonly issues: readonly Issue[]
}

/** A conversion may uncover another (JSON text, and in it a numeric string): so many layers are followed. Ours. */
const MAX_ROUNDS = 6
/** Alternatives tried for one value, over all its places. Ours: each costs a check of some microseconds. */
const MAX_ALTERNATIVES = 10_000
/** References followed at one place without coming to a keyword. */
const MAX_HOPS = 32

/**
 * @example
 * ```ts
 * const compiled = compileSchema({ type: 'object', properties: { limit: { type: 'integer' } } })
 * coerce(compiled, { limit: '5' }) // { value: { limit: 5 }, conversions: [{ path: '/limit', … }], issues: [] }
 * ```
 */
export function coerce(compiled: CompiledSchema, value: JsonValue): Coercion {
  const root = compiled.schema
  return new Converter(compiled).convert(compiled, { schema: root, pointer: '' }, value, '')
}

/** A subschema and where it stands in the whole schema. */
interface Place {
  readonly schema: JsonSchema
  readonly pointer: string
}

/** What one pass over a value knows. */
interface Pass {
  /** Paths where something is wrong, and all paths above them. */
  readonly touched: ReadonlySet<string>
  /** Paths where something is wrong. */
  readonly wrong: ReadonlySet<string>
  /** Paths where no alternative fits. */
  readonly undecided: ReadonlySet<string>
  /** Prefix of `path`s in the record. */
  readonly base: string
  readonly conversions: Conversion[]
}

class Converter {
  readonly #compiled: CompiledSchema
  #alternatives = 0

  constructor(compiled: CompiledSchema) {
    this.#compiled = compiled
  }

  convert(checker: Checker, place: Place, value: JsonValue, base: string): Coercion {
    const conversions: Conversion[] = []
    let current = value
    let issues = checker.issues(current)
    for (let round = 0; round < MAX_ROUNDS && issues.length > 0; round++) {
      const next = this.#walk(place, current, '', passOver(issues, base, conversions), 0)
      if (next === current) break
      current = next
      issues = checker.issues(current)
    }
    return { value: current, conversions, issues }
  }

  #walk(place: Place, value: JsonValue, path: string, pass: Pass, hops: number): JsonValue {
    const { schema, pointer } = place
    if (!isJsonObject(schema) || !pass.touched.has(path) || hops > MAX_HOPS) return value
    let current = value
    const reference = ownValue(schema, '$ref')
    if (typeof reference === 'string') {
      const target = followReference(this.#compiled.schema, reference)
      if (target !== undefined) current = this.#walk(target, current, path, pass, hops + 1)
    }
    for (const [index, part] of listOf(schema, 'allOf').entries()) {
      current = this.#walk({ schema: part, pointer: `${pointer}/allOf/${index}` }, current, path, pass, hops + 1)
    }
    if (pass.wrong.has(path)) {
      const converted = convertScalar(schema, current)
      if (converted !== undefined) current = record(pass, path, current, converted)
    }
    if (pass.undecided.has(path)) {
      current = this.#alternative(place, 'oneOf', current, path, pass)
      current = this.#alternative(place, 'anyOf', current, path, pass)
    }
    current = this.#condition(place, current, path, pass, hops)
    // A value that was just converted has new members, which the next round looks at.
    if (current !== value) return current
    if (isJsonArray(current)) return this.#items(place, current, path, pass)
    return isJsonObject(current) ? this.#members(place, current, path, pass) : current
  }

  /** Takes the alternative that fits after conversion, when it is the only one. */
  #alternative(place: Place, keyword: 'anyOf' | 'oneOf', value: JsonValue, path: string, pass: Pass): JsonValue {
    if (!isJsonObject(place.schema)) return value
    const branches = listOf(place.schema, keyword)
    const labelled = labelledChoice(branches, value)
    if (labelled !== undefined) return record(pass, path, value, labelled)
    let found: Coercion | undefined
    for (const [index, schema] of branches.entries()) {
      if (++this.#alternatives > MAX_ALTERNATIVES) return value
      const pointer = `${place.pointer}/${keyword}/${index}`
      const checker = this.#compiled.part(pointer)
      if (checker === undefined) continue
      const coercion = this.convert(checker, { schema, pointer }, value, `${pass.base}${path}`)
      if (coercion.issues.length > 0) continue
      // Fits as it is: what is wrong lies elsewhere.
      if (coercion.conversions.length === 0) return value
      if (found !== undefined && JSON.stringify(found.value) !== JSON.stringify(coercion.value)) return value
      found ??= coercion
    }
    if (found === undefined) return value
    pass.conversions.push(...found.conversions)
    return found.value
  }

  #condition(place: Place, value: JsonValue, path: string, pass: Pass, hops: number): JsonValue {
    if (!isJsonObject(place.schema) || ownValue(place.schema, 'if') === undefined) return value
    const holds = this.#compiled.part(`${place.pointer}/if`)?.accepts(value)
    if (holds === undefined) return value
    const keyword = holds ? 'then' : 'else'
    const schema = ownValue(place.schema, keyword)
    return isSchema(schema) ? this.#walk({ schema, pointer: `${place.pointer}/${keyword}` }, value, path, pass, hops + 1) : value
  }

  #members(place: Place, value: JsonObject, path: string, pass: Pass): JsonValue {
    if (!isJsonObject(place.schema)) return value
    let changed = false
    const members: [string, JsonValue][] = []
    for (const [key, member] of Object.entries(value)) {
      const memberPath = `${path}/${pointerToken(key)}`
      const below = pass.touched.has(memberPath) ? memberPlace(place, key) : undefined
      if (below === undefined) {
        members.push([key, member])
      } else if (member === null && pass.wrong.has(memberPath) && isOptional(place, key, this.#compiled.schema)) {
        changed = true
        pass.conversions.push({ path: `${pass.base}${memberPath}`, from: 'null', to: 'left out', rule: 'null → left out' })
      } else {
        const converted = this.#walk(below, member, memberPath, pass, 0)
        changed ||= converted !== member
        members.push([key, converted])
      }
    }
    if (!changed) return value
    // fromEntries defines own members, so a key `__proto__` stays a key.
    return Object.fromEntries(members)
  }

  #items(place: Place, value: readonly JsonValue[], path: string, pass: Pass): JsonValue {
    if (!isJsonObject(place.schema)) return value
    let changed = false
    const items = value.map((item, index) => {
      const itemPath = `${path}/${index}`
      const below = pass.touched.has(itemPath) ? itemPlace(place, index) : undefined
      const converted = below === undefined ? item : this.#walk(below, item, itemPath, pass, 0)
      changed ||= converted !== item
      return converted
    })
    return changed ? items : value
  }
}

function passOver(issues: readonly Issue[], base: string, conversions: Conversion[]): Pass {
  const touched = new Set<string>([''])
  const wrong = new Set<string>()
  const undecided = new Set<string>()
  for (const issue of issues) {
    wrong.add(issue.path)
    if (issue.keyword === 'anyOf' || issue.keyword === 'oneOf') undecided.add(issue.path)
    for (let path = issue.path; path !== '' && !touched.has(path); path = path.slice(0, path.lastIndexOf('/'))) touched.add(path)
  }
  return { touched, wrong, undecided, base, conversions }
}

function record(pass: Pass, path: string, from: JsonValue, converted: Converted): JsonValue {
  pass.conversions.push({
    path: `${pass.base}${path}`,
    from: clippedJson(from, 200),
    to: clippedJson(converted.value, 200),
    rule: converted.rule,
  })
  return converted.value
}

/** `oneOf`/`anyOf` of constants, each with its label: the label, or another spelling of the constant, stands for the constant. */
function labelledChoice(branches: readonly JsonSchema[], value: JsonValue): Converted | undefined {
  const choices: JsonValue[] = []
  const labels: (JsonValue | undefined)[] = []
  for (const branch of branches) {
    const choice = isJsonObject(branch) ? ownValue(branch, 'const') : undefined
    if (!isJsonObject(branch) || choice === undefined) return undefined
    choices.push(choice)
    labels.push(ownValue(branch, 'title'))
  }
  return chooseFrom(choices, labels, value)
}

function listOf(schema: JsonObject, keyword: string): readonly JsonSchema[] {
  const list = ownValue(schema, keyword)
  return isJsonArray(list) ? list.filter(isSchema) : []
}

function memberPlace(place: Place, key: string): Place | undefined {
  if (!isJsonObject(place.schema)) return undefined
  const properties = ownValue(place.schema, 'properties')
  const own = isJsonObject(properties) ? ownValue(properties, key) : undefined
  if (isSchema(own)) return { schema: own, pointer: `${place.pointer}/properties/${pointerToken(key)}` }
  const patterns = ownValue(place.schema, 'patternProperties')
  if (isJsonObject(patterns)) {
    for (const [pattern, schema] of Object.entries(patterns)) {
      if (isSchema(schema) && guardedPattern(pattern).test(key)) {
        return { schema, pointer: `${place.pointer}/patternProperties/${pointerToken(pattern)}` }
      }
    }
  }
  const others = ownValue(place.schema, 'additionalProperties')
  return isSchema(others) ? { schema: others, pointer: `${place.pointer}/additionalProperties` } : undefined
}

function itemPlace(place: Place, index: number): Place | undefined {
  if (!isJsonObject(place.schema)) return undefined
  // draft-07 writes the list as `items` and the rest as `additionalItems`.
  const items = ownValue(place.schema, 'items')
  const [listKey, restKey] = isJsonArray(items) ? (['items', 'additionalItems'] as const) : (['prefixItems', 'items'] as const)
  const list = ownValue(place.schema, listKey)
  const listed = isJsonArray(list) ? list[index] : undefined
  if (isSchema(listed)) return { schema: listed, pointer: `${place.pointer}/${listKey}/${index}` }
  const rest = ownValue(place.schema, restKey)
  return isSchema(rest) ? { schema: rest, pointer: `${place.pointer}/${restKey}` } : undefined
}

/** Declared and not required: then `null` is how models write "not given". */
function isOptional(place: Place, key: string, root: JsonSchema): boolean {
  if (!isJsonObject(place.schema)) return false
  const properties = ownValue(place.schema, 'properties')
  return isJsonObject(properties) && Object.hasOwn(properties, key) && !isRequired(place.schema, key, root, 0)
}

function isRequired(schema: JsonSchema, key: string, root: JsonSchema, hops: number): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return false
  const required = ownValue(schema, 'required')
  if (isJsonArray(required) && required.includes(key)) return true
  if (listOf(schema, 'allOf').some((part) => isRequired(part, key, root, hops + 1))) return true
  const reference = ownValue(schema, '$ref')
  const target = typeof reference === 'string' ? followReference(root, reference) : undefined
  return target !== undefined && isRequired(target.schema, key, root, hops + 1)
}
