/** Tools that go on behind a session, through the front door: a model calls them, the loop goes on, and what came of them is told once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type ScriptedRound, scriptedModel } from '@adjutant/testkit'
import { call, newStore, Process, recorded, SESSION, TENANT, take, tool, type World } from '../../../test/durable-bench.ts'
import { policyOf } from '../../../test/policy-words.ts'
import type { AgentTool, DecodeEvent, Job, JobQueue, ModelRequest, StepRecord } from '../../contract/index.ts'
import { Registry } from '../../registry/registry.ts'
import { runAgent } from '../agent.ts'
import type { MemoryDurableStore } from '../durable/memory-durable-store.ts'
import { memoryJobQueue } from './memory-job-queue.ts'
import { SESSION_RESUME_JOB } from './session-resume.ts'
import { sessionResumeHandler } from './session-resume-handler.ts'
import { type ToolJobOptions, toolJobHandler } from './tool-job-handler.ts'

const folder = mkdtempSync(join(tmpdir(), 'background-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const CALLS: readonly DecodeEvent[] = [{ type: 'call', call: call(0, 'slow', { value: 1 }) }]
const said = (text: string): readonly DecodeEvent[] => [{ type: 'text', text }]
const NEVER = new AbortController().signal

/** Waits for something of the world before it says anything. */
function once(ready: Promise<unknown>, events: readonly DecodeEvent[]): ScriptedRound {
  return async function* () {
    await ready
    yield* events
  }
}

function slow(over: Partial<AgentTool> = {}, world: World = { runs: [] }): AgentTool {
  return recorded(world, 'slow', { effect: 'write', background: true, ...over })
}

function worker(queue: JobQueue, tools: readonly AgentTool[], over: Partial<ToolJobOptions> = {}): ReturnType<JobQueue['work']> {
  const registry = new Registry()
  assert.deepEqual(registry.add(tools, 'test'), [])
  return queue.work({ tool: toolJobHandler({ tools: () => registry.snapshot(), namespaceRoot: folder, redactor: false, ...over }) })
}

async function onlyJob(queue: JobQueue): Promise<Job> {
  const { items } = await queue.list(TENANT, { kind: 'tool' })
  assert.equal(items.length, 1)
  const [job] = items
  assert.ok(job !== undefined)
  return job
}

async function jobEnded(queue: JobQueue): Promise<Job> {
  return await queue.settled(TENANT, (await onlyJob(queue)).id, { signal: NEVER })
}

/** How often the model has been told the end of a job in this request. */
function told(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === 'user' && message.text.startsWith('The background job') ? [message.text] : [],
  )
}

async function stepTypes(store: MemoryDurableStore): Promise<readonly StepRecord['type'][]> {
  const types: StepRecord['type'][] = []
  for await (const { type } of store.steps({ tenantId: TENANT, sessionId: SESSION })) types.push(type)
  return types
}

/** A session that has called `slow` and answered; its job is left behind. */
async function leftBehind(queue: JobQueue, store: MemoryDurableStore, tools: readonly AgentTool[]): Promise<void> {
  const { session } = await take(store, tools, { mode: 'allow', jobs: queue })
  const model = scriptedModel([CALLS, said('It goes on.')])
  const answer = await runAgent({ session, model, task: 'Do it.' })
  assert.equal(answer.jobs?.length, 1)
  await session.close()
}

/** What the model is told of the job when the session is given its next task, in another process. */
async function toldNext(queue: JobQueue, store: MemoryDurableStore, tools: readonly AgentTool[]): Promise<string> {
  const { session } = await take(store, tools, { mode: 'allow', jobs: queue })
  const model = scriptedModel([said('I see.'), said('Nothing new.')])
  await runAgent({ session, model, task: 'And now?' })
  await runAgent({ session, model, task: 'And again?' })
  await session.close()
  const [first, second] = model.requests.map(told)
  assert.equal(first?.length, 1)
  assert.deepEqual(second, first)
  assert.equal((await stepTypes(store)).filter((type) => type === 'job').length, 1)
  return first?.[0] ?? ''
}

