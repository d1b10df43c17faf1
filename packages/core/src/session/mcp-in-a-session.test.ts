/** Real MCP servers in a session: long, binary and hostile answers, and servers that die, reach the model bounded, once, and in their place. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scriptedApprover, startStubMcpHttp, stubMcpServer } from '@adjutant/testkit'
import { openSession, sessionCall, sessionTool, textsIn } from '../../test/session-bench.ts'
import { DIALECTS } from '../contract/decode.ts'
import { ToolOutput, type ToolResult } from '../contract/index.ts'
import { checkHistory } from '../models/check-history.ts'
import { connectMcpServer } from '../registry/loaders/mcp/index.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { toToolMessages } from '../response/envelope.ts'
import { readSpill } from '../response/spill-read.ts'
import { systemClock } from '../util/system-clock.ts'

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
const options = { clock: systemClock }
// Real servers, real time: a pause before a further attempt has to pass.
const whole = { catalog: { disclosure: 'off' }, loopGuard: false, clock: systemClock } as const

function only(results: readonly ToolResult[]): ToolResult {
  const [result] = results
  assert.ok(result !== undefined && results.length === 1)
  return result
}

/** How often base64 of an image stands in what goes to the model, as an image and as anything else. */
function imagesIn(sent: unknown, data: string): number {
  return textsIn(sent).filter((text) => text.includes(data)).length
}

describe('an image of an MCP server', () => {
  it('is never text, though the server repeats it in structured content', async () => {
    await using stub = await connectMcpServer('stub', stubMcpServer(), options)
    await using everything = await connectMcpServer('everything', { command: process.execPath, args: [EVERYTHING] }, options)
    await using bench = openSession([...stub.tools, ...everything.tools], whole)
    for (const [name, input] of [
      ['mcp__stub__image', {}],
      ['mcp__everything__get-tiny-image', {}],
    ] as const) {
      const result = only(await bench.run([name, input]))
      const image = result.parts.find((part) => part.type === 'image')
      assert.ok(image?.type === 'image' && image.data.length > 0, name)
      assert.ok(!result.text.includes(image.data), name)
      for (const dialect of DIALECTS) {
        const times = imagesIn(toToolMessages(dialect, [result]), image.data)
        assert.ok(times <= 1, `${name}, ${dialect}: ${times}`)
      }
    }
  })

  it('of 600 KB takes nothing from the room of the text beside it', async () => {
    const data = Buffer.alloc(600_000, 7).toString('base64')
    const shot = sessionTool('shot', {
      untrusted: true,
      execute: async () =>
        new ToolOutput(
          [
            { type: 'text', text: 'a page with a form' },
            { type: 'image', mimeType: 'image/png', data },
          ],
          {
            structured: { image: data, title: 'a page' },
          },
        ),
    })
    await using bench = openSession([shot])
    const result = only(await bench.run(['shot']))
    assert.ok(result.text.includes('a page with a form') && result.text.length < 1_000 && result.spill === undefined)
    assert.deepEqual(
      result.parts.flatMap((part) => (part.type === 'image' ? [part.data.length] : [])),
      [data.length],
    )
  })
})

describe('a long answer of an MCP server', () => {
  it('is bounded like any other, and every letter can be read back', async () => {
    await using stub = await connectMcpServer('stub', stubMcpServer(), options)
    await using bench = openSession(stub.tools, whole)
    for (const size of [7_999, 8_001, 300_000, 3_000_000]) {
      const result = only(await bench.run(['mcp__stub__long', { size }]))
      assert.ok(result.text.length <= DEFAULT_RESULT_CHARS, `${size}`)
      for (const dialect of DIALECTS) {
        for (const text of textsIn(toToolMessages(dialect, [result]))) assert.ok(text.length < DEFAULT_RESULT_CHARS + 1_000, dialect)
      }
      if (size <= DEFAULT_RESULT_CHARS) continue
      assert.equal(result.spill?.bytes, size)
      let read = 0
      let at: { readonly offset?: number; readonly column?: number } | undefined = {}
      while (at !== undefined) {
        const page = await readSpill(bench.session.namespace, result.spill.id, { ...at, maxChars: 200_000, limit: 1_000 })
        assert.ok(page.kind === 'lines' && /^x*\n?$/.test(page.text))
        read += page.text.trimEnd().length
        at = page.next
      }
      assert.equal(read, size)
    }
  })
})

