import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { AgentTool } from '../contract/index.ts'
import { Registry } from './registry.ts'

function tool(name: string, from = 'here', more: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    origin: { kind: 'function', from },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => name,
    ...more,
  }
}

describe('Registry', () => {
  it('gives what was registered, in that order', () => {
    const registry = new Registry()
    assert.deepEqual(registry.add([tool('b'), tool('a')], 'one'), [])
    assert.deepEqual(registry.add([tool('c')], 'two'), [])
    assert.deepEqual([...registry.snapshot().names()], ['b', 'a', 'c'])
    assert.equal(registry.snapshot().size, 3)
    assert.deepEqual(registry.problems, [])
  })

  it('is empty at first', () => {
    const snapshot = new Registry().snapshot()
    assert.equal(snapshot.size, 0)
    assert.equal(snapshot.get('anything'), undefined)
    assert.deepEqual(snapshot.tools(), [])
  })

  it('keeps the first of two tools with one name and names both sources', () => {
    const registry = new Registry()
    const first = tool('send', 'mail.ts')
    const second = tool('send', 'chat.ts')
    registry.add([first], './tools')
    const problems = registry.add([second, tool('other')], 'server "chat"')
    assert.equal(registry.snapshot().get('send'), first)
    assert.ok(registry.snapshot().get('other'))
    assert.equal(problems.length, 1)
    assert.equal(problems[0]?.code, 'TOOL_NAME_TAKEN')
    assert.equal(problems[0]?.source, 'server "chat"')
    assert.equal(problems[0]?.tool, 'send')
    assert.match(problems[0]?.message ?? '', /server "chat" \(chat\.ts\).*send.*\.\/tools \(mail\.ts\)/)
  })

  it('does not call one and the same tool object a collision', () => {
    const registry = new Registry()
    const shared = tool('shared')
    assert.deepEqual(registry.add([shared, shared], 'a'), [])
    assert.deepEqual(registry.add([shared], 'b'), [])
  })

  it('reports a bad tool with its source and takes the rest', () => {
    const registry = new Registry()
    // What a module written without types hands over.
    const loaded: AgentTool[] = JSON.parse('[{"name":"half"},null,7,{"name":"a b"}]')
    const problems = registry.add([tool('good'), ...loaded, tool('better')], 'mixed.js')
    assert.deepEqual([...registry.snapshot().names()], ['good', 'better'])
    assert.deepEqual(
      problems.map((problem) => [problem.code, problem.source, problem.tool]),
      [
        ['TOOL_INVALID', 'mixed.js', 'half'],
        ['TOOL_INVALID', 'mixed.js', undefined],
        ['TOOL_INVALID', 'mixed.js', undefined],
        ['TOOL_INVALID', 'mixed.js', 'a b'],
      ],
    )
    assert.deepEqual(registry.problems, problems)
  })

  it('takes names that every object inherits for names like any other', () => {
    const inherited = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'isPrototypeOf']
    const registry = new Registry()
    registry.add([tool('real')], 'x')
    for (const name of inherited) assert.equal(registry.snapshot().get(name), undefined)
    assert.deepEqual(
      registry.add(
        inherited.map((name) => tool(name)),
        'y',
      ),
      [],
    )
    for (const name of inherited) assert.equal(registry.snapshot().get(name)?.name, name)
    assert.equal(registry.snapshot().size, inherited.length + 1)
  })

  it('never changes a snapshot that was handed out', () => {
    const registry = new Registry()
    registry.add([tool('a')], 'one')
    const before = registry.snapshot()
    registry.add([tool('b')], 'two')
    registry.remove('one')
    assert.deepEqual([...before.names()], ['a'])
    assert.deepEqual([...registry.snapshot().names()], ['b'])
    assert.ok(registry.snapshot().version > before.version)
    assert.throws(() => Reflect.apply(Array.prototype.push, before.tools(), [tool('c')]), TypeError)
  })

  it('makes a snapshot once for each state', () => {
    const registry = new Registry()
    registry.add([tool('a')], 'one')
    const snapshot = registry.snapshot()
    registry.add([tool('a')], 'two')
    registry.remove('nobody')
    registry.add([], 'three')
    assert.equal(registry.snapshot(), snapshot)
    assert.equal(snapshot.tools(), snapshot.tools())
  })

  it('gives a name to the tool that waited for it when its holder goes', () => {
    const registry = new Registry()
    const [one, two, three] = [tool('x', 'one'), tool('x', 'two'), tool('x', 'three')]
    registry.add([one], 'one')
    registry.add([two], 'two')
    registry.add([three], 'three')
    registry.remove('one')
    assert.equal(registry.snapshot().get('x'), two)
    assert.deepEqual(
      registry.problems.map((problem) => problem.message),
      ['three: the name x is taken by two; this one is left out'],
    )
    registry.remove('three')
    assert.deepEqual(registry.problems, [])
  })

  it('forgets the problems of a source with the source', () => {
    const registry = new Registry()
    registry.add([tool('bad name')], 'one')
    assert.equal(registry.problems.length, 1)
    registry.remove('one')
    assert.deepEqual(registry.problems, [])
  })

  it('equals a registry that was only ever given the sources that are left', () => {
    const step = fc.record({
      source: fc.constantFrom('s1', 's2', 's3'),
      names: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'not legal'), { maxLength: 4 }),
      remove: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const registry = new Registry()
        const left: { source: string; tools: AgentTool[] }[] = []
        for (const { source, names, remove } of steps) {
          if (remove) {
            registry.remove(source)
            for (let index = left.length - 1; index >= 0; index--) if (left[index]?.source === source) left.splice(index, 1)
          } else {
            const tools = names.map((name) => tool(name, source))
            registry.add(tools, source)
            left.push({ source, tools })
          }
        }
        const fresh = new Registry()
        for (const { source, tools } of left) fresh.add(tools, source)
        const held = new Set(registry.snapshot().tools())
        for (const one of fresh.snapshot().tools()) assert.ok(held.has(one), `${one.name} of ${one.origin.from}`)
        assert.equal(held.size, fresh.snapshot().size)
        assert.deepEqual(
          registry.problems.map((problem) => `${problem.code} ${problem.message}`).sort(),
          fresh.problems.map((problem) => `${problem.code} ${problem.message}`).sort(),
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe('ToolSnapshot.digestOf', () => {
  const digest = (one: AgentTool) => new Registry().snapshot().digestOf(one)

  it('changes with what an approval is bound to, and with nothing else', () => {
    const base = digest(tool('a'))
    assert.equal(digest(tool('a', 'here', { execute: async () => 'other', tier: 'extended' })), base)
    assert.equal(digest(tool('a', 'here', { inputSchema: { properties: {}, type: 'object' } })), base)
    const changes: readonly Partial<AgentTool>[] = [
      { description: 'Other.' },
      { inputSchema: { type: 'object', properties: { path: {} } } },
      { outputSchema: { type: 'string' } },
      { effect: 'write' },
      { effect: () => 'read' },
      { origin: { kind: 'function', from: 'elsewhere' } },
    ]
    const seen = new Set<string>([base, digest(tool('b'))])
    for (const change of changes) seen.add(digest(tool('a', 'here', change)))
    assert.equal(seen.size, changes.length + 2)
  })

  it('is computed once for a tool', () => {
    const one = tool('a')
    assert.equal(digest(one), digest(one))
  })

  it('names the tool whose schema is no JSON', () => {
    const cyclic: Record<string, unknown> = { type: 'object' }
    cyclic.properties = { self: cyclic }
    const bad: AgentTool = { ...tool('looped', 'loop.ts'), inputSchema: JSON.parse('{}') }
    Object.assign(bad, { inputSchema: cyclic })
    assert.throws(() => digest(bad), { code: 'TOOL_INVALID', message: /loop\.ts: the schema of looped is not JSON/ })
  })
})
