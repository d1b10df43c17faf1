import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { JsonSchema } from '../../contract/json.ts'
import type { SearchDocument } from '../search/search-document.ts'
import { isAtLeast, LINT_RULES } from './finding.ts'
import { lintTools } from './lint-tools.ts'
import { providerProblems } from './provider-rules.ts'
import { toSarif } from './sarif.ts'

const GOOD: SearchDocument = {
  id: 'get_invoice',
  name: 'get_invoice',
  description: 'Reads one invoice by its number and gives its lines. Not for drafts: use get_draft.',
  inputSchema: {
    type: 'object',
    properties: { number: { type: 'string', description: 'Printed at the top, e.g. 2024-117' } },
    required: ['number'],
  },
}

const rulesOf = (...tools: readonly SearchDocument[]): readonly string[] => lintTools(tools).findings.map(({ rule }) => rule)

describe('lintTools: one tool', () => {
  it('has nothing to say of a good one', () => assert.deepEqual(lintTools([GOOD]).findings, []))

  const worse: readonly (readonly [Partial<SearchDocument>, readonly string[]])[] = [
    [{ name: 'x'.repeat(65) }, ['name-long']],
    [{ name: 'get.invoice v2' }, ['name-characters']],
    [{ name: 'قراءة'.repeat(100) }, ['name-long', 'name-characters']],
    [{ name: 'getData' }, ['name-vague']],
    [{ name: 'process_data' }, ['name-vague']],
    [{ name: 'Get', title: 'Read one invoice' }, []],
    [{ description: ' \n' }, ['description-empty']],
    [{ description: 'Get the invoice, not drafts.' }, ['description-short']],
    [{ description: `${GOOD.description} ${'More of the same. '.repeat(80)}` }, ['description-long']],
    [{ description: 'Reads one invoice by its number and gives its lines.' }, ['description-limits']],
    [{ description: '读取一张发票的全部明细,仅用于已经开具的发票。' }, []],
    [{ inputSchema: { type: 'object', properties: { number: { type: 'string' } } } }, ['parameter-undocumented']],
    [{ inputSchema: { type: 'object', properties: { kind: { enum: ['a'] }, same: { $ref: '#' } } } }, []],
    [{ inputSchema: { type: 'dict', properties: {} } }, ['schema-refused']],
  ]
  for (const [change, rules] of worse) {
    it(`${JSON.stringify(change).slice(0, 80)} → ${rules.join(', ') || 'nothing'}`, () =>
      assert.deepEqual(rulesOf({ ...GOOD, ...change }), rules))
  }

  it('names the parameters that have no description', () => {
    const properties = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, { type: 'string' }]))
    const [found] = lintTools([{ ...GOOD, inputSchema: { type: 'object', properties } }]).findings
    assert.match(found?.message ?? '', /p0, p1.* and 2 more$/)
  })
})

describe('lintTools: tools beside each other', () => {
  const named = (name: string, description: string, server?: string): SearchDocument => ({
    ...GOOD,
    id: server === undefined ? name : `${server}/${name}`,
    name,
    description,
    ...(server === undefined ? {} : { server }),
  })

  it('finds two servers with equal names', () => {
    const found = lintTools([
      named('create_issue', 'Opens an issue at GitHub, not elsewhere.', 'github'),
      named('create_issue', 'Files work in a GitLab project; do not use it for epics or boards.', 'gitlab'),
    ]).findings
    assert.deepEqual(found[0]?.tools, ['github/create_issue', 'gitlab/create_issue'])
    assert.match(found[0]?.message ?? '', /2 tools are called "create_issue", from github, gitlab/)
  })

  it('says how near two are, and which words would part them', () => {
    const near = lintTools([
      named('draw_box_chart', 'Draws a chart of the spread of values as boxes, not for time series.'),
      named('draw_violin_chart', 'Draws a chart of the spread of values as violins, not for time series.'),
      named('send_mail', 'Delivers a message to people, not to machines or queues.'),
    ]).findings.filter(({ rule }) => rule === 'overlap-near')
    assert.equal(near.length, 1)
    assert.deepEqual(near[0]?.tools, ['draw_box_chart', 'draw_violin_chart'])
    assert.ok((near[0]?.similarity ?? 0) >= 0.6 && (near[0]?.similarity ?? 1) < 1)
    assert.deepEqual(near[0]?.separating, [['box'], ['violin']])
  })

  it('puts twins into one finding, however many there are', () => {
    const twins = Array.from({ length: 10_000 }, (_, at) => named('search', 'Searches the archive, not the web.', `server-${at}`))
    const shared = lintTools(twins).findings.filter(({ tools }) => tools.length > 1)
    assert.deepEqual(
      shared.map(({ rule, tools }) => [rule, tools.length]),
      [
        ['name-duplicate', 10_000],
        ['overlap-same', 10_000],
      ],
    )
  })

  it('takes anything for a tool, and is not changed by the order', () => {
    const tool = fc.record({ id: fc.uuid(), name: fc.string({ maxLength: 20 }), description: fc.string({ maxLength: 60 }) })
    fc.assert(
      fc.property(fc.uniqueArray(tool, { selector: ({ id }) => id, maxLength: 12 }), (tools) => {
        const report = lintTools(tools)
        assert.equal(report.counts.error + report.counts.warning + report.counts.note, report.findings.length)
        const single = (findings: typeof report.findings): readonly string[] =>
          findings.filter(({ tools }) => tools.length === 1).map(({ rule, message }) => `${rule} ${message}`)
        assert.deepEqual([...single(report.findings)].sort(), [...single(lintTools(tools.toReversed()).findings)].sort())
      }),
      { numRuns: 60 },
    )
  })
})

