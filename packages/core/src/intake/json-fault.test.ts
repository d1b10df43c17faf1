import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findJsonFault } from './json-fault.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('findJsonFault', () => {
  it('finds a fault exactly where JSON.parse refuses', () => {
    const mutated = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', "'", ',', '{', '}', '\\', '\n', '\u0001', 'tru', '-', '01', '1.', 'é', '😀'),
        fc.nat(2),
      )
      .map(
        ([json, at, inserted, removed]) =>
          json.slice(0, at % (json.length + 1)) + inserted + json.slice((at % (json.length + 1)) + removed),
      )
    fc.assert(
      fc.property(fc.oneof(mutated, fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const fault = findJsonFault(text)
        assert.equal(fault === undefined, isJson(text), `${JSON.stringify(text)} ${JSON.stringify(fault)}`)
        if (fault !== undefined) assert.ok(fault.position <= text.length && fault.line >= 1 && fault.column >= 1)
      }),
      { numRuns: 2_000 },
    )
  })

  it('calls every beginning of an object incomplete', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.nat(), (object, cut) => {
        const json = JSON.stringify(object)
        const fault = findJsonFault(json.slice(0, cut % json.length))
        assert.equal(fault?.incomplete, true, JSON.stringify([json, fault]))
      }),
      { numRuns: 500 },
    )
  })

  const cases: readonly (readonly [text: string, position: number, words: RegExp])[] = [
    [`{"paths": ['app.py']}`, 11, /single quote \('\) where a value or "\]" was expected/],
    ['{"a": True}', 6, /found True where a value/],
    ['{"a": undefined}', 6, /found undefined/],
    ['{a: 1}', 1, /found a where a key in double quotes/],
    ['{"a": 1,}', 8, /found } where a key/],
    ['{"a": [1,]}', 9, /found \] where a value/],
    ['{"a" 1}', 5, /found 1 where ":"/],
    ['{"a": "x\ny"}', 8, /a raw line break inside a string/],
    ['{"a": "x\ty"}', 8, /a raw tab inside a string/],
    ['{"a": "\\x41"}', 7, /unknown escape \\x/],
    ['{"a": "\\u12G4"}', 7, /\\u without four hex digits/],
    ['{"a": 1} {"b": 2}', 9, /found { where the text should have ended/],
    ['{"a": 1', 7, /end of the text where "," or "}"/],
    ['{"a": "x', 8, /end of the text inside a string/],
    ['{"a": 01}', 7, /found 1 where "," or "}"/],
    ['{"a": .5}', 6, /found \. where a value/],
    ['{"a": NaN}', 6, /found NaN/],
    ['', 0, /end of the text where a value/],
  ]
  for (const [text, position, words] of cases) {
    it(`says where and what in ${JSON.stringify(text)}`, () => {
      const fault = findJsonFault(text)
      assert.equal(fault?.position, position)
      assert.match(fault.message, words)
    })
  }

  it('counts lines and columns', () => {
    const fault = findJsonFault('{\n  "a": 1,\n  "b": x\n}')
    assert.deepEqual([fault?.line, fault?.column], [3, 8])
  })

  it('ends for a hundred megabytes of brackets', () => {
    assert.match(findJsonFault('['.repeat(2_000_000))?.message ?? '', /levels of nesting/)
  })

  const suite = join(process.env.ADJUTANT_MATERIAL ?? '', 'json')
  it('agrees with the JSON test suite', { skip: process.env.ADJUTANT_MATERIAL === undefined || !existsSync(suite) }, () => {
    const names = readdirSync(suite, { recursive: true, encoding: 'utf8' }).filter((name) => /(?:^|\/)[yn]_[^/]*\.json$/.test(name))
    assert.ok(names.length > 200, `${names.length}`)
    for (const name of names) {
      const text = readFileSync(join(suite, name), 'utf8')
      // Nesting beyond the limit is refused, and bytes that are no UTF-8 are read as U+FFFD.
      assert.equal(findJsonFault(text) === undefined, isJson(text), name)
    }
  })
})
