import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { canonicalJson } from '@adjutant/core'
import {
  AdjutantError,
  AUDIT_START,
  type AuditRecord,
  type AuditSink,
  type SealedAuditRecord,
  type SessionId,
  sessionId,
  traceId,
} from '@adjutant/core/contract'

/** `count` sealed records that follow `after`, with text that tempts a careless writer. */
export function sealedExamples(
  id: SessionId,
  count: number,
  after: { readonly seq: number; readonly hash: string } = { seq: 0, hash: AUDIT_START },
): readonly SealedAuditRecord[] {
  const records: SealedAuditRecord[] = []
  let { seq, hash: previous } = after
  for (let made = 0; made < count; made += 1) {
    seq += 1
    const unsealed: Omit<AuditRecord, 'hash'> = {
      version: 1,
      seq,
      at: new Date(1_700_000_000_000 + seq).toISOString(),
      sessionId: id,
      traceId: traceId('a'.repeat(32)),
      tenant: 'tenant "one"',
      user: 'useré\u2028\n',
      type: 'task',
      body: { chars: 3, words: { text: `line one\nline two\r\n"quoted" \u2028 🧭 \u0000 ${seq}` } },
      previous,
    }
    const digest = `sha256:${hash('sha256', canonicalJson(unsealed))}`
    records.push({ seq, previous, hash: digest, text: canonicalJson({ ...unsealed, hash: digest }) })
    previous = digest
  }
  return records
}

/**
 * What every {@link AuditSink} must do. Call it inside a test file, with a maker of fresh sinks.
 *
 * @param make a sink that holds nothing yet
 * @example
 * ```ts
 * auditSinkConformance('MemoryAuditSink', async () => new MemoryAuditSink())
 * ```
 */
export function auditSinkConformance(name: string, make: () => Promise<AuditSink>): void {
  const a = sessionId('a')
  const b = sessionId('b')
  const all = (sink: AuditSink, id: SessionId): Promise<AuditRecord[]> => Array.fromAsync(sink.read(id))
  const conflict = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'CONFLICT'

  describe(`${name} is an audit sink`, () => {
    it('gives nothing for a session it does not know, and its chain starts at the start', async () => {
      const sink = await make()
      assert.deepEqual(await all(sink, a), [])
      assert.deepEqual(await sink.open(a), { seq: 0, hash: AUDIT_START })
      await sink.close(a)
    })

    it('gives back what was kept, in order and unchanged', async () => {
      const sink = await make()
      await sink.open(a)
      const examples = sealedExamples(a, 5)
      await sink.append(a, examples.slice(0, 2))
      await sink.append(a, examples.slice(2))
      assert.deepEqual(
        (await all(sink, a)).map((record) => canonicalJson(record)),
        examples.map((record) => record.text),
      )
      await sink.close(a)
    })

    it('keeps in one order what must be durable and what need only be written', async () => {
      const sink = await make()
      const examples = sealedExamples(a, 4)
      const texts = examples.map((record) => record.text)
      await sink.open(a)
      await sink.append(a, examples.slice(0, 1), 'written')
      await sink.append(a, examples.slice(1, 2), 'durable')
      await sink.append(a, examples.slice(2), 'written')
      const kept = async (): Promise<readonly string[]> => (await all(sink, a)).map((record) => canonicalJson(record))
      assert.deepEqual(await kept(), texts)
      await sink.close(a)
      assert.deepEqual(await kept(), texts)
    })

    it('says where a chain ends when it is opened again', async () => {
      const sink = await make()
      const examples = sealedExamples(a, 4)
      await sink.open(a)
      await sink.append(a, examples.slice(0, 3))
      await sink.close(a)
      assert.deepEqual(await sink.open(a), { seq: 3, hash: examples[2]?.hash })
      await sink.append(a, examples.slice(3))
      assert.equal((await all(sink, a)).length, 4)
      await sink.close(a)
    })

    it('has one writer for each chain', async () => {
      const sink = await make()
      await sink.open(a)
      await assert.rejects(sink.open(a), conflict)
      await sink.open(b)
      await sink.close(a)
      await sink.open(a)
      await sink.close(a)
      await sink.close(b)
    })

    it('takes nothing for a chain that is not open', async () => {
      const sink = await make()
      await assert.rejects(sink.append(a, sealedExamples(a, 1)), conflict)
      await sink.open(a)
      await sink.close(a)
      await assert.rejects(sink.append(a, sealedExamples(a, 1)), conflict)
      assert.deepEqual(await all(sink, a), [])
    })

    it('refuses records that do not follow the last one, and keeps none of them', async () => {
      const sink = await make()
      const [first, second, third] = sealedExamples(a, 3)
      assert.ok(first !== undefined && second !== undefined && third !== undefined)
      await sink.open(a)
      await sink.append(a, [first])
      for (const wrong of [[third], [first], [second, second], [{ ...second, previous: third.hash }]]) {
        await assert.rejects(sink.append(a, wrong), conflict)
      }
      assert.equal((await all(sink, a)).length, 1)
      await sink.append(a, [second, third])
      assert.equal((await all(sink, a)).length, 3)
      await sink.close(a)
    })

    it('keeps sessions apart', async () => {
      const sink = await make()
      await sink.open(a)
      await sink.open(b)
      await sink.append(a, sealedExamples(a, 2))
      await sink.append(b, sealedExamples(b, 1))
      assert.deepEqual(
        (await all(sink, b)).map((record) => record.sessionId),
        [b],
      )
      await sink.close(a)
      await sink.close(b)
    })

    it('is not changed by what a reader does with what it got', async () => {
      const sink = await make()
      await sink.open(a)
      await sink.append(a, sealedExamples(a, 1))
      for (const record of await all(sink, a)) Object.assign(record, { seq: 9 })
      assert.equal((await all(sink, a))[0]?.seq, 1)
      await sink.close(a)
    })

    it('may be closed when it is not open', async () => {
      const sink = await make()
      await sink.close(a)
    })
  })
}
