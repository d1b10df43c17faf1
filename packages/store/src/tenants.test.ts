/** No verb of one tenant returns or changes anything of another's, though all their ids are the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AdjutantError,
  type ApprovalDecision,
  approvalId,
  callId,
  digest,
  type MeteringRecord,
  type Principal,
  type StepRecord,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import { sealedExamples } from '@adjutant/testkit'
import fc from 'fast-check'
import { freshUrl, STORE_KINDS } from '../test/open-stores.ts'
import { DESK_CHAIN } from './audit/desk-audit.ts'
import { eraseSession, exportSession, hot, type StoreDatabase } from './database/index.ts'
import { rowsInOrder } from './database/rows-in-order.ts'
import { TENANT_TABLES } from './database/tables.ts'
import { openStore, type Store } from './open-store.ts'

const TENANTS = ['north', 'south'] as const
type Tenant = (typeof TENANTS)[number]

/** One verb of one tenant; what it gives is looked through for the other's marks. */
interface Verb {
  readonly name: string
  readonly run: (store: Store, cx: VerbContext) => Promise<unknown>
}

/** Ids that both have; texts that only one has. */
interface VerbContext {
  readonly tenant: Tenant
  readonly n: number
  readonly mark: string
}

const markOf = (tenant: Tenant): string => `words of ${tenant}`
const principal = (tenant: Tenant): Principal => ({ tenantId: tenant, userId: 'ann', roles: [] })
const key = ({ tenant, n }: VerbContext) => ({ tenantId: tenant, sessionId: sessionId(`s${n}`) })
const approval = ({ n }: VerbContext) => approvalId(`q${n}`)
const none = digest(`sha256:${'0'.repeat(64)}`)
const binding = { arguments: none, tool: none, principal: none }

async function keep(store: Store, cx: VerbContext, steps: readonly StepRecord[], state: 'open' | 'ended' = 'open'): Promise<unknown> {
  const options = { principal: principal(cx.tenant), traceId: traceId('1'.padStart(32, '0')), node: cx.mark }
  await using hold = await store.sessions.hold(key(cx), options)
  const count = await hold.keep(steps, { state, checkpoint: { mark: cx.mark } })
  return [count, await hold.load()]
}

function asked(cx: VerbContext): StepRecord {
  return {
    version: 1,
    type: 'asked',
    time: 1,
    approval: {
      id: approval(cx),
      batch: 1,
      callId: callId('c'),
      tool: 't',
      effect: 'write',
      shown: { mark: cx.mark },
      reason: cx.mark,
      rule: 'r',
      binding,
      createdAt: 1,
    },
  }
}

function started({ n }: VerbContext): StepRecord {
  const call = { id: callId(`c${n}`), name: 't', effect: 'write', attempt: 1, idempotencyKey: `k${n}` } as const
  return { version: 1, type: 'started', time: 1, batch: 1, ...call, binding }
}

const answer = (cx: VerbContext): ApprovalDecision =>
  cx.n % 2 === 0 ? { type: 'deny', reason: cx.mark } : { type: 'approve', scope: 'once' }

function used({ tenant, n, mark }: VerbContext): MeteringRecord {
  const record = {
    version: 1,
    at: '2026-01-01T00:00:00.000Z',
    sessionId: sessionId(`s${n}`),
    traceId: traceId('1'.padStart(32, '0')),
  } as const
  return { ...record, tenant, user: mark, callId: callId('c'), tool: 't', units: 1, unit: 'u', microPrice: 1 }
}

async function firstJob(store: Store, { tenant }: VerbContext): Promise<string> {
  const { items } = await store.jobs.list(tenant)
  return items[0]?.id ?? 'none'
}

