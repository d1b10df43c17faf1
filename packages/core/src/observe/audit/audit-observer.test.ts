import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import type { AuditRecord, AuditSink } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { isJsonObject, type JsonObject } from '../../contract/json.ts'
import type { PolicyDecision } from '../../contract/policy.ts'
import type { Redactor } from '../../contract/redact.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { callOf, EXAMPLE_SESSION, exampleEvents, judged, resultOf } from '../fixtures/example-events.ts'
import { type AuditOptions, auditObserver } from './audit-observer.ts'
import { FileAuditSink } from './file-audit-sink.ts'
import { MemoryAuditSink } from './memory-audit-sink.ts'
import { verifyAudit } from './verify-audit.ts'

const root = await mkdtemp(join(tmpdir(), 'adjutant-audit-observer-'))
after(() => rm(root, { recursive: true, force: true }))

const SECRET = 'sk-secret-0123456789'
const hide = (text: string) => ({ text: text.replaceAll(SECRET, '[secret]'), count: text.split(SECRET).length - 1 })
const redactor: Redactor = { redact: hide }
const id = EXAMPLE_SESSION.sessionId

async function written(
  events: readonly SessionEvent[],
  options: Partial<AuditOptions> = {},
): Promise<{ readonly records: readonly AuditRecord[]; readonly lines: readonly string[] }> {
  const sink = options.sink ?? new MemoryAuditSink()
  const follower = auditObserver({ sink, clock: new ManualClock(), ...options }).follow(EXAMPLE_SESSION)
  for (const event of events) follower.event(event)
  await follower.flush?.()
  await follower.close?.()
  const records = await Array.fromAsync(sink.read(id))
  return { records, lines: records.map((record) => canonicalJson(record)) }
}

const verify = (lines: readonly string[], options = {}) =>
  verifyAudit(
    lines.map((text) => ({ text, complete: true })),
    options,
  )