describe('what an MCP server writes for a terminal', () => {
  it('moves no cursor and clears no screen, in a result or in a question', async () => {
    await using stub = await connectMcpServer('stub', stubMcpServer(), options)
    const approver = scriptedApprover(() => ({ type: 'approve', scope: 'once' }))
    await using bench = openSession(stub.tools, { ...whole, mode: 'ask', approver })
    const spoof = '\u001b[2J\u001b[1A\u001b[K\u001b]8;;https://evil.example\u0007Allow? [Y/n]\u001b]8;;\u0007\u009b31m\r\u0008\u0000'
    const result = only(await bench.run(['mcp__stub__echo', { text: spoof }]))
    assert.doesNotMatch(result.text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    // The question keeps the bytes: an approval is bound to what will be sent, and whoever shows it makes them visible.
    assert.equal(approver.asked[0]?.call.input.text, spoof)
  })
})

describe('an MCP server that dies in a batch', () => {
  it('is the failure of its own calls: each has one result in its place, the others theirs, the session goes on', async () => {
    await using stub = await connectMcpServer('stub', stubMcpServer(), options)
    const own = sessionTool('own', { execute: async () => 'here' })
    await using bench = openSession([...stub.tools, own], { ...whole, strategy: 'resources' })
    const asked = [
      'own',
      'mcp__stub__echo',
      'mcp__stub__die',
      'mcp__stub__echo',
      'own',
      'mcp__stub__failing',
      'mcp__stub__malformed',
    ] as const
    const results = await bench.run(...asked.map((name, index) => [name, { n: index }, `id ${index}`] as const))
    assert.deepEqual(
      results.map(({ id, name }) => [String(id), name]),
      asked.map((name, index) => [`id ${index}`, name]),
    )
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['ok', 'ok', 'unknown', 'ok', 'ok', 'failed', 'unknown'],
    )
    const calls = results.map(({ id, name }, index) => ({
      id,
      index,
      name,
      arguments: { ok: true, value: {} } as const,
      idFromProvider: true,
    }))
    checkHistory([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls },
      { role: 'tool', results },
    ])
    assert.equal(only(await bench.run(['mcp__stub__echo', { still: true }])).text, '{"still":true}')
  })

  it('over HTTP, in the middle of an answer, leaves a write unknown and is not asked again', async () => {
    await using server = await startStubMcpHttp()
    await using far = await connectMcpServer('far', { url: server.url }, options)
    await using bench = openSession(far.tools, whole)
    const results = await bench.run(['mcp__far__add'], ['mcp__far__cut'], ['mcp__far__add'])
    assert.deepEqual(
      results.map(({ outcome, text }) => (outcome === 'ok' ? text : outcome)),
      ['1', 'unknown', String(server.executions)],
    )
    const executed = server.executions
    server.forgetSessions()
    const lost = only(await bench.run(['mcp__far__add']))
    assert.ok(lost.outcome === 'ok' || lost.outcome === 'not-run')
    assert.equal(server.executions, executed + (lost.outcome === 'ok' ? 1 : 0))
  })
})

describe('a batch that is stopped while some of its calls are done', () => {
  it('keeps one result for each call, says of each what is known, and the session goes on', async () => {
    await using stub = await connectMcpServer('stub', stubMcpServer(), options)
    for (const strategy of ['strict', 'resources'] as const) {
      const controller = new AbortController()
      const reads = stub.tools.map((tool) => ({ ...tool, effect: 'read' as const }))
      const settled = (id: string): boolean =>
        bench.events.some((event) => event.type === 'call-state' && event.id === id && event.state.status === 'settled')
      const stop = sessionTool('stop', {
        async execute() {
          while (!settled('toolu_0') || !settled('toolu_2')) await new Promise((resolve) => setImmediate(resolve))
          setImmediate(() => controller.abort())
          return 'stopping'
        },
      })
      await using bench = openSession([...reads, stop], { ...whole, strategy })
      const asked = ['mcp__stub__echo', 'mcp__stub__wait', 'mcp__stub__echo', 'stop', 'mcp__stub__wait'] as const
      const calls = asked.map((name, index) => sessionCall(index, name, {}, `toolu_${index}`))
      const results = await bench.session.execute(calls, { signal: controller.signal })
      checkHistory([
        { role: 'assistant', text: '', calls },
        { role: 'tool', results },
      ])
      assert.deepEqual(
        results.map(({ outcome }) => outcome === 'ok'),
        [true, false, true, true, false],
      )
      for (const { outcome, code, text } of results)
        if (outcome !== 'ok') assert.ok(code === 'CANCELLED' && text.length > 10, `${outcome} ${code}`)
      assert.equal(only(await bench.run(['mcp__stub__echo', { after: true }])).text, '{"after":true}')
    }
  })
})

describe('two connections to servers of one name', () => {
  it('keep their calls apart', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => connectMcpServer(name, stubMcpServer({ selfName: 'the-same' }), options)),
    )
    assert.ok(one !== undefined && two !== undefined)
    try {
      await using bench = openSession([...one.tools, ...two.tools], whole)
      await bench.run(['mcp__one__echo'], ['mcp__one__echo', { n: 2 }], ['mcp__two__echo'])
      const counted = await bench.run(['mcp__one__executions'], ['mcp__two__executions'], ['mcp__one__pid'], ['mcp__two__pid'])
      assert.deepEqual(
        counted.slice(0, 2).map(({ text }) => text),
        ['2', '1'],
      )
      assert.notEqual(counted[2]?.text, counted[3]?.text)
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })
})
