import { isJsonObject, type JsonSchema, type JsonValue, ownValue } from '../../contract/json.ts'

/** The words of an input schema, by kind. */
export interface SchemaText {
  readonly names: string[]
  readonly texts: string[]
  readonly choices: string[]
}

/** Bounds, so that a hostile or generated schema costs no more than a large honest one. */
const DEEPEST = 6
const MOST_NODES = 1_500
const MOST_CHOICES = 50
const LONGEST_CHOICE = 64
const MOST_CHARACTERS = 24_000

/**
 * Collects parameter names, descriptions and choices. References are not followed: what `$defs` holds is read once, where it stands, so
 * a schema that refers to itself ends. Boolean schemas have no words.
 */
export function readSchemaText(schema: JsonSchema | undefined): SchemaText {
  const found: SchemaText = { names: [], texts: [], choices: [] }
  let nodes = 0
  let characters = 0

  const note = (list: string[], text: string): void => {
    if (characters >= MOST_CHARACTERS) return
    characters += text.length
    list.push(text)
  }
  const each = (value: JsonValue | undefined, depth: number): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, depth)
    else if (value !== undefined) visit(value, depth)
  }
  const members = (value: JsonValue | undefined, depth: number, named: boolean): void => {
    if (!isJsonObject(value)) return
    for (const key of Object.keys(value)) {
      if (nodes > MOST_NODES) return
      if (named) note(found.names, key)
      visit(ownValue(value, key), depth)
    }
  }
  const visit = (node: JsonValue | undefined, depth: number): void => {
    nodes++
    if (depth > DEEPEST || nodes > MOST_NODES || !isJsonObject(node)) return
    if (depth > 0) {
      if (typeof node.title === 'string') note(found.texts, node.title)
      if (typeof node.description === 'string') note(found.texts, node.description)
    }
    if (Array.isArray(node.enum)) {
      for (const choice of node.enum.slice(0, MOST_CHOICES)) {
        if (typeof choice === 'string' && choice.length <= LONGEST_CHOICE) note(found.choices, choice)
      }
    }
    if (typeof node.const === 'string' && node.const.length <= LONGEST_CHOICE) note(found.choices, node.const)
    members(node.properties, depth + 1, true)
    each(node.items, depth + 1)
    each(node.anyOf, depth + 1)
    each(node.oneOf, depth + 1)
    each(node.allOf, depth + 1)
    if (isJsonObject(node.additionalProperties)) visit(node.additionalProperties, depth + 1)
    members(node.$defs, depth + 1, false)
    members(node.definitions, depth + 1, false)
  }
  if (schema !== undefined && typeof schema !== 'boolean') visit(schema, 0)
  return found
}
