import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Effect } from '../contract/tool.ts'
import { APPROVAL_MODES, permissionFor } from './permission.ts'

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
