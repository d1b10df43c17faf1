import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds } from '@adjutant/testkit'
import fc from 'fast-check'
import type { DecodeEvent, Dialect } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Plan } from '../contract/plan.ts'
import { CallBook } from './call-book.ts'
import { createDecoder } from './dialect.ts'
import { parseCondition } from './plan/condition.ts'
import { findCycle } from './plan/find-cycle.ts'
import { piecesOf } from './plan/references.ts'
import { PlanReader } from './plan.ts'
import { DEFAULT_LIMITS } from './wire.ts'

interface Read {
  readonly plan: Plan | undefined
  readonly problems: readonly string[]
  readonly codes: readonly string[]
  readonly types: readonly string[]
  readonly finish: string | undefined
}

function read(pieces: readonly string[], argumentChars = DEFAULT_LIMITS.argumentChars): Read {
  const events: DecodeEvent[] = []
  const emit = (event: DecodeEvent): void => void events.push(event)
  const ids = countingIds()
  const reader = new PlanReader({ emit, book: new CallBook(emit, ids), ids, limits: { ...DEFAULT_LIMITS, argumentChars }, signals: false })
  for (const piece of pieces) reader.push(piece)
  const finish = reader.end()
  const plans = events.flatMap((event) => (event.type === 'plan' ? [event.plan] : []))
  const problems = events.flatMap((event) => (event.type === 'problem' ? [event] : []))
  return {
    plan: plans[0],
    problems: problems.map(({ message }) => message),
    codes: problems.map(({ code }) => code),
    types: events.map(({ type }) => type),
    finish,
  }
}

const steps = (...plan: readonly JsonObject[]): string => JSON.stringify({ plan })
const reference = (path: string): string => `\${${path}}`

const GOOD = steps(
  { id: 'find', tool: 'find_files', params: { pattern: '*.ts' } },
  { tool: 'read_file', params: { path: reference('find.files.0') } },
  {
    id: 'each',
    tool: 'search',
    params: { in: reference('item.name'), why: `see ${reference('step2.text')}` },
    for_each: reference('find.files'),
  },
  { id: 'last', tool: 'write_file', params: {}, after: ['each'], when: `${reference('find.count')} > 0 && !${reference('step2.empty')}` },
)

