import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ToolCall } from '../contract/call.ts'
import { callId } from '../contract/ids.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { Admission } from './admit.ts'
import { APPROVAL_MODES, permissionFor, permissionForPinned } from './permission.ts'

describe('permissionFor', () => {
  const table = {
    ask: { read: 'admit', write: 'hold', dangerous: 'hold' },
    allow: { read: 'admit', write: 'admit', dangerous: 'admit' },
    deny: { read: 'admit', write: 'refuse', dangerous: 'refuse' },
  } as const
  const effects: readonly Effect[] = ['read', 'write', 'dangerous']
  for (const mode of APPROVAL_MODES) {
    for (const effect of effects) {
      it(`${mode}: ${effect} → ${table[mode][effect]}`, () => {
        assert.equal(permissionFor('a_tool', effect, mode).type, table[mode][effect])
      })
    }
  }

  it('tells the person which tool and what it may do, and the model why and what next', () => {
    const held = permissionFor('drop_table', 'dangerous', 'ask')
    assert.ok(held.type === 'hold')
    assert.match(held.reason, /^drop_table may do harm/)
    const refused = permissionFor('write_file', 'write', 'deny')
    assert.ok(refused.type === 'refuse')
    assert.equal(refused.error.code, 'DENIED_BY_POLICY')
    assert.match(refused.error.message, /write_file changes something/)
    assert.match(refused.error.hint, /Do not repeat/)
  })
})

describe('permissionForPinned', () => {
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
    for (const mode of APPROVAL_MODES) assert.equal(permissionForPinned(tool, mode).type, 'admit')
  })

  for (const [mode, type] of [
    ['ask', 'hold'],
    ['allow', 'hold'],
    ['deny', 'refuse'],
  ] as const) {
    it(`${mode}: ${type}s one that changed, even when it only reads`, () => {
      assert.equal(permissionForPinned(changed, mode).type, type)
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
