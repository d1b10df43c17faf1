import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findToolFault, isAgentTool, nameOfTool } from './check-tool.ts'

const fit = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  origin: { kind: 'function', from: 'math.ts' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: async () => 3,
}

describe('findToolFault', () => {
  it('finds none in a fit tool', () => {
    assert.equal(findToolFault(fit), undefined)
    assert.equal(findToolFault({ ...fit, inputSchema: true }), undefined)
    assert.equal(findToolFault({ ...fit, inputSchema: {} }), undefined)
    assert.equal(findToolFault({ ...fit, inputSchema: { type: ['object', 'null'] } }), undefined)
    assert.equal(findToolFault({ ...fit, effect: () => 'read', check: async () => {}, limits: { timeoutMs: 5 } }), undefined)
  })

  const unfit: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 'add', /of type string, not a tool/],
    ['null', null, /null, not a tool/],
    ['a list', [fit], /a list, not a tool/],
    ['no name', { ...fit, name: undefined }, /name is missing/],
    ['a name with a dot', { ...fit, name: 'a.b' }, /name "a\.b" is not legal/],
    ['an empty name', { ...fit, name: '' }, /name "" is not legal/],
    ['a name of 65 letters', { ...fit, name: 'a'.repeat(65) }, /is not legal/],
    ['a name with a line break at its end', { ...fit, name: 'add\n' }, /is not legal/],
    ['a description that is a number', { ...fit, description: 5 }, /description is of type number/],
    ['no input schema', { ...fit, inputSchema: undefined }, /inputSchema is missing/],
    ['a list as input schema', { ...fit, inputSchema: [] }, /inputSchema is a list/],
    ['a schema of type string', { ...fit, inputSchema: { type: 'string' } }, /type "string", but arguments are always an object/],
    ['a schema whose type is a number', { ...fit, inputSchema: { type: 7 } }, /a type that is of type number/],
    ['an output schema that is text', { ...fit, outputSchema: 'number' }, /outputSchema is of type string/],
    ['no execute', { ...fit, execute: undefined }, /execute is missing/],
    ['no origin', { ...fit, origin: undefined }, /origin/],
    ['an unknown origin', { ...fit, origin: { kind: 'plugin', from: 'x' } }, /origin/],
    ['an unknown effect', { ...fit, effect: 'harmless' }, /effect is "harmless"/],
    ['no effect', { ...fit, effect: undefined }, /effect is missing/],
    ['an unknown tier', { ...fit, tier: 'extra' }, /tier is "extra"/],
    ['an unknown lifetime', { ...fit, lifetime: 'day' }, /lifetime is "day"/],
    ['repeatable that is text', { ...fit, repeatable: 'yes' }, /repeatable is "yes"/],
    ['a check that is no function', { ...fit, check: true }, /check is of type boolean/],
    ['a timeout of 0', { ...fit, limits: { timeoutMs: 0 } }, /limits\.timeoutMs is 0/],
    ['a timeout that is no number', { ...fit, limits: { timeoutMs: '5s' } }, /limits\.timeoutMs is "5s"/],
    ['limits that are a list', { ...fit, limits: [] }, /limits is a list/],
  ]
  for (const [title, value, expected] of unfit) {
    it(`names ${title}`, () => {
      const fault = findToolFault(value)
      assert.match(fault?.message ?? '', expected)
      assert.notEqual(fault?.hint, '')
      assert.equal(isAgentTool(value), false)
    })
  }

  it('does not throw on a value whose members throw', () => {
    const hostile = {
      get name(): string {
        throw new Error('boom')
      },
    }
    assert.match(findToolFault(hostile)?.message ?? '', /could not be read: boom/)
    assert.equal(nameOfTool(hostile), undefined)
  })
})
