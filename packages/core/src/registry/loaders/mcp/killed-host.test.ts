import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stubMcpServer } from '@adjutant/testkit'
import { until } from '../../../../test/fixtures/process/until.ts'
import { type ProcessEntry, readProcess, readProcessTable } from '../../../util/process-table.ts'

const HOST = fileURLToPath(new URL('../../../../test/fixtures/mcp/host.ts', import.meta.url))
const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

function descendants(pid: number): readonly ProcessEntry[] {
  const table = readProcessTable()
  const found = new Map<number, ProcessEntry>()
  const visit = (parent: number): void => {
    for (const entry of table) {
      if (entry.parent !== parent || found.has(entry.pid)) continue
      found.set(entry.pid, entry)
      visit(entry.pid)
    }
  }
  visit(pid)
  return [...found.values()]
}

function isAlive(entry: ProcessEntry): boolean {
  const now = readProcess(entry.pid)
  return now !== undefined && !now.dead && now.started === entry.started
}

describe('a host with MCP servers that is killed', { skip: process.platform === 'linux' ? false : 'needs /proc' }, () => {
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    it(`by ${signal} leaves none of them, however they were started`, async () => {
      const stubborn = stubMcpServer({ ignoreEnd: true, ignoreTerm: true })
      const words = [stubborn.command, ...stubborn.args].map((word) => `'${word}'`).join(' ')
      const servers = {
        everything: { command: process.execPath, args: [EVERYTHING] },
        stubborn,
        wrapped: { command: 'sh', args: ['-c', `exec 3<&0; setsid ${words} <&3 & wait`] },
      }
      const flags = process.execArgv.filter((flag) => flag.startsWith('--conditions') || flag.startsWith('--disable-warning'))
      const host = spawn(process.execPath, [...flags, HOST, JSON.stringify(servers)], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(host.stdout, 'data')
      const family = descendants(host.pid ?? 0)
      // Three servers, a shell before one of them, and the watchdog.
      assert.ok(family.length >= 5)
      assert.ok(family.every(isAlive))
      host.kill(signal)
      await until(() => !family.some(isAlive), 'all of them are gone')
    })
  }
})
