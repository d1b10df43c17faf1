import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories, resultFor, toolCall } from '../../test/histories.ts'
import type { Message } from '../contract/messages.ts'
import { checkHistory } from './check-history.ts'

const said = (messages: readonly Message[]): string => {
  try {
    checkHistory(messages)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return ''
}

describe('checkHistory', () => {
  it('takes every history in which each call has its result', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        assert.equal(said(messages), '')
      }),
      { numRuns: 200 },
    )
  })

  it('finds one missing, doubled, swapped or foreign result wherever it is', () => {
    const change = fc.constantFrom('drop', 'double', 'foreign', 'drop-message', 'swap')
    fc.assert(
      fc.property(histories({ withCalls: true }), change, fc.nat(), (messages, kind, seed) => {
        const places = messages.flatMap((message, at) => (message.role === 'tool' ? [at] : []))
        const at = places[seed % places.length]
        const message = at === undefined ? undefined : messages[at]
        if (at === undefined || message?.role !== 'tool') return
        const results = [...message.results]
        const first = results[0]
        if (first === undefined) return
        if (kind === 'drop') results.shift()
        if (kind === 'double') results.push(first)
        if (kind === 'foreign') results[0] = resultFor(toolCall('never-asked', 'x', 0))
        if (kind === 'swap') {
          if (results.length < 2) return
          results.push(...results.splice(0, 1))
        }
        const broken = kind === 'drop-message' ? messages.toSpliced(at, 1) : messages.with(at, { role: 'tool', results })
        assert.match(said(broken), /the history cannot be sent: message \d+/)
      }),
      { numRuns: 300 },
    )
  })

  it('names the orphan call and its tool', () => {
    const call = toolCall('call_7', 'read_file', 0)
    assert.equal(
      said([
        { role: 'user', text: 'x' },
        { role: 'assistant', text: '', calls: [call] },
        { role: 'user', text: 'go on' },
      ]),
      'the history cannot be sent: message 1: call "call_7" ("read_file") has no result',
    )
    assert.equal(
      said([
        { role: 'user', text: 'x' },
        { role: 'tool', results: [resultFor(call)] },
      ]),
      'the history cannot be sent: message 1: result "call_7" ("read_file") follows no call',
    )
  })
})
