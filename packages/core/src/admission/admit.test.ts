import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { CallArguments, ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import { callId } from '../contract/ids.ts'
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../contract/json.ts'
import type { ToolLookup } from '../contract/lookup.ts'
import type { ApprovalMode } from '../contract/policy.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { AgentTool } from '../contract/tool.ts'
import { Admission, type Verdict } from './admit.ts'
import { ApprovalMemory } from './approval.ts'
import { APPROVAL_MODES } from './permission.ts'
import { exampleFor } from './schema-example.ts'
import { compileSchema } from './validate.ts'

const READ_FILE: JsonSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
}

function tool(name: string, inputSchema: JsonSchema, effect: AgentTool['effect'] = 'read'): AgentTool {
  return {
    name,
    description: `For tests: ${name}.`,
    inputSchema,
    origin: { kind: 'function', from: 'admit.test.ts' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async () => 'done',
  }
}

function lookup(...tools: readonly AgentTool[]): ToolLookup {
  const byName = new Map(tools.map((each) => [each.name, each]))
  return { get: (name) => byName.get(name), names: () => byName.keys() }
}

function callWith(name: string, sent: CallArguments): ToolCall {
  return { id: callId('call_1'), index: 0, name, arguments: sent, idFromProvider: true }
}

function call(name: string, value: JsonObject): ToolCall {
  return callWith(name, { ok: true, value })
}

function admission(mode: ApprovalMode = 'ask', approvals?: ApprovalMemory): Admission {
  return new Admission({ mode, principal: LOCAL_PRINCIPAL, ...(approvals === undefined ? {} : { approvals }) })
}

function refusal(verdict: Verdict): AdjutantError {
  return verdict.type === 'refused' ? verdict.error : assert.fail(`the call was ${verdict.type}`)
}

function taken(verdict: Verdict, type: 'admitted' | 'held' = 'admitted') {
  if (verdict.type === 'refused') return assert.fail(verdict.error.message)
  assert.equal(verdict.type, type)
  return verdict.call
}

describe('Admission.admit', () => {
  it('admits arguments that fit as they are, unchanged', () => {
    const made = call('read_file', { path: 'a.txt' })
    const read = tool('read_file', READ_FILE)
    const admitted = taken(admission().admit(made, lookup(read)))
    assert.equal(admitted.call, made)
    assert.equal(admitted.tool, read)
    assert.deepEqual(admitted.input, { path: 'a.txt' })
    assert.deepEqual(admitted.conversions, [])
    assert.equal(admitted.effect, 'read')
  })

  it('keeps __proto__ an own argument, also where something beside it is converted', () => {
    const value: unknown = JSON.parse('{"path":"a","limit":"5","__proto__":{"admin":true},"more":[{"__proto__":{"z":1},"n":"1"}]}')
    const schema: JsonSchema = {
      type: 'object',
      properties: { limit: { type: 'integer' }, more: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
    }
    const made = isJsonObject(value) ? call('f', value) : assert.fail()
    const { input } = taken(admission().admit(made, lookup(tool('f', schema))))
    assert.equal(JSON.stringify(input), '{"path":"a","limit":5,"__proto__":{"admin":true},"more":[{"__proto__":{"z":1},"n":1}]}')
    assert.equal(Object.getPrototypeOf(input), Object.prototype)
    assert.equal(Reflect.get({}, 'admin'), undefined)
  })

  it('admits what was plainly meant, with a record', () => {
    const admitted = taken(admission().admit(call('read_file', { path: 'a.txt', limit: '5' }), lookup(tool('read_file', READ_FILE))))
    assert.deepEqual(admitted.input, { path: 'a.txt', limit: 5 })
    assert.deepEqual(admitted.conversions, [{ path: '/limit', from: '"5"', to: '5', rule: 'string → integer' }])
  })

  it('refuses what does not fit, telling only what is still wrong', () => {
    const error = refusal(admission().admit(call('read_file', { limit: '5' }), lookup(tool('read_file', READ_FILE))))
    assert.equal(error.code, 'INVALID_ARGUMENTS')
    assert.match(error.message, /- path: got nothing, expected string/)
    assert.doesNotMatch(error.message, /limit/)
    assert.match(error.hint, /Correct path and call read_file again/)
  })

  it('shows arguments that are no JSON, bounded, with an example that fits', () => {
    const sent = { ok: false, raw: `{"path": ${'x'.repeat(1_000_000)}`, problem: 'unexpected x at 9', code: 'INVALID_JSON' } as const
    const error = refusal(admission().admit(callWith('read_file', sent), lookup(tool('read_file', READ_FILE))))
    assert.equal(error.code, 'INVALID_JSON')
    assert.match(error.message, /unexpected x at 9/)
    assert.match(error.hint, /for example \{"path":"text"\}/)
    assert.ok(error.message.length < 1_000)
  })

  it('keeps the code that intake gave', () => {
    const sent = { ok: false, raw: '{', problem: 'cut off', code: 'STREAM_BROKEN' } as const
    assert.equal(refusal(admission().admit(callWith('read_file', sent), lookup())).code, 'STREAM_BROKEN')
  })

  it('answers an unknown name with the nearest ones', () => {
    const tools = lookup(tool('read_file', true), tool('write_file', true), tool('sql_query', true))
    const error = refusal(admission().admit(call('readFile', {}), tools))
    assert.equal(error.code, 'UNKNOWN_TOOL')
    assert.match(error.message, /"readFile"/)
    assert.match(error.hint, /^Nearest names: read_file/)
    assert.doesNotMatch(error.hint, /sql_query/)
  })

  it('finds no tool behind the names of Object.prototype', () => {
    for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'prototype', '']) {
      const error = refusal(admission('allow').admit(call(name, {}), lookup(tool('read_file', true))))
      assert.equal(error.code, 'UNKNOWN_TOOL', name)
    }
    assert.equal(taken(admission().admit(call('constructor', {}), lookup(tool('constructor', true)))).tool.name, 'constructor')
  })

  it('bounds the message about an endless name', () => {
    const error = refusal(admission().admit(call('read_file'.repeat(200_000), {}), lookup(tool('read_file', true))))
    assert.ok(error.message.length < 400)
  })

  it('names the tool and the place when its schema is broken', () => {
    const broken = tool('broken', { properties: { a: { $ref: 'https://example.com/x.json' } } })
    const error = refusal(admission('allow').admit(call('broken', {}), lookup(broken)))
    assert.equal(error.code, 'TOOL_INVALID')
    assert.match(
      error.message,
      /The tool broken cannot be called: its inputSchema at \/properties\/a\/\$ref: .*https:\/\/example\.com\/x\.json/,
    )
  })

  it('refuses arguments for a tool that takes no object, saying what it takes', () => {
    for (const type of ['array', 'string', 'null']) {
      const error = refusal(admission('allow').admit(call('odd', { a: 1 }), lookup(tool('odd', { type }))))
      assert.equal(error.code, 'INVALID_ARGUMENTS')
      assert.match(error.message, new RegExp(`got object .*, expected ${type}`))
    }
  })

  it('refuses, as not run, when the lookup itself fails', () => {
    const broken: ToolLookup = {
      get: () => {
        throw new Error('the catalogue is closed')
      },
      names: () => [],
    }
    const error = refusal(admission().admit(call('read_file', {}), broken))
    assert.deepEqual([error.code, error.outcome], ['INTERNAL', 'not-run'])
    assert.match(error.message, /"read_file" could not be judged: the catalogue is closed/)
  })

  it('tells what is expected also in very large arguments', () => {
    const schema: JsonSchema = { type: 'object', properties: { rows: { type: 'array' }, limit: { type: 'integer' } } }
    const rows = Array.from({ length: 50_000 }, (_, n) => n)
    const error = refusal(admission().admit(call('big', { rows, limit: 'x' }), lookup(tool('big', schema))))
    assert.match(error.message, /- limit: got string "x", expected integer/)
    assert.deepEqual(taken(admission().admit(call('big', { rows, limit: '5' }), lookup(tool('big', schema)))).input.limit, 5)
  })

  it('refuses arguments nested without measure', () => {
    const deep: JsonObject = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    const recursive = tool('tree', { type: 'object', properties: { a: { $ref: '#' } } })
    for (const schema of [tool('tree', true), recursive]) {
      const error = refusal(admission('allow').admit(call('tree', deep), lookup(schema)))
      assert.equal(error.code, 'INVALID_ARGUMENTS')
      assert.match(error.message, /nested deeper than 256/)
    }
  })
})

