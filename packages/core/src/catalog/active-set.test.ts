import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import type { AgentTool } from '../contract/tool.ts'
import { ActiveSet } from './active-set.ts'

function tool(name: string, lifetime: AgentTool['lifetime'] = 'session'): AgentTool {
  return {
    name,
    description: name,
    inputSchema: true,
    origin: { kind: 'function', from: 'test' },
    tier: 'extended',
    lifetime,
    effect: 'read',
    execute: async () => name,
  }
}

const names = (set: ActiveSet): readonly string[] => set.tools().map((one) => one.name)

describe('ActiveSet', () => {
  it('pushes out the least recently called, never the pinned, and says why (A10)', () => {
    const set = new ActiveSet({ maxTools: 3, maxTokens: 100 })
    for (const name of ['a', 'b', 'c']) set.load(tool(name), 10)
    set.touch('a')
    set.pin('b', true)
    assert.deepEqual(set.load(tool('d'), 10), [{ name: 'c', reason: 'too-many-tools' }])
    assert.deepEqual(set.load(tool('e'), 85), [
      { name: 'a', reason: 'too-many-tools' },
      { name: 'd', reason: 'too-many-tokens' },
    ])
    assert.deepEqual(names(set), ['b', 'e'])
  })

  it('refuses what does not fit beside the pinned ones, and changes nothing then', () => {
    const set = new ActiveSet({ maxTools: 2, maxTokens: 100 })
    set.load(tool('a'), 60)
    set.load(tool('b'), 10)
    set.pin('a', true)
    assert.throws(
      () => set.load(tool('c'), 50),
      (error: unknown) => AdjutantError.isInstance(error) && error.code === 'TOO_LARGE',
    )
    assert.deepEqual(names(set), ['a', 'b'])
    assert.equal(set.tokens, 70)
  })

  it('keeps to its limits and its count of tokens, whatever is done to it', () => {
    const anyStep = fc.record({
      act: fc.constantFrom('load', 'touch', 'pin', 'unpin', 'unload', 'round', 'task', 'request'),
      name: fc.constantFrom(...'abcdefgh'),
      tokens: fc.integer({ min: 1, max: 60 }),
      lifetime: fc.constantFrom<AgentTool['lifetime']>('turn', 'task', 'session'),
    })
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const set = new ActiveSet({ maxTools: 4, maxTokens: 100 })
        const tokens = new Map<string, number>()
        for (const { act, name, tokens: size, lifetime } of steps) {
          if (act === 'load') {
            try {
              for (const left of set.load(tool(name, lifetime), size)) tokens.delete(left.name)
              if (!tokens.has(name)) tokens.set(name, size)
            } catch (error) {
              assert.ok(AdjutantError.isInstance(error))
            }
          } else if (act === 'touch') set.touch(name)
          else if (act === 'pin' || act === 'unpin') set.pin(name, act === 'pin')
          else if (act === 'unload') assert.equal(set.unload(name), tokens.delete(name))
          else if (act === 'request') set.requested()
          else for (const left of act === 'round' ? set.endRound() : set.endTask()) tokens.delete(left.name)
          assert.deepEqual([...names(set)].sort(), [...tokens.keys()].sort())
          assert.equal(
            set.tokens,
            [...tokens.values()].reduce((sum, one) => sum + one, 0),
          )
          assert.ok(set.size <= 4 && set.tokens <= 100)
        }
      }),
    )
  })

  it('lets go by lifetime (A9): a turn’s after the request that had it, a task’s at its end', () => {
    const set = new ActiveSet()
    set.load(tool('turn', 'turn'), 1)
    set.load(tool('task', 'task'), 1)
    set.load(tool('session', 'session'), 1)
    assert.deepEqual(set.endRound(), [], 'the model has not seen it yet')
    set.requested()
    assert.deepEqual(set.endRound(), [{ name: 'turn', reason: 'turn-ended' }])
    assert.deepEqual(set.endTask(), [{ name: 'task', reason: 'task-ended' }])
    assert.deepEqual(names(set), ['session'])
  })
})
