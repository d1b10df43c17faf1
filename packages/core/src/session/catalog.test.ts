import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker, scriptedModel } from '@adjutant/testkit'
import fc from 'fast-check'
import { rolesMayUse } from '../catalog/may-use.ts'
import { hashEmbedder } from '../catalog/search/hash-embedder.ts'
import { HybridIndex } from '../catalog/search/hybrid-index.ts'
import { searchDocumentOf } from '../catalog/search/search-document.ts'
import { type AgentTool, callId, type JsonObject, type SessionEvent, type ToolCall, type ToolResult } from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { runAgent } from './agent.ts'
import { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

function tool(name: string, over: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `Use for ${name.replaceAll('_', ' ')}.`,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    origin: { kind: 'function', from: 'test' },
    tier: 'extended',
    lifetime: 'session',
    effect: 'read',
    execute: async (input) => `${name} ${input.n}`,
    ...over,
  }
}

interface Bench {
  readonly session: Session
  readonly events: SessionEvent[]
  call(name: string, input?: JsonObject): Promise<ToolResult>
  shown(): readonly string[]
}

let calls = 0

async function open(tools: readonly AgentTool[], over: Partial<SessionOptions> = {}): Promise<Bench> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'catalog-'))
  folders.push(namespaceRoot)
  const registry = new Registry()
  registry.add(tools, 'test')
  const events: SessionEvent[] = []
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
    asker: scriptedAsker(),
    clock: new ManualClock(),
    ids: countingIds(),
    events: (event) => void events.push(event),
    catalog: { disclosure: 'on' },
    ...over,
  })
  return {
    session,
    events,
    async call(name, input = {}) {
      const call: ToolCall = { id: callId(`c${++calls}`), index: 0, name, arguments: { ok: true, value: input }, idFromProvider: true }
      const [result] = await session.execute([call])
      assert.ok(result !== undefined)
      return result
    },
    shown: () => session.request().map((definition) => definition.name),
  }
}

const core = tool('read_file', { tier: 'core' })

