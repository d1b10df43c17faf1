import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOf } from '../../test/intake/chat.ts'
import { callIds, decodeAll, gather } from '../../test/intake/decode-all.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { decodeStream } from './decode-stream.ts'

const text = chatOf([[{ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' }], [{ index: 1, id: 'b', name: 'g', arguments: '{}' }]])

async function* chunks(size: number, failAfter = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) {
    if (at >= failAfter) throw new Error('connection reset')
    yield bytes.subarray(at, at + size)
  }
}

describe('decodeStream', () => {
  it('gives the events of a decoder, in order', async () => {
    for (const size of [1, 7, 100_000]) {
      const events = await Array.fromAsync(decodeStream(chunks(size), 'auto', { ids: callIds() }))
      assert.deepEqual(gather(events).events, decodeAll(text).events)
    }
  })

  it('passes an error of its source on, after the events before it', async () => {
    const seen: DecodeEvent[] = []
    await assert.rejects(async () => {
      for await (const event of decodeStream(chunks(50, 300), 'auto', { ids: callIds() })) seen.push(event)
    }, /connection reset/)
    assert.ok(seen.length > 0 && seen.every((event) => event.type !== 'end'))
  })

  it('asks for no chunk before the events of the last are taken, and lets the source go when it is left', async () => {
    let asked = 0
    let closed = false
    async function* source(): AsyncGenerator<string> {
      try {
        for (const part of ['one ', 'two ', 'three ']) {
          asked += 1
          yield part
        }
      } finally {
        closed = true
      }
    }
    for await (const event of decodeStream(source(), 'tagged-text', { ids: callIds() })) {
      assert.equal(event.type, 'text')
      break
    }
    assert.deepEqual([asked, closed], [1, true])
  })
})