const VERBS: readonly Verb[] = [
  { name: 'keep words', run: (store, cx) => keep(store, cx, [{ version: 1, type: 'user', at: 0, text: cx.mark }]) },
  { name: 'ask', run: (store, cx) => keep(store, cx, [asked(cx)]) },
  { name: 'begin a call', run: (store, cx) => keep(store, cx, [started(cx)]) },
  { name: 'end', run: (store, cx) => keep(store, cx, [], 'ended') },
  {
    name: 'take an answer',
    run: (store, cx) =>
      keep(store, cx, [{ version: 1, type: 'answered', time: 1, approvalId: approval(cx), decision: answer(cx), grants: [] }]),
  },
  { name: 'find', run: (store, cx) => store.sessions.find(key(cx)) },
  { name: 'list sessions', run: (store, { tenant }) => store.sessions.list(tenant, { limit: 2 }) },
  { name: 'steps', run: (store, cx) => Array.fromAsync(store.sessions.steps(key(cx))) },
  {
    name: 'follow',
    run: async (store, cx) => {
      const seen: unknown[] = []
      const stop = new AbortController()
      const steps = (await store.sessions.find(key(cx)))?.session.steps ?? 0
      if (steps === 0) return seen
      for await (const kept of store.sessions.follow(key(cx), { signal: stop.signal })) {
        seen.push(kept)
        if (kept.number >= steps) stop.abort()
      }
      return seen
    },
  },
  { name: 'get an approval', run: (store, cx) => store.sessions.approvals.get(cx.tenant, approval(cx)) },
  { name: 'list approvals', run: (store, { tenant }) => store.sessions.approvals.list(tenant, { limit: 2 }) },
  { name: 'decide', run: (store, cx) => store.sessions.approvals.decide(cx.tenant, approval(cx), { decision: answer(cx), by: cx.mark }) },
  {
    name: 'wait for an answer',
    run: async (store, cx) => {
      const current = await store.sessions.approvals.get(cx.tenant, approval(cx))
      const signal =
        current?.state === 'pending' ? AbortSignal.abort(new AdjutantError('CANCELLED', 'enough')) : new AbortController().signal
      return await store.sessions.approvals.settled(cx.tenant, approval(cx), { signal })
    },
  },
  {
    name: 'add to the audit log',
    run: async (store, cx) => {
      const sink = store.audit(cx.tenant)
      const { sessionId: id } = key(cx)
      const head = await sink.open(id)
      await sink.append(id, sealedExamples(id, 2, head))
      await sink.close(id)
      return await Array.fromAsync(sink.read(id))
    },
  },
  { name: 'read decisions', run: (store, { tenant }) => Array.fromAsync(store.audit(tenant).read(DESK_CHAIN)) },
  { name: 'meter', run: (store, cx) => store.metering.append([used(cx)]) },
  { name: 'read what was used', run: (store, { tenant }) => Array.fromAsync(store.metering.read(tenant)) },
  {
    name: 'queue a job',
    run: (store, cx) =>
      store.jobs.enqueue({ tenantId: cx.tenant, kind: 'test', payload: { mark: cx.mark }, key: `k${cx.n}`, sessionId: key(cx).sessionId }),
  },
  { name: 'list jobs', run: (store, { tenant }) => store.jobs.list(tenant) },
  { name: 'cancel a job', run: async (store, cx) => store.jobs.cancel(cx.tenant, await firstJob(store, cx)) },
  {
    name: 'schedule',
    run: (store, cx) =>
      store.jobs.schedule({ tenantId: cx.tenant, id: `d${cx.n}`, cron: '0 3 * * *', kind: 'test', payload: { mark: cx.mark } }),
  },
  { name: 'unschedule', run: (store, cx) => store.jobs.unschedule(cx.tenant, `d${cx.n}`) },
  { name: 'schedules', run: (store, { tenant }) => store.jobs.schedules(tenant) },
  {
    name: 'export',
    run: async (store, cx) => {
      const lines: string[] = []
      await exportSession(store.database, key(cx), async (line) => void lines.push(line))
      return lines
    },
  },
  { name: 'erase', run: (store, cx) => eraseSession(store.database, key(cx)) },
]

async function rowsOf(db: StoreDatabase, tenant: Tenant): Promise<string> {
  return await db.system(
    async (tx) => {
      const all: unknown[] = []
      for (const table of TENANT_TABLES) {
        for await (const row of rowsInOrder(tx, table, [['tenant_id', tenant]])) all.push([table, { ...row }])
      }
      return JSON.stringify(all, (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value))
    },
    { readOnly: true },
  )
}

/** What came of a verb, as text: also of one that was refused. */
async function said(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify((await work) ?? null)
  } catch (error) {
    if (AdjutantError.isInstance(error)) return JSON.stringify([error.code, error.message, error])
    throw error
  }
}

const commands = fc.array(
  fc.record({ verb: fc.constantFrom(...VERBS), tenant: fc.constantFrom(...TENANTS), n: fc.integer({ min: 1, max: 2 }) }),
  { minLength: 20, maxLength: 45 },
)

for (const kind of STORE_KINDS) {
  describe(`two tenants with the same ids on ${kind}`, () => {
    it('see and change nothing of each other, whatever they do', { timeout: 110_000 }, async () => {
      await using store = await openStore(await freshUrl(kind), { retryLimitMs: 30_000 })
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(commands, async (run) => {
          for (const { verb, tenant, n } of run) {
            const other = tenant === 'north' ? 'south' : 'north'
            const before = await rowsOf(store.database, other)
            const came = await said(verb.run(store, { tenant, n, mark: markOf(tenant) }))
            assert.ok(
              !came.includes(markOf(other)) && !came.includes(`"${other}"`),
              `${verb.name} of ${tenant} gave: ${came.slice(0, 500)}`,
            )
            assert.equal(await rowsOf(store.database, other), before, `${verb.name} of ${tenant} changed what ${other} has`)
            if (came.includes(markOf(tenant))) seen.add(verb.name)
          }
        }),
        { numRuns: kind === 'postgres' ? 12 : 25 },
      )
      // The second wall stands on the server: a statement that forgets its tenant sees one all the same.
      if (kind === 'postgres') {
        for (const tenant of TENANTS) {
          const rows = await store.database.read(tenant, (tx) =>
            tx.all(hot<{ tenant_id: string }>('SELECT DISTINCT tenant_id FROM sessions')),
          )
          assert.deepEqual(rows, [{ tenant_id: tenant }])
        }
      }
      // What finds nothing of anybody shows nothing: each of these gave its own tenant something.
      for (const name of [
        'keep words',
        'find',
        'list sessions',
        'steps',
        'follow',
        'list approvals',
        'read what was used',
        'list jobs',
        'export',
      ]) {
        assert.ok(seen.has(name), `${name} never gave anything`)
      }
    })
  })
}
