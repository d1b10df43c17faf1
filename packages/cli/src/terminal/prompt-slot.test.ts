import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { exampleRequest } from '../../test/approval-example.ts'
import { approvalView } from './approval-view.ts'
import { PromptSlot } from './prompt-slot.ts'

const PLACES = { workspace: '/nowhere', env: {} }

describe('the question that is open', () => {
  it('goes with its run, and an answer that comes too late answers no other one', async () => {
    const slot = new PromptSlot(new ManualClock())
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

  it('takes no key for a moment when it follows an answer: the second of two quick ones was for the question before', async () => {
    const clock = new ManualClock()
    const slot = new PromptSlot(clock)
    const request = exampleRequest()
    const view = await approvalView(request, PLACES)
    const going = new AbortController().signal
    const settled = (): boolean | undefined => {
      const prompt = slot.current()
      return prompt?.kind === 'approval' ? prompt.settled : undefined
    }
    const answer = (): void => {
      const prompt = slot.current()
      if (prompt?.kind === 'approval') prompt.answer({ type: 'approve', scope: 'once' })
    }
    const first = slot.approval({ kind: 'approval', request, view }, going)
    assert.equal(settled(), true)
    answer()
    await first
    const second = slot.approval({ kind: 'approval', request, view }, going)
    assert.equal(settled(), false)
    await clock.advance(399)
    assert.equal(settled(), false)
    await clock.advance(1)
    assert.equal(settled(), true)
    answer()
    await second
    // A question that is gone by then is not opened again, and one that comes later needs no moment.
    const third = slot.approval({ kind: 'approval', request, view }, going)
    answer()
    await third
    assert.equal(clock.pending, 0)
    await clock.advance(400)
    assert.equal(settled(), undefined)
    const fourth = slot.approval({ kind: 'approval', request, view }, going)
    assert.equal(settled(), true)
    answer()
    await fourth
  })
})
