import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import fc from 'fast-check'
import { type BodyPlace, BodySeal, sealedBy } from './body-seal.ts'

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`
const [old, current] = [key('old'), key('new')]
const parts = fc.oneof(fc.string({ maxLength: 12 }), fc.nat())
const places: fc.Arbitrary<BodyPlace> = fc
  .tuple(fc.string({ maxLength: 12 }), fc.array(parts, { maxLength: 3 }))
  .map(([table, rest]) => [table, ...rest])

function code(expected: string, text: RegExp): (error: unknown) => boolean {
  return (error) => AdjutantError.isInstance(error) && error.code === expected && text.test(error.message) && error.hint !== ''
}

describe('BodySeal', () => {
  it('gives back any body, sealed or not, and shows nothing of a sealed one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), places, fc.boolean(), (body, place, sealed) => {
        const seal = new BodySeal(sealed ? [current, old] : [])
        const kept = seal.seal(body, place)
        assert.deepEqual(new Uint8Array(seal.open(kept, place)), body)
        if (sealed && body.length >= 8) assert.equal(Buffer.from(kept).includes(Buffer.from(body)), false)
        assert.equal(sealedBy(kept), sealed ? 'new' : undefined)
      }),
    )
    const seal = new BodySeal([current])
    assert.equal(seal.openText(seal.seal('größe 🐝 \0', ['t', 'a']), ['t', 'a']), 'größe 🐝 \0')
    assert.notDeepEqual(seal.seal('x', ['t']), seal.seal('x', ['t']))
  })

  it('opens in its own row only, and only unchanged', () => {
    const seal = new BodySeal([current])
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), places, places, fc.nat(), (body, place, other, at) => {
        const kept = seal.seal(body, place)
        if (JSON.stringify(place) !== JSON.stringify(other)) {
          assert.throws(() => seal.open(kept, other), code('STORE_FAILED', /another one, or the row was changed/))
        }
        const changed = Uint8Array.from(kept)
        const index = at % changed.length
        changed[index] = (changed[index] ?? 0) ^ 1
        // What was sealed never opens as something else; with its first byte changed it claims to be open, and is refused where that is asked for.
        if (index > 0) assert.throws(() => seal.open(changed, place), AdjutantError)
        assert.throws(() => seal.open(kept.subarray(0, at % kept.length), place), AdjutantError)
      }),
      { numRuns: 200 },
    )
    // Numbers and their text are different places, and so are other ways to part the same text.
    const kept = seal.seal('x', ['events.body', 'a', '1'])
    for (const place of [
      ['events.body', 'a', 1],
      ['events.body', 'a,1'],
      ['events.body', 'a', '1', ''],
    ] as const)
      assert.throws(() => seal.open(kept, place))
  })

  it('reads with every key that it has, writes with the first, and says which one is missing', () => {
    const place: BodyPlace = ['events.body', 'a', 's', 1]
    const kept = new BodySeal([old]).seal('x', place)
    const turned = new BodySeal([current, old])
    assert.equal(turned.openText(kept, place), 'x')
    assert.equal(sealedBy(turned.seal('x', place)), 'new')
    assert.throws(() => new BodySeal([current]).open(kept, place), code('CONFIG_INVALID', /key "old", which is not configured/))
    assert.throws(() => new BodySeal().open(kept, place), code('CONFIG_INVALID', /key "old"/))
    assert.throws(() => new BodySeal([key('old')]).open(kept, place), code('STORE_FAILED', /key "old": the key is another one/))
    // What was written before there were keys can still be read.
    assert.equal(turned.openText(new BodySeal().seal('x', place), place), 'x')
  })

  it('refuses keys that are none, without saying them', () => {
    const secret = 'hunter2hunter2'
    for (const wrong of [
      secret,
      `id:${secret}`,
      '',
      `b d:${randomBytes(32).toString('hex')}`,
      `${'x'.repeat(65)}:${randomBytes(32).toString('hex')}`,
    ]) {
      assert.throws(
        () => new BodySeal([wrong]),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && !error.message.includes(secret),
      )
    }
    assert.throws(() => new BodySeal([old, key('old')]), code('CONFIG_INVALID', /same id/))
    const hex = randomBytes(32).toString('hex')
    assert.deepEqual(new BodySeal([hex]).keyIds, new BodySeal([Buffer.from(hex, 'hex').toString('base64')]).keyIds)
  })
})
