import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import type { ToolCall } from '../contract/call.ts'
import type { SessionEvent } from '../contract/events.ts'
import { callId } from '../contract/ids.ts'
import type { AgentTool } from '../contract/tool.ts'
import { Registry } from '../registry/registry.ts'
import { Session } from './session.ts'

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'adjutant-ends-'))
})
after(() => rm(root, { recursive: true, force: true }))

const toolOf = (name: string, more: Partial<AgentTool> = {}): AgentTool => ({
  name,
  description: 'Use for tests. Not for anything else.',
  inputSchema: { type: 'object' },
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'write',
  execute: async () => name,
  ...more,
})

const call = (name: string, index = 0): ToolCall => ({
  id: callId(`${name}_${index}`),
  index,
  name,
  arguments: { ok: true, value: {} },
  idFromProvider: true,
})

function open(tools: readonly AgentTool[], told: SessionEvent[] = []): Session {
  const registry = new Registry()
  registry.add(tools, 'test')
  return new Session({
    tools: registry.snapshot(),
    namespaceRoot: root,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'deny' })),
    asker: scriptedAsker(),
    events: (event) => void told.push(event),
  })
}

describe('a session that ends', () => {
  it('tells each tool that ran in it, once, and tools that share what they keep once together', async () => {
    const ended: string[] = []
    const shared = async (id: string) => void ended.push(`shared ${id}`)
    const session = open([
      toolOf('one', { endSession: shared }),
      toolOf('two', { endSession: shared }),
      toolOf('three', { endSession: async (id) => void ended.push(`three ${id}`) }),
      toolOf('unused', { endSession: async () => void ended.push('unused') }),
      toolOf('plain'),
    ])
    await session.execute([call('one'), call('two', 1), call('three', 2), call('one', 3), call('plain', 4)])
    assert.deepEqual(ended, [])
    await session.close()
    await session.close()
    assert.deepEqual(ended.toSorted(), [`shared ${session.id}`, `three ${session.id}`])
  })

  it('waits for what still runs first, and tells also the tool whose call nobody waits for', async () => {
    const order: string[] = []
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const session = open([
      toolOf('slow', {
        async execute(_input, cx) {
          resolve()
          await new Promise((next) => cx.signal.addEventListener('abort', next, { once: true }))
          order.push('stopped')
        },
        endSession: async () => void order.push('ended'),
      }),
    ])
    const running = session.execute([call('slow')])
    await begun
    await session.close()
    assert.equal((await running).length, 1)
    assert.deepEqual(order, ['stopped', 'ended'])
  })

  it('ends also where a tool does not let go, and says so', async () => {
    const told: SessionEvent[] = []
    const ended: string[] = []
    const session = open(
      [
        toolOf('broken', { endSession: () => Promise.reject(new Error('it is stuck')) }),
        toolOf('whole', { endSession: async () => void ended.push('whole') }),
      ],
      told,
    )
    await session.execute([call('broken'), call('whole', 1)])
    await session.close()
    assert.deepEqual(ended, ['whole'])
    const logs = told.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    assert.deepEqual(logs, ['broken did not let go of what it keeps for the session: it is stuck'])
  })

  it('lets a tool know which tools there are for its model, and no others', async () => {
    const known: boolean[] = []
    const session = open([
      toolOf('asks', {
        execute: async (_input, cx) => void known.push(...['asks', 'other', 'none'].map((name) => cx.hasTool?.(name) ?? false)),
      }),
      toolOf('other', { tier: 'extended' }),
    ])
    await session.execute([call('asks')])
    await session.close()
    assert.deepEqual(known, [true, true, false])
  })
})
