/** What holds for the events of every stream, however broken it is. */
import assert from 'node:assert/strict'
import type { DecodeEvent } from '../../src/contract/index.ts'

/** @param size bytes that were decoded */
export function assertInvariants(events: readonly DecodeEvent[], size: number): void {
  const last = events.at(-1)
  assert.equal(last?.type, 'end', 'the end is last')
  assert.equal(events.filter((event) => event.type === 'end').length, 1, 'one end')
  assertCalls(events)
  assert.ok(events.length <= size + 30_000, `${events.length} events of ${size} bytes`)
  let written = 0
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning') written += event.text.length
    if (event.type === 'call' && !event.call.arguments.ok) written += event.call.arguments.raw.length
    if (event.type === 'problem')
      assert.ok(event.message !== '' && event.message.length < 2_000, `a message of ${event.message.length} characters`)
  }
  // Each character of the input is text once at most; arguments that are no object may be written anew.
  assert.ok(written <= 2 * size + 1_000, `${written} characters of ${size} bytes`)
}

function assertCalls(events: readonly DecodeEvent[]): void {
  const started = new Map<number, { readonly id: string; readonly name: string; handed: boolean; chars: number; fields: Set<string> }>()
  const ids = new Set<string>()
  for (const event of events) {
    if (event.type === 'call-start') {
      assert.equal(event.index, started.size, 'calls are numbered in the order of their start')
      assert.ok(!ids.has(event.id), `the id ${event.id} is given once`)
      ids.add(event.id)
      started.set(event.index, { id: event.id, name: event.name, handed: false, chars: 0, fields: new Set() })
    } else if (event.type === 'call-growing' || event.type === 'call-field') {
      const open = started.get(event.index)
      assert.ok(open !== undefined && !open.handed && open.id === event.id, 'signals come while a call is open')
      if (event.type === 'call-growing') {
        assert.ok(event.chars > open.chars, 'arguments only grow')
        open.chars = event.chars
      } else {
        assert.ok(!open.fields.has(event.name), `the field ${event.name} is told once`)
        open.fields.add(event.name)
      }
    } else if (event.type === 'call') {
      const start = started.get(event.call.index)
      assert.ok(start !== undefined, 'a call is announced before it is handed over')
      assert.ok(!start.handed, `call ${event.call.index} is handed over once`)
      start.handed = true
      assert.deepEqual([event.call.id, event.call.name], [start.id, start.name], 'under the id and name it was announced with')
    }
  }
  for (const [index, { handed }] of started) assert.ok(handed, `call ${index} was announced and must be handed over`)
}