describe('audit', () => {
  it('has one record for each thing that is asked, decided, done and answered', async () => {
    const { records, lines } = await written(exampleEvents())
    assert.deepEqual(
      records.map((record) => record.type),
      [
        'opened',
        'task',
        'call',
        'call',
        'refused',
        'approval-asked',
        'approval-answered',
        'loop',
        'budget',
        // The first call was a read: its result stands with it.
        'result',
        'result',
        'ended',
        'closed',
      ],
    )
    const report = await verify(lines, { closed: true, sessionId: id })
    assert.deepEqual([report.ok, report.records, report.head], [true, 13, records.at(-1)?.hash])
    assert.ok(records.every((record, at) => record.seq === at + 1 && record.tenant === 'acme' && record.user === 'ada'))
  })

  it('says of a call what it was to do and who allowed it, and of a result what came of it', async () => {
    const { records } = await written(exampleEvents())
    assert.deepEqual(records.find((record) => record.type === 'call')?.body, {
      arguments: { text: '{"lines":3,"path":"a.txt"}' },
      callId: 'call_1',
      decision: { effect: 'allow', reason: 'reads run', rule: 'mode/ask', tier: 'mode' },
      effect: 'read',
      origin: 'function',
      result: { at: '2023-11-14T22:14:20.011Z', attempts: 2, chars: 5, durationMs: 12.5, excerpt: { text: 'hello' }, outcome: 'ok' },
      tool: 'read_file',
    })
    assert.deepEqual(records.find((record) => record.type === 'result')?.body, {
      attempts: 1,
      cached: true,
      callId: 'call_2',
      chars: 7,
      durationMs: 7,
      excerpt: { text: 'written' },
      outcome: 'ok',
      tool: 'write_file',
    })
  })

  it('keeps a read and its result in one record only where the result is there in time, and never another call’s', async () => {
    const results = (...given: readonly Parameters<typeof resultOf>[0][]): SessionEvent => ({
      type: 'results',
      results: given.map((one) => resultOf(one)),
      at: 9,
    })
    const shape = (records: readonly AuditRecord[]): readonly string[] =>
      records.slice(1, -1).map(({ type, body }) => {
        const with_ = isJsonObject(body.result) && isJsonObject(body.result.excerpt) ? `+${body.result.excerpt.text}` : ''
        return `${type} ${body.callId}${with_}`
      })
    const sink = new MemoryAuditSink()
    const follower = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    follower.event(judged({ id: 'a' }))
    await follower.flush?.()
    follower.event(judged({ id: 'b' }))
    follower.event(results({ id: 'a', text: '1' }, { id: 'b', text: '2' }))
    await follower.close?.()
    assert.deepEqual(shape(await Array.fromAsync(sink.read(id))), ['call a', 'call b+2', 'result a'])
    // Two calls with one id: the second one never ran.
    const twice = await written([
      judged({ id: 'a' }),
      { type: 'refused', call: callOf({ id: 'a' }), error: new AdjutantError('DUPLICATE_CALL_ID', 'twice'), at: 1 },
      results({ id: 'a', text: '1' }, { id: 'a', text: '2', code: 'DUPLICATE_CALL_ID', outcome: 'not-run' }),
    ])
    assert.deepEqual(shape(twice.records), ['call a+1', 'refused a', 'result a'])
    // An answer broke off; the next one has a call with the same id, which is refused or runs.
    const retried: SessionEvent = { type: 'answer-retried', round: 1, reason: 'broken', at: 2 }
    const refused: SessionEvent = { type: 'refused', call: callOf({ id: 'a' }), error: new AdjutantError('UNKNOWN_TOOL', 'no'), at: 3 }
    const no = await written([judged({ id: 'a' }), retried, refused, results({ id: 'a', text: '1', code: 'UNKNOWN_TOOL' })])
    assert.deepEqual(shape(no.records), ['call a', 'refused a', 'result a'])
    const again = await written([judged({ id: 'a' }), retried, judged({ id: 'a' }), results({ id: 'a', text: '1' })])
    assert.deepEqual(shape(again.records), ['call a', 'call a+1'])
    // Changes and calls that a person was asked about.
    const ask: PolicyDecision = { effect: 'ask', rule: 'r', tier: 'project', reason: 'ask' }
    const more = await written([
      judged({ id: 'a' }, 1, ask),
      results({ id: 'a' }),
      judged({ id: 'b', effect: 'write' }),
      results({ id: 'b' }),
    ])
    assert.deepEqual(shape(more.records), ['call a', 'result a', 'call b', 'result b'])
  })

  it('says of every call and every result the same, whenever it is written', async () => {
    const kinds = fc.constantFrom('read' as const, 'write' as const, 'dangerous' as const)
    const calls = fc.array(fc.record({ effect: kinds, flush: fc.boolean(), slow: fc.boolean() }), { minLength: 1, maxLength: 8 })
    const slow: Redactor = {
      redact: (text) => (text.startsWith('slow') ? Promise.resolve({ text: 'was slow', count: 1 }) : { text, count: 0 }),
    }
    await fc.assert(
      fc.asyncProperty(calls, async (given) => {
        const sink = new MemoryAuditSink()
        const follower = auditObserver({ sink, clock: new ManualClock(), redactor: slow }).follow(EXAMPLE_SESSION)
        for (const [at, { effect, flush, slow: late }] of given.entries()) {
          follower.event(judged({ id: `c${at}`, effect, input: { path: late ? `slow ${at}` : `p${at}` } }))
          if (flush) await follower.flush?.()
        }
        const results = given.map((one, at) => resultOf({ id: `c${at}`, text: one.slow ? `slow ${at}` : `t${at}` }))
        follower.event({ type: 'results', results, at: 5 })
        await follower.close?.()
        const records = await Array.fromAsync(sink.read(id))
        assert.equal(
          (
            await verify(
              records.map((record) => canonicalJson(record)),
              { closed: true },
            )
          ).ok,
          true,
        )
        for (const [at, { effect, slow: late }] of given.entries()) {
          const mine = records.filter((record) => record.body.callId === `c${at}`)
          const called = mine.filter((record) => record.type === 'call')
          const came = mine.flatMap(({ type, body }) => (type === 'result' ? [body] : isJsonObject(body.result) ? [body.result] : []))
          assert.deepEqual([called.length, came.length], [1, 1])
          assert.ok(effect === 'read' || mine.length === 2)
          const text = late ? { digest: `sha256:${hash('sha256', `slow ${at}`)}`, redacted: 1, text: 'was slow' } : { text: `t${at}` }
          assert.deepEqual(came[0]?.excerpt, text)
          assert.match(JSON.stringify(called[0]?.body.arguments), late ? /was slow/ : new RegExp(`p${at}`))
        }
        const order = records.filter(({ type }) => type === 'call').map(({ body }) => body.callId)
        assert.deepEqual(
          order,
          given.map((_, at) => `c${at}`),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('keeps the beginning of a long result, and a digest of all of it', async () => {
    const text = 'x'.repeat(600)
    const { records } = await written([{ type: 'results', results: [resultOf({ text })], at: 0 }])
    assert.deepEqual(records[1]?.body.excerpt, { cut: true, digest: `sha256:${hash('sha256', text)}`, text: 'x'.repeat(500) })
    const { records: shorter } = await written([{ type: 'results', results: [resultOf({ text: '🧭🧭' })], at: 0 }], { resultChars: 3 })
    assert.deepEqual(shorter[1]?.body.excerpt, { cut: true, digest: `sha256:${hash('sha256', '🧭🧭')}`, text: '🧭' })
  })

  it('of version 1 still verifies and reads (golden fixture)', async () => {
    const text = await readFile(join(import.meta.dirname, '../fixtures/audit.v1.jsonl'), 'utf8')
    const lines = text.trimEnd().split('\n')
    assert.equal(lines.length, 13)
    const report = await verify(lines, { closed: true })
    assert.deepEqual([report.ok, report.problems], [true, []])
    const keyed = await readFile(join(import.meta.dirname, '../fixtures/audit-keyed.v1.jsonl'), 'utf8')
    const sealed = await verify(keyed.trimEnd().split('\n'), { key: 'a key for a fixture only' })
    assert.deepEqual([sealed.ok, sealed.keyed], [true, true])
    // What is written today is what was written then.
    assert.deepEqual((await written(exampleEvents())).lines, lines)
  })

  it('writes canonical JSON whatever the texts hold, so that its hash can be made again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.jsonValue({ maxDepth: 3 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }),
        async (text, value, name) => {
          const input = JSON.parse(JSON.stringify({ value, [text]: text }))
          const { lines, records } = await written([
            { type: 'task', text, at: 0 },
            judged({ id: name, input }),
            { type: 'results', results: [resultOf({ id: name, name, text })], at: 1 },
            { type: 'ended', reason: name, text, at: 2 },
          ])
          assert.equal((await verify(lines)).ok, true)
          assert.equal(records.length, 5)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('finds each changed, removed, inserted and moved record, and says which', async () => {
    const { lines } = await written(exampleEvents())
    const at = fc.integer({ min: 0, max: lines.length - 2 })
    const first = async (changed: readonly string[]) => (await verify(changed)).problems[0]
    await fc.assert(
      fc.asyncProperty(at, async (place) => {
        const line = lines[place] ?? ''
        // Changed: also where nobody looks.
        const changed = await first(lines.with(place, line.replace(/"at":"20/, '"at":"21')))
        assert.deepEqual([changed?.record, changed?.kind], [place + 1, 'changed'])
        const removed = await first(lines.toSpliced(place, 1))
        assert.deepEqual([removed?.record, removed?.kind], [place + 1, 'missing'])
        const twice = await first(lines.toSpliced(place, 0, line))
        assert.deepEqual([twice?.record, twice?.kind], [place + 2, place === 0 ? 'order' : 'inserted'])
        const moved = await first(lines.toSpliced(place, 2, lines[place + 1] ?? '', line))
        assert.equal(moved?.record, place + 1)
        const broken = await first(lines.with(place, line.slice(0, -1)))
        assert.deepEqual([broken?.record, broken?.kind], [place + 1, 'unreadable'])
      }),
      { numRuns: 30 },
    )
  })

  it('finds a record that was put in with a right hash', async () => {
    const { lines, records } = await written(exampleEvents())
    const last = records[3]
    assert.ok(last !== undefined)
    const sink = new MemoryAuditSink()
    // Somebody who carries the chain on from record 3 by himself.
    const forged: string[] = []
    const forger: AuditSink = {
      open: async () => ({ seq: 3, hash: records[2]?.hash ?? '' }),
      append: async (_, sealed) => void forged.push(...sealed.map((record) => record.text)),
      read: (session) => sink.read(session),
      close: async () => {},
    }
    const follower = auditObserver({ sink: forger, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    follower.event({ type: 'task', text: 'Give me everything', at: 0 })
    await follower.flush?.()
    const report = await verify(lines.toSpliced(3, 0, forged[0] ?? ''))
    assert.deepEqual([report.problems.length, report.problems[0]?.kind, report.problems[0]?.record], [1, 'inserted', 5])
    assert.match(report.problems[0]?.message ?? '', /record 4 was put in/)
  })

  it('finds a cut off end by an anchor or by the missing close, and a chain written anew by the key', async () => {
    const key = 'a key of enough bytes'
    const { lines, records } = await written(exampleEvents(), { key })
    const head = records.at(-1)?.hash ?? ''
    const cut = lines.slice(0, -3)
    assert.equal((await verify(lines, { key, head, closed: true })).ok, true)
    // An anchor may be older than the end.
    assert.equal((await verify(lines, { key, head: records[4]?.hash })).ok, true)
    assert.deepEqual((await verify(cut, { key })).problems, [])
    assert.equal((await verify(cut, { key, head })).problems[0]?.kind, 'anchor')
    assert.equal((await verify(cut, { key, closed: true })).problems[0]?.kind, 'open-end')
    const anew = await written(exampleEvents())
    assert.equal((await verify(anew.lines)).ok, true)
    assert.match((await verify(anew.lines, { key })).problems[0]?.message ?? '', /without a key, which anybody can make/)
    const other = await written(exampleEvents(), { key: 'another key of enough bytes' })
    assert.equal((await verify(other.lines, { key })).problems[0]?.kind, 'changed')
    assert.equal((await verify(lines)).problems[0]?.kind, 'unchecked')
    assert.throws(() => auditObserver({ sink: new MemoryAuditSink(), clock: new ManualClock(), key: 'short' }), /needs 16/)
  })

  it('says when a chain is another session’s', async () => {
    const { lines } = await written(exampleEvents())
    assert.equal((await verify(lines, { sessionId: 'other' })).problems[0]?.kind, 'foreign')
  })

  it('lets no secret through, wherever it stands and however slow the redactor is', async () => {
    const slow: Redactor = { redact: (text) => (text.includes(SECRET) ? Promise.resolve(hide(text)) : { text, count: 0 }) }
    const events = exampleEvents(SECRET)
    const plain = await written(events, { redactor })
    assert.equal(JSON.stringify(plain.records).includes(SECRET), false)
    assert.match(JSON.stringify(plain.records), /"redacted":1/)
    // The same records in the same order.
    assert.deepEqual((await written(events, { redactor: slow })).lines, plain.lines)
    const broken: Redactor = {
      redact: () => {
        throw new Error('no')
      },
    }
    const failing: Redactor = { redact: () => Promise.reject(new Error('no')) }
    for (const bad of [broken, failing]) {
      const { records, lines } = await written(events, { redactor: bad })
      assert.equal(JSON.stringify(records).includes(SECRET), false)
      assert.equal((await verify(lines)).ok, true)
    }
    assert.equal(JSON.stringify((await written(events)).records).includes(SECRET), true)
  })

  it('lets no half of a secret through where a text is cut', async () => {
    for (const before of [490, 495, 32_750, 32_760]) {
      const text = `${'x'.repeat(before)}${SECRET}${'y'.repeat(40_000)}`
      const { records } = await written(
        [
          { type: 'results', results: [resultOf({ text })], at: 0 },
          { type: 'task', text, at: 0 },
        ],
        { redactor },
      )
      assert.equal(/sk-s/.test(JSON.stringify(records)), false)
    }
  })

  it('is bounded in what it takes of huge arguments, and is not changed by a tool that changes its input', async () => {
    const input: { list: number[]; text: string } = { list: Array.from({ length: 1_000_000 }, (_, at) => at), text: 'x'.repeat(5_000_000) }
    let deep: JsonObject = {}
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep }
    const changing = { path: 'before' }
    const follower = auditObserver({ sink: new MemoryAuditSink(), clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    follower.event(judged({ input: { path: 'x' } }))
    const { records } = await written([judged({ input }), judged({ input: deep }), judged({ input: changing })])
    assert.ok(JSON.stringify(records).length < 20_000)
    const sink = new MemoryAuditSink()
    const changed = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    changed.event(judged({ input: changing }))
    changing.path = 'after'
    await changed.close?.()
    assert.match(JSON.stringify(await Array.fromAsync(sink.read(id))), /before/)
  })

  it('leaves nothing behind of a session in which nothing happened', async () => {
    const sink = new FileAuditSink(join(root, 'nothing'))
    const follower = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    await follower.flush?.()
    await follower.close?.()
    assert.deepEqual(await Array.fromAsync(sink.read(id)), [])
  })

  it('carries a session on in one chain, and says what a crash had cut off', async () => {
    const folder = join(root, 'crash')
    const sink = new FileAuditSink(folder)
    const first = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    first.event({ type: 'task', text: 'first', at: 0 })
    await first.flush?.()
    await sink.close(id)
    const file = join(folder, `${id}.jsonl`)
    await writeFile(file, `${await readFile(file, 'utf8')}{"at":"20`)
    const second = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    second.event({ type: 'task', text: 'second', at: 0 })
    await second.close?.()
    const records = await Array.fromAsync(sink.read(id))
    assert.deepEqual(
      records.map((record) => record.type),
      ['opened', 'task', 'recovered', 'opened', 'task', 'closed'],
    )
    assert.deepEqual([records[2]?.body.bytes, records[3]?.body.continued], [9, true])
    assert.equal((await verify((await readFile(file, 'utf8')).trimEnd().split('\n'), { closed: true })).ok, true)
  })

  it('rejects flush while the disk fails, and writes everything once it does not', async () => {
    const inner = new MemoryAuditSink()
    let failing = true
    const sink: AuditSink = {
      open: (session) => inner.open(session),
      append: (session, records) => (failing ? Promise.reject(new Error('disk full')) : inner.append(session, records)),
      read: (session) => inner.read(session),
      close: (session) => inner.close(session),
    }
    const follower = auditObserver({ sink, clock: new ManualClock() }).follow(EXAMPLE_SESSION)
    follower.event({ type: 'task', text: 'one', at: 0 })
    await assert.rejects(Promise.resolve(follower.flush?.()), /disk full/)
    follower.event({ type: 'task', text: 'two', at: 1 })
    await assert.rejects(Promise.resolve(follower.flush?.()), /disk full/)
    failing = false
    await follower.flush?.()
    await follower.close?.()
    const records = await Array.fromAsync(inner.read(id))
    assert.deepEqual(
      records.map((record) => record.type),
      ['opened', 'task', 'task', 'closed'],
    )
    assert.equal((await verify(records.map((record) => canonicalJson(record)))).ok, true)
  })

  it('rejects flush when the file cannot grow, and leaves a whole chain behind', async () => {
    const folder = join(root, 'full')
    const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    const script = `
      import { auditObserver } from ${here('./audit-observer.ts')}
      import { FileAuditSink } from ${here('./file-audit-sink.ts')}
      import { EXAMPLE_SESSION } from ${here('../fixtures/example-events.ts')}
      import { systemClock } from ${here('../../util/system-clock.ts')}
      const follower = auditObserver({ sink: new FileAuditSink(${JSON.stringify(folder)}), clock: systemClock }).follow(EXAMPLE_SESSION)
      for (let round = 0, failures = 0; failures < 3; round += 1) {
        follower.event({ type: 'task', text: 'x'.repeat(500), at: round })
        await follower.flush().catch((error) => { failures += 1; console.log(error.code, error.message) })
      }
      await follower.close().catch((error) => console.log('close', error.code))`
    // At most 8 blocks of 512 or 1 024 bytes: the write fails in the middle, as on a full disk.
    const { status, stdout, stderr } = spawnSync(
      'sh',
      [
        '-c',
        `trap '' XFSZ; ulimit -f 8; exec "$@"`,
        'sh',
        process.execPath,
        '--conditions=adjutant-source',
        '--input-type=module',
        '-e',
        script,
      ],
      { encoding: 'utf8' },
    )
    assert.equal(status, 0, stderr)
    assert.match(
      stdout,
      /TOOL_FAILED .*1 audit records could not be written: EFBIG.*\n.*2 audit records.*\n.*3 audit records.*\nclose TOOL_FAILED\n$/,
    )
    const lines = (await readFile(join(folder, `${id}.jsonl`), 'utf8')).split('\n')
    assert.equal(lines.pop(), '')
    const report = await verify(lines)
    assert.ok(report.ok && report.records > 2 && !report.closed)
  })

  it('counts what it could not hold, says so on record, and fails the turn', async () => {
    const sink = new MemoryAuditSink()
    const follower = auditObserver({ sink, clock: new ManualClock(), maxPending: 3 }).follow(EXAMPLE_SESSION)
    for (let at = 0; at < 10; at += 1) follower.event({ type: 'task', text: `${at}`, at })
    await assert.rejects(Promise.resolve(follower.flush?.()), (error: unknown) => {
      return AdjutantError.isInstance(error) && /7 audit records .* could not be held/.test(error.message)
    })
    await follower.flush?.()
    await follower.close?.()
    const records = await Array.fromAsync(sink.read(id))
    assert.deepEqual(
      records.map((record) => record.type),
      ['opened', 'task', 'task', 'task', 'gap', 'closed'],
    )
    assert.equal(records[4]?.body.records, 7)
  })

  it('writes a change before it runs to its end, and a question before it is answered, without being asked to', async () => {
    const anchors: number[] = []
    const sink = new MemoryAuditSink()
    const follower = auditObserver({ sink, clock: new ManualClock(), anchor: ({ seq }) => void anchors.push(seq) }).follow(EXAMPLE_SESSION)
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    follower.event(judged({ id: 'r' }))
    await settle()
    assert.deepEqual(anchors, [])
    follower.event(judged({ id: 'w', effect: 'write' }))
    follower.event(judged({ id: 'x', effect: 'write' }))
    await settle()
    assert.deepEqual(anchors, [4])
    await follower.close?.()
    assert.deepEqual(anchors, [4, 5])
  })

  it('does not close what another follower writes', async () => {
    const sink = new MemoryAuditSink()
    const observer = auditObserver({ sink, clock: new ManualClock() })
    const [first, second] = [observer.follow(EXAMPLE_SESSION), observer.follow(EXAMPLE_SESSION)]
    first.event({ type: 'task', text: 'mine', at: 0 })
    await first.flush?.()
    second.event({ type: 'task', text: 'too', at: 0 })
    await assert.rejects(Promise.resolve(second.close?.()), /being written/)
    await first.close?.()
    assert.equal((await Array.fromAsync(sink.read(id))).at(-1)?.type, 'closed')
  })
})
