import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ToolCall } from '../contract/call.ts'
import type { SessionEvent } from '../contract/events.ts'
import { callId, sessionId, traceId } from '../contract/ids.ts'
import type { ObservedSession, SessionObserver } from '../contract/observe.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import { CallLedger } from './call-ledger.ts'
import { Followers, sinkOf } from './followers.ts'

type EventType = SessionEvent['type']

const SESSION: ObservedSession = { sessionId: sessionId('s'), traceId: traceId('1'.repeat(32)), principal: LOCAL_PRINCIPAL, startedAt: 0 }
const CALL: ToolCall = { id: callId('c'), index: 0, name: 't', arguments: { ok: true, value: {} }, idFromProvider: true }

function hearing(heard: string[], name: string, wants?: readonly EventType[]): SessionObserver {
  return {
    follow: () => ({
      ...(wants === undefined ? {} : { wants: new Set(wants) }),
      event: (event) => void heard.push(`${name} ${event.type}`),
    }),
  }
}

/** Takes a call in and moves it once; counts how often the time was asked for. */
function moved(followers: Followers): number {
  let asked = 0
  const ledger = new CallLedger(() => {
    asked += 1
    return asked
  }, followers.emit)
  ledger.move(ledger.receive(CALL), { status: 'admitted' })
  return asked
}

describe('who hears events', () => {
  it('is told what he wants, in order, and of everything when he does not say', () => {
    const heard: string[] = []
    const followers = new Followers(undefined, [hearing(heard, 'some', ['task', 'ended']), hearing(heard, 'all')], SESSION)
    followers.emit?.({ type: 'task', text: '', at: 0 })
    followers.emit?.({ type: 'round', round: 1, at: 1 })
    followers.emit?.({ type: 'ended', reason: '', text: '', at: 2 })
    assert.deepEqual(heard, ['some task', 'all task', 'all round', 'some ended', 'all ended'])
    assert.equal(moved(followers), 2)
    assert.deepEqual(heard.slice(5), ['all call-state', 'all call-state'])
  })

  it('costs nothing where nobody wants it: neither an event nor a look at the clock', () => {
    const heard: string[] = []
    const followers = new Followers(undefined, [hearing(heard, 'a', ['task']), hearing(heard, 'b', ['results'])], SESSION)
    assert.equal(sinkOf(followers.emit, 'call-state'), undefined)
    assert.equal(sinkOf(followers.emit, 'results'), followers.emit)
    assert.equal(moved(followers), 0)
    assert.deepEqual(heard, [])
  })

  it('is the host’s own sink as well, which hears everything', () => {
    const heard: string[] = []
    const followers = new Followers((event) => void heard.push(event.type), [hearing([], 'a', ['task'])], SESSION)
    assert.equal(moved(followers), 2)
    assert.deepEqual(heard, ['call-state', 'call-state'])
    assert.equal(sinkOf(new Followers(undefined, [], SESSION).emit, 'task'), undefined)
  })

  it('goes on when another one fails', () => {
    const heard: string[] = []
    const told: string[] = []
    const failing: SessionObserver = {
      follow: () => ({
        event: () => {
          throw new Error('broken')
        },
      }),
    }
    const followers = new Followers(
      (event) => void told.push(event.type === 'log' ? event.message : event.type),
      [failing, hearing(heard, 'a')],
      SESSION,
    )
    followers.emit?.({ type: 'task', text: '', at: 0 })
    assert.deepEqual([told, heard], [['task', 'an observer failed: broken'], ['a task']])
  })
})
