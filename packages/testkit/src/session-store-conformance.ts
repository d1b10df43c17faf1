import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  approvalId,
  type CallBinding,
  callId,
  digest,
  type SessionStore,
  type StepRecord,
  sessionId,
  traceId,
} from '@adjutant/core/contract'

const CALL = {
  id: callId('call_1'),
  index: 0,
  name: 'read_file',
  arguments: { ok: true, value: { path: 'a' } },
  idFromProvider: true,
} as const

const BINDING: CallBinding = {
  arguments: digest(`sha256:${'a'.repeat(64)}`),
  tool: digest(`sha256:${'b'.repeat(64)}`),
  principal: digest(`sha256:${'c'.repeat(64)}`),
}

/** One record of each shape, with text that tempts a careless writer: line ends, quotes, characters outside the first plane. */
export const STEP_EXAMPLES: readonly StepRecord[] = [
  { version: 1, type: 'user', at: 0, text: 'line one\nline two\r\n"quoted" \u2028 🧭 \u0000' },
  { version: 1, type: 'model', at: 1, endedAt: 2.5, round: 1, text: '', calls: [CALL] },
  {
    version: 1,
    type: 'call',
    call: CALL,
    result: { id: CALL.id, name: CALL.name, outcome: 'ok', isError: false, text: 'text', parts: [], startedAt: 1, endedAt: 2 },
  },
  {
    version: 2,
    type: 'model',
    at: 1,
    endedAt: 2.5,
    round: 1,
    text: '',
    calls: [CALL],
    providerBlocks: [{ type: 'thinking', signature: 'c2ln' }],
    usage: { inputTokens: 10, outputTokens: 2 },
  },
  { version: 1, type: 'batch', time: 1_700_000_000_000, calls: [CALL] },
  {
    version: 1,
    type: 'started',
    time: 1_700_000_000_001,
    batch: 2,
    id: CALL.id,
    name: CALL.name,
    effect: 'write',
    attempt: 1,
    idempotencyKey: 's/2/call_1',
    binding: BINDING,
  },
  {
    version: 1,
    type: 'asked',
    time: 1_700_000_000_002,
    approval: {
      id: approvalId('approval_1'),
      batch: 2,
      callId: CALL.id,
      tool: CALL.name,
      effect: 'write',
      shown: { path: 'a', ['__proto__']: 'kept' },
      reason: 'it writes',
      rule: 'mode/ask',
      binding: BINDING,
      createdAt: 1_700_000_000_002,
      expiresAt: 1_700_000_060_002,
    },
  },
  {
    version: 1,
    type: 'answered',
    time: 1_700_000_000_003,
    approvalId: approvalId('approval_1'),
    decision: { type: 'approve', scope: 'tool' },
    by: 'eve',
    grants: [BINDING.arguments],
  },
  { version: 1, type: 'tools', time: 1_700_000_000_004, loaded: ['weather'] },
  { version: 1, type: 'paused', time: 1_700_000_000_005, waiting: [approvalId('approval_1')] },
  { version: 1, type: 'resumed', time: 1_700_000_000_006, node: 'host:1', traceId: traceId('1'.padStart(32, '0')) },
  { version: 1, type: 'answer', at: 3, text: 'done', reason: 'answer' },
]

/**
 * What every {@link SessionStore} must do. Call it inside a test file, with a maker of fresh stores.
 *
 * @param make a store that holds nothing yet
 * @example
 * ```ts
 * sessionStoreConformance('MemorySessionStore', async () => new MemorySessionStore())
 * ```
 */
export function sessionStoreConformance(name: string, make: () => Promise<SessionStore>): void {
  const a = sessionId('a')
  const b = sessionId('b')
  const all = (store: SessionStore, id: typeof a): Promise<StepRecord[]> => Array.fromAsync(store.read(id))

  describe(`${name} is a session store`, () => {
    it('gives nothing for a session it does not know', async () => {
      assert.deepEqual(await all(await make(), a), [])
    })

    it('gives back what was written, in order and unchanged', async () => {
      const store = await make()
      for (const record of STEP_EXAMPLES) await store.append(a, record)
      assert.deepEqual(await all(store, a), STEP_EXAMPLES)
    })

    it('keeps the order of appends that were not awaited', async () => {
      const store = await make()
      const records = Array.from({ length: 50 }, (_, at): StepRecord => ({ version: 1, type: 'user', at, text: `${at}` }))
      await Promise.all(records.map((record) => store.append(a, record)))
      assert.deepEqual(await all(store, a), records)
    })

    it('keeps sessions apart', async () => {
      const store = await make()
      await store.append(a, { version: 1, type: 'user', at: 0, text: 'for a' })
      await store.append(b, { version: 1, type: 'user', at: 0, text: 'for b' })
      assert.deepEqual(
        (await all(store, a)).map((record) => record.type === 'user' && record.text),
        ['for a'],
      )
    })

    it('is not changed by what a reader does with what it got', async () => {
      const store = await make()
      await store.append(a, { version: 1, type: 'user', at: 0, text: 'kept' })
      for (const record of await all(store, a)) Object.assign(record, { text: 'changed' })
      assert.deepEqual(await all(store, a), [{ version: 1, type: 'user', at: 0, text: 'kept' }])
    })

    it('goes on after a reader stopped in the middle', async () => {
      const store = await make()
      for (const record of STEP_EXAMPLES) await store.append(a, record)
      for await (const record of store.read(a)) {
        assert.deepEqual(record, STEP_EXAMPLES[0])
        break
      }
      await store.append(a, { version: 1, type: 'answer', at: 9, text: 'more', reason: 'answer' })
      assert.equal((await all(store, a)).length, STEP_EXAMPLES.length + 1)
    })
  })
}
