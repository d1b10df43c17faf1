import type { StandardSchemaV1 } from '@standard-schema/spec'
import { AdjutantError, isJsonObject, type JsonObject } from '../../contract/index.ts'

/**
 * Owns the talk with schema libraries, through the Standard Schema and Standard JSON Schema interfaces only: no library is
 * known by name.
 */

/** True for a schema object of any library that follows Standard Schema (some are functions). */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) return false
  const standard = value['~standard']
  return isObject(standard) && typeof standard.validate === 'function'
}

/**
 * The JSON Schema (draft 2020-12) of what goes in or comes out.
 * @throws AdjutantError TOOL_INVALID when the library cannot give one, saying what to pass instead
 */
export function jsonSchemaOf(schema: StandardSchemaV1, side: 'input' | 'output', tool: string): JsonObject {
  const standard: StandardSchemaV1.Props & { readonly jsonSchema?: unknown } = schema['~standard']
  const beside = side === 'input' ? 'inputSchema' : 'outputSchema'
  const hint = `Pass its JSON Schema as ${beside} beside ${side}.`
  const converter = isObject(standard.jsonSchema) ? standard.jsonSchema[side] : undefined
  if (typeof converter !== 'function') {
    throw new AdjutantError('TOOL_INVALID', `tool ${tool}: ${side} is a schema of ${standard.vendor}, which gives no JSON Schema`, { hint })
  }
  let made: unknown
  try {
    // Through text, so that what is kept is plain data and not tied to the library's objects.
    made = JSON.parse(JSON.stringify(converter.call(standard.jsonSchema, { target: 'draft-2020-12' })))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AdjutantError('TOOL_INVALID', `tool ${tool}: ${standard.vendor} cannot write ${side} as JSON Schema: ${why}`, {
      hint,
      cause: error,
    })
  }
  if (isJsonObject(made)) return made
  throw new AdjutantError('TOOL_INVALID', `tool ${tool}: ${standard.vendor} gave no JSON Schema for ${side}`, { hint })
}

/**
 * The value as the library makes it of the input (defaults filled in, transformed). Synchronous when the library is.
 * @throws AdjutantError INVALID_ARGUMENTS, naming each place
 */
export function validated(schema: StandardSchemaV1, input: JsonObject, tool: string): unknown {
  const result = schema['~standard'].validate(input)
  return result instanceof Promise ? result.then((settled) => unwrap(settled, tool)) : unwrap(result, tool)
}

function unwrap(result: StandardSchemaV1.Result<unknown>, tool: string): unknown {
  if (!result.issues) return result.value
  const lines = result.issues.map((issue) => `- ${pointerOf(issue)}: ${issue.message}`)
  const many = lines.length === 1 ? '1 argument does' : `${lines.length} arguments do`
  throw new AdjutantError('INVALID_ARGUMENTS', `${tool}: ${many} not fit:\n${lines.join('\n')}`)
}

/** JSON Pointer into the arguments; `/` for the arguments as a whole. */
function pointerOf(issue: StandardSchemaV1.Issue): string {
  const path = issue.path ?? []
  if (path.length === 0) return '/'
  return path
    .map(
      (segment) =>
        `/${String(typeof segment === 'object' ? segment.key : segment)
          .replaceAll('~', '~0')
          .replaceAll('/', '~1')}`,
    )
    .join('')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}
