/**
 * Reads a file of tool definitions: JSON lines, one JSON array, or an answer of `tools/list` (`{"tools":[…]}`), each tool in the form of
 * MCP, of Anthropic or of OpenAI. What is not a tool is reported with its place, and the rest is read.
 */
import { readFile } from 'node:fs/promises'
import { AdjutantError, isJsonObject, type JsonObject, type JsonSchema, type JsonValue, type SearchDocument } from '@adjutant/core'

/** One definition of the file. */
interface CatalogueTool extends SearchDocument {
  /** The id that the file gives, if it gives one; `id` is unique in any case. */
  readonly givenId?: string
  /** Line (JSON lines) or number (array) in the file, from 1. */
  readonly place: number
}

export interface CatalogueFile {
  readonly tools: readonly CatalogueTool[]
  /** One tool a line: `place` is its line. */
  readonly lines: boolean
  /** What was passed over, e.g. `tools.jsonl:5 is not JSON`. */
  readonly problems: readonly string[]
}

/** @throws AdjutantError USAGE when the file cannot be read or holds no JSON at all */
export async function readCatalogue(path: string): Promise<CatalogueFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AdjutantError('USAGE', `the catalogue ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Name a file of tool definitions, one JSON object a line.',
      cause,
    })
  })
  const tools: CatalogueTool[] = []
  const problems: string[] = []
  const ids = new Set<string>()
  const body = text.replace(/^\ufeff/, '')
  const list = listOf(body)
  for (const { place, value } of list ?? lineEntries(body, problems, path)) {
    const tool = toolOf(value, place)
    if (typeof tool === 'string') problems.push(`${path}:${place} ${tool}`)
    else {
      // Several tools may share a name, and a careless file even an id: the place tells them apart.
      const id = ids.has(tool.id) ? `${tool.id}#${place}` : tool.id
      ids.add(id)
      tools.push({ ...tool, id })
    }
  }
  if (tools.length === 0 && problems.length > 0) {
    throw new AdjutantError('USAGE', `the catalogue ${path} holds no tool: ${problems[0]}`, {
      hint: 'Write one JSON object a line, each with "name", "description" and "inputSchema".',
    })
  }
  return { tools, lines: list === undefined, problems }
}

interface Entry {
  readonly place: number
  readonly value: JsonValue
}

/** The tools of a file that is one JSON document. */
function listOf(text: string): readonly Entry[] | undefined {
  const whole = /^\s*[[{]/.test(text) ? parsed(text) : undefined
  const list = Array.isArray(whole) ? whole : isJsonObject(whole) && Array.isArray(whole.tools) ? whole.tools : undefined
  return list?.map((value, at) => ({ place: at + 1, value }))
}

function* lineEntries(text: string, problems: string[], path: string): Generator<Entry> {
  let place = 0
  for (const line of text.split('\n')) {
    place++
    if (line.trim() === '') continue
    const value = parsed(line)
    if (value === undefined) problems.push(`${path}:${place} is not JSON`)
    else yield { place, value }
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toolOf(value: JsonValue, place: number): CatalogueTool | string {
  if (!isJsonObject(value)) return 'is not an object'
  const body = isJsonObject(value.function) ? value.function : value
  const { name } = body
  if (typeof name !== 'string' || name === '') return 'has no "name"'
  const schema = [body.inputSchema, body.input_schema, body.parameters].find(isSchema)
  const givenId = textOf(value, 'id')
  const title = textOf(body, 'title') ?? (isJsonObject(body.annotations) ? textOf(body.annotations, 'title') : undefined)
  const server = textOf(value, 'server')
  const serverDescription = textOf(value, 'serverDescription')
  const description = [textOf(body, 'description'), textOf(value, 'descriptionForModel')].filter((part) => part !== undefined).join('\n')
  return {
    id: givenId ?? name,
    ...(givenId === undefined ? {} : { givenId }),
    place,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    ...(schema === undefined ? {} : { inputSchema: schema }),
    ...(server === undefined ? {} : { server }),
    ...(serverDescription === undefined ? {} : { serverDescription }),
  }
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return isJsonObject(value) || typeof value === 'boolean'
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