describe('PlanReader', () => {
  it('gives one plan, whole or in pieces, fenced or not, with the dependencies that references imply', () => {
    const { plan, types, finish, problems } = read([GOOD])
    assert.deepEqual(problems, [])
    assert.deepEqual(types, ['plan'])
    assert.equal(finish, 'tool-calls')
    assert.deepEqual(
      plan?.steps.map(({ id, tool, after }) => [id, tool, after]),
      [
        ['find', 'find_files', []],
        ['step2', 'read_file', ['find']],
        ['each', 'search', ['step2', 'find']],
        ['last', 'write_file', ['each', 'find', 'step2']],
      ],
    )
    assert.deepEqual(read([...GOOD]).plan, plan)
    const fenced = read(['```json\n', GOOD, '\n```'])
    assert.deepEqual(fenced.plan?.steps, plan?.steps)
    assert.deepEqual(
      fenced.plan?.repairs?.map(({ rule }) => rule),
      ['fence'],
    )
  })

  it('a step without an id gets one that no other has', () => {
    const { plan } = read([steps({ tool: 'a' }, { id: 'step1', tool: 'b' }, { tool: 'c' })])
    assert.deepEqual(
      plan?.steps.map(({ id, params }) => [id, params]),
      [
        ['step1_', {}],
        ['step1', {}],
        ['step3', {}],
      ],
    )
  })

  it('says what is wrong with which step, all at once, and gives no plan', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{"plan":{}}', /"plan" is missing or no list/],
      ['{"plan":[]}', /has no steps/],
      [steps(...Array.from({ length: 101 }, () => ({ tool: 'a' }))), /has 101 steps; 100 are the most/],
      ['{"plan":[7]}', /step 1: it is no object/],
      [steps({ tool: 'a' }, { params: {} }), /step 2: "tool" is missing/],
      [steps({ tool: 'a', params: [] }), /step 1: "params" is no object/],
      [steps({ id: 'x', tool: 'a', depends_on: ['y'] }), /step 1 \("x"\): it has the unknown fields "depends_on"; known are id, tool/],
      [steps({ id: 'x', tool: 'a' }, { id: 'x', tool: 'b' }), /step 2 \("x"\): its id is that of an earlier step/],
      [steps({ id: 'a b', tool: 'a' }), /"id" must be a word/],
      [steps({ id: 'item', tool: 'a' }), /"id" must be a word/],
      [steps({ id: 7, tool: 'a' }), /"id" must be a word/],
      [steps({ tool: 'a', after: ['nope'] }), /step 1: "after" names "nope", and there is no such step/],
      [steps({ tool: 'a', after: [1] }), /"after" must be a list of ids/],
      [
        steps({ tool: 'a', params: { deep: [{ x: reference('nope.y') }] } }),
        /step 1: "params" refers to \$\{nope\.y\}, and there is no step "nope"/,
      ],
      [steps({ tool: 'a', params: { x: reference('item') } }), /uses \$\{item\} outside "for_each"/],
      [steps({ tool: 'a', for_each: 'all' }), /"for_each" must be a list, or one reference/],
      [steps({ tool: 'a', for_each: Array.from({ length: 101 }, () => 1) }), /"for_each" has 101 items/],
      [steps({ tool: 'a', when: 'process.exit()' }), /"when" cannot be read: ".exit\(\)" is no part/],
      [steps({ tool: 'a', when: true }), /"when" must be a text/],
      [steps({ id: 'x', tool: 'a', params: { p: reference('x') } }), /wait for each other in a circle: x → x/],
      [
        steps(
          { id: 'x', tool: 'a', after: ['z'] },
          { id: 'y', tool: 'a', after: ['x'] },
          { id: 'z', tool: 'a', params: { p: reference('y.a') } },
        ),
        /circle: x → z → y → x/,
      ],
      ['{"plan":[{"tool":"a","tool":"b"}]}', /stands twice with different values/],
      ['[1]', /the answer is no plan: it is an array/],
      ['just words', /the answer is no plan/],
    ]
    for (const [text, problem] of cases) {
      const { plan, problems, codes, finish } = read([text])
      assert.equal(plan, undefined, text)
      assert.equal(finish, undefined)
      assert.ok(
        problems.some((message) => problem.test(message)),
        `${text}: ${problems.join(' | ')}`,
      )
      assert.ok(codes.every((code) => code === 'INVALID_DECISION'))
    }
    assert.equal(read([steps({ tool: '' }, { tool: 'a', when: '' })]).problems.length, 2)
  })

  it('half a plan is none, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: GOOD.length - 1 }), (cut) => {
        const { plan, codes } = read([GOOD.slice(0, cut)])
        assert.equal(plan, undefined)
        assert.deepEqual(codes, ['STREAM_BROKEN'])
      }),
    )
  })

  it('keeps digits, and refuses what is too large', () => {
    const { plan } = read(['{"plan":[{"tool":"a","params":{"id":9007199254740993}}]}'])
    assert.deepEqual(plan?.steps[0]?.params, { id: '9007199254740993' })
    assert.equal(plan?.repairs?.[0]?.rule, 'big-number')
    assert.deepEqual(read(['{"plan":', ' '.repeat(200), '[]}'], 100).codes, ['TOO_LARGE'])
  })

  it('anything is read without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify({ plan: [value, { tool: 'a', params: value, when: value, for_each: value }] })),
        ),
        (text) => {
          const { plan, problems } = read([text])
          assert.ok(plan !== undefined || problems.length > 0 || text.trim() === '')
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('the dialect plan', () => {
  const decode = (text: string, dialect: Dialect | 'auto', each = false): readonly DecodeEvent[] => {
    const events: DecodeEvent[] = []
    const decoder = createDecoder(dialect, (event) => events.push(event), { ids: countingIds() })
    for (const piece of each ? text : [text]) decoder.push(piece)
    decoder.end()
    return events
  }
  const chat = (text: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\ndata: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

  it('is recognised, as a body, with faults, and in a fence; named, also inside the text of a provider', () => {
    const spoilt = GOOD.replace(/\]\}$/, ',]}')
    const fenced = `\`\`\`json\n${GOOD}\n\`\`\``
    for (const [text, dialect] of [
      [GOOD, 'auto'],
      [`\n${GOOD}\n`, 'auto'],
      [spoilt, 'auto'],
      [fenced, 'auto'],
      [fenced.replace(/\]\}/, ',]}'), 'auto'],
      [GOOD, 'plan'],
      [spoilt, 'plan'],
      [fenced, 'plan'],
      [chat(GOOD), 'plan'],
      [chat(fenced), 'plan'],
    ] as const) {
      const events = decode(text, dialect)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['plan', 'end'],
        text,
      )
      const end = events.at(-1)
      assert.ok(end?.type === 'end' && end.dialect === 'plan' && end.finish === 'tool-calls', text)
      assert.deepEqual(decode(text, dialect, true), events)
    }
  })

  it('numbers that a number does not keep are refused or kept, in a body too', () => {
    const [first] = decode('{"plan":[{"tool":"a","params":{"id":9007199254740993}}]}', 'auto')
    assert.ok(first?.type === 'problem' && /\/plan\/0\/params\/id has more digits/.test(first.message))
    const [named] = decode('{"plan":[{"tool":"a","params":{"id":9007199254740993}}]}', 'plan')
    assert.ok(named?.type === 'plan')
  })
})

