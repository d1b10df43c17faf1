/** A store whose process can be killed, and sessions on it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import {
  type AgentTool,
  type CallContext,
  callId,
  type DurableStore,
  type HoldOptions,
  type JsonObject,
  type KeepOptions,
  type SessionEvent,
  type SessionHold,
  type SessionKey,
  type StepRecord,
  sessionId,
  type ToolCall,
} from '../src/contract/index.ts'
import { Registry } from '../src/registry/registry.ts'
import { MemoryDurableStore } from '../src/session/durable/memory-durable-store.ts'
import { type DurableSessionOptions, openDurableSession } from '../src/session/durable/open-durable-session.ts'
import type { Session } from '../src/session/session.ts'

const folder = mkdtempSync(join(tmpdir(), 'durable-'))
after(() => rmSync(folder, { recursive: true, force: true }))

export const SESSION = sessionId('session_1')
export const TENANT = 'local'

export function tool(name: string, over: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `Use for tests of ${name}.`,
    inputSchema: { type: 'object', properties: { value: { type: 'number' } } },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => name,
    ...over,
  }
}

export function call(index: number, name: string, value: JsonObject = {}, id = `id_${index}`): ToolCall {
  return { id: callId(id), index, name, arguments: { ok: true, value }, idFromProvider: true }
}

/** What really happened in the world, whoever died. */
export interface World {
  readonly runs: { readonly name: string; readonly key: string }[]
}

export function recorded(world: World, name: string, over: Partial<AgentTool> = {}): AgentTool {
  return tool(name, {
    execute: async (_: JsonObject, cx: CallContext) => {
      world.runs.push({ name, key: cx.idempotencyKey })
      return `${name} done`
    },
    ...over,
  })
}

/** One process: it may be killed at the write with this number, before or after it is kept. */
export class Process implements DurableStore {
  readonly #store: MemoryDurableStore
  readonly #dieAt: number
  readonly #after: boolean
  #writes = 0
  readonly #dead = Promise.withResolvers<void>()

  constructor(store: MemoryDurableStore, dieAt = Number.POSITIVE_INFINITY, after = false) {
    this.#store = store
    this.#dieAt = dieAt
    this.#after = after
  }

  get writes(): number {
    return this.#writes
  }

  /** Resolves when it is killed. */
  get dead(): Promise<void> {
    return this.#dead.promise
  }

  get approvals(): MemoryDurableStore['approvals'] {
    return this.#store.approvals
  }

  async hold(key: SessionKey, options: HoldOptions): Promise<SessionHold> {
    const hold = await this.#store.hold(key, options)
    const die = async (): Promise<never> => {
      // Nobody renews the lease of a dead process: as if it had run out.
      await hold.close()
      this.#dead.resolve()
      return new Promise<never>(() => {})
    }
    return {
      fence: hold.fence,
      lost: hold.lost,
      load: () => hold.load(),
      keep: async (steps: readonly StepRecord[], keep?: KeepOptions) => {
        this.#writes += 1
        if (this.#writes > this.#dieAt) return new Promise<never>(() => {})
        if (this.#writes === this.#dieAt && !this.#after) return die()
        const count = await hold.keep(steps, keep)
        return this.#writes === this.#dieAt ? die() : count
      },
      close: () => hold.close(),
      [Symbol.asyncDispose]: () => hold.close(),
    }
  }

  find: DurableStore['find'] = (key) => this.#store.find(key)
  list: DurableStore['list'] = (tenantId, filter) => this.#store.list(tenantId, filter)
  steps: DurableStore['steps'] = (key) => this.#store.steps(key)
  follow: DurableStore['follow'] = (key, options) => this.#store.follow(key, options)
}

export interface Opened {
  readonly session: Session
  readonly events: readonly SessionEvent[]
}

export function newStore(): { readonly store: MemoryDurableStore; readonly clock: ManualClock } {
  const clock = new ManualClock()
  return { store: new MemoryDurableStore({ clock }), clock }
}

let opened = 0

/** Opens the session as another process would. */
export async function take(store: DurableStore, tools: readonly AgentTool[], over: Partial<DurableSessionOptions> = {}): Promise<Opened> {
  const registry = new Registry()
  assert.deepEqual(registry.add(tools, 'test'), [])
  const events: SessionEvent[] = []
  opened += 1
  const prefix = `p${opened}_`
  const ids = countingIds()
  const session = await openDurableSession({
    store,
    id: SESSION,
    tools: registry.snapshot(),
    namespaceRoot: folder,
    mode: 'ask',
    approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
    asker: scriptedAsker(),
    clock: new ManualClock(),
    // Ids of one process are never those of another.
    ids: { next: (kind) => `${ids.next(kind)}_${prefix}`.replace(/_$/, ''), traceId: () => ids.traceId() },
    events: (event) => void events.push(event),
    defers: true,
    node: `process-${opened}`,
    redactor: false,
    ...over,
  })
  return { session, events }
}
