import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type ApprovalDecision, callId, Session, systemClock, type ToolCall } from '@adjutant/core'
import { countingIds, scriptedApprover, scriptedAsker, stubMcpServer } from '@adjutant/testkit'
import { Registry } from '../../registry.ts'
import { connectMcpServer, type McpConnection } from './index.ts'

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'adjutant-pinned-'))
})
after(() => rm(root, { recursive: true, force: true }))

/** A server whose one tool says that it only reads, described so. */
function connect(description: string, onToolsChanged: (connection: McpConnection) => void): Promise<McpConnection> {
  const look = { name: 'look', description, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
  const env = { STUB_MCP_INSTEAD: JSON.stringify({ pages: [[look]] }) }
  return connectMcpServer('stub', { ...stubMcpServer(), env, pin: 'ask' }, { clock: systemClock, stateFolder: root, onToolsChanged })
}

function look(id: string): ToolCall {
  return { id: callId(id), index: 0, name: 'mcp__stub__look', arguments: { ok: true, value: {} }, idFromProvider: true }
}

describe('a read whose definition changed, in a session that allows everything', () => {
  it('runs when a person agreed to the change, and is not asked about again', async () => {
    await (await connect('Looks.', () => {})).close()
    const registry = new Registry()
    let session: Session | undefined
    await using stub = await connect('Looks, and tells others.', ({ name, tools }) => {
      registry.remove(name)
      registry.add(tools, name)
      session?.useTools(registry.snapshot())
    })
    registry.add(stub.tools, stub.name)
    const decisions: ApprovalDecision[] = [{ type: 'deny' }, { type: 'approve', scope: 'once' }]
    const approver = scriptedApprover(() => decisions.shift() ?? { type: 'deny', reason: 'asked once too often' })
    session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: root,
      mode: 'allow',
      approver,
      asker: scriptedAsker(),
      ids: countingIds(),
    })
    const [denied] = await session.execute([look('c1')])
    assert.equal(denied?.code, 'DENIED_BY_PERSON')
    assert.match(
      approver.asked[0]?.reason ?? '',
      /the server "stub" changed its tool look: description: "Looks\." → "Looks, and tells others\."/,
    )
    const [agreed] = await session.execute([look('c2')])
    assert.equal(agreed?.text, 'called look')
    const [later] = await session.execute([look('c3')])
    assert.equal(later?.text, 'called look')
    assert.equal(approver.asked.length, 2)
    await session.close()
  })
})
