import { isJsonObject, type JsonObject } from '../../../contract/index.ts'
import { ownValue } from '../../../contract/json.ts'
import { findSchemaFault } from '../../check-tool.ts'
import { measureJson } from './measure-json.ts'

/** A server's tool, looked at and found usable, under the name the server gave it. */
export interface ListedTool {
  readonly originalName: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly readOnly: boolean
  readonly idempotent: boolean
  /** Its server says that it may destroy something. */
  readonly destructive: boolean
  /** It works with the world outside: what it gives back may have been written by anybody. True unless its server says otherwise. */
  readonly openWorld: boolean
}

export interface ToolReading {
  readonly tool?: ListedTool
  /** Why there is no tool, or what of it was left out. */
  readonly faults: readonly { readonly message: string; readonly hint: string }[]
}

const MAX_NAME = 1_000
/** One definition: the longest of 261 real ones has 6 300 letters. A model is sent all of it, each turn. */
const MAX_SIZE = 256 * 1024
/** Validators and providers walk schemas by recursion; the deepest of 261 real ones has 15 levels. */
const MAX_DEPTH = 64
const SERVER_HINT = 'This has to be corrected in the server; its other tools can be used.'

/**
 * Reads one entry of a `tools/list` answer. What a schema says is kept as it is and judged when the tool is called first:
 * real servers send `$ref` beside other members, references into `#/properties`, and no `type` at all, and most of it works.
 * Annotations of the wrong type count for nothing, so the tool is a write.
 */
export function readTool(entry: unknown): ToolReading {
  if (!isJsonObject(entry)) return fault('is not an object')
  const name = ownValue(entry, 'name')
  if (name === undefined || name === '') return fault('has no name')
  if (typeof name !== 'string') return fault(`has a name that is no string but ${JSON.stringify(name).slice(0, 80)}`)
  if (name.length > MAX_NAME) return fault(`has a name of ${name.length} letters; ${MAX_NAME} are the limit`)
  const excess = measureJson(entry, { size: MAX_SIZE, depth: MAX_DEPTH })
  if (excess !== undefined) return fault(`has a definition ${excess}`)
  const inputSchema = ownValue(entry, 'inputSchema')
  if (!isJsonObject(inputSchema)) return fault(`has an inputSchema that is ${inputSchema === undefined ? 'missing' : 'no object'}`)
  const broken = findSchemaFault(inputSchema, 'inputSchema')?.message ?? findRootFault(inputSchema)
  if (broken !== undefined) return fault(broken)
  const outputSchema = ownValue(entry, 'outputSchema')
  const annotations = ownValue(entry, 'annotations')
  const hints = annotations !== undefined && isJsonObject(annotations) ? annotations : {}
  const faults =
    outputSchema === undefined || isJsonObject(outputSchema)
      ? []
      : [{ message: 'outputSchema is no object and is ignored', hint: SERVER_HINT }]
  return {
    tool: {
      originalName: name,
      description: textOf(entry, 'description') ?? textOf(entry, 'title') ?? textOf(hints, 'title') ?? '',
      inputSchema,
      ...(outputSchema !== undefined && isJsonObject(outputSchema) ? { outputSchema } : {}),
      readOnly: ownValue(hints, 'readOnlyHint') === true,
      idempotent: ownValue(hints, 'idempotentHint') === true,
      destructive: ownValue(hints, 'destructiveHint') === true,
      openWorld: ownValue(hints, 'openWorldHint') !== false,
    },
    faults,
  }
}

/** The members at the root that everything else leans on. */
function findRootFault(schema: JsonObject): string | undefined {
  const properties = ownValue(schema, 'properties')
  if (properties !== undefined) {
    if (!isJsonObject(properties)) return 'inputSchema.properties is no object'
    for (const [key, value] of Object.entries(properties)) {
      if (typeof value !== 'boolean' && !isJsonObject(value)) return `inputSchema.properties.${key.slice(0, 80)} is no schema`
    }
  }
  const required = ownValue(schema, 'required')
  if (required === undefined || (Array.isArray(required) && required.every((key) => typeof key === 'string'))) return undefined
  return 'inputSchema.required is no list of names'
}

function fault(message: string): ToolReading {
  return { faults: [{ message, hint: SERVER_HINT }] }
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = ownValue(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
