import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { COMMAND, type JsonLine, type RunOptions, runMain, spawnCommand } from '../../test/run-command.ts'

let folder = ''
let state = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-exec-'))
  state = await mkdtemp(join(tmpdir(), 'adjutant-state-'))
  await writeFile(join(folder, 'a.txt'), 'alpha\n')
  await writeFile(join(folder, 'b.txt'), 'beta\n')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(state, { recursive: true, force: true })
})

const at = (): RunOptions => ({ cwd: folder, env: { HOME: '/nowhere', XDG_STATE_HOME: state } })
const exec = (stdin: RunOptions['stdin'], ...args: string[]): ReturnType<typeof runMain> =>
  runMain(['exec', ...args], { ...at(), ...(stdin === undefined ? {} : { stdin }) })

function chat(calls: readonly (readonly [id: string, name: string, args: unknown])[]): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: calls.map(([id, name, args]) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })),
        },
      },
    ],
  })
}

/** The same two reads, as each of the providers would ask for them. */
const ASKED: Readonly<Record<string, unknown>> = {
  'openai-responses': {
    object: 'response',
    status: 'completed',
    output: ['a.txt', 'b.txt'].map((path, at) => ({
      type: 'function_call',
      id: `fc_${at}`,
      call_id: `call_${at}`,
      name: 'read_file',
      arguments: JSON.stringify({ path }),
    })),
  },
  gemini: {
    candidates: [
      {
        content: {
          parts: [
            { functionCall: { name: 'read_file', args: { path: 'a.txt' } } },
            { functionCall: { id: 'call_1', name: 'read_file', args: { path: 'b.txt' } } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
  },
  bedrock: {
    output: {
      message: {
        role: 'assistant',
        content: ['a.txt', 'b.txt'].map((path, at) => ({ toolUse: { toolUseId: `call_${at}`, name: 'read_file', input: { path } } })),
      },
    },
    stopReason: 'tool_use',
  },
  ollama: {
    model: 'm',
    message: {
      role: 'assistant',
      content: '',
      tool_calls: ['a.txt', 'b.txt'].map((path) => ({ function: { name: 'read_file', arguments: { path } } })),
    },
    done: true,
    done_reason: 'stop',
  },
}

interface Result extends JsonLine {
  readonly id: string
  readonly outcome: string
  readonly text: string
  readonly code?: string
  readonly startedAt?: number
  readonly endedAt?: number
}

function isResults(value: unknown): value is readonly Result[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && 'id' in item && 'outcome' in item)
}

function resultsOf(line: JsonLine | undefined): readonly Result[] {
  const results = line?.results
  assert.ok(isResults(results), JSON.stringify(line))
  return results
}

const decision = (tool: string, parameters: unknown): string => JSON.stringify({ action: 'call_tool', tool_name: tool, parameters })

describe('exec', () => {
  it('gives results in call order under their ids; reads overlap, nothing overlaps a write', async () => {
    const body = chat([
      ['call_1', 'read_file', { path: 'a.txt' }],
      ['call_2', 'read_file', { path: 'b.txt' }],
      ['call_3', 'write_file', { path: 'c.txt', content: 'gamma' }],
      ['call_4', 'read_file', { path: 'a.txt' }],
    ])
    const { code, lines } = await exec(body, '--approve', 'allow', '--json')
    assert.equal(code, 0)
    const last = lines.at(-1)
    assert.equal(last?.type, 'results')
    const results = resultsOf(last)
    assert.deepEqual(
      results.map((result) => [result.id, result.outcome]),
      [
        ['call_1', 'ok'],
        ['call_2', 'ok'],
        ['call_3', 'ok'],
        ['call_4', 'ok'],
      ],
    )
    assert.equal(await readFile(join(folder, 'c.txt'), 'utf8'), 'gamma')
    for (const [index, result] of results.slice(1).entries())
      assert.ok((result.startedAt ?? 0) >= (results[index]?.endedAt ?? Number.POSITIVE_INFINITY))
    assert.deepEqual(
      last?.message,
      results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: result.text })),
    )
    const states = lines.filter((line) => line.type === 'call-state' && line.id === 'call_3').map((line) => line.state)
    assert.deepEqual(states, ['received', 'admitted', 'queued', 'running', 'succeeded', 'settled'])
    for (const line of lines) if (line.type === 'call-state') assert.equal(typeof line.at, 'number')

    const reads = await exec(
      chat([
        ['r1', 'read_file', { path: 'a.txt' }],
        ['r2', 'read_file', { path: 'b.txt' }],
      ]),
      '--json',
    )
    const running = reads.lines.filter((line) => line.state === 'running' || line.state === 'succeeded').map((line) => line.state)
    assert.deepEqual(running, ['running', 'running', 'succeeded', 'succeeded'])
  })

  it('prints the messages of the dialect where no JSON lines are wanted', async () => {
    const whole = await exec(chat([['call_1', 'read_file', { path: 'a.txt' }]]))
    assert.equal(whole.code, 0)
    const [message] = JSON.parse(whole.stdout)
    assert.equal(message.tool_call_id, 'call_1')
    assert.match(message.content, /alpha/)
    assert.match(whole.stderr, /read_file a\.txt/)

    const tagged = await exec('I look.\n<tool_use>{"name":"read_file","input":{"path":"b.txt"}}</tool_use>\n')
    assert.equal(tagged.code, 0, tagged.stderr)
    assert.match(tagged.stdout, /^<tool_result[\s\S]*beta[\s\S]*<\/tool_result>\n$/)

    const told = await exec(decision('read_file', { path: 'a.txt' }))
    assert.equal(told.code, 0)
    assert.match(JSON.stringify(JSON.parse(told.stdout)), /alpha/)
  })

  it('answers each provider in its own form, and names no id that the provider never gave', async () => {
    const texts = ['    1\talpha', '    1\tbeta']
    const wanted: Readonly<Record<string, unknown>> = {
      'openai-responses': texts.map((output, at) => ({ type: 'function_call_output', call_id: `call_${at}`, output })),
      gemini: {
        role: 'user',
        parts: texts.map((output, at) => ({
          functionResponse: { ...(at === 0 ? {} : { id: 'call_1' }), name: 'read_file', response: { output } },
        })),
      },
      bedrock: {
        role: 'user',
        content: texts.map((text, at) => ({ toolResult: { toolUseId: `call_${at}`, content: [{ text }], status: 'success' } })),
      },
      ollama: texts.map((content) => ({ role: 'tool', tool_name: 'read_file', content })),
    }
    for (const [dialect, asked] of Object.entries(ASKED)) {
      const named = ['--dialect', dialect]
      for (const args of [[], named]) {
        const { code, stdout } = await exec(JSON.stringify(asked), '--approve', 'allow', ...args)
        assert.equal(code, 0, dialect)
        assert.deepEqual(JSON.parse(stdout), wanted[dialect], dialect)
      }
    }
    const custom = { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_9', name: 'read_file', input: 'a.txt' }
    const { code, stdout } = await exec(JSON.stringify({ object: 'response', status: 'completed', output: [custom] }))
    assert.equal(code, 1, 'the tool takes a path, not an input')
    const [item] = JSON.parse(stdout)
    assert.deepEqual([item.type, item.call_id], ['custom_tool_call_output', 'call_9'])
  })

  it('exits 3 for what policy or nobody allowed, and says why; nothing is done', async () => {
    const write = decision('write_file', { path: 'new.txt', content: 'x' })
    const denied = await exec(write, '--approve', 'deny', '--json')
    assert.equal(denied.code, 3)
    assert.equal(resultsOf(denied.lines.at(-1))[0]?.code, 'DENIED_BY_POLICY')
    const asked = await exec(write, '--json')
    assert.equal(asked.code, 3)
    assert.equal(resultsOf(asked.lines.at(-1))[0]?.code, 'DENIED_BY_POLICY')
    assert.match(resultsOf(asked.lines.at(-1))[0]?.text ?? '', /nobody is at a terminal/)
    assert.deepEqual(asked.lines.find((line) => line.type === 'question')?.input, { path: 'new.txt', content: 'x' })
    assert.equal(existsSync(join(folder, 'new.txt')), false)
  })

  it('exits 1 for a call that failed, is unknown or has bad arguments; each has its result', async () => {
    const { code, lines } = await exec(
      chat([
        ['1', 'read_file', { path: 'none.txt' }],
        ['2', '__proto__', {}],
        ['3', 'read_file', {}],
        ['4', 'read_file', { path: 'a.txt' }],
      ]),
      '--json',
    )
    assert.equal(code, 1)
    assert.deepEqual(
      resultsOf(lines.at(-1)).map((result) => result.code ?? 'ok'),
      ['NOT_FOUND', 'UNKNOWN_TOOL', 'INVALID_ARGUMENTS', 'ok'],
    )
  })

  it('refuses empty, binary, truncated and unknown input with a reason', async () => {
    const empty = await exec('')
    assert.equal(empty.code, 2)
    assert.match(empty.stderr, /^error USAGE: stdin is empty/)
    for (const input of [
      Buffer.from([0, 1, 2, 255, 254, 0]),
      '{"action":"call_tool","tool_name":"read_',
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\\"pa',
    ]) {
      const { code, lines } = await exec(input, '--json')
      assert.equal(code, 1)
      const problem = lines.find((line) => line.type === 'problem')
      assert.ok(problem !== undefined, JSON.stringify(lines))
      assert.equal(typeof problem.code, 'string')
      assert.equal(typeof problem.message, 'string')
      assert.equal(lines.at(-1)?.type, 'results')
    }
  })

  it('refuses 100 MB without keeping them', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    async function* huge(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 100; index += 1) yield chunk
    }
    const { code, stderr } = await exec(huge())
    assert.equal(code, 1)
    assert.match(stderr, /^error TOO_LARGE: the decision is larger than 64 MiB\n {2}\S/)
  })

  it('carries out many decisions in one session, and passes over a bad line', async () => {
    const input = [
      decision('read_file', { path: 'a.txt' }),
      'not json',
      '',
      JSON.stringify('<tool_use>{"name":"read_file","input":{"path":"b.txt"}}</tool_use>'),
      '[1,2]',
      chat([['call_9', 'read_file', { path: 'a.txt' }]]),
    ].join('\n')
    const { code, lines } = await exec(input, '--many', '--json')
    assert.equal(code, 1)
    const told = lines.filter((line) => line.type !== 'call-state').map((line) => [line.type, line.line])
    assert.deepEqual(told, [
      ['results', 1],
      ['problem', 2],
      ['results', 4],
      ['problem', 5],
      ['results', 6],
    ])
    assert.deepEqual(
      lines
        .filter((line) => line.type === 'results')
        .flatMap(resultsOf)
        .map((result) => result.outcome),
      ['ok', 'ok', 'ok'],
    )
    assert.match(String(lines.find((line) => line.line === 2)?.message), /line 2 of stdin is not JSON/)
  })

  it('names a workspace that is none and a configuration that is wrong', async () => {
    const none = await exec(decision('read_file', { path: 'a' }), '--workspace', 'no-such-folder')
    assert.equal(none.code, 2)
    assert.match(none.stderr, /^error CONFIG_INVALID: the workspace .*no-such-folder does not exist\n/)
    await writeFile(join(folder, 'adjutant.yaml'), 'modell: x\n')
    const wrong = await exec(decision('read_file', { path: 'a' }), '--json')
    assert.equal(wrong.code, 2)
    assert.match(String(wrong.lines[0]?.message), /adjutant\.yaml:1:1: .*did you mean "model"/)
  })

  it('works on when a server, a skill folder and a module folder cannot be had, and says so', async () => {
    await writeFile(
      join(folder, 'adjutant.yaml'),
      [
        'mcpServers:',
        '  gone: { command: /no/such/program }',
        'skills: [a.txt]',
        'tools: { modules: [b.txt] }',
        'databases: { sales: none.sqlite }',
      ].join('\n'),
    )
    const { code, stderr, lines } = await exec(decision('read_file', { path: 'a.txt' }), '--json')
    assert.equal(code, 0)
    assert.equal(resultsOf(lines.at(-1))[0]?.outcome, 'ok')
    for (const place of ['gone', 'a.txt', 'b.txt', 'sales']) assert.match(stderr, new RegExp(`^! .*${place}`, 'm'))
  })

  it('does the same as a program, and is interrupted by a signal', async () => {
    const { code, stdout } = await spawnCommand(['exec'], { ...at(), stdin: decision('read_file', { path: 'a.txt' }) })
    assert.equal(code, 0)
    assert.match(stdout, /alpha/)
    const stop = new AbortController()
    async function* never(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"action":')
      stop.abort()
      await new Promise(() => {})
    }
    const stopped = await runMain(['exec'], { ...at(), stdin: never(), signal: stop.signal })
    assert.equal(stopped.code, 130)
    assert.equal(stopped.stdout, '')
  })

  it('ends its servers when it is interrupted in the middle of a call', async () => {
    const pidFile = join(folder, 'pid')
    const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')
    const script = `echo $$ > ${pidFile}; exec ${process.execPath} ${join(dirname(server), 'dist', 'index.js')} stdio`
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { everything: { command: 'sh', args: ['-c', script] } } }))
    const [program, ...args] = COMMAND
    const child = spawn(program, [...args, 'exec', '--json', '--config', 'mcp.json', '--approve', 'allow'], {
      cwd: folder,
      env: { PATH: process.env.PATH, XDG_STATE_HOME: state },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.end(decision('mcp__everything__trigger-long-running-operation', { duration: 600, steps: 600 }))
    let out = ''
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!out.includes('"running"') && (out + text).includes('"running"')) child.kill('SIGINT')
      out += text
    })
    const [code] = await once(child, 'close')
    assert.equal(code, 130, out + errors)
    assert.match(out, /"state":"cancelled"/)
    // Exactly one result for the call, also now.
    assert.match(out, /"type":"results","decision":.*"code":"CANCELLED"/)
    const pid = Number(await readFile(pidFile, 'utf8'))
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})

