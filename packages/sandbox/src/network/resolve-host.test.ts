import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { nameServerLookup } from './resolve-host.ts'

interface NameServer extends AsyncDisposable {
  readonly address: string
  /** `name/type`, in order. */
  readonly asked: readonly string[]
}

/** A name server (RFC 1035) that knows these records, by `name/type` with type 1 (A) or 28 (AAAA). */
async function nameServer(records: Readonly<Record<string, readonly (readonly number[])[]>>): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const labels: string[] = []
    let at = 12
    for (let size = question[at] ?? 0; size > 0; size = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + size))
      at += size + 1
    }
    const type = question.readUInt16BE(at + 1)
    const key = `${labels.join('.').toLowerCase()}/${type}`
    asked.push(key)
    const found = records[key]
    const answers = (found ?? []).map((data) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]))
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

describe('nameServerLookup', () => {
  it('gives all addresses of both kinds, and none where there is none', async () => {
    await using server = await nameServer({
      'both.example/1': [
        [1, 2, 3, 4],
        [127, 0, 0, 1],
      ],
      'both.example/28': [[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
      'four.example/1': [[8, 8, 8, 8]],
      'empty.example/1': [],
    })
    const resolve = nameServerLookup([server.address])
    assert.deepEqual(await resolve('both.example'), ['1.2.3.4', '127.0.0.1', '2001:db8::1'])
    assert.deepEqual(await resolve('four.example'), ['8.8.8.8'])
    assert.deepEqual(await resolve('empty.example'), [])
    assert.deepEqual(await resolve('none.example'), [])
    assert.deepEqual(await resolve(`${'a'.repeat(63)}.`.repeat(3).concat('example')), [])
  })

  it('asks for the name as it is, without the endings of the own network', async () => {
    await using server = await nameServer({})
    await nameServerLookup([server.address])('name.example')
    assert.deepEqual([...server.asked].sort(), ['name.example/1', 'name.example/28'])
  })
})
