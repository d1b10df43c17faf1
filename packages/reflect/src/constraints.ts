import { isJsonObject, type JsonSchema, type JsonValue } from '@adjutant/core'
import { CONSTRAINTS, type ConstraintRule } from './constraint-names.ts'
import type { TypeReader, Use } from './described.ts'
import type { Doc, DocTag } from './doc-comment.ts'
import { ReflectFault } from './place.ts'

/**
 * Owns what doc comments add to a type: description, constraints, `@default`. A constraint that cannot be read is a fault; one
 * that says nothing of this type is a warning.
 */
export function withConstraints(reader: TypeReader, schema: JsonSchema, doc: Doc, use: Use): JsonSchema {
  const added: Record<string, JsonValue> = {}
  if (doc.description !== '') added.description = describedAs(schema, doc.description)
  for (const tag of doc.constraints) {
    const rule = CONSTRAINTS.get(tag.name)
    if (rule === undefined) continue
    const types = typesOf(schema)
    if (rule.types.length > 0 && types !== undefined && !types.some((type) => rule.types.includes(type))) {
      reader.warn(
        tag.node,
        `@${tag.name} says nothing of ${use.path}, which is ${types.join(' or ')}`,
        `It applies to ${rule.types.join(' and ')}.`,
      )
      continue
    }
    if (tag.name === 'integer') added.type = integerOf(schema)
    else added[tag.name] = constraintValue(tag, rule)
  }
  if (doc.fallback !== undefined) added.default = jsonOf(doc.fallback)
  if (Object.keys(added).length === 0) return schema
  return isJsonObject(schema) ? { ...schema, ...added } : schema ? added : schema
}

/** What the numbers of an enum stand for is kept. */
function describedAs(schema: JsonSchema, description: string): string {
  const own = isJsonObject(schema) && schema.enum !== undefined ? schema.description : undefined
  return typeof own === 'string' ? `${description} (${own})` : description
}

function integerOf(schema: JsonSchema): JsonValue {
  const type = isJsonObject(schema) ? schema.type : undefined
  return Array.isArray(type) ? type.map((one: JsonValue) => (one === 'number' ? 'integer' : one)) : 'integer'
}

function typesOf(schema: JsonSchema): readonly string[] | undefined {
  const type = isJsonObject(schema) ? schema.type : undefined
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : undefined
}

function constraintValue(tag: DocTag, rule: ConstraintRule): JsonValue {
  const text = tag.text.trim()
  const wrong = (wanted: string): never => {
    throw new ReflectFault(
      tag.node,
      `@${tag.name} ${text === '' ? 'says nothing' : JSON.stringify(text)}, where ${wanted} is wanted`,
      `Write @${tag.name} and ${wanted}.`,
    )
  }
  switch (rule.value) {
    case 'flag':
      return text !== 'false'
    case 'text':
      return text === '' ? wrong('a word') : text
    case 'json':
      return examplesOf(text)
    case 'pattern':
      return patternOf(text) ?? wrong('a regular expression')
    case 'count':
      return /^\d+$/.test(text) ? Number(text) : wrong('a whole number from 0 on')
    case 'number': {
      const number = Number(text)
      return text !== '' && Number.isFinite(number) && (tag.name !== 'multipleOf' || number > 0) ? number : wrong('a number')
    }
    default:
      return rule.value satisfies never
  }
}

/** As JSON Schema has it, or between slashes. */
function patternOf(text: string): string | undefined {
  const pattern = /^\/(.*)\/$/s.exec(text)?.[1] ?? text
  if (pattern === '') return undefined
  try {
    new RegExp(pattern, 'u')
    return pattern
  } catch {
    return undefined
  }
}

function examplesOf(text: string): JsonValue {
  const value = jsonOf(text)
  return Array.isArray(value) ? value : [value]
}

/** JSON where it is that, else the text itself: `@default red` and `@default "red"` mean the same. */
export function jsonOf(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return text.replace(/^`(.*)`$|^'(.*)'$/s, '$1$2')
  }
}