describe('exec of a plan', () => {
  const reference = (path: string): string => `\${${path}}`
  const steps = (...plan: readonly object[]): string => JSON.stringify({ plan })
  const plan = steps(
    { id: 'list', tool: 'find_files', params: { pattern: '*.txt' } },
    { id: 'first', tool: 'read_file', params: { path: 'a.txt' }, after: ['list'] },
    { id: 'copy', tool: 'write_file', params: { path: 'c.txt', content: `copy of ${reference('first.text')}` } },
    { id: 'gone', tool: 'read_file', params: { path: 'nowhere.txt' } },
    { id: 'never', tool: 'read_file', params: { path: 'b.txt' }, after: ['gone'] },
    {
      id: 'each',
      tool: 'read_file',
      params: { path: reference('item') },
      for_each: ['a.txt', 'b.txt'],
      when: `${reference('item')} != 'b.txt'`,
    },
  )

  it('carries out the steps in order, recognised or named, and prints the results in the form of the plan', async () => {
    for (const dialect of [[], ['--dialect', 'plan']]) {
      const { stdout, code } = await exec(plan, '--approve', 'allow', ...dialect)
      assert.equal(code, 1)
      const { results } = JSON.parse(stdout)
      assert.deepEqual(
        results.map((result: { id: string; item?: number; outcome: string; code?: string }) => [
          result.id,
          result.item ?? '',
          result.code ?? result.outcome,
        ]),
        [
          ['list', '', 'ok'],
          ['first', '', 'ok'],
          ['copy', '', 'ok'],
          ['gone', '', 'NOT_FOUND'],
          ['never', '', 'DEPENDENCY_FAILED'],
          ['each', 0, 'ok'],
          ['each', 1, 'not-run'],
        ],
      )
      const copied = await readFile(join(folder, 'c.txt'), 'utf8')
      assert.match(copied, /^copy of .*alpha/s)
      await rm(join(folder, 'c.txt'))
    }
  })

  it('the plan of docs/reference/plans.md does what is said there', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/reference/plans.md'), 'utf8')
    const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? ''
    await writeFile(join(folder, 'x.md'), '# x\n')
    await writeFile(join(folder, 'y.md'), '# y\n')
    const { stdout, code } = await exec(example, '--approve', 'allow')
    assert.equal(code, 0, stdout)
    assert.deepEqual(
      JSON.parse(stdout).results.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome]),
      [
        ['find', 'ok'],
        ['first', 'ok'],
        ['note', 'ok'],
        ['each', 'ok'],
        ['each', 'ok'],
      ],
    )
  })

  it('a plan that is wrong is told at its place, and nothing of it runs', async () => {
    const wrong = steps({ id: 'a', tool: 'write_file', params: { path: 'c.txt', content: reference('b.text') } })
    const { stdout, stderr, code } = await exec(wrong, '--approve', 'allow', '--json')
    assert.equal(code, 1)
    assert.match(stdout, /INVALID_DECISION.*step 1 .*there is no step/)
    assert.match(stderr, /INVALID_DECISION/)
    assert.ok(!existsSync(join(folder, 'c.txt')))
  })

  it('writes of a plan with repairs run where all is allowed, and their results say what was repaired', async () => {
    const { stdout, code } = await exec(
      `{'plan': [{'tool': 'write_file', 'params': {'path': 'c.txt', 'content': 'x'},}]}`,
      '--approve',
      'allow',
      '--json',
    )
    assert.equal(code, 0)
    assert.match(stdout, /"rule":"repair: single-quotes"/)
    assert.equal(await readFile(join(folder, 'c.txt'), 'utf8'), 'x')
  })
})
