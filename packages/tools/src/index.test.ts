import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  Admission,
  callId,
  isJsonObject,
  LOCAL_PRINCIPAL,
  Registry,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiChatTools,
  toOpenAiResponsesTools,
  toolDefinitionOf,
} from '@adjutant/core'
import { askUserTool, createFileTools, createSqlTool, type SqlTool } from './index.ts'

let folder: string
const open: SqlTool[] = []
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-tools-'))
})
after(async () => {
  await Promise.all(open.map((sql) => sql.close()))
  await rm(folder, { recursive: true, force: true })
})

function allTools(databases: readonly string[]) {
  const sql = createSqlTool({ databases: Object.fromEntries(databases.map((name) => [name, join(folder, name)])), pool: 1 })
  open.push(sql)
  return [...createFileTools({ workspace: folder }), sql.tool, askUserTool]
}

describe('the built-in tools', () => {
  for (const databases of [['one'], ['one', 'two']]) {
    it(`are taken by the registry and written for every provider (${databases.length} databases)`, () => {
      const registry = new Registry()
      assert.deepEqual(registry.add(allTools(databases), 'built-in'), [])
      const snapshot = registry.snapshot()
      const names = ['ask_user', 'edit_file', 'find_files', 'list_directory', 'read_file', 'search_text', 'sql_query', 'write_file']
      assert.deepEqual([...snapshot.names()].toSorted(), names)
      const definitions = snapshot.tools().map(toolDefinitionOf)
      for (const write of [toOpenAiChatTools, toOpenAiResponsesTools, toAnthropicTools, toGeminiTools, toMcpTools]) {
        const said = JSON.stringify(write(definitions))
        for (const name of names) assert.ok(said.includes(name), `${write.name} ${name}`)
      }
    })
  }

  it('say what they are for and what not, and their own examples are admitted', () => {
    const registry = new Registry()
    registry.add(allTools(['one', 'two']), 'built-in')
    const snapshot = registry.snapshot()
    const admission = new Admission({ mode: 'allow', principal: LOCAL_PRINCIPAL })
    for (const tool of snapshot.tools()) {
      assert.match(tool.description, /Use for: .*Not for: /, tool.name)
      assert.ok(isJsonObject(tool.inputSchema) && Array.isArray(tool.inputSchema.examples), tool.name)
      for (const value of tool.inputSchema.examples) {
        assert.ok(isJsonObject(value))
        const call = { id: callId('c'), index: 0, name: tool.name, arguments: { ok: true, value }, idFromProvider: true } as const
        const verdict = admission.admit(call, snapshot)
        assert.equal(verdict.type, 'admitted', `${tool.name} ${JSON.stringify(value)}`)
      }
    }
  })
})
