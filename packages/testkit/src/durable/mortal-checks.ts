import assert from 'node:assert/strict'
import type { DurableStore, SessionId, ToolCall } from '@adjutant/core/contract'
import { type BatchBook, MORTAL_CALLS, mustRunOnce } from './mortal-batch.ts'

const TENANT = 'local'

/** Whatever waits for a person is allowed, by somebody else. */
export async function allowAll(store: DurableStore, sessionId: SessionId): Promise<void> {
  const { items } = await store.approvals.list(TENANT, { state: 'pending', sessionId })
  for (const { id } of items) await store.approvals.decide(TENANT, id, { decision: { type: 'approve', scope: 'once' }, by: 'eve' })
}

/** Of a batch that has come to its end: each result once, each answer taken once, nothing that must not be repeated begun twice. */
export async function checkMortalBatch(
  store: DurableStore,
  sessionId: SessionId,
  book: BatchBook,
  when: string,
  calls: readonly ToolCall[] = MORTAL_CALLS,
): Promise<void> {
  const key = { tenantId: TENANT, sessionId }
  const steps = await Array.fromAsync(store.steps(key))
  const results = steps.filter((step) => step.type === 'call')
  assert.deepEqual(
    results.map(({ call }) => call.id).toSorted(),
    calls.map(({ id }) => id),
    `${when}: one result for each call`,
  )
  const jobs = steps.filter((step) => step.type === 'job')
  const queued = steps.filter((step) => step.type === 'queued')
  assert.deepEqual(
    jobs.map(({ result }) => [result.name, result.outcome]),
    [['slow', 'ok']],
    `${when}: one end of the job`,
  )
  assert.equal(new Set(queued.map(({ jobId }) => jobId)).size, 1, `${when}: one job`)
  for (const call of calls) {
    const starts = book.starts(`${sessionId}/1/${call.id}`)
    const what = `${call.name} (${call.id}) began ${starts} times, ${when}`
    if (mustRunOnce(call)) assert.ok(starts <= 1, what)
    const result = results.find((each) => each.call.id === call.id)?.result
    if (result?.outcome === 'ok') assert.ok(starts >= 1, what)
    else assert.equal(result?.code, 'OUTCOME_UNKNOWN', `${call.name} (${call.id}): ${result?.text}, ${when}`)
  }
  const { items } = await store.approvals.list(TENANT, { sessionId })
  const asked = calls.filter(({ name }) => name !== 'look').map(({ id }) => id)
  assert.deepEqual(items.map(({ callId }) => callId).toSorted(), asked, `${when}: one question for each call that changes something`)
  for (const each of items)
    assert.ok(each.state === 'approved' && each.consumedAt !== undefined, `${when}: ${each.callId} is ${each.state}`)
  const taken = steps.flatMap((step) => (step.type === 'answered' ? [step.approvalId] : []))
  assert.equal(new Set(taken).size, taken.length, `${when}: each answer is taken once`)
  // The end of the job is for the model to go on with.
  assert.equal((await store.find(key))?.session.state, 'open', when)
}
