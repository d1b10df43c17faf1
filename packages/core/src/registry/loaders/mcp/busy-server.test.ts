/** Servers that do not end by themselves: timers, no ear for the end of stdin, writing on into a pipe that nobody reads. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { callText } from '../../../../test/fixtures/mcp/call-tool.ts'
import { readProcess } from '../../../util/process-table.ts'
import { connectMcpServer } from './index.ts'

/** Answers what it is asked, and behaves as the statement says. */
function server(behaviour: string): { readonly command: string; readonly args: readonly string[] } {
  const program = `
    ${behaviour}
    const say = (message) => { try { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n') } catch {} }
    const tools = [{ name: 'pid', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
    const answers = {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'busy', version: '1' } }),
      'tools/list': () => ({ tools }),
      'tools/call': () => ({ content: [{ type: 'text', text: String(process.pid) }] }),
    }
    let rest = ''
    process.stdin.on('data', (data) => {
      rest += data
      for (let end = rest.indexOf('\\n'); end >= 0; end = rest.indexOf('\\n')) {
        const { id, method, params } = JSON.parse(rest.slice(0, end))
        rest = rest.slice(end + 1)
        if (id === undefined) continue
        const answer = answers[method]
        say(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: 'Method not found' } })
      }
    })`
  return { command: process.execPath, args: ['-e', program] }
}

const BEHAVIOURS: Readonly<Record<string, string>> = {
  'that has a timer and does not hear the end of stdin': 'setInterval(() => {}, 1000)',
  'that writes on and on, and takes no error of it for an end': `
    process.stdout.on('error', () => {}); process.stderr.on('error', () => {}); process.on('uncaughtException', () => {})
    setInterval(() => { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'on' } }) + '\\n'); process.stderr.write('on\\n') }, 1)`,
  'that spins once its pipes are closed': `
    process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); process.on('SIGHUP', () => {})
    process.stdin.on('end', () => { for (;;) {} })`,
}

describe('a server', () => {
  for (const [what, behaviour] of Object.entries(BEHAVIOURS)) {
    it(`${what} is gone after the close`, { timeout: 60_000 }, async () => {
      const connection = await connectMcpServer('busy', server(behaviour), { clock: systemClock })
      const pid = Number(await callText(connection, 'pid'))
      assert.equal(readProcess(pid)?.dead, false)
      await connection.close()
      assert.ok(readProcess(pid)?.dead ?? true)
    })
  }
})
