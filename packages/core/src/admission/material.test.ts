import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../contract/json.ts'
import { coerce } from './coerce.ts'
import { isJsonArray, isSchema } from './json-shape.ts'
import { exampleFor } from './schema-example.ts'
import { type CompiledSchema, compileSchema } from './validate.ts'

/**
 * Schemas that nobody here wrote: the official test suite of JSON Schema, and the tools of published catalogues and servers.
 * Every deviation is listed with its reason; one that is listed and no longer there fails as well.
 */

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined)
  process.stderr.write('admission: ADJUTANT_MATERIAL is not set; the JSON Schema test suite and real tools were not tried\n')
const skip = material === undefined

const REMOTE = 'refers to another document, and nothing is fetched'
const DYNAMIC = 'the compiler knows $dynamicRef by plain names inside one schema only'
const UNEVALUATED = 'the compiler does not see what contains, or an if without then and else, has evaluated'
const RELATIVE = 'the compiler goes round in a circle where $ref and $id stand side by side'
const SIBLINGS = 'keywords beside $ref are asserted in every draft: tools are published that way and mean it'
const CONTENT = 'contentEncoding and contentMediaType are annotations'
const OVERFLOW = 'JSON numbers are doubles'
const VOCABULARY = 'meta-schemas with vocabularies of their own are not read'
const UNKNOWN = 'the compiler takes an $id inside an unknown keyword for one'

/** Per draft: file, then group (or `*`), then why it is not right. */
const DEVIATIONS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  'draft2020-12': {
    'dynamicRef.json': { '*': DYNAMIC },
    'optional/dynamicRef.json': { '*': DYNAMIC },
    'refRemote.json': { '*': REMOTE },
    'optional/cross-draft.json': { '*': REMOTE },
    'optional/unknownKeyword.json': { '*': UNKNOWN },
    'optional/float-overflow.json': { '*': OVERFLOW },
    'vocabulary.json': { 'schema that uses custom metaschema with with no validation vocabulary': VOCABULARY },
    'ref.json': {
      'refs with relative uris and defs': RELATIVE,
      'relative refs with absolute uris and defs': RELATIVE,
      'URN ref with nested pointer ref': RELATIVE,
    },
    'unevaluatedItems.json': {
      'unevaluatedItems with nested items': UNEVALUATED,
      'unevaluatedItems with $dynamicRef': DYNAMIC,
      'unevaluatedItems depends on adjacent contains': UNEVALUATED,
      'unevaluatedItems depends on multiple nested contains': UNEVALUATED,
      'unevaluatedItems and contains interact to control item dependency relationship': UNEVALUATED,
      'unevaluatedItems with minContains = 0': UNEVALUATED,
      'unevaluatedItems can see annotations from if without then and else': UNEVALUATED,
    },
    'unevaluatedProperties.json': {
      'unevaluatedProperties with if/then/else, then not defined': UNEVALUATED,
      'unevaluatedProperties with $dynamicRef': DYNAMIC,
      'unevaluatedProperties can see annotations from if without then and else': UNEVALUATED,
    },
  },
  draft7: {
    'refRemote.json': { '*': REMOTE },
    'ref.json': {
      'ref overrides any sibling keywords': SIBLINGS,
      '$ref prevents a sibling $id from changing the base uri': SIBLINGS,
    },
    'optional/content.json': { '*': CONTENT },
    'optional/cross-draft.json': { '*': REMOTE },
    'optional/unknownKeyword.json': { '*': UNKNOWN },
    'optional/float-overflow.json': { '*': OVERFLOW },
  },
}

/** At least so many answers must be right: what was measured when this was written. */
const RIGHT_ANSWERS: Readonly<Record<string, number>> = { 'draft2020-12': 1_228, draft7: 907 }

interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[]
}

function groupsIn(file: string): readonly Group[] {
  const groups: JsonValue = JSON.parse(readFileSync(file, 'utf8'))
  assert.ok(isJsonArray(groups))
  return groups.map((group) => {
    assert.ok(isJsonObject(group) && typeof group.description === 'string' && isSchema(group.schema) && isJsonArray(group.tests))
    const tests = group.tests.map((test) => {
      assert.ok(isJsonObject(test) && typeof test.description === 'string' && typeof test.valid === 'boolean' && test.data !== undefined)
      return { description: test.description, data: test.data, valid: test.valid }
    })
    return { description: group.description, schema: group.schema, tests }
  })
}

