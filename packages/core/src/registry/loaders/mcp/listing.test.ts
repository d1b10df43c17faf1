import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { type StubMcpBehaviour, stubMcpServer } from '@adjutant/testkit'
import { callText } from '../../../../test/fixtures/mcp/call-tool.ts'
import { Registry } from '../../registry.ts'
import { connectMcpServer, type McpConnection } from './index.ts'

const SCHEMA = { type: 'object' }
const options = { clock: systemClock }

function connect(behaviour: StubMcpBehaviour, name = 'stub'): Promise<McpConnection> {
  return connectMcpServer(name, stubMcpServer(behaviour), options)
}

function names(connection: McpConnection): readonly string[] {
  return connection.tools.map((tool) => tool.name)
}

const ERAS = [
  { era: 'older', discover: 'refuse' },
  { era: 'newer', discover: 'answer' },
] as const

for (const { era, discover } of ERAS) {
  describe(`tools of a server of the ${era} protocol`, () => {
    it('come from every page', async () => {
      const pages = [0, 1, 2].map((page) => [0, 1].map((index) => ({ name: `t${page}${index}`, inputSchema: SCHEMA })))
      await using stub = await connect({ discover, pages })
      assert.deepEqual(
        names(stub),
        ['t00', 't01', 't10', 't11', 't20', 't21'].map((name) => `mcp__stub__${name}`),
      )
      assert.deepEqual(stub.problems, [])
    })

    it('are kept when a cursor does not advance, and the server is named', async () => {
      await using stub = await connect({ discover, pages: [[{ name: 'one', inputSchema: SCHEMA }]], nextCursor: 'again' })
      assert.deepEqual(names(stub), ['mcp__stub__one'])
      assert.ok(stub.problems.some(({ code, message }) => code === 'MCP_PROTOCOL' && /MCP server "stub".*does not advance/.test(message)))
    })

    it('are kept when a cursor is no string', async () => {
      await using stub = await connect({ discover, pages: [[{ name: 'one', inputSchema: SCHEMA }]], nextCursor: 5 })
      assert.deepEqual(names(stub), ['mcp__stub__one'])
      assert.equal(stub.problems[0]?.code, 'MCP_PROTOCOL')
    })

    it('are kept when a cursor is null, which is none', async () => {
      await using stub = await connect({ discover, pages: [[{ name: 'one', inputSchema: SCHEMA }]], nextCursor: null })
      assert.deepEqual([names(stub), stub.problems], [['mcp__stub__one'], []])
    })

    it('are kept when others are bad, and each bad one is reported', async () => {
      const bad: readonly (readonly [unknown, RegExp])[] = [
        [null, /tool 1 of page 1 is not an object/],
        [{ inputSchema: SCHEMA }, /tool 2 of page 1 has no name/],
        [{ name: 7, inputSchema: SCHEMA }, /tool 3 of page 1 has a name that is no string but 7/],
        [{ name: '', inputSchema: SCHEMA }, /tool 4 of page 1 has no name/],
        [{ name: 'a' }, /tool "a" has an inputSchema that is missing/],
        [{ name: 'b', inputSchema: 'object' }, /tool "b" has an inputSchema that is no object/],
        [{ name: 'c', inputSchema: { type: 'string' } }, /tool "c" inputSchema describes type "string"/],
        [{ name: 'd', inputSchema: { type: 'object', properties: [] } }, /tool "d" inputSchema.properties is no object/],
        [{ name: 'e', inputSchema: { type: 'object', properties: { x: 5 } } }, /tool "e" inputSchema.properties.x is no schema/],
        [{ name: 'f', inputSchema: { type: 'object', required: 'x' } }, /tool "f" inputSchema.required is no list of names/],
        [{ name: 'g', description: { $repeat: ['x', 300_000] }, inputSchema: SCHEMA }, /tool "g" has a definition longer than/],
        [{ name: 'h', inputSchema: deep(100) }, /tool "h" has a definition nested deeper than/],
        [{ name: 'i'.repeat(5_000), inputSchema: SCHEMA }, /has a name of 5000 letters/],
      ]
      const fine = { name: 'fine', description: 5, annotations: 'yes', inputSchema: SCHEMA }
      await using stub = await connect({ discover, pages: [[...bad.map(([tool]) => tool), fine]] })
      assert.deepEqual(names(stub), ['mcp__stub__fine'])
      assert.equal(stub.problems.length, bad.length)
      for (const [index, [, pattern]] of bad.entries()) {
        const problem = stub.problems[index]
        assert.match(problem?.message ?? '', pattern)
        assert.match(problem?.message ?? '', /^MCP server "stub": /)
        assert.equal(problem?.source, 'stub')
        assert.equal(problem?.code, 'TOOL_INVALID')
      }
    })

    it('keep schemas that real servers send, as they are', async () => {
      const schemas = [
        { properties: { kind: { $ref: '#/$defs/Kind' } }, $defs: { Kind: { enum: ['a', 'b'] } } },
        { type: 'object', properties: { x: { $ref: '#/$defs/X', type: 'object', description: 'both' } }, $defs: { X: { type: 'object' } } },
        { type: 'object', properties: { headers: { type: 'object' }, more: { $ref: '#/properties/headers' } } },
        { type: ['object', 'null'] },
        {},
      ]
      await using stub = await connect({ discover, pages: [schemas.map((inputSchema, index) => ({ name: `s${index}`, inputSchema }))] })
      assert.deepEqual(
        stub.tools.map((tool) => tool.inputSchema),
        schemas,
      )
      assert.deepEqual(stub.problems, [])
    })

    it('are called under their own names, whatever they are called here', async () => {
      const originals = [
        'admin.tools/list',
        'admin.tools.list',
        'admin_tools_list',
        `long_${'x'.repeat(90)}`,
        `long_${'x'.repeat(91)}`,
        '读文件',
        'constructor',
      ]
      await using stub = await connect(
        { discover, pages: [originals.map((name) => ({ name, inputSchema: SCHEMA }))] },
        'a server with a rather long name',
      )
      assert.equal(new Set(names(stub)).size, originals.length)
      for (const name of names(stub)) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
      for (const original of originals) assert.equal(await callText(stub, original), `called ${original}`)
    })
  })
}