describe('a tool that goes on behind the session', () => {
  it('is accepted at once, and its end is told once, in the round that follows it', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const world: World = { runs: [] }
    const tools = [slow({}, world), tool('look', { execute: async () => 'looked' })]
    const { session } = await take(store, tools, { mode: 'allow', jobs: queue })
    const look: readonly DecodeEvent[] = [{ type: 'call', call: call(0, 'look', {}, 'id_look') }]
    const working = Promise.withResolvers<void>()
    const model = scriptedModel([
      CALLS,
      // Nobody works yet: the talk goes on all the same.
      (request) => {
        assert.deepEqual(told(request), [])
        worker(queue, tools)
        working.resolve(jobEnded(queue).then(() => {}))
        return look
      },
      once(working.promise, look),
      said('Done.'),
    ])
    const answer = await runAgent({ session, model, task: 'Do it.' })
    assert.equal(answer.text, 'Done.')
    assert.equal(answer.jobs, undefined)
    const accepted = model.requests[1]?.messages.find((message) => message.role === 'tool')
    assert.match(accepted?.role === 'tool' ? (accepted.results[0]?.text ?? '') : '', /^Accepted as background job /)
    const last = told(model.requests.at(-1))
    assert.equal(last.length, 1)
    assert.match(last[0] ?? '', /\(slow, call id_0\) is done\..*slow done/s)
    assert.equal(world.runs.length, 1)
    assert.equal((await stepTypes(store)).filter((type) => type === 'job').length, 1)
    await session.close()
  })

  it('is told with the next task where it ends after the answer, by another process', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const tools = [slow()]
    await leftBehind(queue, store, tools)
    worker(queue, tools)
    await jobEnded(queue)
    assert.match(await toldNext(queue, store, tools), /is done\..*slow done/s)
  })

  it('has its session carried on when it ends, without anybody asking', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const tools = [slow()]
    await leftBehind(queue, store, tools)
    const model = scriptedModel([said('It is done now.')])
    queue.work({
      [SESSION_RESUME_JOB]: sessionResumeHandler({
        open: async () => {
          const { session } = await take(store, tools, { mode: 'allow', jobs: queue, create: false })
          return { session, run: ({ signal }) => runAgent({ session, model, signal }) }
        },
      }),
    })
    worker(queue, tools)
    await jobEnded(queue)
    const [resume] = (await queue.list(TENANT, { kind: SESSION_RESUME_JOB })).items
    assert.ok(resume !== undefined)
    assert.deepEqual((await queue.settled(TENANT, resume.id, { signal: NEVER })).result, { carriedOn: true })
    assert.equal(told(model.requests[0]).length, 1)
    assert.equal((await store.find({ tenantId: TENANT, sessionId: SESSION }))?.session.state, 'idle')
  })

  it('is unknown to the model where its worker went away in the middle', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const begun = Promise.withResolvers<void>()
    const tools = [
      slow({
        execute: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true })
            begun.resolve()
          }),
      }),
    ]
    await leftBehind(queue, store, tools)
    const dying = worker(queue, tools)
    await begun.promise
    await dying.stop({ graceMs: 0 })
    assert.equal((await jobEnded(queue)).state, 'lost')
    assert.match(await toldNext(queue, store, tools), /was lost\..*Nobody can say whether it took effect/s)
  })

  it('says whether it had begun when it was cancelled', async () => {
    for (const begins of [false, true]) {
      await using queue = memoryJobQueue()
      const { store } = newStore()
      const begun = Promise.withResolvers<void>()
      const tools = [
        slow({
          execute: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason), { once: true })
              begun.resolve()
            }),
        }),
      ]
      await leftBehind(queue, store, tools)
      if (begins) {
        worker(queue, tools)
        await begun.promise
      }
      await queue.cancel(TENANT, (await onlyJob(queue)).id)
      assert.equal((await jobEnded(queue)).state, 'cancelled')
      const text = await toldNext(queue, store, tools)
      assert.match(text, begins ? /Nobody can say whether it took effect: it was cancelled while it ran/ : /cancelled before it began/)
    }
  })

  it('is one job, however the process dies between the queue and the step that says so', async () => {
    let writes = Number.POSITIVE_INFINITY
    for (let dieAt = 1; dieAt <= writes; dieAt += 1) {
      for (const late of [false, true]) {
        await using queue = memoryJobQueue()
        const { store } = newStore()
        const world: World = { runs: [] }
        const tools = [slow({}, world)]
        const process = new Process(store, dieAt, late)
        const first = await take(process, tools, { mode: 'allow', jobs: queue })
        const working = first.session.execute([call(0, 'slow', { value: 1 })])
        const came = await Promise.race([working, process.dead.then(() => undefined)])
        writes = Math.min(writes, came === undefined ? writes : process.writes)
        if (came !== undefined) await first.session.close()
        const second = await take(store, tools, { mode: 'allow', jobs: queue })
        if (second.session.state?.open !== undefined) await second.session.resume()
        const { items } = await queue.list(TENANT, { kind: 'tool' })
        // Before the batch was kept there is nothing to go on with.
        assert.ok(items.length <= 1, `killed at write ${dieAt}`)
        if (items.length === 1) {
          worker(queue, tools)
          await jobEnded(queue)
          assert.equal(world.runs.length, 1)
          assert.equal((await second.session.endedJobs()).length, 1)
          assert.equal((await second.session.endedJobs()).length, 0)
        }
        await second.session.close()
      }
    }
    assert.ok(writes < 20)
  })

  it('does not run when the policy has come to deny it, when it is another tool by then, or is gone', async () => {
    const world: World = { runs: [] }
    const other = slow({ description: 'Use to do something else altogether.' }, world)
    for (const [text, tools, over] of [
      [/DENIED|denie/i, [slow({}, world)], { policy: policyOf({ admin: 'rules: [{id: no, effect: deny, tools: slow}]' }) }],
      [/not what was let through/, [other], {}],
      [/not there any more/, [], {}],
    ] as const) {
      await using queue = memoryJobQueue()
      const { store } = newStore()
      await leftBehind(queue, store, [slow({}, world)])
      worker(queue, tools, over)
      assert.equal((await jobEnded(queue)).state, 'failed')
      assert.match(await toldNext(queue, store, [slow({}, world)]), text)
    }
    assert.deepEqual(world.runs, [])
  })

  it('is told that nobody is there when it asks', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const tools = [slow({ execute: async (_, cx) => cx.ask({ text: 'Really?' }) })]
    await leftBehind(queue, store, tools)
    worker(queue, tools)
    assert.equal((await jobEnded(queue)).state, 'succeeded')
    assert.match(await toldNext(queue, store, tools), /has failed\..*nobody to ask/s)
  })
})