describe('providerProblems', () => {
  const cases: readonly (readonly [JsonSchema, readonly string[]])[] = [
    [{ type: 'object', properties: { a: { type: 'array', items: {} } } }, []],
    [{}, []],
    [true, ['any ']],
    [{ type: 'string' }, ['any ']],
    [{ type: 'object', anyOf: [] }, ['openai ', 'anthropic ']],
    [{ type: 'object', properties: { a: { type: 'float' } } }, ['any /properties/a']],
    [{ type: 'object', properties: { a: { type: 'array' } } }, ['openai /properties/a', 'gemini /properties/a']],
    [{ type: 'object', properties: { 'a/b[c]': {} } }, ['anthropic /properties/a~1b[c]']],
    [{ type: 'object', properties: { a: { $ref: 'https://example.org/x.json' } } }, ['any /properties/a']],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }, ['any /properties/a']],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/b', title: 'A' } }, $defs: { b: {} } }, ['gemini /properties/a']],
    [{ type: 'object', properties: { a: { items: [{ type: 'string' }] } } }, ['any /properties/a']],
    [{ type: 'object', properties: {}, required: ['gone'] }, ['gemini ']],
    [{ $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } } } }, []],
  ]
  for (const [schema, expected] of cases) {
    it(`${JSON.stringify(schema).slice(0, 90)}`, () => {
      assert.deepEqual(
        providerProblems(schema).map(({ provider, place }) => `${provider} ${place}`),
        expected,
      )
    })
  }

  it('ends on a schema without end', () => {
    let deep: JsonSchema = { type: 'float' }
    for (let level = 0; level < 5_000; level++) deep = { type: 'object', properties: { a: deep } }
    assert.deepEqual(providerProblems(deep), [])
  })
})

describe('toSarif', () => {
  const report = lintTools([
    { ...GOOD, id: 'a', description: '' },
    { ...GOOD, id: 'b' },
  ])
  it('has every rule, and each finding with its place', () => {
    const log = JSON.parse(
      JSON.stringify(toSarif(report, { uri: 'tools.jsonl', lineOf: (id) => (id === 'a' ? 7 : undefined), version: '1.0.0' })),
    )
    assert.equal(log.version, '2.1.0')
    const [run] = log.runs
    assert.deepEqual(
      run.tool.driver.rules.map(({ id }: { id: string }) => id),
      Object.keys(LINT_RULES),
    )
    assert.equal(run.results.length, report.findings.length)
    for (const result of run.results) {
      assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId)
      assert.ok(['error', 'warning', 'note'].includes(result.level))
      assert.ok(result.message.text.length > 0)
      assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, 'tools.jsonl')
    }
    const empty = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === 'description-empty')
    assert.equal(empty.locations[0].physicalLocation.region.startLine, 7)
    assert.equal(empty.locations[0].logicalLocations[0].name, 'a')
  })

  it('names no file where there is none', () => assert.doesNotMatch(JSON.stringify(toSarif(report)), /physicalLocation/))
})

describe('isAtLeast', () => {
  it('orders error, warning, note', () => {
    assert.deepEqual([isAtLeast('error', 'warning'), isAtLeast('warning', 'warning'), isAtLeast('note', 'warning')], [true, true, false])
  })
})
