import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toolCall } from '../../test/histories.ts'
import { approvalId, sessionId } from '../contract/ids.ts'
import type { ApprovalDecision, ApprovalRequest } from '../contract/ports.ts'
import { recordedApprover } from './recorded-answers.ts'

const signal = new AbortController().signal
function held(tool: string): ApprovalRequest {
  const call = {
    call: toolCall('c', tool, 0),
    tool: {
      name: tool,
      description: 'A tool.',
      inputSchema: true,
      origin: { kind: 'function', from: 'test' },
      tier: 'core',
      lifetime: 'session',
      effect: 'write',
      execute: async () => 'done',
    },
    input: {},
    conversions: [],
    effect: 'write',
  } as const
  return { id: approvalId('a'), sessionId: sessionId('s'), call, reason: 'it writes' }
}

describe('recordedApprover', () => {
  it('answers in order, and only the tool that an answer was recorded for', async () => {
    const no: ApprovalDecision = { type: 'deny', by: 'person', reason: 'not that file' }
    const yes: ApprovalDecision = { type: 'approve', scope: 'once' }
    const approver = recordedApprover([
      { tool: 'write_file', decision: no },
      { tool: 'edit_file', decision: yes },
    ])
    assert.deepEqual(await approver.decide(held('write_file'), { signal }), no)
    const other = await approver.decide(held('write_file'), { signal })
    assert.deepEqual(other, { type: 'deny', by: 'policy', reason: 'the next recorded answer is for edit_file, not for write_file' })
    assert.deepEqual(await approver.decide(held('edit_file'), { signal }), yes)
  })

  it('denies when no answer is left', async () => {
    assert.deepEqual(await recordedApprover([]).decide(held('write_file'), { signal }), {
      type: 'deny',
      by: 'policy',
      reason: 'no recorded answer is left for write_file (0 were recorded)',
    })
  })
})
