import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readBoxStatus, StatusLines } from './box-status.ts'

const TEXT = '{ "child-pid": 5182, "mnt-namespace": 4026532177, "pid-namespace": 4026532178 }\n{ "exit-code": 0 }\n'

describe('readBoxStatus', () => {
  it('reads the same however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: TEXT.length }), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), TEXT.length]
        const status = readBoxStatus(Readable.from(places.slice(1).map((end, index) => Buffer.from(TEXT.slice(places[index], end)))))
        assert.deepEqual(await status.started, { pid: 5182, pidNamespace: 4_026_532_178 })
        assert.equal(await status.exitCode, 0)
      }),
      { numRuns: 50 },
    )
  })

  it('says where the box is before it has ended', async () => {
    const stream = new PassThrough()
    const status = readBoxStatus(stream)
    stream.write('{"child-pid": 7}\n')
    assert.deepEqual(await status.started, { pid: 7 })
    stream.end('{"exit-code": 137}')
    assert.equal(await status.exitCode, 137)
  })

  it('knows nothing when nothing was said, and when the stream breaks', async () => {
    for (const text of ['', 'bwrap: cannot', '{"child-pid": "7"}\n', '{"child-pid": -1}\n[1]\nnull\n', '{"exit-co']) {
      const status = readBoxStatus(Readable.from([Buffer.from(text)]))
      assert.equal(await status.started, undefined)
      assert.equal(await status.exitCode, undefined)
    }
    const broken = new PassThrough()
    const status = readBoxStatus(broken)
    broken.destroy(new Error('gone'))
    assert.equal(await status.started, undefined)
    assert.equal(await status.exitCode, undefined)
  })
})

describe('StatusLines', () => {
  it('passes over what is no object, and lines without an end do not fill the memory', () => {
    const seen: unknown[] = []
    const lines = new StatusLines((line) => seen.push(line))
    const piece = Buffer.alloc(40_000, 'x')
    for (let index = 0; index < 100; index++) lines.push(piece)
    lines.push(Buffer.from('\n{"a":1}\n"text"\n\n{"b":'))
    lines.push(Buffer.from('2}'))
    lines.end()
    assert.deepEqual(seen, [{ a: 1 }, { b: 2 }])
  })

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (pieces) => {
        const lines = new StatusLines(() => {})
        for (const piece of pieces) lines.push(piece)
        lines.end()
      }),
    )
  })
})