describe('tools of an MCP server', () => {
  it('read or write as their annotations say', async () => {
    const tools = [
      { name: 'a', inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
      { name: 'b', inputSchema: SCHEMA, annotations: { readOnlyHint: 'true' } },
      { name: 'c', inputSchema: SCHEMA, annotations: { destructiveHint: false, idempotentHint: true } },
      { name: 'd', inputSchema: SCHEMA },
    ]
    await using stub = await connect({ pages: [tools] })
    assert.deepEqual(
      stub.tools.map(({ effect, repeatable }) => [effect, repeatable]),
      [
        ['read', true],
        ['write', false],
        ['write', true],
        ['write', false],
      ],
    )
  })

  it('are reported when one name comes twice; the first stays', async () => {
    const twice = (description: string) => ({ name: 'same', description, inputSchema: SCHEMA })
    await using stub = await connect({ pages: [[twice('first')], [twice('second')]] })
    assert.deepEqual(
      stub.tools.map((tool) => tool.description),
      ['first'],
    )
    assert.deepEqual(
      stub.problems.map(({ code, tool }) => [code, tool]),
      [['TOOL_NAME_TAKEN', 'same']],
    )
  })

  it('do not mix with those of a server that calls itself the same', async () => {
    const pages = [[{ name: 'who', inputSchema: SCHEMA }]]
    const [first, second] = await Promise.all([connect({ pages, selfName: 'twin' }, 'left'), connect({ pages, selfName: 'twin' }, 'right')])
    await using _first = first
    await using _second = second
    const registry = new Registry()
    assert.deepEqual([registry.add(first.tools, first.name), registry.add(second.tools, second.name)], [[], []])
    assert.deepEqual([...registry.snapshot().names()].sort(), ['mcp__left__who', 'mcp__right__who'])
    assert.deepEqual([...registry.snapshot().tools()].map((tool) => tool.origin.from).sort(), ['left', 'right'])
  })

  it('say what they are where the server does not', async () => {
    await using stub = await connect({
      pages: [
        [
          { name: 'bare', inputSchema: SCHEMA },
          { name: 'titled', title: 'A title', inputSchema: SCHEMA },
        ],
      ],
    })
    assert.deepEqual(
      stub.tools.map((tool) => tool.description),
      ['The tool bare of the MCP server stub.', 'A title'],
    )
  })
})

function deep(levels: number): unknown {
  let schema: unknown = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { x: schema } }
  return schema
}
