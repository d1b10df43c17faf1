import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import { callId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../contract/principal.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { ApprovalMemory, bindingOf, sameBinding } from './approval.ts'

const TOOL: AgentTool = {
  name: 'write_file',
  description: 'Writes a file.',
  inputSchema: { type: 'object' },
  origin: { kind: 'function', from: 'approval.test.ts' },
  tier: 'core',
  lifetime: 'session',
  effect: 'write',
  execute: async () => 'done',
}

function call(input: JsonObject, tool: AgentTool = TOOL, effect: Effect = 'write', id = 'call_1'): AdmittedCall {
  const made = { id: callId(id), index: 0, name: tool.name, arguments: { ok: true, value: input }, idFromProvider: true } as const
  return { call: made, tool, input, conversions: [], effect }
}

const OTHERS: readonly Principal[] = [
  { ...LOCAL_PRINCIPAL, userId: 'other' },
  { ...LOCAL_PRINCIPAL, tenantId: 'other' },
  { ...LOCAL_PRINCIPAL, roles: ['admin'] },
  { ...LOCAL_PRINCIPAL, attributes: { plan: 'free' } },
]

const CHANGED_TOOLS: readonly AgentTool[] = [
  { ...TOOL, name: 'write_file_2' },
  { ...TOOL, description: 'Writes a file, and sends it away.' },
  { ...TOOL, inputSchema: { type: 'object', properties: { bcc: { type: 'string' } } } },
  { ...TOOL, outputSchema: { type: 'string' } },
  { ...TOOL, effect: () => 'write' },
]

describe('ApprovalMemory', () => {
  it('covers nothing at first', () => {
    assert.equal(new ApprovalMemory().covers(call({}), LOCAL_PRINCIPAL), false)
  })

  it('scope call: these arguments in any order of keys, and no others', () => {
    const memory = new ApprovalMemory()
    memory.remember(call({ path: 'a', mode: 1 }), LOCAL_PRINCIPAL, 'call')
    assert.equal(memory.covers(call({ mode: 1, path: 'a' }, TOOL, 'write', 'call_2'), LOCAL_PRINCIPAL), true)
    assert.equal(memory.covers(call({ path: 'b', mode: 1 }), LOCAL_PRINCIPAL), false)
    assert.equal(memory.covers(call({ path: 'a' }), LOCAL_PRINCIPAL), false)
    assert.equal(memory.covers(call({ path: 'a', mode: '1' }), LOCAL_PRINCIPAL), false)
  })

  it('scope tool: any arguments', () => {
    const memory = new ApprovalMemory()
    memory.remember(call({ path: 'a' }), LOCAL_PRINCIPAL, 'tool')
    assert.equal(memory.covers(call({ path: 'b' }), LOCAL_PRINCIPAL), true)
  })

  for (const scope of ['call', 'tool'] as const) {
    it(`scope ${scope}: never another principal`, () => {
      const memory = new ApprovalMemory()
      memory.remember(call({}), LOCAL_PRINCIPAL, scope)
      for (const other of OTHERS) assert.equal(memory.covers(call({}), other), false, JSON.stringify(other))
    })

    it(`scope ${scope}: never a changed definition`, () => {
      const memory = new ApprovalMemory()
      memory.remember(call({}), LOCAL_PRINCIPAL, scope)
      for (const tool of CHANGED_TOOLS) assert.equal(memory.covers(call({}, tool), LOCAL_PRINCIPAL), false, tool.description)
    })

    it(`scope ${scope}: never another effect`, () => {
      const memory = new ApprovalMemory()
      memory.remember(call({}, TOOL, 'write'), LOCAL_PRINCIPAL, scope)
      assert.equal(memory.covers(call({}, TOOL, 'dangerous'), LOCAL_PRINCIPAL), false)
      memory.remember(call({}, TOOL, 'dangerous'), LOCAL_PRINCIPAL, scope)
      assert.equal(memory.covers(call({}, TOOL, 'dangerous'), LOCAL_PRINCIPAL), true)
    })
  }

  it('takes roles as a set', () => {
    const memory = new ApprovalMemory()
    memory.remember(call({}), { ...LOCAL_PRINCIPAL, roles: ['a', 'b'] }, 'tool')
    assert.equal(memory.covers(call({}), { ...LOCAL_PRINCIPAL, roles: ['b', 'a', 'b'] }), true)
  })

  it('notices a definition that was changed in place', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } } }
    const tool: AgentTool = { ...TOOL, inputSchema }
    const memory = new ApprovalMemory()
    memory.remember(call({}, tool), LOCAL_PRINCIPAL, 'tool')
    assert.equal(memory.covers(call({}, tool), LOCAL_PRINCIPAL), true)
    inputSchema.properties.path.type = 'integer'
    assert.equal(memory.covers(call({}, tool), LOCAL_PRINCIPAL), false)
  })

  it('forgets the oldest grant and stays bounded', () => {
    const memory = new ApprovalMemory()
    for (let n = 0; n < 1_100; n++) memory.remember(call({ n }), LOCAL_PRINCIPAL, 'call')
    assert.equal(memory.size, 1_000)
    assert.equal(memory.covers(call({ n: 0 }), LOCAL_PRINCIPAL), false)
    assert.equal(memory.covers(call({ n: 1_099 }), LOCAL_PRINCIPAL), true)
  })
})

describe('bindingOf', () => {
  it('is the same for the same call, and differs in the part that changed', () => {
    const base = bindingOf(call({ a: 1 }), LOCAL_PRINCIPAL)
    assert.equal(sameBinding(base, bindingOf(call({ a: 1 }, { ...TOOL }, 'write', 'call_9'), { ...LOCAL_PRINCIPAL })), true)
    const edited = bindingOf(call({ a: 2 }), LOCAL_PRINCIPAL)
    assert.equal(sameBinding(base, edited), false)
    assert.deepEqual([edited.tool, edited.principal], [base.tool, base.principal])
    for (const tool of CHANGED_TOOLS) assert.equal(sameBinding(base, bindingOf(call({ a: 1 }, tool), LOCAL_PRINCIPAL)), false)
    for (const other of OTHERS) assert.equal(sameBinding(base, bindingOf(call({ a: 1 }), other)), false)
  })

  it('names the tool whose definition is no JSON', () => {
    const circle: Record<string, JsonObject> = {}
    circle.self = circle
    assert.throws(
      () => bindingOf(call({}, { ...TOOL, outputSchema: circle }), LOCAL_PRINCIPAL),
      (error) => AdjutantError.isInstance(error) && error.code === 'TOOL_INVALID' && error.message.includes('write_file'),
    )
  })
})
