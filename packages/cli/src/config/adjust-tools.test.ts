import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentTool, ReadCommand } from '@adjutant/core'
import { toolAdjuster } from './adjust-tools.ts'

const tool = (name: string, over: Partial<AgentTool> = {}): AgentTool => ({
  name,
  description: 'For tests.',
  inputSchema: true,
  origin: { kind: 'mcp', from: 'shell' },
  tier: 'extended',
  lifetime: 'session',
  effect: 'write',
  execute: async () => 'done',
  ...over,
})

/** Reads a language of one word. */
const read: ReadCommand = (command) => {
  const effect = command === 'rm' ? 'dangerous' : 'read'
  return { effect, reasons: [command], parts: [{ start: 0, end: command.length, effect, reason: command }] }
}

describe('toolAdjuster', () => {
  it('leaves tools as they are that nobody speaks of', () => {
    const plain = tool('a')
    assert.equal(toolAdjuster({}, () => read)(plain), plain)
    assert.equal(toolAdjuster({ untrusted: ['b*'], toolLimits: { c: { retries: 0 } } }, () => read)(plain), plain)
  })

  it('lays limits over those of the tool, a later pattern over an earlier one', () => {
    const adjust = toolAdjuster(
      { toolLimits: { '*': { timeoutMs: 1, retries: 1 }, 'mcp__*': { retries: 3 } }, untrusted: ['mcp__web__*'] },
      () => read,
    )
    assert.deepEqual(adjust(tool('mcp__web__get', { limits: { maxResultChars: 9, timeoutMs: 5 } })).limits, {
      maxResultChars: 9,
      timeoutMs: 1,
      retries: 3,
    })
    assert.equal(adjust(tool('mcp__web__get')).untrusted, true)
    assert.equal(adjust(tool('other')).untrusted, undefined)
    assert.deepEqual(adjust(tool('other')).limits, { timeoutMs: 1, retries: 1 })
  })

  it('takes the effect of a call from its command, also deep in the arguments', () => {
    const asked: string[] = []
    const adjust = toolAdjuster({ commands: [{ tools: ['sh_*'], argument: '/run/command', language: 'bash' }] }, (language) => {
      asked.push(language)
      return read
    })
    const { effect, marks } = adjust(tool('sh_run'))
    assert.ok(typeof effect === 'function' && marks !== undefined)
    assert.equal(effect({ run: { command: 'ls' } }), 'read')
    assert.equal(effect({ run: { command: 'rm' } }), 'dangerous')
    assert.deepEqual(marks({ run: { command: 'rm' } }), [{ path: '/run/command', start: 0, end: 2, effect: 'dangerous', reason: 'rm' }])
    // No command where one is expected.
    for (const input of [{}, { run: 'rm' }, { run: { command: ['ls'] } }]) {
      assert.equal(effect(input), 'dangerous')
      assert.deepEqual(marks(input), [])
    }
    assert.deepEqual(asked, ['bash'])
  })
})
