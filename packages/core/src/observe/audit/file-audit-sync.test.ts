import assert from 'node:assert/strict'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, it, mock } from 'node:test'
import { ManualClock, sealedExamples } from '@adjutant/testkit'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { EXAMPLE_SESSION, exampleEvents, judged, resultOf } from '../fixtures/example-events.ts'
import { auditObserver } from './audit-observer.ts'
import { type AuditSync, FileAuditSink } from './file-audit-sink.ts'

const root = await mkdtemp(join(tmpdir(), 'adjutant-audit-sync-'))
after(() => rm(root, { recursive: true, force: true }))
const id = EXAMPLE_SESSION.sessionId

/** The real thing, counted; a disk that fails is the one part that cannot be had here. */
const handles = await fileHandles()
let syncs = mock.method(handles, 'datasync')
beforeEach(() => {
  syncs = mock.method(handles, 'datasync')
})
afterEach(() => syncs.mock.restore())

async function fileHandles(): Promise<FileHandle> {
  const file = await open(join(root, 'any'), 'w')
  await file.close()
  const prototype: FileHandle = Object.getPrototypeOf(file)
  return prototype
}

function failOnce(): void {
  syncs.mock.mockImplementationOnce(() => Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
}

let folders = 0
function sinkOf(sync?: AuditSync): { readonly sink: FileAuditSink; readonly clock: ManualClock; readonly file: string } {
  folders += 1
  const folder = join(root, `${folders}`)
  const clock = new ManualClock()
  return { sink: new FileAuditSink(folder, { clock, ...(sync === undefined ? {} : { sync }) }), clock, file: join(folder, `${id}.jsonl`) }
}

const lines = async (file: string): Promise<number> => (await readFile(file, 'utf8')).split('\n').length - 1
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const refused = (words: RegExp) => (error: unknown) => AdjutantError.isInstance(error) && words.test(error.message)

describe('FileAuditSink makes durable', () => {
  it('what is asked for at once, and the rest within a second, all of it together', async () => {
    const { sink, clock, file } = sinkOf()
    const [first, second, third] = sealedExamples(id, 3)
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    await sink.open(id)
    await sink.append(id, [first], 'written')
    await sink.append(id, [second], 'written')
    // Written it is: whoever reads the file finds it.
    assert.deepEqual([await lines(file), syncs.mock.callCount()], [2, 0])
    await clock.advance(999)
    assert.equal(syncs.mock.callCount(), 0)
    await clock.advance(1)
    assert.equal(syncs.mock.callCount(), 1)
    await syncs.mock.calls[0]?.result
    await sink.append(id, [third])
    assert.equal(syncs.mock.callCount(), 2)
    await clock.advance(10_000)
    await sink.close(id)
    assert.equal(syncs.mock.callCount(), 2)
  })

  it('what was only written with the next that matters, or at the end', async () => {
    const { sink, clock } = sinkOf()
    const [first, second, third] = sealedExamples(id, 3)
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    await sink.open(id)
    await sink.append(id, [first], 'written')
    await sink.append(id, [second], 'durable')
    assert.equal(syncs.mock.callCount(), 1)
    await clock.advance(10_000)
    assert.equal(syncs.mock.callCount(), 1)
    await sink.append(id, [third], 'written')
    await sink.close(id)
    assert.equal(syncs.mock.callCount(), 2)
    // No timer is left to come to a closed file.
    await clock.advance(10_000)
    assert.equal(syncs.mock.callCount(), 2)
  })

  it('everything at once, or nothing, where it is told so', async () => {
    for (const [sync, expected] of [
      ['always', 2],
      ['never', 0],
    ] as const) {
      const { sink, clock } = sinkOf(sync)
      const [first, second] = sealedExamples(id, 2)
      assert.ok(first !== undefined && second !== undefined)
      const before = syncs.mock.callCount()
      await sink.open(id)
      await sink.append(id, [first], 'written')
      await sink.append(id, [second], 'durable')
      await clock.advance(10_000)
      await sink.close(id)
      assert.equal(syncs.mock.callCount() - before, expected, sync)
    }
    const wrong: FileAuditSink | Error = ((): FileAuditSink | Error => {
      try {
        return new FileAuditSink(root, JSON.parse('{"sync":false}'))
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error))
      }
    })()
    assert.match(wrong instanceof Error ? wrong.message : '', /sync is false; it is one of always, changes, never/)
  })

  it('and says it where it could not, to whoever writes next or closes', async () => {
    const { sink, clock, file } = sinkOf()
    const [first, second, third] = sealedExamples(id, 3)
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    await sink.open(id)
    await sink.append(id, [first], 'written')
    failOnce()
    await clock.advance(1_000)
    await settled()
    await assert.rejects(sink.append(id, [second], 'written'), refused(/may not be on the disk: EIO/))
    assert.equal(await lines(file), 1)
    await sink.append(id, [second], 'written')
    failOnce()
    await assert.rejects(sink.append(id, [third], 'durable'), refused(/1 audit records could not be written: EIO/))
    assert.equal(await lines(file), 2)
    failOnce()
    await assert.rejects(sink.close(id), refused(/may not be on the disk: EIO/))
    // It is let go of all the same.
    assert.equal((await sink.open(id)).seq, 2)
    await sink.close(id)
  })
})

