import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isJsonObject, type JsonObject } from '@adjutant/core'
import { readTool } from './read-tool.ts'
import { mcpToolNames } from './tool-names.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined)
  process.stderr.write('registry/loaders/mcp: ADJUTANT_MATERIAL is not set; tools of real servers were not read\n')

function readLines(file: string): readonly JsonObject[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line)
      assert.ok(isJsonObject(value))
      return value
    })
}

function textOf(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

describe('tools of real servers', { skip: material === undefined ? 'ADJUTANT_MATERIAL is not set' : false }, () => {
  const root = material ?? ''

  it('are read without a fault', () => {
    const lines = readLines(join(root, 'mcp/npm-servers-tools.jsonl'))
    assert.equal(lines.length, 261)
    for (const { tool } of lines) {
      const reading = readTool(tool)
      assert.deepEqual(reading.faults, [])
      assert.ok(isJsonObject(tool))
      assert.equal(reading.tool?.originalName, tool.name)
      assert.deepEqual(reading.tool?.inputSchema, tool.inputSchema)
    }
  })

  it('get names that are legal, unique over all servers, and lead back', () => {
    const byServer = new Map<string, Set<string>>()
    const keep = (server: string, name: string): void =>
      void (byServer.get(server) ?? byServer.set(server, new Set()).get(server))?.add(name)
    for (const line of readLines(join(root, 'mcp/npm-servers-tools.jsonl'))) {
      if (line.tool !== undefined && isJsonObject(line.tool)) keep(textOf(line, 'package'), textOf(line.tool, 'name'))
    }
    const files = globSync(join(root, 'tools/normalised/*.tools.jsonl'))
    assert.ok(files.length > 0)
    for (const file of files) for (const line of readLines(file)) keep(textOf(line, 'server') || file, textOf(line, 'name'))
    const taken = new Map<string, string>()
    let count = 0
    for (const [server, originals] of byServer) {
      const names = mcpToolNames(server, originals)
      for (const original of originals) {
        const name = names.get(original) ?? ''
        assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
        assert.equal(taken.get(name), undefined)
        taken.set(name, original)
        count++
      }
    }
    assert.ok(count > 10_000)
    assert.equal(taken.size, count)
  })
})