describe('references', () => {
  it('are told from plain text', () => {
    assert.deepEqual(piecesOf(reference('a.b[0].c-d')), [{ from: 'a', path: ['b', '0', 'c-d'] }])
    assert.deepEqual(piecesOf(`x ${reference('a')} y`), ['x ', { from: 'a', path: [] }, ' y'])
    assert.deepEqual(piecesOf(`$${reference('HOME')}/x`), [`${reference('HOME')}/x`])
    for (const text of ['', 'plain', '$a', reference('a:-b'), reference(''), '${open', reference('a b'), reference('a..b')])
      assert.deepEqual(piecesOf(text), [text])
    assert.deepEqual(piecesOf(reference('__proto__.x')), [{ from: '__proto__', path: ['x'] }])
  })
})

describe('conditions', () => {
  it('are comparisons and nothing else', () => {
    for (const text of [
      'a',
      'a()',
      'constructor',
      '1 +  1',
      '1 == 1 == 1',
      '(1',
      '1)',
      '',
      '!',
      '1 &&',
      '"open',
      'x = 1',
      '`x`',
      `${reference('a')} in b`,
      '('.repeat(500),
      `${'!'.repeat(100)}true`,
      `"${'x'.repeat(2_000)}"`,
    ]) {
      assert.ok(!parseCondition(text).ok, text)
    }
    for (const text of ['true', '!(\'a\' == "a")', `${reference('a.b')} >= -1.5e3 || null`, '((1))', '1<2&&!false'])
      assert.ok(parseCondition(text).ok, text)
    fc.assert(fc.property(fc.string(), (text) => assert.equal(typeof parseCondition(text).ok, 'boolean')))
  })
})

describe('findCycle', () => {
  it('finds a circle exactly where there is one', () => {
    const graph = fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(graph, (edges) => {
        const after = new Map(edges.map((to, from) => [`${from}`, [...new Set(to)].filter((id) => id < edges.length).map(String)]))
        const cycle = findCycle(after)
        // Takes away what waits for nothing, as long as there is any.
        const left = new Map(after)
        for (let before = -1; before !== left.size; ) {
          before = left.size
          for (const [id, waits] of left) if (waits.every((other) => !left.has(other))) left.delete(id)
        }
        assert.equal(cycle === undefined, left.size === 0)
        if (cycle === undefined) return
        assert.equal(cycle[0], cycle.at(-1))
        for (const [at, id] of cycle.slice(0, -1).entries()) assert.ok(after.get(id)?.includes(cycle[at + 1] ?? ''))
      }),
      { numRuns: 500 },
    )
  })
})
