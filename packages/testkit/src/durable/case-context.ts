/** What the cases of the conformance suite of durable stores work with. */
import assert from 'node:assert/strict'
import {
  AdjutantError,
  type ApprovalId,
  type AskedApproval,
  approvalId,
  type CallBinding,
  callId,
  type DurableStore,
  digest,
  type ErrorCode,
  type HoldOptions,
  type Principal,
  type SessionHold,
  type SessionKey,
  type StepRecord,
  sessionId,
  type ToolCall,
  traceId,
} from '@adjutant/core/contract'
import type { ManualClock } from '../manual-clock.ts'

/** A store under test. Each case uses tenants of its own, so that one store serves all of them. */
export interface DurableStoreBench {
  readonly store: DurableStore
  /** What the store takes its time from. Moved by the suite alone. */
  readonly clock: ManualClock
  /** The same sessions, as another process has them: with connections of its own. Default: the same store. */
  elsewhere?(): Promise<DurableStore>
}

export interface DurableCase {
  readonly name: string
  readonly run: (cx: CaseContext) => Promise<void>
}

const BINDING: CallBinding = {
  arguments: digest(`sha256:${'a'.repeat(64)}`),
  tool: digest(`sha256:${'b'.repeat(64)}`),
  principal: digest(`sha256:${'c'.repeat(64)}`),
}

/** Turns of the event loop between two milliseconds of the clock: what is on its way to a server gets there first. */
const TURNS = 40
const MOST_TURNS = 400_000

export class CaseContext {
  readonly store: DurableStore
  readonly clock: ManualClock
  readonly tenant: string
  /** Another tenant, that nobody else uses. */
  readonly other: string
  readonly #bench: DurableStoreBench

  constructor(bench: DurableStoreBench, tenant: string) {
    this.#bench = bench
    this.store = bench.store
    this.clock = bench.clock
    this.tenant = tenant
    this.other = `${tenant} other`
  }

  async elsewhere(): Promise<DurableStore> {
    return (await this.#bench.elsewhere?.()) ?? this.store
  }

  key(id = 's', tenantId = this.tenant): SessionKey {
    return { tenantId, sessionId: sessionId(id) }
  }

  principal(tenantId = this.tenant, userId = 'ann'): Principal {
    return { tenantId, userId, roles: ['dev'] }
  }

  async hold(id = 's', over: Partial<HoldOptions> = {}, store = this.store): Promise<SessionHold> {
    const tenantId = over.principal?.tenantId ?? this.tenant
    return await store.hold(this.key(id, tenantId), {
      principal: this.principal(tenantId),
      traceId: traceId('1'.padStart(32, '0')),
      node: 'host:1',
      leaseMs: 30_000,
      ...over,
    })
  }

  /** Time goes by, slowly, until `work` has settled. @throws AssertionError when it never does */
  async passing<T>(work: Promise<T>): Promise<T> {
    let over = false
    const end = (): void => {
      over = true
    }
    work.then(end, end)
    for (let turn = 1; !over; turn += 1) {
      assert.ok(turn < MOST_TURNS, 'this never comes to an end')
      await new Promise((resolve) => setImmediate(resolve))
      if (turn % TURNS === 0) await this.clock.advance(1)
    }
    return await work
  }

  /** Time goes by until `is` holds. */
  async until(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let look = 0; !(await is()); look += 1) {
      assert.ok(look < 5_000, `${what}: waited for in vain`)
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      await this.clock.advance(1)
    }
  }

  /** Keeps a question of this session. */
  async ask(hold: SessionHold, id: string, over: Partial<AskedApproval> = {}): Promise<ApprovalId> {
    const approval = this.question(id, over)
    await hold.keep([{ version: 1, type: 'asked', time: this.clock.now(), approval }])
    return approval.id
  }

  question(id: string, over: Partial<AskedApproval> = {}): AskedApproval {
    return {
      id: approvalId(id),
      batch: 1,
      callId: callId(`call_${id}`),
      tool: 'write_file',
      effect: 'write',
      shown: { path: 'a' },
      reason: 'it writes',
      rule: 'mode/ask',
      binding: BINDING,
      createdAt: this.clock.now(),
      ...over,
    }
  }
}

export function user(text: string): StepRecord {
  return { version: 1, type: 'user', at: 0, text }
}

export function users(from: number, to: number): readonly StepRecord[] {
  return Array.from({ length: to - from + 1 }, (_, index) => user(`step ${from + index}`))
}

function toolCall(id: string): ToolCall {
  return { id: callId(id), index: 0, name: 'write_file', arguments: { ok: true, value: { path: 'a' } }, idFromProvider: true }
}

export function started(id: string, batch = 1): StepRecord {
  const idempotencyKey = `s/${batch}/${id}`
  return {
    version: 1,
    type: 'started',
    time: 1,
    batch,
    id: callId(id),
    name: 'write_file',
    effect: 'write',
    attempt: 1,
    idempotencyKey,
    binding: BINDING,
  }
}

export function settled(id: string): StepRecord {
  const call = toolCall(id)
  const result = { id: call.id, name: call.name, outcome: 'ok', isError: false, text: 'done', parts: [], startedAt: 1, endedAt: 2 } as const
  return { version: 1, type: 'call', call, result }
}

export function answered(id: string, over: Partial<Extract<StepRecord, { type: 'answered' }>> = {}): StepRecord {
  return { version: 1, type: 'answered', time: 1_700_000_000_500, approvalId: approvalId(id), grants: [], ...over }
}

export function failsWith(code: ErrorCode, words?: RegExp): (error: unknown) => boolean {
  return (error) => AdjutantError.isInstance(error) && error.code === code && (words === undefined || words.test(error.message))
}

export interface Outcomes<T> {
  readonly values: readonly T[]
  /** Of those that failed. */
  readonly reasons: readonly unknown[]
}

/** What each came to. */
export async function outcomes<T>(work: readonly Promise<T>[]): Promise<Outcomes<T>> {
  const all = await Promise.allSettled(work)
  return {
    values: all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    reasons: all.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : [])),
  }
}
