import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { legalToolName, WireNames } from './naming.ts'

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/
const FREE = new Set<string>()

describe('legalToolName', () => {
  it('leaves a legal free name alone', () => {
    for (const name of ['get_time', 'a', '2d-plot', '__proto__', 'x'.repeat(64)]) assert.equal(legalToolName(name, FREE), name)
  })

  it('puts _ for what is not a letter, digit, _ or -', () => {
    assert.equal(legalToolName('admin.tools/list', FREE), 'admin_tools_list')
    assert.equal(legalToolName('List Movies', FREE), 'List_Movies')
    assert.equal(legalToolName('café::menü', FREE), 'cafe_menu')
  })

  it('marks what lost its meaning, so that two such names stay apart', () => {
    const weather = legalToolName('查询天气', FREE)
    const time = legalToolName('查询时间', FREE)
    assert.match(weather, /^tool_[0-9a-f]{6}$/)
    assert.notEqual(weather, time)
    assert.match(legalToolName('天气_now', FREE), /^now_[0-9a-f]{6}$/)
    assert.match(legalToolName('', FREE), /^tool_[0-9a-f]{6}$/)
  })

  it('shortens a long name with a mark', () => {
    const one = legalToolName(`mcp__${'server'.repeat(5)}__${'tool'.repeat(10)}_a`, FREE)
    const two = legalToolName(`mcp__${'server'.repeat(5)}__${'tool'.repeat(10)}_b`, FREE)
    assert.match(one, LEGAL)
    assert.notEqual(one, two)
  })

  it('is always legal, free, and the same again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 90 }), fc.constantFrom('a.b', 'a_b', 'a b', 'é', ''))),
        (raws) => {
          const make = () => {
            const taken = new Set<string>()
            return raws.map((raw) => {
              const name = legalToolName(raw, taken)
              assert.match(name, LEGAL)
              assert.ok(!taken.has(name))
              taken.add(name)
              return name
            })
          }
          assert.deepEqual(make(), make())
        },
      ),
      { numRuns: 300 },
    )
  })

  it('finds a free name for the thousandth of one kind', () => {
    const taken = new Set<string>()
    for (let count = 0; count < 1_000; count++) taken.add(legalToolName('x'.repeat(80), taken))
    assert.equal(taken.size, 1_000)
  })
})

describe('WireNames', () => {
  const start = { openai: /^[A-Za-z0-9_-]/, anthropic: /^[A-Za-z0-9_-]/, gemini: /^[A-Za-z_]/ } as const

  for (const rule of ['openai', 'anthropic', 'gemini'] as const) {
    it(`maps any names to legal ${rule} names, one to one, and back`, () => {
      const names = fc.uniqueArray(
        fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[a-z0-9_.-]{0,70}$/), fc.constantFrom('a.b', 'a_b', 'a b', '1a', '_1a')),
      )
      fc.assert(
        fc.property(names, (raw) => {
          const wire = new WireNames(raw, rule)
          const mapped = raw.map((name) => wire.toWire(name))
          assert.equal(new Set(mapped).size, raw.length)
          for (const [index, name] of mapped.entries()) {
            assert.match(name, LEGAL)
            assert.match(name, start[rule])
            assert.equal(wire.fromWire(name), raw[index])
          }
        }),
        { numRuns: 200 },
      )
    })
  }

  it('never changes a legal name for the sake of an illegal one', () => {
    const wire = new WireNames(['a.b', 'a_b'], 'openai')
    assert.equal(wire.toWire('a_b'), 'a_b')
    assert.match(wire.toWire('a.b'), /^a_b_[0-9a-f]{6}$/)
  })

  it('puts _ before what Gemini refuses at the start', () => {
    const wire = new WireNames(['2d_plot', '-x', 'fine'], 'gemini')
    assert.equal(wire.toWire('2d_plot'), '_2d_plot')
    assert.equal(wire.toWire('-x'), '_-x')
    assert.equal(wire.toWire('fine'), 'fine')
    assert.equal(new WireNames(['2d_plot'], 'openai').toWire('2d_plot'), '2d_plot')
  })

  it('gives a name it does not know back as it is, inherited names too', () => {
    const wire = new WireNames(['a'], 'openai')
    for (const name of ['b', 'constructor', '__proto__', 'toString']) assert.equal(wire.fromWire(name), name)
    assert.match(wire.toWire('not legal'), LEGAL)
  })

  it('takes names that every object inherits', () => {
    const names = ['constructor', '__proto__', 'toString']
    const wire = new WireNames(names, 'openai')
    for (const name of names) assert.equal(wire.fromWire(wire.toWire(name)), name)
  })
})
