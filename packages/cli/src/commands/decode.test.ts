import assert from 'node:assert/strict'
import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { DIALECTS } from '@adjutant/core'
import { runMain, spawnCommand } from '../../test/run-command.ts'
import { main } from '../main.ts'

function event(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

const CALLS =
  event({ content: 'Let me look.' }) +
  event({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{"path":' } }] }) +
  event({ tool_calls: [{ index: 0, function: { arguments: '"a.txt"}' } }] }) +
  event({ tool_calls: [{ index: 1, id: 'call_b', function: { name: 'read_file', arguments: '["a.txt"]' } }] }, 'tool_calls') +
  'data: [DONE]\n\n'

describe('adjutant decode', () => {
  it('prints one JSON line for each event, a broken call as a problem', async () => {
    const { code, lines, stderr } = await runMain(['decode', '--dialect', 'openai-chat', '--json'], { stdin: CALLS })
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(lines, [
      { type: 'text', text: 'Let me look.' },
      { type: 'call-start', index: 0, id: 'call_a', name: 'read_file' },
      { type: 'call', index: 0, id: 'call_a', name: 'read_file', input: { path: 'a.txt' } },
      { type: 'call-start', index: 1, id: 'call_b', name: 'read_file' },
      {
        type: 'problem',
        code: 'INVALID_JSON',
        message: 'the arguments are an array, not a JSON object',
        index: 1,
        id: 'call_b',
        name: 'read_file',
        raw: '["a.txt"]',
      },
      { type: 'end', finish: 'tool-calls', dialect: 'openai-chat' },
    ])
  })

  it('prints words for people', async () => {
    const { code, stdout } = await runMain(['decode'], { stdin: CALLS })
    assert.equal(code, 0)
    assert.equal(
      stdout,
      [
        'Let me look.',
        'call 0: read_file {"path":"a.txt"} (id call_a)',
        'problem in call 1: read_file: INVALID_JSON the arguments are an array, not a JSON object: ["a.txt"]',
        'end: tool-calls (openai-chat)',
        '',
      ].join('\n'),
    )
  })

  it('shows, and does not obey, what would move the cursor', async () => {
    const stdin =
      event({ content: 'a\u001b[2Jb' }) +
      event(
        { tool_calls: [{ index: 0, id: 'x\u001b[1A', function: { name: 'f\u001b[K', arguments: '{"a":"\\u001b[2J\u202e"}' } }] },
        'stop',
      )
    const { stdout } = await runMain(['decode'], { stdin })
    assert.doesNotMatch(stdout, /[\u001b\u202e]/)
    assert.match(stdout, /^a\\x1b\[2Jb\ncall 0: f\\x1b\[K /)
  })

  it('reads every dialect, named and recognised', async () => {
    const inputs = {
      'openai-chat': CALLS,
      anthropic:
        '{"type":"message","content":[{"type":"tool_use","id":"t","name":"read_file","input":{"path":"a.txt"}}],"stop_reason":"tool_use"}',
      'openai-responses':
        '{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"c","name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}]}',
      gemini:
        '[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"path":"a.txt"}}}]},"finishReason":"STOP"}]}]',
      'gemini-interactions':
        '{"object":"interaction","status":"requires_action","steps":[{"type":"function_call","id":"c","name":"read_file","arguments":{"path":"a.txt"}}]}',
      bedrock:
        '{"output":{"message":{"content":[{"toolUse":{"toolUseId":"t","name":"read_file","input":{"path":"a.txt"}}}]}},"stopReason":"tool_use"}',
      ollama:
        '{"model":"m","message":{"content":"","tool_calls":[{"function":{"name":"read_file","arguments":{"path":"a.txt"}}}]},"done":true,"done_reason":"stop"}',
      cohere:
        '{"finish_reason":"TOOL_CALL","message":{"tool_calls":[{"id":"c","function":{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}}]}}',
      'tagged-text': '<tool_use>{"name":"read_file","input":{"path":"a.txt"}}</tool_use>',
      decision: '{"action":"call_tool","tool_name":"read_file","parameters":{"path":"a.txt"}}',
    }
    for (const [dialect, stdin] of Object.entries(inputs)) {
      for (const named of [dialect, 'auto']) {
        const { code, lines } = await runMain(['decode', '--dialect', named, '--json'], { stdin })
        assert.equal(code, 0)
        const call = lines.find((line) => line.type === 'call')
        assert.deepEqual([call?.name, call?.input], ['read_file', { path: 'a.txt' }])
        assert.equal(lines.at(-1)?.dialect, dialect)
      }
    }
  })

  it('fails for an input that is empty, cut off, binary or of no known dialect, and says so', async () => {
    const inputs: readonly (readonly [string | Uint8Array, string])[] = [
      ['', 'STREAM_BROKEN'],
      [CALLS.slice(0, 200), 'STREAM_BROKEN'],
      [new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]), 'UNKNOWN_DIALECT'],
      ['{"foo":[]}', 'UNKNOWN_DIALECT'],
      ['{"error":{"message":"no such model","type":"invalid_request_error"}}', 'MODEL_FAILED'],
      ['{"action":"dance"}', 'INVALID_DECISION'],
    ]
    for (const [stdin, problem] of inputs) {
      const { code, lines, stdout } = await runMain(['decode', '--json'], { stdin })
      assert.equal(code, 1, stdout)
      assert.ok(
        lines.some((line) => line.type === 'problem' && line.code === problem),
        stdout,
      )
      assert.equal(lines.at(-1)?.type, 'end')
    }
  })

  it('refuses a dialect that there is none of, with the list', async () => {
    const { code, stdout, stderr } = await runMain(['decode', '--dialect', 'openai'], { stdin: CALLS })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /UNKNOWN_DIALECT: there is no dialect "openai"\n/)
    assert.ok(stderr.includes(`Use one of auto, ${DIALECTS.join(', ')}.`))
    const json = await runMain(['decode', '--dialect', 'openai', '--json'], { stdin: CALLS })
    assert.equal(json.lines[0]?.code, 'UNKNOWN_DIALECT')
  })

  it('has help with an example', async () => {
    const { code, stdout } = await runMain(['decode', '--help'])
    assert.equal(code, 0)
    assert.match(stdout, /Example:\n {2}.*adjutant decode --dialect openai-chat --json/)
    for (const dialect of DIALECTS) assert.match(stdout, new RegExp(`^ {2}${dialect} {2}`, 'm'))
  })

  it('hands each event on while the model still writes', async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(CALLS.slice(0, CALLS.indexOf('data: [DONE]')))
      await held
      yield Buffer.from('data: [DONE]\n\n')
    }
    const stdout = new PassThrough()
    const seen: string[] = []
    stdout.on('data', (chunk: Buffer) => {
      seen.push(chunk.toString())
      if (seen.join('').includes('"type":"call","index":0')) release()
    })
    const host = {
      stdin: Readable.from(slowly(), { objectMode: false }),
      stdout,
      stderr: new PassThrough(),
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
    }
    assert.equal(await main(['decode', '--json'], host), 0)
  })

  it('reads no further than its reader reads', async () => {
    const chunk = Buffer.from('text and more text\n'.repeat(3_000))
    const chunks = 200
    let asked = 0
    async function* source(): AsyncGenerator<Uint8Array> {
      for (; asked < chunks; asked += 1) yield chunk
    }
    const waiting: (() => void)[] = []
    let written = 0
    let open = false
    const stdout = new Writable({
      write(part: Buffer, _encoding, done) {
        written += part.length
        if (open) done()
        else waiting.push(done)
      },
    })
    const host = {
      stdin: Readable.from(source(), { objectMode: false, highWaterMark: 1 }),
      stdout,
      stderr: new PassThrough(),
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
    }
    const running = main(['decode', '--json'], host)
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(asked < 10, `${asked}`)
    open = true
    for (const done of waiting.splice(0)) done()
    assert.equal(await running, 0)
    assert.equal(asked, chunks)
    assert.ok(written > chunks * chunk.length)
  })

  it('stops when it is told to', async () => {
    const stop = new AbortController()
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a')
      stop.abort()
      await new Promise(() => {})
    }
    const { code } = await runMain(['decode'], { stdin: endless(), signal: stop.signal })
    assert.equal(code, 130)
  })

  it('is a command of the program', async () => {
    const { code, lines } = await spawnCommand(['decode', '--json'], { stdin: CALLS })
    assert.deepEqual([code, lines.length], [0, 6])
  })
})