describe('effect and permission', () => {
  const byArguments = (input: JsonObject) => (input.mode === 'rm' ? 'dangerous' : input.mode === 'put' ? 'write' : 'read')

  it('classifies with the actual, converted arguments', () => {
    const shell = tool('shell', { properties: { mode: { enum: ['ls', 'put', 'rm'] } } }, byArguments)
    assert.equal(taken(admission().admit(call('shell', { mode: 'LS' }), lookup(shell))).effect, 'read')
    assert.equal(taken(admission().admit(call('shell', { mode: 'PUT' }), lookup(shell)), 'held').effect, 'write')
    assert.equal(taken(admission().admit(call('shell', { mode: 'RM' }), lookup(shell)), 'held').effect, 'dangerous')
  })

  it('takes an effect function that throws or answers nonsense for dangerous, and says so', () => {
    const odd: { answer: AgentTool['effect'] } = JSON.parse('{"answer":"harmless"}')
    const nonsense = tool('nonsense', true, () => (typeof odd.answer === 'string' ? odd.answer : 'read'))
    const throwing = tool('throwing', true, () => {
      throw new Error('no such table')
    })
    for (const [each, said] of [
      [nonsense, /gave "harmless"/],
      [throwing, /could not be determined: "no such table"/],
    ] as const) {
      const verdict = admission().admit(call(each.name, {}), lookup(each))
      assert.equal(taken(verdict, 'held').effect, 'dangerous')
      assert.match(verdict.type === 'held' ? verdict.reason : '', said)
      assert.equal(refusal(admission('deny').admit(call(each.name, {}), lookup(each))).code, 'DENIED_BY_POLICY')
    }
    assert.equal(taken(admission().admit(call('fixed', {}), lookup(tool('fixed', true, odd.answer))), 'held').effect, 'dangerous')
  })

  for (const mode of APPROVAL_MODES) {
    it(`${mode}: reading is admitted`, () => {
      taken(admission(mode).admit(call('read_file', { path: 'a' }), lookup(tool('read_file', READ_FILE))))
    })
  }

  it('does not ask about arguments that do not fit', () => {
    const write = tool('write_file', READ_FILE, 'write')
    assert.equal(refusal(admission('ask').admit(call('write_file', {}), lookup(write))).code, 'INVALID_ARGUMENTS')
    assert.equal(refusal(admission('deny').admit(call('write_file', { path: 'a' }), lookup(write))).code, 'DENIED_BY_POLICY')
    taken(admission('allow').admit(call('write_file', { path: 'a' }), lookup(write)))
  })

  it('does not ask again for what was approved for good, and asks for everything else', () => {
    const write = tool('write_file', READ_FILE, 'write')
    const approvals = new ApprovalMemory()
    const gate = admission('ask', approvals)
    const held = taken(gate.admit(call('write_file', { path: 'a', limit: '1' }), lookup(write)), 'held')
    approvals.remember(held, LOCAL_PRINCIPAL, 'call', 'mode/ask')
    taken(gate.admit(call('write_file', { path: 'a', limit: 1 }), lookup(write)))
    taken(gate.admit(call('write_file', { path: 'b', limit: 1 }), lookup(write)), 'held')
    approvals.remember(held, LOCAL_PRINCIPAL, 'tool', 'mode/ask')
    taken(gate.admit(call('write_file', { path: 'b' }), lookup(write)))
    taken(gate.admit(call('write_file', { path: 'b' }), lookup({ ...write, description: 'Another deed.' })), 'held')
  })
})