function answer(compiled: CompiledSchema | undefined, data: JsonValue): boolean | undefined {
  if (compiled === undefined) return undefined
  try {
    const accepted = compiled.accepts(data)
    assert.equal(compiled.issues(data).length === 0, accepted, 'the issues and the answer differ')
    return accepted
  } catch (error) {
    if (AdjutantError.isInstance(error) && error.code === 'TOOL_INVALID') return undefined
    throw error
  }
}

function compiledOrNot(schema: JsonSchema): CompiledSchema | undefined {
  try {
    return compileSchema(schema)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error) && error.code === 'TOOL_INVALID', String(error))
    return undefined
  }
}

describe('the JSON Schema test suite', { skip }, () => {
  for (const [draft, deviations] of Object.entries(DEVIATIONS)) {
    it(`${draft}: every answer is right but for the listed ones`, () => {
      const folder = join(material ?? '', 'json/JSON-Schema-Test-Suite/tests', draft)
      const wrong: string[] = []
      const met = new Set<string>()
      let right = 0
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
        // Formats are annotations: none is asserted.
        if (!file.endsWith('.json') || file.includes('format')) continue
        for (const group of groupsIn(join(folder, file))) {
          const schema =
            draft === 'draft7' && isJsonObject(group.schema)
              ? { $schema: 'http://json-schema.org/draft-07/schema#', ...group.schema }
              : group.schema
          const compiled = compiledOrNot(schema)
          for (const test of group.tests) {
            if (answer(compiled, test.data) === test.valid) right++
            else if (deviations[file]?.['*'] !== undefined) met.add(`${file} *`)
            else if (deviations[file]?.[group.description] !== undefined) met.add(`${file} ${group.description}`)
            else wrong.push(`${file}: ${group.description}: ${test.description}`)
          }
        }
      }
      assert.deepEqual(wrong, [])
      const listed = Object.entries(deviations).flatMap(([file, groups]) => Object.keys(groups).map((group) => `${file} ${group}`))
      assert.deepEqual([...met].sort(), listed.sort())
      assert.ok(right >= (RIGHT_ANSWERS[draft] ?? 0), `${right} right answers`)
    })
  }
})

/** Schemas of published tools that cannot be used, or that no value fits, and why. */
const UNUSABLE: Readonly<Record<string, RegExp>> = { BINARY: /nobody knows the type "BINARY"/ }
const WITHOUT_EXAMPLE: ReadonlySet<string> = new Set([
  // An array whose `enum` lists texts: nothing is both.
  'bfcl/get_response#6320b82a',
  'bfcl/extract_parameters_v1#89fabfe4',
])

function toolsIn(file: string): readonly { readonly id: string; readonly inputSchema: JsonObject }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const tool: JsonValue = JSON.parse(line)
      assert.ok(isJsonObject(tool) && typeof tool.id === 'string' && isJsonObject(tool.inputSchema))
      return { id: tool.id, inputSchema: tool.inputSchema }
    })
}

/** Numbers and truth values as text, as models write them. */
function asText(value: JsonValue): JsonValue {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (isJsonArray(value)) return value.map(asText)
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asText(member)])) : value
}

describe('tools of published catalogues and servers', { skip }, () => {
  const folder = join(material ?? '', 'tools/normalised')
  const files = skip ? [] : readdirSync(folder).filter((file) => file.endsWith('.tools.jsonl'))
  for (const file of files) {
    it(`${file}: every schema compiles or has a named reason, and has an example that is admitted in any spelling`, () => {
      const surprises: string[] = []
      for (const { id, inputSchema } of toolsIn(join(folder, file))) {
        let compiled: CompiledSchema
        try {
          compiled = compileSchema(inputSchema)
        } catch (error) {
          const reason = AdjutantError.isInstance(error) ? error.message : String(error)
          if (!Object.values(UNUSABLE).some((known) => known.test(reason))) surprises.push(`${id}: ${reason}`)
          continue
        }
        const example = exampleFor(compiled)
        if (example === undefined) {
          if (!WITHOUT_EXAMPLE.has(id)) surprises.push(`${id}: no example`)
          continue
        }
        const spelled = asText(example)
        const { value, issues } = coerce(compiled, spelled)
        if (issues.length > 0) surprises.push(`${id}: ${JSON.stringify(spelled)}: ${issues[0]?.keyword} at ${issues[0]?.path}`)
        else assert.equal(compiled.accepts(value), true)
      }
      assert.deepEqual(surprises, [])
    })
  }
})
