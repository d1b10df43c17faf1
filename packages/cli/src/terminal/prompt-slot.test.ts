import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exampleRequest } from '../../test/approval-example.ts'
import { approvalView } from './approval-view.ts'
import { PromptSlot } from './prompt-slot.ts'

const PLACES = { workspace: '/nowhere', env: {} }

describe('the question that is open', () => {
  it('goes with its run, and an answer that comes too late answers no other one', async () => {
    const slot = new PromptSlot()
    const request = exampleRequest()
    const view = await approvalView(request, PLACES)
    const stop = new AbortController()
    const first = slot.approval({ kind: 'approval', request, view }, stop.signal)
    const late = slot.current()
    stop.abort()
    await assert.rejects(first, { name: 'AbortError' })
    assert.equal(slot.current(), undefined)

    const second = slot.approval({ kind: 'approval', request, view }, new AbortController().signal)
    if (late?.kind !== 'approval') throw new Error('there was no question')
    // The person's editor ends only now.
    late.answer({ type: 'edit', input: {} })
    const open = slot.current()
    assert.ok(open?.kind === 'approval' && open.key !== late.key)
    open.answer({ type: 'approve', scope: 'once' })
    open.answer({ type: 'deny' })
    assert.deepEqual(await second, { type: 'approve', scope: 'once' })
    assert.equal(slot.current(), undefined)
  })
})
