import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isJsonObject, type JsonObject, type JsonValue, type ToolDefinition } from '../../contract/index.ts'
import { findSchemaFault } from '../check-tool.ts'
import { WireNames } from '../naming.ts'
import { toAnthropicTools } from './anthropic.ts'
import { toolDefinitionOf } from './definition.ts'
import { toGeminiTools } from './gemini.ts'
import { toMcpTools } from './mcp.ts'
import { toOpenAiChatTools, toOpenAiResponsesTools } from './openai.ts'

const day: ToolDefinition = {
  name: 'weekday',
  description: 'Names the weekday of a date.',
  inputSchema: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  outputSchema: { type: 'object', properties: { weekday: { type: 'string' } } },
}
const now: ToolDefinition = { name: 'now', description: 'Tells the time.', inputSchema: true }

describe('definitions', () => {
  it('are written in the form of Chat Completions', () => {
    assert.deepEqual(toOpenAiChatTools([day, now]), [
      { type: 'function', function: { name: 'weekday', description: day.description, parameters: day.inputSchema } },
      { type: 'function', function: { name: 'now', description: now.description, parameters: { type: 'object', properties: {} } } },
    ])
  })

  it('are written in the form of Responses', () => {
    assert.deepEqual(toOpenAiResponsesTools([day]), [
      { type: 'function', name: 'weekday', description: day.description, parameters: day.inputSchema, strict: false },
    ])
  })

  it('are written in the form of Messages', () => {
    assert.deepEqual(toAnthropicTools([day]), [{ name: 'weekday', description: day.description, input_schema: day.inputSchema }])
  })

  it('are written in the form of generateContent', () => {
    assert.deepEqual(toGeminiTools([day]), [
      { functionDeclarations: [{ name: 'weekday', description: day.description, parametersJsonSchema: day.inputSchema }] },
    ])
    assert.deepEqual(toGeminiTools([]), [])
  })

  it('are written in the form of tools/list', () => {
    assert.deepEqual(toMcpTools([day, now]), [
      { name: 'weekday', description: day.description, inputSchema: day.inputSchema, outputSchema: day.outputSchema },
      { name: 'now', description: now.description, inputSchema: { type: 'object' } },
    ])
    assert.deepEqual(toMcpTools([{ ...now, outputSchema: { type: 'string' }, inputSchema: { properties: {} } }]), [
      { name: 'now', description: now.description, inputSchema: { properties: {}, type: 'object' } },
    ])
  })

  it('hold a note on what the schema could not say', () => {
    const either: ToolDefinition = { ...now, inputSchema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } }
    const note = 'Tells the time.\nGive exactly one of these sets of arguments: (a), (b).'
    assert.equal(member(toOpenAiChatTools([either]), 0, 'function', 'description'), note)
    assert.equal(member(toAnthropicTools([either]), 0, 'description'), note)
    assert.equal(member(toGeminiTools([either]), 0, 'functionDeclarations', 0, 'description'), note)
  })

  it('keep a description that Chat Completions would refuse, in the parameters', () => {
    const long: ToolDefinition = { ...day, description: '🎈'.repeat(700) }
    const description = member(toOpenAiChatTools([long]), 0, 'function', 'description')
    assert.ok(typeof description === 'string' && description.length <= 1_024)
    assert.ok(description.isWellFormed())
    assert.equal(member(toOpenAiChatTools([long]), 0, 'function', 'parameters', 'description'), long.description)
    assert.equal(member(toAnthropicTools([long]), 0, 'description'), long.description)
  })

  it('are taken from a tool without what is not for the model', () => {
    const tool = {
      ...day,
      origin: { kind: 'function', from: 'x' },
      tier: 'core',
      lifetime: 'turn',
      effect: 'read',
      execute: async () => 1,
    } as const
    assert.deepEqual(toolDefinitionOf(tool), day)
    assert.ok(!('outputSchema' in toolDefinitionOf({ ...tool, ...now })) || tool.outputSchema !== undefined)
  })
})

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined)
  process.stderr.write('registry/definitions: ADJUTANT_MATERIAL is not set; the schemas of real tools were not tried\n')

describe('definitions of real tools', { skip: material === undefined }, () => {
  it('are in the form of every provider', () => {
    const counts = { tools: 0, refusedByForm: 0, notCompiled: 0 }
    for (const definition of readDefinitions(join(material ?? '', 'tools', 'normalised'))) {
      if (findSchemaFault(definition.inputSchema, 'inputSchema') !== undefined) {
        counts.refusedByForm++
        continue
      }
      counts.tools++
      const sent = [
        member(toOpenAiChatTools([definition]), 0, 'function', 'parameters'),
        member(toOpenAiResponsesTools([definition]), 0, 'parameters'),
        member(toAnthropicTools([definition]), 0, 'input_schema'),
        member(toGeminiTools([definition]), 0, 'functionDeclarations', 0, 'parametersJsonSchema'),
      ]
      for (const schema of sent) {
        assert.ok(isJsonObject(schema) && schema.type === 'object' && isJsonObject(schema.properties), definition.name)
        for (const keyword of ['anyOf', 'oneOf', 'allOf']) assert.ok(!(keyword in schema), definition.name)
      }
      // What compiled before must compile after; some of the material never did.
      if (!compiles(definition.inputSchema)) counts.notCompiled++
      else for (const schema of sent) assert.ok(compiles(schema ?? null), `${definition.name}: ${JSON.stringify(schema)}`)
    }
    assert.ok(counts.tools > 1_000, JSON.stringify(counts))
    process.stderr.write(`registry/definitions: ${JSON.stringify(counts)}\n`)
  })

  it('have names that map both ways', () => {
    const names = new Set(readDefinitions(join(material ?? '', 'tools', 'normalised')).map((definition) => definition.name))
    for (const rule of ['openai', 'anthropic', 'gemini'] as const) {
      const wire = new WireNames(names, rule)
      const mapped = new Set<string>()
      for (const name of names) {
        mapped.add(wire.toWire(name))
        assert.equal(wire.fromWire(wire.toWire(name)), name)
        assert.match(wire.toWire(name), /^[A-Za-z0-9_-]{1,64}$/)
      }
      assert.equal(mapped.size, names.size)
    }
  })
})

function readDefinitions(folder: string): readonly ToolDefinition[] {
  const found: ToolDefinition[] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tools.jsonl'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue
      const { name, description, inputSchema } = JSON.parse(line)
      found.push({ name, description: description ?? '', inputSchema: inputSchema ?? true })
    }
  }
  return found
}

/** One for all: nothing is added to it, and making one is what costs. */
const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false })

function compiles(schema: JsonValue): boolean {
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) return false
  try {
    return ajv.validateSchema(plain(schema)) === true
  } catch {
    return false
  }
}

function plain(schema: boolean | JsonObject): boolean | JsonObject {
  return typeof schema === 'boolean' ? schema : Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'))
}

function member(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let place = value
  for (const key of path) {
    place = Array.isArray(place) ? place[Number(key)] : isJsonObject(place) ? place[key] : undefined
  }
  return place
}
