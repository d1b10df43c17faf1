import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ArgumentRepair, ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import type { JsonObject, JsonSchema } from '../contract/json.ts'
import type { ApprovalMode } from '../contract/policy.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { Admission, type Verdict } from './admit.ts'
import { ApprovalMemory } from './approval.ts'
import { APPROVAL_MODES } from './permission.ts'

const COMMA: ArgumentRepair = { rule: 'trailing-comma', at: 12, note: 'left out the comma before "}"' }
const QUOTES: ArgumentRepair = { rule: 'single-quotes', at: 1, note: 'took single quotes for double ones' }

const PATH: JsonSchema = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } }

function tool(effect: Effect, inputSchema: JsonSchema = PATH): AgentTool {
  return {
    name: 'act',
    description: 'For tests.',
    inputSchema,
    origin: { kind: 'function', from: 'repaired.test.ts' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async () => 'done',
  }
}

function call(value: JsonObject, repairs?: readonly ArgumentRepair[]): ToolCall {
  const args = { ok: true, value, ...(repairs === undefined ? {} : { repairs }) } as const
  return { id: callId('c1'), index: 0, name: 'act', arguments: args, idFromProvider: true }
}

function admit(effect: Effect, mode: ApprovalMode, made: ToolCall, approvals = new ApprovalMemory(), schema?: JsonSchema): Verdict {
  const act = tool(effect, schema)
  return new Admission({ mode, principal: LOCAL_PRINCIPAL, approvals }).admit(made, {
    get: (name) => (name === 'act' ? act : undefined),
    names: () => ['act'].values(),
  })
}

describe('a call whose arguments were repaired', () => {
  it('never runs unseen when it may do harm, whatever the mode and whatever was granted before', () => {
    for (const mode of APPROVAL_MODES) {
      const approvals = new ApprovalMemory()
      const plain = admit('dangerous', 'ask', call({ path: 'a' }))
      assert.ok(plain.type === 'held')
      approvals.remember(plain.call, LOCAL_PRINCIPAL, 'tool', 'mode/ask')
      approvals.remember(plain.call, LOCAL_PRINCIPAL, 'call', 'mode/ask')
      assert.notEqual(admit('dangerous', mode, call({ path: 'a' }, [COMMA]), approvals).type, 'admitted', mode)
      // The very same call, sent rightly, is covered.
      if (mode === 'ask') assert.equal(admit('dangerous', mode, call({ path: 'a' }), approvals).type, 'admitted')
    }
  })

  it('is refused where nobody is asked, with what to do', () => {
    const verdict = admit('dangerous', 'allow', call({ path: 'a' }, [QUOTES, COMMA]))
    assert.ok(verdict.type === 'refused')
    assert.equal(verdict.error.code, 'INVALID_JSON')
    assert.equal(verdict.error.outcome, 'not-run')
    assert.match(verdict.error.message, /repaired \(took single quotes for double ones; left out the comma before "}"\)/)
    assert.match(verdict.error.hint, /again with its arguments as one valid JSON object/)
    assert.equal(admit('dangerous', 'allow', call({ path: 'a' })).type, 'admitted')
    assert.equal(admit('dangerous', 'allow', call({ path: 'a' }, [])).type, 'admitted')
  })

  it('is held with a reason that names the repairs, for a write too; no grant covers it', () => {
    for (const effect of ['write', 'dangerous'] as const) {
      const approvals = new ApprovalMemory()
      const many = Array.from({ length: 5 }, () => COMMA)
      const verdict = admit(effect, 'ask', call({ path: 'a' }, [QUOTES, ...many]), approvals)
      assert.ok(verdict.type === 'held')
      assert.match(verdict.reason, /were repaired: took single quotes for double ones; left out .* and 3 more\)$/)
      approvals.remember(verdict.call, LOCAL_PRINCIPAL, 'tool', 'mode/ask')
      assert.equal(approvals.covers(verdict.call, LOCAL_PRINCIPAL), false)
      assert.equal(admit(effect, 'ask', call({ path: 'b' }, [COMMA]), approvals).type, 'held')
      assert.equal(admit(effect, 'ask', call({ path: 'b' }), approvals).type, 'admitted')
    }
  })

  it('runs where it only reads, and where everything may be written; its record has the repairs before the conversions', () => {
    for (const [effect, mode] of [
      ['read', 'deny'],
      ['read', 'ask'],
      ['write', 'allow'],
    ] as const) {
      const verdict = admit(effect, mode, call({ path: 'a', limit: '5' }, [COMMA]))
      assert.ok(verdict.type === 'admitted')
      assert.deepEqual(verdict.call.conversions, [
        { path: '', from: 'character 12', to: 'left out the comma before "}"', rule: 'repair: trailing-comma' },
        { path: '/limit', from: '"5"', to: '5', rule: 'string → integer' },
      ])
    }
  })

  it('what a person edited is theirs, and no longer a repair', () => {
    const held = admit('dangerous', 'ask', call({ path: 'a' }, [COMMA]))
    assert.ok(held.type === 'held')
    const verdict = new Admission({ mode: 'ask', principal: LOCAL_PRINCIPAL }).readmit(held.call, { path: 'b' })
    assert.ok(verdict.type === 'admitted')
    assert.deepEqual(verdict.call.conversions, [])
  })
})

describe('digits that a number does not keep', () => {
  const big: ArgumentRepair = { rule: 'big-number', at: 6, note: '9007199254740993 has more digits than a number keeps; kept as text' }
  const asked = (type: string, made: ToolCall): Verdict =>
    admit('read', 'ask', made, undefined, { type: 'object', properties: { id: { type } }, required: ['id'] })

  it('are taken as text where a text is wanted, and refused where a number is', () => {
    const text = asked('string', call({ id: '9007199254740993' }, [big]))
    assert.ok(text.type === 'admitted')
    assert.deepEqual(text.call.input, { id: '9007199254740993' })
    for (const type of ['integer', 'number']) {
      const verdict = asked(type, call({ id: '9007199254740993' }, [big]))
      assert.ok(verdict.type === 'refused')
      assert.equal(verdict.error.code, 'INVALID_ARGUMENTS')
      assert.match(verdict.error.message, /9007199254740993/)
    }
  })

  it('are not lost either in JSON that stands in a text', () => {
    for (const text of ['{"n":9007199254740993}', '{"n":0.12345678901234567891}', '{"n":1e400}']) {
      const verdict = asked('object', call({ id: text }))
      assert.equal(verdict.type, 'refused', text)
    }
    const kept = asked('object', call({ id: '{"n":"9007199254740993","m":0.30000000000000004,"k":1234567890123456}' }))
    assert.ok(kept.type === 'admitted')
    assert.deepEqual(kept.call.input, { id: { n: '9007199254740993', m: 0.30000000000000004, k: 1234567890123456 } })
  })
})
