/**
 * What providers refuse in the schema of a tool's arguments. One such schema makes them refuse the whole request. Adjutant rewrites most
 * of it before it sends a definition; other hosts that use the same definitions do not, and what is rewritten says less.
 */
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, ownValue } from '../../contract/json.ts'

interface ProviderProblem {
  /** `openai`, `anthropic`, `gemini`; `any` where all of them refuse it. */
  readonly provider: 'openai' | 'anthropic' | 'gemini' | 'any'
  /** Where in the schema, as a JSON pointer; empty for the root. */
  readonly place: string
  readonly what: string
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const COMBINING = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'] as const
const ANTHROPIC_ROOT = ['anyOf', 'oneOf', 'allOf'] as const
const ANTHROPIC_PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/
const MOST_PROBLEMS = 12
const MOST_NODES = 5_000
const DEEPEST = 60

export function providerProblems(schema: JsonSchema | undefined): readonly ProviderProblem[] {
  if (schema === undefined || (isJsonObject(schema) && Object.keys(schema).length === 0)) return []
  if (typeof schema === 'boolean') return [{ provider: 'any', place: '', what: `is ${schema}, where an object is wanted` }]
  const problems: ProviderProblem[] = []
  let nodes = 0
  const add = (provider: ProviderProblem['provider'], place: string, what: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push({ provider, place, what })
  }

  const root = (node: JsonObject): void => {
    if (node.type !== 'object' && node.$ref === undefined)
      add('any', '', `has type ${JSON.stringify(node.type ?? null)}, where "object" is wanted`)
    for (const key of COMBINING) if (node[key] !== undefined) add('openai', '', `has ${key} at its root`)
    for (const key of ANTHROPIC_ROOT) if (node[key] !== undefined) add('anthropic', '', `has ${key} at its root`)
    if (!isJsonObject(node.properties)) return
    for (const name of Object.keys(node.properties)) {
      if (!ANTHROPIC_PROPERTY.test(name))
        add('anthropic', `/properties/${escaped(name)}`, 'has a name of other characters than letters, digits, _ . -')
    }
  }

  const visit = (value: JsonValue | undefined, place: string, depth: number): void => {
    if (!isJsonObject(value) || depth > DEEPEST || ++nodes > MOST_NODES) return
    for (const type of Array.isArray(value.type) ? value.type : [value.type]) {
      if (type !== undefined && (typeof type !== 'string' || !TYPES.has(type)))
        add('any', place, `has type ${JSON.stringify(type)}, which JSON Schema does not know`)
    }
    if (value.type === 'array' && value.items === undefined && value.prefixItems === undefined) {
      add('openai', place, 'is an array without items')
      add('gemini', place, 'is an array without items')
    }
    if (Array.isArray(value.items)) add('any', place, 'has a list of items, the form of an older draft')
    const { $ref } = value
    if (typeof $ref === 'string') {
      if (!$ref.startsWith('#')) add('any', place, `refers to another document, ${JSON.stringify($ref.slice(0, 80))}`)
      else if (!isThere(schema, $ref)) add('any', place, `refers to ${JSON.stringify($ref.slice(0, 80))}, which is not there`)
      if (Object.keys(value).length > 1 && depth > 0) add('gemini', place, 'has something beside its $ref')
    }
    const { required, properties } = value
    if (required !== undefined && !Array.isArray(required)) add('any', place, 'has a "required" that is no list')
    if (Array.isArray(required) && isJsonObject(properties) && depth === 0) {
      for (const name of required) {
        if (typeof name === 'string' && !Object.hasOwn(properties, name))
          add('gemini', place, `requires ${JSON.stringify(name)}, which is no property`)
      }
    }
    for (const key of ['properties', '$defs', 'definitions', 'patternProperties'] as const) {
      const group = value[key]
      if (isJsonObject(group))
        for (const name of Object.keys(group)) visit(ownValue(group, name), `${place}/${key}/${escaped(name)}`, depth + 1)
    }
    for (const key of ['items', 'additionalProperties', 'not'] as const) visit(value[key], `${place}/${key}`, depth + 1)
    for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const) {
      const list = value[key]
      if (Array.isArray(list)) for (const [at, each] of list.entries()) visit(each, `${place}/${key}/${at}`, depth + 1)
    }
  }

  root(schema)
  // The type of the root is told once.
  visit(problems.some(({ place }) => place === '') ? { ...schema, type: 'object' } : schema, '', 0)
  return problems
}

function isThere(root: JsonObject, reference: string): boolean {
  if (reference === '#' || !reference.startsWith('#/')) return true
  let at: JsonValue | undefined = root
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = at[Number(key)]
    else if (isJsonObject(at)) at = ownValue(at, key)
    else return false
  }
  return at !== undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function escaped(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}