describe('progressive disclosure', () => {
  it('shows core tools and the meta-tools; others are found, loaded, and are there in the next request (A6 A7)', async () => {
    const { call, shown, events } = await open([core, tool('open_issue'), tool('send_mail')])
    assert.deepEqual(shown(), ['search_tools', 'load_skill', 'use_tool', 'unload_tool', 'read_file'])
    assert.match((await call('search_tools', { query: 'open an issue' })).text, /^open_issue: Use for open issue\./)
    assert.equal((await call('load_skill', { name: 'open_issue' })).outcome, 'ok')
    assert.ok(shown().includes('open_issue'))
    assert.equal((await call('open_issue', { n: 1 })).text, 'open_issue 1')
    assert.ok(events.some((event) => event.type === 'tool-loaded' && event.name === 'open_issue' && event.tokens > 0))
  })

  it('shows everything as long as there is little', async () => {
    const { shown, call } = await open([core, tool('open_issue')], { catalog: {} })
    assert.deepEqual(shown(), ['read_file', 'open_issue'])
    assert.equal((await call('open_issue', { n: 1 })).outcome, 'ok')
  })

  it('validates a call through use_tool as it does a direct one, and gives it the same rights', async () => {
    const approver = scriptedApprover(() => ({ type: 'deny', reason: 'no' }))
    const { call } = await open([tool('open_issue'), tool('delete_all', { effect: 'dangerous' })], { mode: 'ask', approver })
    assert.equal((await call('use_tool', { name: 'open_issue', params: { n: 2 } })).text, 'open_issue 2')
    assert.equal((await call('use_tool', { name: 'open_issue', params: { n: 'two' } })).code, 'INVALID_ARGUMENTS')
    assert.equal((await call('use_tool', { name: 'open_issue' })).code, 'INVALID_ARGUMENTS')
    assert.equal((await call('use_tool', { name: 'delete_all', params: { n: 1 } })).code, 'DENIED_BY_PERSON')
    assert.equal(approver.asked[0]?.call.tool.name, 'delete_all')
    assert.equal((await call('use_tool', { name: 'use_tool', params: {} })).isError, true)
    assert.equal((await call('use_tool', { name: 'constructor', params: {} })).code, 'UNKNOWN_TOOL')
  })

  it('tells of a tool that was pushed out how to get it back, or runs it at once where that is wished (D17)', async () => {
    const many = [tool('a'), tool('b'), tool('c')]
    const explained = await open(many, { catalog: { disclosure: 'on', limits: { maxTools: 1 } } })
    await explained.call('load_skill', { name: 'a' })
    explained.shown()
    await explained.call('load_skill', { name: 'b' })
    const stale = await explained.call('a', { n: 1 })
    assert.equal(stale.code, 'TOOL_NOT_LOADED')
    assert.match(stale.text, /a was unloaded\n.*load_skill \{"name":"a"\}/)
    assert.match((await explained.call('c', { n: 1 })).text, /c is not loaded/)
    assert.ok(explained.events.some((event) => event.type === 'tool-unloaded' && event.name === 'a' && event.reason === 'too-many-tools'))

    const run = await open(many, { catalog: { disclosure: 'on', notLoaded: 'run' } })
    assert.equal((await run.call('c', { n: 1 })).text, 'c 1')
    assert.ok(run.shown().includes('c'))
  })

  it('unloads when asked, and when the registry drops or changes the tool', async () => {
    const { call, shown, session, events } = await open([tool('a'), tool('b')])
    await call('load_skill', { name: 'a' })
    await call('load_skill', { name: 'b' })
    assert.match((await call('unload_tool', { name: 'a' })).text, /unloaded/)
    assert.match((await call('unload_tool', { name: 'a' })).text, /not loaded/)
    assert.ok(!shown().includes('a') && shown().includes('b'))
    const next = new Registry()
    next.add([tool('a'), tool('b', { description: 'Another b.' })], 'test')
    session.useTools(next.snapshot())
    await call('search_tools', { query: 'b' })
    assert.ok(!shown().includes('b'))
    assert.ok(events.some((event) => event.type === 'tool-unloaded' && event.name === 'b' && event.reason === 'gone'))
  })

  it('lets a skill narrow the tools and never widen them, where that is enforced', async () => {
    const skill = (name: string, allows?: readonly string[]): AgentTool =>
      tool(name, {
        tags: ['skill'],
        inputSchema: { type: 'object' },
        execute: async () => 'do',
        ...(allows === undefined ? {} : { allows }),
      })
    const tools = [core, tool('send_mail'), tool('hidden'), skill('style', ['Read', 'hidden']), skill('free')]
    const principal = { tenantId: 't', userId: 'u', roles: ['r'] }
    const catalog = { mayUse: rolesMayUse({ r: ['read_file', 'send_mail', 'style', 'free'] }), skillLimits: 'enforce' } as const
    const { call, session } = await open(tools, { principal, catalog })
    await call('free')
    assert.equal((await call('send_mail', { n: 1 })).outcome, 'ok')
    await call('load_skill', { name: 'style' })
    const refused = await call('send_mail', { n: 1 })
    assert.equal(refused.code, 'DENIED_BY_POLICY')
    assert.match(refused.text, /not among the tools that the skill style works with/)
    assert.equal((await call('use_tool', { name: 'send_mail', params: { n: 1 } })).code, 'DENIED_BY_POLICY')
    assert.equal((await call('read_file', { n: 1 })).outcome, 'ok')
    assert.equal((await call('hidden', { n: 1 })).code, 'UNKNOWN_TOOL')
    await call('unload_tool', { name: 'style' })
    assert.equal((await call('send_mail', { n: 1 })).outcome, 'ok')
    await call('style')
    assert.equal((await call('send_mail', { n: 1 })).code, 'DENIED_BY_POLICY')
    session.endTask()
    assert.equal((await call('send_mail', { n: 1 })).outcome, 'ok')
  })

  it('searches by what it is given, e.g. by meaning', async () => {
    const tools = [core, tool('open_issue'), tool('send_mail')]
    const index = new HybridIndex(hashEmbedder())
    for (const one of tools) index.add(searchDocumentOf(one))
    const { signal } = new AbortController()
    await index.embed({ signal })
    const { call } = await open(tools, {
      catalog: {
        disclosure: 'on',
        search: async (query, limit, among) => {
          const names = new Set(among.map((one) => one.name))
          return (await index.search(query, { limit, signal, filter: (id) => names.has(id) })).hits
        },
      },
    })
    assert.match((await call('search_tools', { query: 'send mail', limit: 1 })).text, /^send_mail/)
  })

  it('finds a tool that did well in this session before an equal one', async () => {
    const twin = (name: string, works: boolean): AgentTool =>
      tool(name, {
        description: 'Use for sending parcels.',
        execute: async () => {
          if (!works) throw new Error('the carrier is closed')
          return 'sent'
        },
      })
    const { call } = await open([twin('parcel_a', false), twin('parcel_b', true)], { catalog: { disclosure: 'on', notLoaded: 'run' } })
    const first = async (): Promise<string> => (await call('search_tools', { query: 'send parcels' })).text.split(':')[0] ?? ''
    assert.equal(await first(), 'parcel_a')
    await call('parcel_a', { n: 1 })
    await call('parcel_b', { n: 1 })
    assert.equal(await first(), 'parcel_b')
  })

  it('gives a skill’s instructions when it is loaded', async () => {
    const skill = tool('house_style', { tags: ['skill'], inputSchema: { type: 'object' }, execute: async () => 'Write short sentences.' })
    const { call, shown } = await open([core, skill])
    assert.ok(shown().includes('list_skills'))
    assert.equal((await call('list_skills')).text, 'house_style: Use for house style.')
    assert.equal((await call('load_skill', { name: 'house_style' })).text, 'Write short sentences.')
  })

  it('works in the loop: search, load, call in the next answer', async () => {
    const { session } = await open([core, tool('open_issue')])
    const ask = (name: string, value: JsonObject, id: string) =>
      [{ type: 'call', call: { id: callId(id), index: 0, name, arguments: { ok: true, value }, idFromProvider: true } }] as const
    const model = scriptedModel([
      ask('search_tools', { query: 'issue' }, 'a'),
      ask('load_skill', { name: 'open_issue' }, 'b'),
      ask('open_issue', { n: 3 }, 'c'),
      [{ type: 'text', text: 'done' }],
    ])
    const answer = await runAgent({ session, model, task: 'open an issue' })
    assert.deepEqual(
      model.requests.map((request) => request.tools.some((definition) => definition.name === 'open_issue')),
      [false, false, true, true],
    )
    const last = answer.messages.at(-2)
    assert.ok(last?.role === 'tool' && last.results[0]?.text === 'open_issue 3')
  })
})

