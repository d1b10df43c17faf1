/** Sessions in databases under faults: those of one process here, those of several with processes that are killed, on a disk that is full. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@adjutant/core'
import { type AskedApproval, approvalId, callId, digest, type StepRecord, sessionId, traceId } from '@adjutant/core/contract'
import { ChaosProcess, durableStoreFaults, postgresMissing, smallDisk, startPostgres } from '@adjutant/testkit'
import { broken } from '../../test/chaos/chaos-table.ts'
import { runChaos } from '../../test/chaos/run-chaos.ts'
import { freshUrl, STORE_KINDS, testFolder } from '../../test/open-stores.ts'
import { openStore } from '../open-store.ts'

const SMALL = { seed: 7, checkpoints: 40, workers: 3, killEveryMs: 2_500, bodyMs: 60, limitMs: 100_000 }
const noPostgres = postgresMissing() !== undefined

for (const kind of STORE_KINDS) {
  // Two connections to a database in memory are two databases.
  if (kind === 'sqlite-memory') continue
  durableStoreFaults(kind, systemClock, async () => {
    const url = await freshUrl(kind)
    return {
      async open(clock) {
        const store = await openStore(url, { clock })
        after(() => store[Symbol.asyncDispose]())
        return store.sessions
      },
    }
  })
}

describe('chaos, on a small budget', () => {
  it('on SQLite: each call has its result once, however many workers die', { timeout: 120_000 }, async () => {
    const url = `sqlite:${join(await testFolder(), 'store.db')}`
    const report = await runChaos({ ...SMALL, url })
    assert.deepEqual(broken(report), [], JSON.stringify(report))
  })

  it('on PostgreSQL, which crashes as well', { skip: noPostgres, timeout: 120_000 }, async () => {
    await using server = await startPostgres()
    const report = await runChaos({ ...SMALL, url: server.url, restart: () => server.restart('immediate') })
    assert.deepEqual(broken(report), [], JSON.stringify(report))
    assert.equal(report.restarts, 1)
  })
})

describe('a disk that is full', () => {
  it('refuses what cannot be kept, has all that was kept, and goes on when there is room', { timeout: 60_000 }, async (t) => {
    const disk = smallDisk(2_000_000, join(await testFolder(), 'disk'))
    if ('missing' in disk) return t.skip(disk.missing)
    const lines: string[] = []
    const child = new ChaosProcess({
      script: fileURLToPath(new URL('../../test/chaos/fill-disk.ts', import.meta.url)),
      args: [disk.folder],
      nodeArgs: ['--conditions=adjutant-source', '--disable-warning=ExperimentalWarning'],
      within: disk.command,
      onLine: (line) => lines.push(line),
    })
    const end = await child.ended
    assert.equal(end.code, 0, end.said)
    const { full, kept, read, after: last } = JSON.parse(lines[0] ?? '')
    assert.equal(full.code, 'STORE_FAILED')
    assert.equal(full.outcome, 'not-run')
    assert.match(full.message, /full/)
    assert.ok(kept > 10, `${kept} steps fitted`)
    assert.equal(read, kept)
    assert.equal(last, kept + 1)
  })
})

describe('a database that crashes and forgets what was not durable yet', () => {
  it('is noticed by the holder: nothing is kept after a gap', { skip: noPostgres, timeout: 60_000 }, async () => {
    // What is only written waits for ten seconds here, so that the crash always comes before.
    await using server = await startPostgres({ fsync: true, settings: { wal_writer_delay: '10s' } })
    await using store = await openStore(server.url)
    const key = { tenantId: 'local', sessionId: sessionId('s') }
    const principal = { tenantId: 'local', userId: 'u', roles: [] }
    const hold = await store.sessions.hold(key, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n' })
    await hold.keep([said('one')])
    await hold.keep([said('two')], { safety: 'written' })
    await server.restart('immediate')
    const kept = async () => (await Array.fromAsync(store.sessions.steps(key))).flatMap((step) => (step.type === 'user' ? [step.text] : []))
    assert.deepEqual(await kept(), ['one'], 'the crash came too late to try anything')
    await assert.rejects(hold.keep([said('three')]), { code: 'SESSION_LOST' })
    assert.deepEqual(await kept(), ['one'])
    await hold.close()
    const next = await store.sessions.hold(key, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'm' })
    assert.equal(await next.keep([said('three')]), 2)
    await next.close()
  })
})

describe('more decisions at once than there are connections', () => {
  it('are all decided, also when none was before and the queue has yet to be made', { skip: noPostgres, timeout: 60_000 }, async () => {
    await using server = await startPostgres()
    await using store = await openStore(server.url, { poolSize: 3 })
    const key = { tenantId: 'local', sessionId: sessionId('s') }
    const principal = { tenantId: 'local', userId: 'u', roles: [] }
    const hold = await store.sessions.hold(key, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n' })
    const asked = Array.from({ length: 12 }, (_, index) => question(`approval_${index}`))
    await hold.keep(asked.map((approval) => ({ version: 1, type: 'asked', time: 1, approval })))
    const yes = { decision: { type: 'approve', scope: 'once' }, by: 'eve' } as const
    const decided = await Promise.all(asked.map(({ id }) => store.sessions.approvals.decide('local', id, yes)))
    assert.ok(decided.every(({ state }) => state === 'approved'))
    await hold.close()
  })
})

function question(id: string): AskedApproval {
  const [first, second, third] = ['a', 'b', 'c'].map((sign) => digest(`sha256:${sign.repeat(64)}`))
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  return {
    id: approvalId(id),
    batch: 1,
    callId: callId(id),
    tool: 'change',
    effect: 'write',
    shown: {},
    reason: 'it writes',
    rule: 'mode/ask',
    binding: { arguments: first, tool: second, principal: third },
    createdAt: 1,
  }
}

function said(text: string): StepRecord {
  return { version: 1, type: 'user', at: 0, text }
}
