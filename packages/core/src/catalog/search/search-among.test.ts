import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { AgentTool } from '../../contract/tool.ts'
import { searchAmong } from './search-among.ts'
import { searchDocumentOf } from './search-document.ts'

const tool = (name: string, description: string, from = 'demo', more: Partial<AgentTool> = {}): AgentTool => ({
  name,
  description,
  inputSchema: { type: 'object' },
  origin: { kind: 'mcp', from },
  tier: 'extended',
  lifetime: 'session',
  effect: 'read',
  execute: async () => 'done',
  ...more,
})
const TOOLS = ['apple', 'pear', 'plum', 'cherry', 'quince', 'medlar', 'fig', 'date'].map((fruit) =>
  tool(`pick_${fruit}`, `Picks a ${fruit}.`),
)

describe('searchAmong', () => {
  it('finds among the given tools only, and keeps up with each list', () => {
    const search = searchAmong()
    const names = (query: string, among: readonly AgentTool[]): readonly string[] => search(query, 5, among).map(({ name }) => name)
    assert.deepEqual(names('plum', TOOLS), ['pick_plum'])
    const fewer = TOOLS.filter(({ name }) => name !== 'pick_plum')
    assert.deepEqual(names('plum', fewer), [])
    const changed = [...fewer, tool('pick_plum', 'Shakes the tree.')]
    assert.deepEqual(names('shake', changed), ['pick_plum'])
    assert.deepEqual(names('plum', TOOLS), ['pick_plum'])
    assert.deepEqual(names('shake', TOOLS), [])
    assert.deepEqual(names('plum', []), [])
  })

  it('answers as a new one would, whatever was asked before', () => {
    const subset = fc.subarray(TOOLS)
    fc.assert(
      fc.property(fc.array(subset, { minLength: 1, maxLength: 12 }), (lists) => {
        const search = searchAmong()
        for (const among of lists) {
          for (const query of ['plum or fig', 'pick a quince']) {
            const brief = (hits: ReturnType<typeof search>): readonly object[] =>
              hits.map(({ name, score }) => ({ name, score: Number(score.toPrecision(5)) }))
            assert.deepEqual(brief(search(query, 8, among)), brief(searchAmong()(query, 8, [...among])))
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('passes on what did well before', () => {
    const twins = [tool('a_find', 'Finds.'), tool('b_find', 'Finds.')]
    assert.equal(searchAmong()('find', 1, twins, { prior: (id) => (id === 'b_find' ? 1 : 0) })[0]?.name, 'b_find')
  })
})

describe('searchDocumentOf', () => {
  it('takes the place of a tool by its own name, not by the folders above it', () => {
    assert.equal(searchDocumentOf(tool('a', 'b', 'github')).server, 'github')
    assert.equal(searchDocumentOf(tool('a', 'b', '/home/me/tools/weather.js')).server, 'weather')
    assert.equal(searchDocumentOf(tool('a', 'b', 'C:\\tools\\mail.ts')).server, 'mail')
    assert.equal(searchDocumentOf(tool('a', 'b', 'https://example.org/mcp')).server, 'https://example.org/mcp')
    assert.equal(searchDocumentOf(tool('a', 'b', '')).server, undefined)
    assert.equal(searchDocumentOf(tool('a', 'b', '', { origin: { kind: 'mcp', from: '', originalName: 'a.b' } })).title, 'a.b')
  })
})