describe('a tool that may not be used', () => {
  it('cannot be told from one that does not exist, by anything a principal gets (invariant 8)', async () => {
    const names = ['open_issue', 'close_issue', 'send_mail', 'delete_issue', 'read_mail', 'list_issues']
    const verbs = fc.constantFrom('search_tools', 'load_skill', 'use_tool', 'unload_tool', 'list_skills', 'direct')
    const anyCase = fc.record({
      hidden: fc.subarray(names, { minLength: 1 }),
      core: fc.subarray(names),
      skills: fc.subarray(names),
      disclosure: fc.constantFrom('auto', 'on', 'off'),
      notLoaded: fc.constantFrom('explain', 'run'),
      asks: fc.array(fc.record({ verb: verbs, name: fc.constantFrom(...names, 'issue', 'opn_issue') }), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ hidden, core: cores, skills, asks, ...catalog }) => {
        const all = names.map((name) =>
          tool(name, { tier: cores.includes(name) ? 'core' : 'extended', ...(skills.includes(name) ? { tags: ['skill'] } : {}) }),
        )
        const visible = names.filter((name) => !hidden.includes(name))
        const options = (): Partial<SessionOptions> => ({
          principal: { tenantId: 't', userId: 'u', roles: ['clerk'] },
          catalog: { ...catalog, mayUse: rolesMayUse({ clerk: visible, admin: ['*'] }) },
        })
        const withHidden = await open(all, options())
        const without = await open(
          all.filter((one) => visible.includes(one.name)),
          options(),
        )
        const say = async (bench: Bench): Promise<unknown> => {
          const heard: unknown[] = [bench.session.request()]
          for (const { verb, name } of asks) {
            const input: Record<string, JsonObject> = {
              search_tools: { query: name },
              load_skill: { name },
              use_tool: { name, params: { n: 1 } },
              unload_tool: { name },
              list_skills: {},
              direct: { n: 1 },
            }
            const result = await bench.call(verb === 'direct' ? name : verb, input[verb])
            heard.push({ ...result, id: '' })
            heard.push(bench.session.request())
          }
          return heard
        }
        assert.deepEqual(await say(withHidden), await say(without))
      }),
      { numRuns: 120 },
    )
  })

  it('is there for a principal whose role has it', async () => {
    const mayUse = rolesMayUse({ clerk: ['read_*'], admin: ['*'] })
    const names = async (roles: readonly string[]): Promise<readonly string[]> =>
      (
        await open([tool('read_mail'), tool('send_mail')], {
          principal: { tenantId: 't', userId: 'u', roles },
          catalog: { mayUse, disclosure: 'off' },
        })
      ).shown()
    assert.deepEqual(await names(['clerk']), ['read_mail'])
    assert.deepEqual(await names(['admin']), ['read_mail', 'send_mail'])
    assert.deepEqual(await names(['constructor', '__proto__']), [])
  })
})