describe('Admission.readmit', () => {
  const write = tool('write_file', READ_FILE, (input) => (input.path === '/' ? 'dangerous' : 'write'))
  const held = () => taken(admission().admit(call('write_file', { path: 'a' }), lookup(write)), 'held')

  it('validates, converts and classifies edited arguments, and asks no second time', () => {
    const admitted = taken(admission().readmit(held(), { path: '/', limit: '3' }))
    assert.deepEqual(admitted.input, { path: '/', limit: 3 })
    assert.equal(admitted.effect, 'dangerous')
    assert.equal(admitted.call.name, 'write_file')
  })

  it('refuses edited arguments that do not fit', () => {
    const error = refusal(admission().readmit(held(), { file: 'x' }))
    assert.equal(error.code, 'INVALID_ARGUMENTS')
    assert.match(error.message, /path/)
  })

  it('does not let an edit pass where nothing may be written', () => {
    assert.equal(refusal(admission('deny').readmit(held(), { path: 'b' })).code, 'DENIED_BY_POLICY')
  })

  it('refuses edited arguments that contain themselves', () => {
    const circle: Record<string, JsonObject> = {}
    circle.a = circle
    assert.equal(refusal(admission().readmit(held(), circle)).code, 'INVALID_ARGUMENTS')
  })
})

