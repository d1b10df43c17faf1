/** Jobs of processes that are killed, stopped and woken, and of databases that go away: on real ones. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { SESSION_RESUME_JOB, sessionResumeKey } from '@adjutant/core'
import { type Job, traceId } from '@adjutant/core/contract'
import { type StoreChild, startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS, testServer } from '../../test/open-stores.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { hot } from '../database/index.ts'
import { openStore, type Store } from '../open-store.ts'
import { SqlJobQueue } from './sql-job-queue.ts'

const LEASE_MS = 1_500
const NEVER = new AbortController().signal
const opened: Store[] = []
after(() => Promise.all(opened.map((store) => store[Symbol.asyncDispose]())))

async function open(url: string): Promise<Store> {
  const store = await openStore(url)
  opened.push(store)
  return store
}

async function startWorker(url: string, name: string): Promise<StoreChild> {
  const child = startScript('./job-child.ts', [url, name, String(LEASE_MS)])
  assert.equal(await child.line(), 'ready')
  return child
}

function add({ jobs }: Store, maxAttempts: number): Promise<Job> {
  return jobs.enqueue({ tenantId: 'acme', kind: 'work', payload: {}, maxAttempts })
}

for (const kind of STORE_KINDS.filter((each) => each !== 'sqlite-memory')) {
  describe(`jobs of processes on ${kind}`, { timeout: 120_000 }, () => {
    it('a job of a killed process is done by another one, where it may be done again', async () => {
      const url = await freshUrl(kind)
      const store = await open(url)
      const first = await startWorker(url, 'first')
      const job = await add(store, 2)
      assert.equal(await first.line(), `begun ${job.id} 1`)
      first.process.kill('SIGKILL')
      const second = await startWorker(url, 'second')
      assert.equal(await second.line(), `begun ${job.id} 2`)
      second.process.stdin.write('end\n')
      const ended = await store.jobs.settled('acme', job.id, { signal: NEVER })
      assert.deepEqual([ended.state, ended.result, ended.attempt], ['succeeded', 'second', 2])
      second.process.stdin.end()
      await second.ended()
    })

    it('a job of a killed process is lost, where it may not', async () => {
      const url = await freshUrl(kind)
      const store = await open(url)
      const first = await startWorker(url, 'first')
      const job = await add(store, 1)
      assert.equal(await first.line(), `begun ${job.id} 1`)
      first.process.kill('SIGKILL')
      const second = await startWorker(url, 'second')
      const ended = await store.jobs.settled('acme', job.id, { signal: NEVER })
      assert.equal(ended.state, 'lost')
      second.process.stdin.end()
      await second.ended()
      assert.equal(await second.line(), undefined)
    })

    it('a process that was stopped and comes back records nothing', async () => {
      const url = await freshUrl(kind)
      const store = await open(url)
      const sleeper = await startWorker(url, 'sleeper')
      const job = await add(store, 2)
      assert.equal(await sleeper.line(), `begun ${job.id} 1`)
      sleeper.process.kill('SIGSTOP')
      const second = await startWorker(url, 'second')
      assert.equal(await second.line(), `begun ${job.id} 2`)
      // It wakes, and has its result, while the other one is still at it.
      sleeper.process.stdin.write('end\n')
      sleeper.process.kill('SIGCONT')
      sleeper.process.stdin.end()
      await sleeper.ended()
      assert.equal((await store.jobs.get('acme', job.id))?.state, 'running')
      second.process.stdin.write('end\n')
      second.process.stdin.end()
      await second.ended()
      assert.equal((await store.jobs.get('acme', job.id))?.result, 'second')
    })

    it('a job made in a transaction is there with it, or not at all', async () => {
      const store = await open(await freshUrl(kind))
      const { jobs, database } = store
      assert.ok(jobs instanceof SqlJobQueue)
      const job = { tenantId: 'acme', kind: 'work', payload: {}, key: 'once' }
      await assert.rejects(
        database.transaction('acme', async (tx) => {
          await jobs.enqueueIn(tx, job)
          throw new Error('undone')
        }),
        /undone/,
      )
      assert.deepEqual((await jobs.list('acme')).items, [])
      await assert.rejects(
        database.transaction('other', (tx) => jobs.enqueueIn(tx, job)),
        { code: 'USAGE' },
      )
      const begun = Promise.withResolvers<string>()
      await using _ = jobs.work({ work: async ({ job: { id } }) => void begun.resolve(id) })
      const made = await database.transaction('acme', (tx) => jobs.enqueueIn(tx, job))
      assert.equal(await begun.promise, made.id)
      assert.equal((await database.transaction('acme', (tx) => jobs.enqueueIn(tx, job))).id, made.id)
      assert.equal((await jobs.settled('acme', made.id, { signal: NEVER })).state, 'succeeded')
    })

    it('a decision and the job that carries its session on are one: of several who decide at once, one job comes', async () => {
      const store = await open(await freshUrl(kind))
      const { key, approval } = WAITING
      await using hold = await store.sessions.hold(key, {
        principal: { tenantId: key.tenantId, userId: 'u', roles: [] },
        traceId: traceId('a'.repeat(32)),
        node: 'test',
      })
      const { expiresAt: _, ...lasting } = approval
      await hold.keep([{ version: 1, type: 'asked', time: 1, approval: lasting }])
      const decide = (by: string): Promise<unknown> =>
        store.sessions.approvals.decide(key.tenantId, approval.id, { decision: { type: 'approve', scope: 'once' }, by })
      const came = await Promise.allSettled(['eve', 'bob', 'joe'].map(decide))
      assert.equal(came.filter(({ status }) => status === 'fulfilled').length, 1)
      const { items } = await store.jobs.list(key.tenantId, { kind: SESSION_RESUME_JOB })
      assert.deepEqual(
        items.map(({ key: made, sessionId }) => ({ made, sessionId })),
        [{ made: sessionResumeKey(key.sessionId, approval.id), sessionId: key.sessionId }],
      )
    })
  })
}

describe('jobs on PostgreSQL', { skip: !STORE_KINDS.includes('postgres'), timeout: 120_000 }, () => {
  it('go on after the server was gone for a moment', async () => {
    const store = await open(await freshUrl('postgres'))
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await using _ = store.jobs.work({
      work: async ({ job }) => {
        if (job.payload.waits !== true) return 'after'
        begun.resolve()
        await held.promise
        return 'across'
      },
    })
    const across = await store.jobs.enqueue({ tenantId: 'acme', kind: 'work', payload: { waits: true } })
    const waiting = store.jobs.settled('acme', across.id, { signal: NEVER })
    await begun.promise
    await (await testServer()).restart('immediate')
    held.resolve()
    assert.equal((await waiting).result, 'across')
    const later = await store.jobs.enqueue({ tenantId: 'acme', kind: 'work', payload: {} })
    assert.equal((await store.jobs.settled('acme', later.id, { signal: NEVER })).result, 'after')
  })

  it('are made by as many decisions at once as there are connections, also the very first ones', async () => {
    const url = await freshUrl('postgres')
    const store = await openStore(url, { poolSize: 2 })
    opened.push(store)
    const { jobs, database } = store
    assert.ok(jobs instanceof SqlJobQueue)
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        database.transaction('acme', (tx) => jobs.enqueueIn(tx, { tenantId: 'acme', kind: 'work', payload: { n } })),
      ),
    )
    assert.equal(new Set(made.map(({ id }) => id)).size, 6)
  })

  it('leave nothing of a tenant outside of the walls', async () => {
    const url = await freshUrl('postgres')
    const store = await open(url)
    await store.jobs.enqueue({ tenantId: 'secret-tenant', kind: 'work', payload: { secret: 'secret-payload' } })
    const { postgres } = store.database
    assert.ok(postgres !== undefined)
    const { rows } = await postgres.pool.query(`SELECT j::text AS text FROM ${postgres.schema}_jobs.job j`)
    assert.equal(rows.length, 1)
    assert.doesNotMatch(String(rows[0]?.text), /secret/)
    const others = hot<{ n: number }>('SELECT count(*) AS n FROM jobs')
    assert.equal((await store.database.read('other', (tx) => tx.get(others)))?.n, 0)
  })
})