describe('an audit asks for durable records', () => {
  const read: readonly SessionEvent[] = [judged({ id: 'r' }), { type: 'results', results: [resultOf({ id: 'r' })], at: 1 }]

  async function syncsOf(turns: readonly (readonly SessionEvent[])[]): Promise<readonly number[]> {
    const { sink, clock } = sinkOf()
    const follower = auditObserver({ sink, clock }).follow(EXAMPLE_SESSION)
    const counts: number[] = []
    for (const events of turns) {
      const before = syncs.mock.callCount()
      for (const event of events) follower.event(event)
      await follower.flush?.()
      counts.push(syncs.mock.callCount() - before)
    }
    const before = syncs.mock.callCount()
    await follower.close?.()
    return [...counts, syncs.mock.callCount() - before]
  }

  it('of all but reads and their results: these are written and wait', async () => {
    const task: SessionEvent = { type: 'task', text: 'Look', at: 0 }
    // The first turn opens the log; the close is durable, and with it all before.
    assert.deepEqual(await syncsOf([[task], read, read, read]), [1, 0, 0, 0, 1])
  })

  it('of each kind of event that is more than a read', async () => {
    const kinds = exampleEvents().filter(({ type }) => !['judged', 'results', 'call-state', 'round', 'model', 'metered'].includes(type))
    const written = kinds.filter(({ type }) =>
      ['task', 'refused', 'approval-asked', 'approval-answered', 'loop', 'budget', 'ended'].includes(type),
    )
    assert.equal(new Set(written.map(({ type }) => type)).size, 7)
    for (const event of written) {
      const [, count = 0] = await syncsOf([read, [...read, event]])
      // A question is written at once as well, not only at the end of the turn.
      assert.ok(count >= 1, event.type)
    }
  })

  it('of a call that may change something, and of what came of its whole turn', async () => {
    const write = judged({ id: 'w', effect: 'write' })
    const done: SessionEvent = { type: 'results', results: [resultOf({ id: 'w' })], at: 1 }
    const [, first = 0, second = 0, third = 0] = await syncsOf([read, [write], [done], read])
    assert.ok(first >= 1)
    assert.ok(second >= 1)
    assert.equal(third, 0)
  })

  it('again with the next flush, where it failed', async () => {
    const { sink, clock } = sinkOf()
    const follower = auditObserver({ sink, clock }).follow(EXAMPLE_SESSION)
    failOnce()
    follower.event({ type: 'ended', reason: 'done', text: '', at: 0 })
    await assert.rejects(Promise.resolve(follower.flush?.()), refused(/could not be written: EIO/))
    const before = syncs.mock.callCount()
    for (const event of read) follower.event(event)
    await follower.flush?.()
    assert.equal(syncs.mock.callCount() - before, 1)
    await follower.close?.()
  })
})
