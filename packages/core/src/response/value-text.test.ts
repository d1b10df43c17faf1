import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NO_OUTPUT, valueText } from './value-text.ts'

const text = (value: unknown): string => valueText(value, 8_000)

class Point {
  x = 1
  y = 2
}

describe('valueText', () => {
  it('writes JSON as JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }).filter((value) => typeof value === 'object' && value !== null),
        (value) => assert.deepEqual(JSON.parse(text(value)), JSON.parse(JSON.stringify(value))),
      ),
    )
  })

  it('never throws, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
          withSparseArray: true,
          withObjectString: true,
          withBoxedValues: true,
        }),
        (value) => {
          assert.equal(typeof text(value), 'string')
          assert.notEqual(text(value), '')
        },
      ),
    )
  })

  it('says truthfully when there is nothing', () => {
    for (const nothing of [undefined, null, '', new Uint8Array(0)]) assert.equal(text(nothing), NO_OUTPUT)
  })

  it('gives each other kind a sensible text', () => {
    const cases: readonly (readonly [unknown, string])[] = [
      ['as it is', 'as it is'],
      [0, '0'],
      [-0, '0'],
      [false, 'false'],
      [12n, '12'],
      [Number.NaN, 'NaN'],
      [{ a: 12n, b: Number.POSITIVE_INFINITY, c: undefined }, '{"a":"12","b":"Infinity"}'],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [new Date(Number.NaN), 'Invalid Date'],
      [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
      [new Map([['a', 1]]), '{"a":1}'],
      [new Map([[1, 'a']]), '[[1,"a"]]'],
      [new Set([1, 2]), '[1,2]'],
      [new RangeError('too far'), 'RangeError: too far'],
      [[new Error('inside')], '["Error: inside"]'],
      [new Point(), '{"x":1,"y":2}'],
      [Buffer.from('bytes that are text'), 'bytes that are text'],
      [Uint8Array.of(0, 1, 2), '[3 bytes that are not text]'],
      [{ data: Uint8Array.of(255, 254) }, '{"data":"[2 bytes that are not text]"}'],
      [Float32Array.of(1, 2.5), '[1,2.5]'],
      [new ArrayBuffer(8), '[8 bytes]'],
      [Symbol('mark'), '[Symbol(mark)]'],
      [text, '[function text]'],
      [[() => 1], '["[function]"]'],
      [new URL('http://a.b/'), 'http://a.b/'],
      [[undefined], '[null]'],
    ]
    for (const [value, expected] of cases) assert.equal(text(value), expected)
  })

  it('names a cycle instead of failing on it, and writes a shared value twice', () => {
    const shared = { s: 1 }
    const cyclic: Record<string, unknown> = { a: shared, b: shared }
    cyclic.self = cyclic
    assert.equal(text(cyclic), '{"a":{"s":1},"b":{"s":1},"self":"[circular]"}')
  })

  it('survives hostile objects', () => {
    const thrower = {
      ok: 1,
      get bad(): never {
        throw new Error('no entry')
      },
    }
    assert.equal(text(thrower), '{"ok":1,"bad":"[unreadable: no entry]"}')
    assert.equal(
      text({
        toJSON: () => {
          throw new Error('not me')
        },
      }),
      '[unreadable: not me]',
    )
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    assert.match(text(proxy), /cannot be written as text/)
    assert.match(text({ proxy }), /unreadable/)
    let deep: unknown = 'end'
    for (let level = 0; level < 50_000; level++) deep = [deep]
    assert.match(text(deep), /nested deeper than 100/)
    assert.equal(text(JSON.parse('{"__proto__":{"a":1},"b":2}')), '{"__proto__":{"a":1},"b":2}')
  })

  it('writes long JSON line by line, so that it can be clipped and paged', () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id }))
    assert.equal(valueText(rows, 100_000).includes('\n'), false)
    assert.deepEqual(JSON.parse(valueText(rows, 1_000)), rows)
    assert.ok(valueText(rows, 1_000).split('\n').length > 1_000)
  })
})
