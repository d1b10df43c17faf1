/** A session that is paused on one machine and carried on from another finds there what its model was told of: two homes, one store. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  type AgentTool,
  callId,
  type JsonObject,
  openDurableSession,
  Registry,
  type Session,
  SessionPaused,
  sessionId,
  TOOL_JOB,
  type ToolCall,
  type ToolResult,
  toolJobHandler,
} from '@adjutant/core'
import { openStore, type Store, sweep } from '@adjutant/store'
import { postgresMissing, scriptedAsker, startPostgres } from '@adjutant/testkit'
import { readResultTool } from '@adjutant/tools'

const never = { decide: () => new Promise<never>(() => {}) }
const missing = postgresMissing()
if (missing !== undefined) process.stderr.write(`across machines: NOTHING WAS TRIED ON POSTGRESQL: ${missing}\n`)

const stops: (() => PromiseLike<unknown>)[] = []
after(async () => {
  for (const stop of stops.toReversed()) await stop()
})

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'adjutant-machine-'))
  stops.push(() => rm(made, { recursive: true, force: true }))
  return made
}

/** About 5 MB, no two lines alike, with signs of two, three and four bytes. */
const LONG = Array.from({ length: 60_000 }, (_, n) => `line ${n + 1}: größe € 🐝 ${'x'.repeat(n % 90)} ${(n * 7_919) % 65_536}`).join('\n')

function tools(): readonly AgentTool[] {
  const origin = { kind: 'function', from: 'test' } as const
  const common = { inputSchema: { type: 'object', properties: {} }, origin, tier: 'core', lifetime: 'session' } as const
  return [
    { ...common, name: 'dump', description: 'Gives a long text.', effect: 'read', execute: async () => LONG },
    { ...common, name: 'change', description: 'Changes something.', effect: 'write', execute: async () => 'changed' },
    {
      ...common,
      name: 'later',
      description: 'Gives a long text, behind the session.',
      effect: 'read',
      background: true,
      execute: async () => LONG,
    },
    readResultTool,
  ]
}

interface Machine {
  readonly store: Store
  readonly root: string
}

async function machine(url: string, options: Parameters<typeof openStore>[1] = {}): Promise<Machine> {
  const store = await openStore(url, options)
  stops.push(() => store[Symbol.asyncDispose]())
  return { store, root: join(await folder(), 'sessions') }
}

async function take({ store, root }: Machine, id: string, tenantId = 'acme', userId = 'ann'): Promise<Session> {
  const registry = new Registry()
  assert.deepEqual(registry.add(tools(), 'test'), [])
  return await openDurableSession({
    store: store.sessions,
    resultStore: store.results,
    jobs: store.jobs,
    id: sessionId(id),
    principal: { tenantId, userId, roles: [] },
    tools: registry.snapshot(),
    namespaceRoot: root,
    mode: 'ask',
    approver: never,
    asker: scriptedAsker([]),
    defers: true,
  })
}

function call(id: string, name: string, input: JsonObject = {}): ToolCall {
  return { id: callId(id), index: 0, name, arguments: { ok: true, value: input }, idFromProvider: true }
}

async function read(session: Session, input: JsonObject): Promise<ToolResult> {
  const [result] = await session.execute([call('r', 'read_result', input)])
  assert.ok(result !== undefined)
  return result
}

const ASKED: readonly JsonObject[] = [{}, { offset: 31_000, limit: 40 }, { tail: 30 }, { search: 'line 59999:' }, { search: 'ZZZ nothing' }]

async function kinds(): Promise<readonly { readonly name: string; readonly url: () => Promise<string>; readonly key?: string }[]> {
  const sqlite = async (): Promise<string> => `sqlite:${join(await folder(), 'store.db')}`
  const postgres = async (): Promise<string> => {
    const server = await startPostgres()
    stops.push(() => server.stop())
    return server.url
  }
  return [
    { name: 'SQLite', url: sqlite },
    { name: 'sealed SQLite', url: sqlite, key: `k:${'0123456789abcdef'.repeat(4)}` },
    ...(missing === undefined ? [{ name: 'PostgreSQL', url: postgres }] : []),
  ]
}

