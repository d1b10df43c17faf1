import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApprovalDecision } from '@adjutant/core'
import { exampleCall, exampleRequest } from '../../test/approval-example.ts'
import { decisionNote, endedNote } from './decision-note.ts'

const alone = exampleRequest({ name: 'run' })
const many = exampleRequest({
  name: 'run',
  identical: ['b'],
  matching: [exampleCall({ id: 'b' }), exampleCall({ id: 'c' })],
})

describe('the line that stays', () => {
  it('says what was answered, and for how many', () => {
    const notes: readonly (readonly [ApprovalDecision, string, string])[] = [
      [{ type: 'approve', scope: 'once' }, 'run: allowed once', 'run: allowed once, and 1 identical call'],
      [{ type: 'approve', scope: 'matching' }, 'run: this and 0 more allowed once each', 'run: this and 2 more allowed once each'],
      [
        { type: 'approve', scope: 'call' },
        'run: this exact call is allowed for the rest of the session',
        'run: this exact call is allowed for the rest of the session',
      ],
      [{ type: 'approve', scope: 'tool' }, 'run: allowed for the rest of the session', 'run: allowed for the rest of the session'],
      [
        { type: 'approve', scope: 'always', of: 'call', tier: 'project' },
        'run: this exact call is always allowed in this project',
        'run: this exact call is always allowed in this project',
      ],
      [
        { type: 'approve', scope: 'always', of: 'tool', tier: 'user' },
        'run: always allowed for you, everywhere',
        'run: always allowed for you, everywhere',
      ],
      [{ type: 'edit', input: {} }, 'run: allowed with changed arguments', 'run: allowed with changed arguments'],
      [{ type: 'deny' }, 'run: denied', 'run: denied, and 1 identical call'],
      [{ type: 'deny', by: 'person', reason: 'not now' }, 'run: denied (not now)', 'run: denied, and 1 identical call (not now)'],
    ]
    for (const [decision, one, two] of notes) {
      assert.equal(decisionNote(alone, decision), one)
      assert.equal(decisionNote(many, decision), two)
    }
  })

  it('says why a question is gone', () => {
    assert.equal(endedNote(alone, new DOMException('late', 'TimeoutError')), 'run: nobody answered in time, it is not run')
    assert.equal(endedNote(alone, new DOMException('stop', 'AbortError')), 'run: stopped before it was answered')
    assert.equal(endedNote(alone, undefined), 'run: stopped before it was answered')
  })
})
