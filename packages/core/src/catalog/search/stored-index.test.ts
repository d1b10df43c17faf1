import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { AdjutantError } from '../../contract/errors.ts'
import type { Ranking } from './ranking.ts'
import { ToolIndex } from './tool-index.ts'

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/search')
/** An index as version 1 of the kept form was written, and the ranking of that time, which it is bound to. */
const KEPT = new Uint8Array(readFileSync(join(FIXTURES, 'index-v1.bin')))
const THEN: { readonly ranking: Ranking } = { ranking: JSON.parse(readFileSync(join(FIXTURES, 'index-v1.ranking.json'), 'utf8')) }

function refusal(bytes: Uint8Array, options = THEN): string {
  try {
    ToolIndex.load(bytes, options)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, 'CONFLICT')
    assert.equal(error.hint, 'Build the index anew from the tools.')
    return error.message
  }
  return assert.fail('it was loaded')
}

describe('a kept index', () => {
  it('of version 1 loads and answers', () => {
    const index = ToolIndex.load(KEPT, THEN)
    assert.equal(index.size, 3)
    assert.deepEqual(
      index.search('weather in the city of Bergen').map(({ id, name }) => [id, name]),
      [['demo/weather', 'get_weather']],
    )
    assert.equal(index.search('城市天气')[0]?.id, 'demo/zh')
    assert.equal(index.nameOf('demo/mail'), 'sendMail')
  })

  it('can be changed after it was loaded', () => {
    const index = ToolIndex.load(KEPT, THEN)
    index.add({ id: 'new', name: 'tide_table', description: 'When the sea is high.' })
    assert.equal(index.remove('demo/weather'), true)
    assert.equal(index.search('sea tide')[0]?.id, 'new')
    assert.deepEqual(index.search('forecast'), [])
    assert.equal(ToolIndex.load(index.serialise(), THEN).size, 3)
  })

  it('may be empty', () => assert.equal(ToolIndex.load(new ToolIndex().serialise()).size, 0))

  it('is refused when it is cut, damaged, something else, or of another version or ranking', () => {
    for (const length of [0, 1, 15, 16, 40, KEPT.length - 1]) assert.match(refusal(KEPT.subarray(0, length)), /cut off/)
    fc.assert(
      fc.property(fc.nat({ max: KEPT.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = KEPT.slice()
        damaged[at] = (damaged[at] ?? 0) ^ change
        refusal(damaged)
      }),
      { numRuns: 200 },
    )
    assert.match(refusal(new TextEncoder().encode('{"this":"is something else"}')), /not a search index/)
    const later = KEPT.slice()
    later[4] = 2
    assert.match(refusal(later), /of version 2, not 1/)
    assert.match(refusal(KEPT, { ranking: { ...THEN.ranking, cover: 9 } }), /other numbers of the ranking/)
  })
})
