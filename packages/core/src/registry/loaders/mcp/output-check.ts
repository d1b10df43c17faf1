import type { CallToolResult } from '@modelcontextprotocol/client'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json.ts'
import type { ListedTool } from './read-tool.ts'

const MAX_REASON = 500

/** The client's way to compile a schema. */
export interface OutputValidators {
  getValidator(schema: JsonObject): (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined }
}

/**
 * Owns the question whether a result has the form its tool declared. A result of another form is still what the tool did: it is
 * shown, with a note that it is not what was declared. Patterns are not checked: a server could choose one that never ends.
 */
export class OutputCheck {
  readonly #validators: () => OutputValidators
  readonly #compiled = new WeakMap<ListedTool, (value: unknown) => string | undefined>()

  /** @param validators makes a new one for each schema: two that claim one `$id` must not be taken for each other */
  constructor(validators: () => OutputValidators) {
    this.#validators = validators
  }

  /** What is wrong with the structured content of a result; undefined when nothing is, or nothing was declared. */
  fault(tool: ListedTool, result: CallToolResult): string | undefined {
    if (tool.outputSchema === undefined || result.isError === true) return undefined
    const value: unknown = result.structuredContent
    if (value === undefined) return 'it declared structured content and gave none'
    let check = this.#compiled.get(tool)
    if (check === undefined) {
      check = this.#compile(tool.outputSchema)
      this.#compiled.set(tool, check)
    }
    return check(value)
  }

  #compile(schema: JsonObject): (value: unknown) => string | undefined {
    try {
      const validate = this.#validators().getValidator(withoutPatterns(schema))
      return (value) => {
        const { valid, errorMessage } = validate(value)
        return valid ? undefined : (errorMessage ?? 'it is of another form').slice(0, MAX_REASON)
      }
    } catch (error) {
      const why = `the form it declared cannot be checked: ${error instanceof Error ? error.message : String(error)}`.slice(0, MAX_REASON)
      return () => why
    }
  }
}

/** Keywords whose members are named by the schema's author: a property called "pattern" is none. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const VALUES = new Set(['const', 'enum', 'default', 'examples'])

function withoutPatterns(schema: JsonObject): JsonObject {
  const members: [string, JsonValue][] = []
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' || key === 'patternProperties') continue
    if (VALUES.has(key)) members.push([key, value])
    else if (NAMED.has(key) && isJsonObject(value)) {
      members.push([key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)]))])
    } else members.push([key, inside(value)])
  }
  return Object.fromEntries(members)
}

function inside(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return withoutPatterns(value)
  return isList(value) ? value.map(inside) : value
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
