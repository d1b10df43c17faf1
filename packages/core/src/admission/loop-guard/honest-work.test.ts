/** Work that looks alike and is none of it a loop: no call of it is ever held up. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { callId } from '../../contract/ids.ts'
import { answer, failed, ok, run, type Step, times, tool } from './fixtures/steps.ts'
import { LoopGuard } from './loop-guard.ts'

const readFile = tool('read_file', 'read')
const edit = tool('edit_file', 'write')
const test = tool('run_tests', 'read')
const clock = new ManualClock(Date.parse('2026-11-30T15:00:00Z'))

const work: Readonly<Record<string, (at: number) => Step>> = {
  'polling with results that change': (at) => ({ tool: tool('job_status', 'read'), input: { job: '7' }, outcome: ok(`${at} % done`) }),
  'polling with a time in the result': (at) => ({
    tool: tool('job_status', 'read'),
    input: {},
    outcome: ok(`waiting, ${clock.now() + at}`),
  }),
  'polling with failures that change': (at) => ({ tool: test, input: {}, outcome: failed(`${300 - at} tests failed`) }),
  'many files with one tool': (at) => ({ tool: readFile, input: { path: `src/${at}.ts` }, outcome: ok(`export const a = ${at}`) }),
  'many files that are all the same': (at) => ({
    tool: readFile,
    input: { path: `src/${at}/index.ts` },
    outcome: ok('export * from "./parts.ts"'),
  }),
  'many files that are empty': (at) => ({ tool: readFile, input: { path: `src/${at}/__init__.py` }, outcome: ok('') }),
  'one file in many pieces': (at) => ({
    tool: readFile,
    input: { path: 'a.log', offset: at * 100, limit: 100 },
    outcome: ok(`line ${at * 100}`),
  }),
  'pages by a cursor': (at) => ({
    tool: tool('list_orders', 'read'),
    input: { cursor: `0190c5d2-7e1a-7c3e-9b2a-${String(at).padStart(12, '0')}` },
    outcome: ok(`orders ${at * 20} to ${at * 20 + 19}`),
  }),
  'the state of many orders by UUID': (at) => ({
    tool: tool('order_state', 'read'),
    input: { orderId: `0190c5d2-7e1a-7c3e-9b2a-${String(at).padStart(12, '0')}` },
    outcome: ok('delivered to the customer'),
  }),
  'a value by itself that looks random': (at) => ({
    tool: tool('look_up', 'read'),
    input: { value: `0190c5d2-7e1a-7c3e-9b2a-${String(at).padStart(12, '0')}` },
    outcome: ok('known'),
  }),
  'searches that find nothing, short': (at) => ({ tool: tool('grep', 'read'), input: { pattern: `todo${at}` }, outcome: ok('[]') }),
  'edits with one tool': (at) => ({
    tool: edit,
    input: { path: 'a.ts', old: `a${at}`, new: `b${at}` },
    outcome: ok('The file was changed.'),
  }),
  'records deleted by UUID': (at) => ({
    tool: tool('delete_record', 'dangerous'),
    input: { record: `0190c5d2-7e1a-7c3e-9b2a-${String(at).padStart(12, '0')}` },
    outcome: ok('The record was deleted.'),
  }),
  'rows of a time series': (at) => ({
    tool: tool('insert_row', 'write'),
    input: { value: 5, timestamp: `2026-10-${String((at % 28) + 1).padStart(2, '0')}T${String(at % 24).padStart(2, '0')}:00:00Z` },
    outcome: ok('One row was inserted.'),
  }),
  'windows of time that are empty': (at) => ({
    tool: tool('query_logs', 'write'),
    input: {
      since: `2026-11-30T${String(at % 24).padStart(2, '0')}:00:00Z`,
      until: `2026-11-30T${String(at % 24).padStart(2, '0')}:59:00Z`,
    },
    outcome: ok('no lines in this window'),
  }),
  'edit and test, failing the same each time': (at) =>
    at % 2 === 0
      ? { tool: edit, input: { path: 'a.ts', text: `try ${at}` }, outcome: ok('ok') }
      : { tool: test, input: {}, outcome: failed('1 of 20 tests failed: adds two numbers') },
  'different failures of one tool': (at) => ({
    tool: tool('bash', 'dangerous'),
    input: { command: `x${at}` },
    outcome: failed(`${'!'.repeat(at)} broken`),
  }),
}

describe('honest work never trips', () => {
  for (const [name, step] of Object.entries(work)) {
    it(`${name}, 200 times`, () => assert.equal(run(new LoopGuard({ clock }), times(200, step)), 'pass 200'))
  }

  it('all of it in turns, and all of it at once', () => {
    const all = Object.values(work)
    const turns = times(2_000, (at) => all[at % all.length]?.(at) ?? { tool: test, input: {}, outcome: ok(`${at}`) })
    assert.equal(run(new LoopGuard({ clock }), turns), 'pass 2000')
    const guard = new LoopGuard({ clock })
    for (let at = 0; at < 50; at++) {
      const verdicts = answer(
        guard,
        all.map((step) => step(at)),
      )
      assert.ok(verdicts.every((verdict) => verdict.type === 'pass'))
    }
  })

  it('a thousand calls of one answer', () => {
    const guard = new LoopGuard()
    for (let at = 0; at < 3; at++) {
      const steps = [...times(1_000, (file) => ({ tool: readFile, input: { path: `${at}/${file}` }, outcome: ok(`text ${at} ${file}`) }))]
      assert.ok(answer(guard, steps).every((verdict) => verdict.type === 'pass'))
    }
  })

  const timedOut: Step = {
    tool: tool('fetch_url', 'read'),
    input: { url: 'https://example.org' },
    outcome: failed('no answer after 60000 ms', 'TIMEOUT'),
  }

  it('a retry after a time-out that waits longer each time, or half a minute', async () => {
    for (const wait of [(at: number) => 1_000 * 2 ** at, () => 30_000, (at: number) => 1_000 + at * 500]) {
      const own = new ManualClock()
      const guard = new LoopGuard({ clock: own })
      for (let at = 0; at < 12; at++) {
        assert.equal(answer(guard, [timedOut])[0]?.type, 'pass', `attempt ${at}`)
        await own.advance(wait(at))
      }
    }
  })

  it('another call after a retry that waited begins the count of errors anew', async () => {
    const own = new ManualClock()
    const guard = new LoopGuard({ clock: own })
    const other = (host: string): Step => ({ ...timedOut, input: { url: `https://${host}.example` } })
    for (const host of ['a', 'b', 'b', 'b', 'b', 'c']) {
      assert.equal(answer(guard, [other(host)])[0]?.type, 'pass', host)
      await own.advance(30_000)
    }
  })

  it('calls that settle while the same answer goes on count once', () => {
    const guard = new LoopGuard()
    let serial = 0
    for (let message = 0; message < 4; message++) {
      guard.beginMessage()
      for (let at = 0; at < 5; at++) {
        const call = { id: callId(`c${++serial}`), name: 'fetch_url', input: { url: `${serial}` }, tool: timedOut.tool }
        assert.equal(guard.judge(call).type, 'pass')
        guard.settled(call, failed(`no answer from ${serial}`))
      }
    }
  })

  it('a retry at once, or always after the same second, is a loop', async () => {
    for (const wait of [0, 1_000]) {
      const own = new ManualClock()
      const guard = new LoopGuard({ clock: own })
      const said: (string | undefined)[] = []
      for (let at = 0; at < 6; at++) {
        said.push(answer(guard, [timedOut])[0]?.type)
        await own.advance(wait)
      }
      assert.deepEqual(said, ['pass', 'pass', 'pass', 'pass', 'warn', 'stop'])
    }
  })

  it('a call whose end is not known, or that was cancelled, is evidence of nothing', () => {
    const guard = new LoopGuard()
    const cancelled: Step = { tool: readFile, input: { path: 'a' }, outcome: { outcome: 'not-run', text: 'stopped', code: 'CANCELLED' } }
    assert.equal(
      run(
        guard,
        times(50, () => cancelled),
      ),
      'pass 50',
    )
  })
})
