import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mcpToolNames, mcpToolPrefix } from './tool-names.ts'

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/
/** Names as configurations and servers have them, and as they should not. */
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.stringMatching(/^[a-z_.-]{1,12}$/),
  fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', '_', '.', '/', 'é', '读') }),
)

describe('names of MCP tools', () => {
  it('are what a person expects', () => {
    assert.deepEqual(
      [...mcpToolNames('files', ['read_file', 'admin.tools/list'])],
      [
        ['read_file', 'mcp__files__read_file'],
        ['admin.tools/list', 'mcp__files__admin_tools_list'],
      ],
    )
    assert.equal(mcpToolPrefix('server-everything'), 'mcp__server-everything__')
  })

  it('keep the tool readable behind a long server name', () => {
    const [made] = mcpToolNames('a-server-with-a-very-long-name-indeed', [`read_${'x'.repeat(25)}`]).values()
    assert.match(made ?? '', /^mcp__a-server-with-a-v\w*_[0-9a-f]{6}__read_x{25}$/)
  })

  it('are legal, unique, and the same in whatever order the tools come', () => {
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 30 }), (server, originals) => {
        const names = mcpToolNames(server, originals)
        assert.equal(names.size, originals.length)
        assert.equal(new Set(names.values()).size, originals.length)
        for (const made of names.values()) {
          assert.match(made, LEGAL)
          assert.ok(made.startsWith(mcpToolPrefix(server)))
        }
        const reversed = mcpToolNames(server, originals.toReversed())
        for (const original of originals) assert.equal(reversed.get(original), names.get(original))
      }),
      { numRuns: 500 },
    )
  })

  it('of two servers never meet, however the servers are called', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 2, maxLength: 2 }),
        fc.uniqueArray(name, { maxLength: 10 }),
        ([one = '', two = ''], originals) => {
          const first = new Set(mcpToolNames(one, originals).values())
          for (const made of mcpToolNames(two, originals).values()) assert.ok(!first.has(made))
        },
      ),
      { numRuns: 500 },
    )
    const apart = [
      ...mcpToolNames('a', ['b__c', '_b']).values(),
      ...mcpToolNames('a__b', ['c']).values(),
      ...mcpToolNames('a_', ['b']).values(),
    ]
    assert.equal(new Set(apart).size, 4)
  })
})
