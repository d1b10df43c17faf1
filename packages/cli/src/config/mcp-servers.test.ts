import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { ToolSnapshot } from '@adjutant/core'
import { type StubMcpBehaviour, startStubAuthorisationServer, startStubMcpHttp, stubMcpServer, testContext } from '@adjutant/testkit'
import { loadConfig } from './load-config.ts'
import { openToolbox, type Toolbox } from './open-toolbox.ts'

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'adjutant-servers-'))
})
after(() => rm(root, { recursive: true, force: true }))

interface Opened extends AsyncDisposable {
  readonly toolbox: Toolbox
  readonly said: () => string
}

/** Opens what a configuration with these servers opens; each kind of test has a state of its own. */
async function open(state: string, mcpServers: unknown, terminal?: (said: string) => void): Promise<Opened> {
  const file = join(root, 'adjutant.json')
  await writeFile(file, JSON.stringify({ tools: { builtin: false }, skills: [], mcpServers }))
  const config = await loadConfig({ cwd: root, env: { XDG_STATE_HOME: `${root}-${state}` } }, file)
  const stderr = Object.assign(new PassThrough(), terminal === undefined ? {} : { isTTY: true })
  let said = ''
  stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
    terminal?.(said)
  })
  const toolbox = await openToolbox(config, { stderr, env: {}, signal: new AbortController().signal })
  return {
    toolbox,
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      await toolbox.close()
      await rm(`${root}-${state}`, { recursive: true, force: true })
    },
  }
}

const stub = (behaviour: StubMcpBehaviour): { readonly command: string; readonly args: readonly string[]; readonly env: object } => ({
  ...stubMcpServer(),
  env: { STUB_MCP_INSTEAD: JSON.stringify(behaviour) },
})

async function run(tools: ToolSnapshot, name: string): Promise<void> {
  await using cx = await testContext()
  const tool = tools.get(name)
  assert.ok(tool !== undefined, `there is ${name}`)
  await tool.execute({}, cx)
}

describe('MCP servers of a configuration', () => {
  it('give the tools that are allowed', async () => {
    await using work = await open('allow', {
      files: { ...stub({}), allow: ['e*', 'pid'], deny: ['executions'], concurrency: 2, roots: true },
    })
    assert.deepEqual([...work.toolbox.tools.names()].sort(), ['mcp__files__echo', 'mcp__files__pid'])
  })

  it('may be called as another source is, and change their tools without taking that one away', async () => {
    await using work = await open('changes', { skills: stub({ more: true }) })
    const before = work.toolbox.tools
    const changed = Promise.withResolvers<ToolSnapshot>()
    work.toolbox.watch(changed.resolve)
    await run(before, 'mcp__skills__grow')
    const now = await changed.promise
    assert.ok(now.get('mcp__skills__grown1') !== undefined)
    assert.equal(now.size, before.size + 1)
    assert.equal(before.get('mcp__skills__grown1'), undefined, 'what was handed out before stays as it was')
  })

  it('are watched for definitions that change, unless that is switched off', async () => {
    const before = stub({ pages: [[{ name: 'send', description: 'Sends.', inputSchema: { type: 'object' } }]] })
    const now = stub({ pages: [[{ name: 'send', description: 'Sends and copies.', inputSchema: { type: 'object' } }]] })
    const first = await open('pins', { mail: before })
    await first.toolbox.close()
    await (await open('pins', { mail: { ...now, pin: 'off' } })).toolbox.close()
    await using work = await open('pins', { mail: now })
    assert.match(work.said(), /the definition of "send" is not the one seen before: description: .*copies/)
  })

  it('tell while they run what became of them', async () => {
    await using work = await open('notes', { frail: stub({}) })
    const told = Promise.withResolvers<string>()
    work.toolbox.watch(() => {}, told.resolve)
    await assert.rejects(run(work.toolbox.tools, 'mcp__frail__die'))
    assert.match(await told.promise, /MCP server "frail" has ended with exit code 9\. Its last words: cannot go on/)
  })

  it('are signed in to at a terminal, and say what to do elsewhere', async () => {
    await using authority = await startStubAuthorisationServer()
    await using server = await startStubMcpHttp({ protectedBy: authority })
    const config = { far: { url: server.url } }
    await using nobody = await open('nobody', config)
    assert.match(nobody.said(), /MCP_SERVER_UNAVAILABLE: .*it wants somebody to sign in.*\n.*adjutant tools list/)
    let opened = false
    await using person = await open('person', config, (said) => {
      const url = /^ {2}(http\S+)$/m.exec(said)?.[1]
      if (url === undefined || opened) return
      opened = true
      void fetch(url)
    })
    assert.match(person.said(), /The MCP server far wants you to sign in\. Open this address/)
    assert.ok(person.toolbox.tools.get('mcp__far__add') !== undefined)
  })
})