for (const { name, url: open, key } of await kinds()) {
  describe(`a session on two machines with one ${name}`, () => {
    it('reads a kept result of 5 MB by the name that the model was told, byte for byte', { timeout: 120_000 }, async () => {
      const url = await open()
      const options = key === undefined ? {} : { encryptionKey: key }
      const [here, there] = [await machine(url, options), await machine(url, options)]
      const first = await take(here, 's1')
      const [dumped] = await first.execute([call('call_0', 'dump')])
      const handle = dumped?.spill?.handle
      assert.ok(handle !== undefined && dumped?.text.includes(handle))
      const before = []
      for (const asked of ASKED) before.push((await read(first, { id: handle, ...asked })).text)
      assert.ok(before[3]?.includes('line 59999:'))
      await assert.rejects(first.execute([call('w', 'change')]), SessionPaused)
      await first.close()

      const [waiting] = (await there.store.sessions.approvals.list('acme', { state: 'pending' })).items
      assert.ok(waiting !== undefined)
      await there.store.sessions.approvals.decide('acme', waiting.id, { decision: { type: 'approve', scope: 'once' }, by: 'boss' })
      const second = await take(there, 's1')
      assert.deepEqual(
        (await second.resume()).map(({ text }) => text),
        ['changed'],
      )
      assert.ok(!(await results(there)).some((file) => file.endsWith('.txt')))
      for (const [index, asked] of ASKED.entries()) assert.equal((await read(second, { id: handle, ...asked })).text, before[index])

      // The provider numbers its calls anew: another result gets another name, on every machine.
      const [again] = await second.execute([call('call_0', 'dump')])
      assert.notEqual(again?.spill?.handle, handle)
      assert.equal((await read(second, { id: handle })).text, before[0])
      await second.close()

      // Back on the first machine: what was kept there meanwhile is found, too.
      const third = await take(here, 's1')
      const later = again?.spill?.handle
      assert.ok(later !== undefined)
      assert.equal((await read(third, { id: later, tail: 1 })).text.split('\n')[1], LONG.split('\n').at(-1))
      await third.close()

      await nobodyElse(there, handle)
      await whatIsErased(there, here, handle)
    })

    it('reads what a job of it gave on another machine', { timeout: 60_000 }, async () => {
      const url = await open()
      const options = key === undefined ? {} : { encryptionKey: key }
      const [here, there] = [await machine(url, options), await machine(url, options)]
      const session = await take(here, 's1')
      await session.execute([call('call_0', 'later')])
      const registry = new Registry()
      registry.add(tools(), 'test')
      const handler = toolJobHandler({ tools: () => registry.snapshot(), namespaceRoot: there.root, resultStore: there.store.results })
      const worker = there.store.jobs.work({ [TOOL_JOB]: handler })
      await session.nextJob(new AbortController().signal)
      const [ended] = await session.endedJobs()
      await worker.stop()
      const spill = ended?.result.spill
      assert.ok(spill !== undefined, ended?.result.text)
      assert.equal((await read(session, { id: spill.handle, tail: 1 })).text.split('\n')[1], LONG.split('\n').at(-1))
      await session.close()
    })

    it('sends what a process that died had kept on its machine only, when that machine takes the session again', {
      timeout: 60_000,
    }, async () => {
      const url = await open()
      const options = key === undefined ? {} : { encryptionKey: key }
      const [here, there] = [await machine(url, options), await machine(url, options)]
      const first = await take(here, 's1')
      const [dumped] = await first.execute([call('call_0', 'dump')])
      const { spill } = dumped ?? {}
      assert.ok(spill !== undefined)
      await first.close()
      // As if the process had died between the two.
      await writeFile(spill.path.replace('call_0', 'call_9'), 'only here\n')
      const again = await take(here, 's1')
      await again.execute([call('call_1', 'dump')])
      const handle = await again.namespace.issueHandle('spill', 'call_9')
      await again.close()
      const elsewhere = await take(there, 's1')
      assert.match((await read(elsewhere, { id: handle })).text, /only here/)
      await elsewhere.close()
    })
  })
}

async function results({ root }: Machine): Promise<readonly string[]> {
  return await readdir(root, { recursive: true }).catch(() => [])
}

/** Another session, another person, another tenant, and whoever guesses. */
async function nobodyElse(machine: Machine, handle: string): Promise<void> {
  for (const [id, tenant, user] of [
    ['s2', 'acme', 'ann'],
    ['s3', 'acme', 'eve'],
    ['s1', 'evil', 'ann'],
  ] as const) {
    const stranger = await take(machine, id, tenant, user)
    const [own] = await stranger.execute([call('call_7', 'dump')])
    assert.ok(own?.spill !== undefined)
    for (const name of [handle, 'call_0', own.spill.handle.slice(0, -1), `${handle.slice(0, -3)}AAA`]) {
      const result = await read(stranger, { id: name })
      assert.equal(result.code, 'NOT_FOUND', `${id}, ${tenant}, ${user}: ${name}`)
      assert.doesNotMatch(result.text, /line 1:/)
    }
    await stranger.close()
  }
  await assert.rejects(take(machine, 's1', 'acme', 'eve'))
}

async function whatIsErased(there: Machine, here: Machine, handle: string): Promise<void> {
  const { eraseSession } = await import('@adjutant/store')
  const { erased } = await eraseSession(there.store.database, { tenantId: 'acme', sessionId: 's1' })
  assert.ok((erased.result_pieces ?? 0) >= 10)
  assert.equal(erased.session_secrets, 1)
  await sweep(there.store.database)
  const fresh = await take({ ...here, root: join(await folder(), 'sessions') }, 's1')
  assert.equal((await read(fresh, { id: handle })).code, 'NOT_FOUND')
  await fresh.close()
}
