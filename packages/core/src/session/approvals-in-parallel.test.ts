/** Several questions at once: each answer goes to the call that owns it, and nobody waits who need not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { scriptedApprover } from '@adjutant/testkit'
import fc from 'fast-check'
import { policyOf } from '../../test/policy-words.ts'
import { openSession, sessionTool } from '../../test/session-bench.ts'
import { DIALECTS } from '../contract/decode.ts'
import type { AgentTool, ApprovalDecision, ApprovalRequest, Approver, ToolCall, ToolResult } from '../contract/index.ts'
import { checkHistory } from '../models/check-history.ts'
import { toToolMessages } from '../response/envelope.ts'

interface Question {
  readonly request: ApprovalRequest
  answer(decision: ApprovalDecision): void
}

/** Keeps each question until somebody answers it, in whatever order. */
function patientApprover(): Approver & { readonly open: Question[] } {
  const open: Question[] = []
  return {
    open,
    decide: (request, { signal }) =>
      new Promise((resolve, reject) => {
        open.push({ request, answer: resolve })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
  }
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function writer(ran: string[], over: Partial<AgentTool> = {}): AgentTool {
  return sessionTool('write', {
    effect: 'write',
    execute: async (input) => {
      ran.push(String(input.to))
      return `wrote ${String(input.to)}`
    },
    ...over,
  })
}

const codes = (results: readonly ToolResult[]): readonly string[] => results.map(({ outcome, code }) => code ?? outcome)

describe('questions of several sessions at once', () => {
  it('each get their own answer, whatever the order of the answers, though tool, arguments and ids are the same', async () => {
    const answers = fc.constantFrom<ApprovalDecision>(
      { type: 'approve', scope: 'once' },
      { type: 'approve', scope: 'tool' },
      { type: 'approve', scope: 'call' },
      { type: 'deny', reason: 'no' },
      { type: 'edit', input: { to: 'edited' } },
    )
    const plan = fc.array(answers, { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(plan, fc.infiniteStream(fc.nat()), async (decisions, order) => {
        const ran: string[][] = decisions.map(() => [])
        const approver = patientApprover()
        const benches = decisions.map((_, at) => openSession([writer(ran[at] ?? [])], { mode: 'ask', approver }))
        const running = benches.map((bench) => bench.run(['write', { to: 'same' }, 'same id']))
        await turnOfTheLoop()
        assert.equal(approver.open.length, decisions.length)
        const waiting = [...approver.open.entries()]
        while (waiting.length > 0) {
          const [[at, question] = []] = waiting.splice((order.next().value ?? 0) % waiting.length, 1)
          const decision = decisions[at ?? -1]
          assert.ok(question !== undefined && decision !== undefined)
          question.answer(decision)
          await turnOfTheLoop()
        }
        for (const [at, results] of (await Promise.all(running)).entries()) {
          const [result] = results
          const { type } = decisions[at] ?? {}
          const to = type === 'deny' ? [] : [type === 'edit' ? 'edited' : 'same']
          assert.deepEqual(ran[at], to)
          assert.deepEqual([results.length, result?.id, result?.outcome], [1, 'same id', type === 'deny' ? 'not-run' : 'ok'])
        }
        // What one person said for the rest of a session is not said in another.
        for (const [at, bench] of benches.entries()) {
          const asked = approver.open.length
          const again = bench.run(['write', { to: 'same' }, 'same id'])
          await turnOfTheLoop()
          const decision = decisions[at]
          const kept = decision?.type === 'approve' && decision.scope !== 'once'
          assert.equal(approver.open.length, kept ? asked : asked + 1)
          approver.open[asked]?.answer({ type: 'deny' })
          assert.equal((await again)[0]?.outcome, kept ? 'ok' : 'not-run')
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('questions of one batch', () => {
  it('of one tool, some said yes to and some no: each runs once or never, each has its result (property)', async () => {
    const kinds = fc.array(fc.constantFrom('free', 'yes', 'no', 'edit', 'throw', 'silent'), { minLength: 1, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), async (batch, sameArguments) => {
        const ran: string[] = []
        const decide = (request: ApprovalRequest): ApprovalDecision | Promise<ApprovalDecision> => {
          switch (batch[request.call.call.index]) {
            case 'yes':
              return { type: 'approve', scope: 'once' }
            case 'edit':
              return { type: 'edit', input: { to: `edited ${request.call.call.index}` } }
            case 'throw':
              throw new Error('the terminal is gone')
            case 'silent':
              return new Promise(() => {})
            default:
              return { type: 'deny' }
          }
        }
        const approver = scriptedApprover(decide)
        await using bench = openSession([writer(ran), writer(ran, { name: 'free' })], {
          policy: policyOf({ user: 'rules: [{id: f, effect: allow, tools: free}, {id: w, effect: ask, tools: write}]' }),
          approver,
          loopGuard: false,
          limits: { approvalTimeoutMs: 1_000 },
        })
        const to = (index: number): string => (sameArguments ? 'same' : `place ${index}`)
        const running = bench.run(
          ...batch.map((kind, index) => [kind === 'free' ? 'free' : 'write', { to: to(index) }, `id ${index}`] as const),
        )
        let results: readonly ToolResult[] | undefined
        void running.then((got) => {
          results = got
        })
        for (let step = 0; results === undefined && step < 50; step++) await bench.clock.advance(500)
        const settled = await running
        assert.deepEqual(
          settled.map(({ id }) => id),
          batch.map((_, index) => `id ${index}`),
        )
        assert.equal(ran.length, settled.filter(({ outcome }) => outcome === 'ok').length, 'each that is said to have run did, once')
        checkHistory([
          { role: 'assistant', text: '', calls: callsOf(settled) },
          { role: 'tool', results: settled },
        ])
        for (const dialect of DIALECTS) assert.ok(JSON.stringify(toToolMessages(dialect, settled)).length > 0)
        if (sameArguments) return
        // Alike in all but their arguments: no answer reaches another call.
        const wanted = batch.map((kind, index) =>
          kind === 'free' || kind === 'yes' ? to(index) : kind === 'edit' ? `edited ${index}` : undefined,
        )
        assert.deepEqual(
          ran,
          wanted.filter((one) => one !== undefined),
        )
        for (const [index, { outcome }] of settled.entries()) assert.equal(outcome, wanted[index] === undefined ? 'not-run' : 'ok')
      }),
      { numRuns: 80 },
    )
  })

  it('do not hold up the reads beside them that nobody asks about', async () => {
    const done: string[] = []
    const look = (name: string): AgentTool => sessionTool(name, { execute: async () => void done.push(name) })
    const approver = patientApprover()
    await using bench = openSession([look('free'), look('secret')], {
      policy: policyOf({ user: 'rules: [{id: s, effect: ask, tools: secret}]' }),
      approver,
    })
    const running = bench.run(['free', { n: 1 }], ['secret'], ['free', { n: 2 }], ['secret', { n: 3 }], ['free', { n: 4 }])
    await turnOfTheLoop()
    await turnOfTheLoop()
    assert.deepEqual(done, ['free', 'free', 'free'])
    assert.equal(approver.open.length, 1, 'one question at a time')
    approver.open[0]?.answer({ type: 'deny' })
    await turnOfTheLoop()
    approver.open[1]?.answer({ type: 'approve', scope: 'once' })
    assert.deepEqual(codes(await running), ['ok', 'DENIED_BY_PERSON', 'ok', 'ok', 'ok'])
    assert.deepEqual(done, ['free', 'free', 'free', 'secret'])
  })

  it('answered in the very moment they are asked are answered', async () => {
    const ran: string[] = []
    await using bench = openSession([writer(ran)], {
      mode: 'ask',
      approver: { decide: () => Promise.resolve({ type: 'approve', scope: 'once' }) },
    })
    assert.deepEqual(codes(await bench.run(['write', { to: 'a' }], ['write', { to: 'b' }])), ['ok', 'ok'])
    assert.deepEqual(ran, ['a', 'b'])
  })

  it('answered after their time, or after the run was stopped, run nothing', async () => {
    const ran: string[] = []
    const approver = patientApprover()
    const open: Question[] = approver.open
    await using bench = openSession([writer(ran)], {
      mode: 'ask',
      // One that does not heed its signal.
      approver: { decide: (request) => new Promise((resolve) => open.push({ request, answer: resolve })) },
      limits: { approvalTimeoutMs: 1_000 },
    })
    const late = bench.run(['write', { to: 'late' }])
    await bench.clock.advance(1_000)
    assert.deepEqual(codes(await late), ['APPROVAL_EXPIRED'])
    open[0]?.answer({ type: 'approve', scope: 'tool' })
    await turnOfTheLoop()
    const closing = bench.run(['write', { to: 'closing' }])
    await bench.clock.advance(0)
    assert.equal(open.length, 2, 'a late yes is no yes for the next')
    const closed = bench.session.close()
    assert.deepEqual(codes(await closing), ['CANCELLED'])
    open[1]?.answer({ type: 'approve', scope: 'once' })
    await closed
    assert.deepEqual(ran, [])
  })

  it('are still answered when more was asked for meanwhile; the later batch waits its turn', async () => {
    const ran: string[] = []
    const approver = patientApprover()
    await using bench = openSession([writer(ran)], { mode: 'ask', approver })
    const earlier = bench.run(['write', { to: 'earlier' }])
    const later = bench.run(['write', { to: 'later' }])
    await turnOfTheLoop()
    assert.deepEqual(
      approver.open.map(({ request }) => request.call.input.to),
      ['earlier'],
    )
    approver.open[0]?.answer({ type: 'approve', scope: 'once' })
    assert.deepEqual(codes(await earlier), ['ok'])
    await turnOfTheLoop()
    approver.open[1]?.answer({ type: 'deny' })
    assert.deepEqual(codes(await later), ['DENIED_BY_PERSON'])
    assert.deepEqual(ran, ['earlier'])
  })
})

function callsOf(results: readonly ToolResult[]): readonly ToolCall[] {
  return results.map(({ id, name }, index) => ({ id, index, name, arguments: { ok: true, value: {} }, idFromProvider: true }))
}
