import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { nearestNames } from './nearest-names.ts'

const NAMES = ['read_file', 'write_file', 'list_directory', 'search_text', 'sql_query', 'get_current_weather', 'runBash']

describe('nearestNames', () => {
  for (const [wanted, nearest] of [
    ['raed_file', 'read_file'],
    ['readFile', 'read_file'],
    ['read-file', 'read_file'],
    ['READ_FILE', 'read_file'],
    ['functions.read_file', 'read_file'],
    ['default_api:read_file', 'read_file'],
    ['mcp__files__read_file', 'read_file'],
    ['file_read', 'read_file'],
    ['list_dir', 'list_directory'],
    ['getCurentWeather', 'get_current_weather'],
    ['search', 'search_text'],
    ['run_bash', 'runBash'],
  ] as const) {
    it(`finds ${nearest} for ${wanted}`, () => {
      assert.equal(nearestNames(wanted, NAMES)[0], nearest)
    })
  }

  it('names nothing that is not near', () => {
    for (const wanted of ['', ' ', 'x', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'launch_rocket', '工具']) {
      assert.deepEqual(nearestNames(wanted, NAMES), [], wanted)
    }
  })

  it('gives only names that it was given, each once, best first, at most as many as asked for', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_', 'D'), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 30 }), fc.integer({ min: 0, max: 5 }), (wanted, names, limit) => {
        const nearest = nearestNames(wanted, names, limit)
        assert.ok(nearest.length <= limit)
        assert.equal(new Set(nearest).size, nearest.length)
        assert.ok(nearest.every((found) => names.includes(found)))
        if (limit > 0 && names.includes(wanted) && /[a-z]/i.test(wanted)) assert.equal(nearest[0]?.toLowerCase(), wanted.toLowerCase())
        // Whoever asks for fewer gets the first of them.
        assert.deepEqual(nearestNames(wanted, names, 1), nearest.slice(0, 1).concat(limit === 0 ? nearestNames(wanted, names, 1) : []))
      }),
      { numRuns: 300 },
    )
  })

  it('reads only the beginning of endless names', () => {
    const endless = 'read_file'.repeat(200_000)
    assert.deepEqual(nearestNames(endless, NAMES), [])
    assert.equal(nearestNames(`${endless.slice(0, 200)}x`, [endless])[0], endless)
  })
})
