import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@adjutant/core'
import { testContext } from '@adjutant/testkit'
import { callError, callText, callTool } from '../../../../test/fixtures/mcp/call-tool.ts'
import { until } from '../../../../test/fixtures/process/until.ts'
import { readProcessTable, readTreeMarker } from '../../../util/process-table.ts'
import { Registry } from '../../registry.ts'
import { connectMcpServer } from './index.ts'

const options = { clock: systemClock }

function program(name: string): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`))
}

function stdio(name: string, ...args: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [program(name), ...args] }
}

/** Everything alive that was started as a part of a tree by this process. */
function started(): readonly number[] {
  return readProcessTable()
    .filter((entry) => !entry.dead && entry.parent === process.pid && readTreeMarker(entry.pid) !== undefined)
    .map((entry) => entry.pid)
}

let folder = ''
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-mcp-')))
  await writeFile(join(folder, 'note.txt'), 'remember the milk\n')
})
after(() => rm(folder, { recursive: true, force: true }))

describe('server-everything over stdio', () => {
  it('is listed and called, and is gone after the close', async () => {
    const server = await connectMcpServer('everything', stdio('server-everything'), options)
    assert.ok(server.tools.length >= 10)
    assert.deepEqual(server.problems, [])
    assert.equal(await callText(server, 'echo', { message: 'hello' }), 'Echo: hello')
    assert.match(await callText(server, 'get-sum', { a: 2, b: 40 }), /42/)
    assert.equal((await callTool(server, 'get-sum', { a: 'two' })).isError, true)
    await server.close()
    assert.deepEqual(started(), [])
  })

  it('shows its image as an image and its structured content as text, once each', async () => {
    await using server = await connectMcpServer('everything', stdio('server-everything'), options)
    const image = await callTool(server, 'get-tiny-image')
    assert.deepEqual(
      image.parts.map((part) => part.type),
      ['text', 'image', 'text'],
    )
    assert.equal(image.structured, undefined)
    const weather = await callTool(server, 'get-structured-content', { location: 'New York' })
    assert.equal(weather.parts.length, 1)
    assert.equal(weather.structured, undefined)
    const links = await callTool(server, 'get-resource-links', { count: 2 })
    assert.deepEqual(
      links.parts.map((part) => part.type),
      ['text', 'resource', 'resource'],
    )
    const reference = await callTool(server, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    assert.ok(reference.parts.some((part) => part.type === 'resource' && part.text !== undefined))
  })

  it('tells its progress', async () => {
    await using server = await connectMcpServer('everything', stdio('server-everything'), options)
    await using cx = await testContext()
    await callTool(server, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }, cx)
    // The last one may come with the answer and be dropped.
    assert.deepEqual(cx.told[0], { current: 1, total: 2 })
  })

  it('started twice is two servers', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((name) => connectMcpServer(name, stdio('server-everything'), options)))
    assert.ok(one !== undefined && two !== undefined)
    const registry = new Registry()
    assert.deepEqual([registry.add(one.tools, one.name), registry.add(two.tools, two.name)], [[], []])
    assert.equal(registry.snapshot().size, one.tools.length + two.tools.length)
    await one.close()
    assert.equal(await callText(two, 'echo', { message: 'still here' }), 'Echo: still here')
    await two.close()
    assert.deepEqual(started(), [])
  })
})

describe('server-filesystem', () => {
  it('reads and writes the folder it was given, and is gone after the close', async () => {
    const server = await connectMcpServer('files', stdio('server-filesystem', folder), options)
    assert.match(await callText(server, 'read_text_file', { path: join(folder, 'note.txt') }), /remember the milk/)
    assert.equal(server.tools.find((tool) => tool.origin.originalName === 'read_text_file')?.effect, 'read')
    assert.equal(server.tools.find((tool) => tool.origin.originalName === 'write_file')?.effect, 'write')
    await callTool(server, 'write_file', { path: join(folder, 'new.txt'), content: 'ünï' })
    assert.equal(await callText(server, 'read_text_file', { path: join(folder, 'new.txt') }), 'ünï')
    assert.equal((await callTool(server, 'read_text_file', { path: '/etc/passwd' })).isError, true)
    await server.close()
    assert.deepEqual(started(), [])
  })

  it('that refuses its arguments is named with its own words', async () => {
    const connecting = connectMcpServer('files', stdio('server-filesystem', join(folder, 'not-there')), options)
    await assert.rejects(connecting, /MCP server "files" could not be connected: .*ended with exit code 1[\s\S]*stderr:/)
  })
})

describe('server-memory', () => {
  it('keeps what it is told, and is gone after the close', async () => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
    const server = await connectMcpServer('memory', { ...stdio('server-memory'), env }, options)
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }]
    await callTool(server, 'create_entities', { entities })
    assert.match(await callText(server, 'read_graph'), /likes engines/)
    await server.close()
    assert.deepEqual(started(), [])
  })
})

describe('server-everything over Streamable HTTP', () => {
  let child: ChildProcess
  let port = 0

  async function start(): Promise<void> {
    child = spawn(process.execPath, [program('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += String(chunk)
    })
    await until(() => said.includes('listening'), 'the server listens')
  }

  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  before(async () => {
    port = await freePort()
    await start()
  })
  after(stop)

  it('is listed and called', async () => {
    await using server = await connectMcpServer('web', { url: `http://127.0.0.1:${port}/mcp` }, options)
    assert.ok(server.tools.length >= 10)
    assert.equal(await callText(server, 'echo', { message: 'hello' }), 'Echo: hello')
    await using cx = await testContext()
    await callTool(server, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }, cx)
    assert.deepEqual(cx.told[0], { current: 1, total: 2 })
  })

  it('works again after it was started anew', async () => {
    await using server = await connectMcpServer('web', { url: `http://127.0.0.1:${port}/mcp` }, options)
    await stop()
    assert.equal((await callError(server, 'echo', { message: 'x' })).code, 'MCP_SERVER_UNAVAILABLE')
    await start()
    // It only reads, so it is sent again over the new session.
    assert.equal(await callText(server, 'echo', { message: 'x' }), 'Echo: x')
    assert.equal(await callText(server, 'echo', { message: 'again' }), 'Echo: again')
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