describe('a job that carries a session on', () => {
  it('does nothing where nothing is left to do, or the session is gone', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const { session } = await take(store, [slow()], { mode: 'allow' })
    await runAgent({ session, model: scriptedModel([said('Hello.')]), task: 'Greet.' })
    await session.close()
    const results: unknown[] = []
    for (const id of [SESSION, 'session_none'] as const) {
      await using worker = queue.work({
        [SESSION_RESUME_JOB]: sessionResumeHandler({
          open: async (_tenant, sessionId) => ({
            session: (await take(store, [slow()], { id: sessionId, create: false })).session,
            run: () => assert.fail('there was nothing to do'),
          }),
        }),
      })
      const job = await queue.enqueue({ tenantId: TENANT, kind: SESSION_RESUME_JOB, payload: { sessionId: id } })
      const { result } = await queue.settled(TENANT, job.id, { signal: NEVER })
      results.push(result)
      await worker.stop()
    }
    assert.deepEqual(results, [
      { carriedOn: false, why: 'there is nothing to carry on' },
      { carriedOn: false, why: 'the session is gone' },
    ])
  })

  it('waits for a session that is in other hands', async () => {
    await using queue = memoryJobQueue()
    const { store } = newStore()
    const busy = await take(store, [slow()], { mode: 'allow' })
    let opened = 0
    queue.work({
      [SESSION_RESUME_JOB]: sessionResumeHandler({
        open: async () => {
          opened += 1
          if (opened === 2) await busy.session.close()
          return { session: (await take(store, [slow()], { create: false })).session, run: async () => {} }
        },
      }),
    })
    const job = await queue.enqueue({
      tenantId: TENANT,
      kind: SESSION_RESUME_JOB,
      payload: { sessionId: SESSION },
      maxAttempts: 3,
      retryDelayMs: 0,
    })
    const ended = await queue.settled(TENANT, job.id, { signal: NEVER })
    assert.equal(ended.state, 'succeeded')
    assert.equal(ended.attempt, 2)
  })
})