describe('whatever comes', () => {
  const keyword = fc.constantFrom(
    ...['type', 'properties', 'required', 'items', 'prefixItems', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', '$ref'],
    ...[
      '$id',
      '$defs',
      '$anchor',
      '$async',
      '$schema',
      'additionalProperties',
      'patternProperties',
      'pattern',
      'minimum',
      'format',
      'nullable',
    ],
    ...['a', '__proto__', 'constructor', 'dependencies', 'contains', 'id', 'default', 'examples', 'unevaluatedProperties'],
  )
  const leaf = fc.oneof(
    fc.constantFrom<JsonValue>(
      'string',
      'object',
      'array',
      'integer',
      '#',
      '#/$defs/a',
      '#/properties/a',
      '(',
      '^a+$',
      'a',
      '5',
      'true',
      '[1]',
    ),
    fc.constantFrom<JsonValue>(
      null,
      true,
      false,
      0,
      5,
      -1,
      1.5,
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft-07/schema#',
    ),
  )
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('json'), { maxLength: 3 }), fc.dictionary(keyword, tie('json'), { maxKeys: 4 })),
  }))
  const object = fc.dictionary(keyword, json, { maxKeys: 4 })

  it('any schema and any arguments end as one verdict; what is admitted fits', () => {
    fc.assert(
      fc.property(fc.oneof(object, fc.boolean()), object, fc.constantFrom(...APPROVAL_MODES), (schema, value, mode) => {
        const text = JSON.stringify(value)
        const verdict = admission(mode).admit(call('any', value), lookup(tool('any', schema)))
        assert.equal(JSON.stringify(value), text)
        if (verdict.type === 'refused') {
          assert.ok(AdjutantError.isInstance(verdict.error))
          assert.match(verdict.error.code, /^(?:INVALID_ARGUMENTS|TOOL_INVALID)$/, verdict.error.message)
          assert.ok(verdict.error.message.includes('any'))
        } else {
          assert.equal(compileSchema(schema).accepts(verdict.call.input), true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('an example that admission shows is admitted', () => {
    fc.assert(
      fc.property(object, (schema) => {
        const each = tool('any', schema)
        const verdict = admission('allow').admit(
          callWith('any', { ok: false, raw: '', problem: 'none', code: 'INVALID_JSON' }),
          lookup(each),
        )
        const shown = /for example (\{.*\})$/.exec(refusal(verdict).hint)?.[1]
        fc.pre(shown !== undefined)
        taken(admission('allow').admit(call('any', JSON.parse(shown ?? '')), lookup(each)))
        assert.notEqual(exampleFor(compileSchema(schema)), undefined)
      }),
      { numRuns: 100 },
    )
  })
})
