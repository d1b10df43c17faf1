import assert from 'node:assert/strict'
import { appendFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { MeteringSink } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { callId } from '../../contract/ids.ts'
import { EXAMPLE_SESSION, exampleEvents } from '../fixtures/example-events.ts'
import { meteringObserver } from './metering-observer.ts'
import { FileMeteringSink, MemoryMeteringSink } from './metering-sinks.ts'

const root = await mkdtemp(join(tmpdir(), 'adjutant-metering-'))
after(() => rm(root, { recursive: true, force: true }))

const metered = (units: number): SessionEvent => ({
  type: 'metered',
  id: callId('call_1'),
  name: 'query',
  units,
  unit: 'row',
  microPrice: 12,
  at: units,
})
const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).split('\n')

describe('metering', () => {
  it('says who used how much of what, and what it cost', async () => {
    const sink = new MemoryMeteringSink()
    const follower = meteringObserver({ sink }).follow(EXAMPLE_SESSION)
    for (const event of [...exampleEvents(), metered(5)]) follower.event(event)
    await follower.flush?.()
    await follower.close?.()
    assert.deepEqual(sink.records, [
      {
        version: 1,
        at: '2023-11-14T22:13:20.005Z',
        sessionId: 'session_1',
        traceId: EXAMPLE_SESSION.traceId,
        tenant: 'acme',
        user: 'ada',
        callId: 'call_1',
        tool: 'query',
        units: 5,
        unit: 'row',
        microPrice: 12,
      },
    ])
  })

  it('keeps what could not be written, and writes it in order later', async () => {
    const inner = new MemoryMeteringSink()
    let failing = true
    const sink: MeteringSink = { append: (records) => (failing ? Promise.reject(new Error('down')) : inner.append(records)) }
    const follower = meteringObserver({ sink }).follow(EXAMPLE_SESSION)
    follower.event(metered(1))
    await assert.rejects(Promise.resolve(follower.flush?.()), /down/)
    follower.event(metered(2))
    failing = false
    await follower.close?.()
    assert.deepEqual(
      inner.records.map((record) => record.units),
      [1, 2],
    )
  })

  it('appends lines to one file for all sessions, for its owner only', async () => {
    const path = join(root, 'deep', 'metering.jsonl')
    const [one, other] = [new FileMeteringSink(path), new FileMeteringSink(path)]
    const followers = [meteringObserver({ sink: one }).follow(EXAMPLE_SESSION), meteringObserver({ sink: other }).follow(EXAMPLE_SESSION)]
    for (const [at, follower] of followers.entries()) {
      follower.event(metered(at))
      follower.event(metered(at))
    }
    await Promise.all(followers.map((follower) => follower.flush?.()))
    const lines = await linesOf(path)
    assert.equal(lines.pop(), '')
    assert.deepEqual(lines.map((line) => JSON.parse(line).units).sort(), [0, 0, 1, 1])
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('begins a line of its own after one that a crash cut off', async () => {
    const path = join(root, 'torn.jsonl')
    await appendFile(path, '{"version":1,"at')
    const follower = meteringObserver({ sink: new FileMeteringSink(path) }).follow(EXAMPLE_SESSION)
    follower.event(metered(1))
    await follower.close?.()
    const [torn, whole, end] = await linesOf(path)
    assert.deepEqual([torn, JSON.parse(whole ?? '').units, end], ['{"version":1,"at', 1, ''])
  })

  it('says which file could not be written', async () => {
    const path = join(root, 'folder.jsonl')
    await mkdir(path)
    const follower = meteringObserver({ sink: new FileMeteringSink(path) }).follow(EXAMPLE_SESSION)
    follower.event(metered(1))
    await assert.rejects(
      Promise.resolve(follower.flush?.()),
      (error: unknown) =>
        AdjutantError.isInstance(error) && /folder\.jsonl: 1 metering records could not be written: EISDIR/.test(error.message),
    )
  })
})
