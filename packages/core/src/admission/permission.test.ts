import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { Admission } from './admit.ts'
import { APPROVAL_MODES, decideByMode, decideOnPinned } from './permission.ts'

const made = (name: string, effect: Effect, tags: readonly string[] = []): AgentTool => ({
  name,
  description: 'For tests.',
  inputSchema: { type: 'object' },
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect,
  tags,
  execute: async () => 'done',
})

describe('decideByMode', () => {
  const table = {
    ask: { read: 'allow', write: 'ask', dangerous: 'ask' },
    'allow-edits': { read: 'allow', write: 'ask', dangerous: 'ask' },
    plan: { read: 'allow', write: 'deny', dangerous: 'deny' },
    allow: { read: 'allow', write: 'allow', dangerous: 'allow' },
    deny: { read: 'allow', write: 'deny', dangerous: 'deny' },
  } as const
  const effects: readonly Effect[] = ['read', 'write', 'dangerous']
  for (const mode of APPROVAL_MODES) {
    for (const effect of effects) {
      it(`${mode}: ${effect} → ${table[mode][effect]}`, () => {
        const decision = decideByMode({ mode, effect, tool: made('a_tool', effect) })
        assert.equal(decision.effect, table[mode][effect])
        assert.equal(decision.rule, `mode/${mode}`)
        assert.equal(decision.tier, 'mode')
        assert.notEqual(decision.reason, '')
      })
    }
  }

  it('allow-edits lets edits of files run, and asks about the harm an editing tool may do', () => {
    const edit = made('edit_file', 'write', ['edit'])
    assert.equal(decideByMode({ mode: 'allow-edits', effect: 'write', tool: edit }).effect, 'allow')
    assert.equal(decideByMode({ mode: 'allow-edits', effect: 'dangerous', tool: edit }).effect, 'ask')
  })

  it('tells the person which tool and what it may do, and the model why and what next', () => {
    assert.match(
      decideByMode({ mode: 'ask', effect: 'dangerous', tool: made('drop_table', 'dangerous') }).reason,
      /^drop_table may do harm/,
    )
    const call: ToolCall = { id: callId('c1'), index: 0, name: 'write_file', arguments: { ok: true, value: {} }, idFromProvider: true }
    for (const [mode, hint] of [
      ['deny', /tools that only read/],
      ['plan', /say what you would change/],
    ] as const) {
      const write = made('write_file', 'write')
      const refused = new Admission({ mode, principal: LOCAL_PRINCIPAL }).admit(call, { get: () => write, names: () => ['write_file'] })
      assert.ok(refused.type === 'refused')
      assert.equal(refused.error.code, 'DENIED_BY_POLICY')
      assert.match(refused.error.message, /write_file changes something/)
      assert.match(refused.error.hint, /Do not repeat/)
      assert.match(refused.error.hint, hint)
    }
  })
})

describe('decideOnPinned', () => {
  const tool: AgentTool = {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => 'seen',
  }
  const changed = { ...tool, pinned: { reason: 'its description changed' } }

  it('says nothing against a tool that is as it was', () => {
    for (const mode of APPROVAL_MODES) assert.equal(decideOnPinned(tool, mode), undefined)
  })

  for (const [mode, effect] of [
    ['ask', 'ask'],
    ['allow-edits', 'ask'],
    ['allow', 'ask'],
    ['plan', 'deny'],
    ['deny', 'deny'],
  ] as const) {
    it(`${mode}: ${effect} for one that changed, even when it only reads`, () => {
      assert.equal(decideOnPinned(changed, mode)?.effect, effect)
    })
  }

  it('is heard by admission, which tells the person what changed', () => {
    const call: ToolCall = { id: callId('c1'), index: 0, name: 'look', arguments: { ok: true, value: {} }, idFromProvider: true }
    const admission = new Admission({ mode: 'allow', principal: LOCAL_PRINCIPAL })
    const lookup = (only: AgentTool) => ({ get: () => only, names: () => [only.name] })
    assert.equal(admission.admit(call, lookup(tool)).type, 'admitted')
    const verdict = admission.admit(call, lookup(changed))
    assert.ok(verdict.type === 'held')
    assert.match(verdict.reason, /its description changed/)
  })
})
