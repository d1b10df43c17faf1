import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import type { ToolCall } from '../contract/call.ts'
import type { Outcome } from '../contract/call-state.ts'
import { AdjutantError, type ErrorOutcome } from '../contract/errors.ts'
import { callId, sessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Namespace } from '../contract/ports.ts'
import type { ToolResult } from '../contract/result.ts'
import { type AgentTool, ToolOutput } from '../contract/tool.ts'
import { buildResult } from './build-result.ts'

const call: ToolCall = { id: callId('call_1'), index: 0, name: 'look', arguments: { ok: true, value: {} }, idFromProvider: true }
const tool: AgentTool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: {},
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: () => Promise.resolve(),
}
/** Nothing may be kept: a use of it fails the test. */
const untouched: Namespace = {
  sessionId: sessionId('session_1'),
  directory: () => Promise.reject(new Error('the disk was touched')),
  path: () => Promise.reject(new Error('the disk was touched')),
  issueHandle: () => Promise.reject(new Error('the disk was touched')),
  readHandle: () => Promise.reject(new Error('the disk was touched')),
}

function now(outcome: RawOutcome, more: { readonly tool?: AgentTool } = {}): ToolResult {
  const result = buildResult({ call, outcome, ...more }, { namespace: untouched, resultChars: 8_000 })
  assert.ok(!(result instanceof Promise), 'a short result is there at once')
  return result
}
const ok = (output: unknown, more: { readonly tool?: AgentTool } = {}): ToolResult => now({ status: 'succeeded', output }, more)

describe('buildResult', () => {
  it('gives a short value at once, with the call it belongs to', () => {
    assert.deepEqual(ok({ rows: 3 }), { id: 'call_1', name: 'look', outcome: 'ok', isError: false, text: '{"rows":3}', parts: [] })
    assert.equal(ok(undefined).text, '(no output)')
  })

  it('carries times, attempts and conversions beside the text', () => {
    const conversions = [{ path: '/limit', from: '"5"', to: '5', rule: 'string → integer' }]
    const result = buildResult(
      { call, outcome: { status: 'succeeded', output: 'x' }, times: { startedAt: 1, endedAt: 2, attempts: 3 }, conversions },
      { namespace: untouched, resultChars: 8_000 },
    )
    assert.deepEqual(result, {
      id: 'call_1',
      name: 'look',
      outcome: 'ok',
      isError: false,
      text: 'x',
      parts: [],
      startedAt: 1,
      endedAt: 2,
      attempts: 3,
      conversions,
    })
  })

  it('settles each status as the call-state table allows', () => {
    const cases: readonly (readonly [Exclude<RawOutcome['status'], 'succeeded'>, ErrorOutcome, Outcome])[] = [
      ['failed', 'failed', 'failed'],
      ['failed', 'not-run', 'not-run'],
      ['failed', 'unknown', 'failed'],
      ['timed-out', 'failed', 'failed'],
      ['timed-out', 'unknown', 'unknown'],
      ['cancelled', 'not-run', 'not-run'],
      ['cancelled', 'failed', 'failed'],
      ['cancelled', 'unknown', 'unknown'],
      ['unknown', 'unknown', 'unknown'],
      ['refused', 'not-run', 'not-run'],
      ['denied', 'not-run', 'not-run'],
      ['expired', 'not-run', 'not-run'],
    ]
    for (const [status, outcome, expected] of cases) {
      const result = now({ status, error: new AdjutantError('TOOL_FAILED', 'm', { outcome }) })
      assert.equal(result.outcome, expected, `${status} ${outcome}`)
      assert.equal(result.isError, true)
    }
  })

  it('says code, message and hint of an error, and never its cause', () => {
    const error = new AdjutantError('NOT_FOUND', 'a.txt does not exist', { hint: 'List the folder.', cause: new Error('/home/secret') })
    const result = now({ status: 'failed', error })
    assert.equal(result.text, 'NOT_FOUND: a.txt does not exist\nList the folder.')
    assert.deepEqual([result.code, result.hint], ['NOT_FOUND', 'List the folder.'])
    assert.equal(JSON.stringify(result).includes('secret'), false)
  })

  it('says when nobody knows whether a call took effect', () => {
    const result = now({ status: 'timed-out', error: new AdjutantError('TIMEOUT', 'too slow', { outcome: 'unknown' }) })
    assert.match(result.text, /^TIMEOUT: too slow\nIt is not known whether this call took effect\. /)
  })

  it('takes a tool at its word when it says that it failed', () => {
    const result = ok(new ToolOutput([{ type: 'text', text: 'no such table' }], { isError: true }))
    assert.deepEqual([result.outcome, result.isError, result.code], ['failed', true, 'TOOL_FAILED'])
    assert.match(result.text, /^TOOL_FAILED: no such table\n./)
  })

  it('keeps pictures out of the text, also where the structured form repeats them', () => {
    const data = 'iVBOR'.repeat(120_000)
    const picture = { type: 'image', mimeType: 'image/png', data } as const
    const mirrored = ok(new ToolOutput([{ type: 'text', text: 'a chart' }, picture], { structured: { image: data } }))
    assert.equal(mirrored.text, 'a chart')
    assert.deepEqual(mirrored.parts, [picture])
    const alone = ok(new ToolOutput([picture], { structured: { width: 3, image: data, url: `data:image/png;base64,${data}` } }))
    assert.equal(alone.text, '{"width":3,"image":"[the data above]","url":"[the data above]"}')
    assert.match(ok(new ToolOutput([picture])).text, /^\[image image\/png, 450000 bytes\]$/)
  })

  it('leaves a picture out that no model takes, and says so', () => {
    const result = ok(new ToolOutput([{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(7_000_001) }]))
    assert.deepEqual(result.parts, [])
    assert.match(result.text, /^\[image image\/png, \d+ bytes left out: too large\]$/)
  })

  it('treats the text of a resource as text, so that it is bounded like any other', () => {
    const result = ok(new ToolOutput([{ type: 'resource', uri: 'file:///a', text: 'content', title: 'A' }]))
    assert.equal(result.text, '[resource file:///a "A"]\ncontent')
    assert.deepEqual(result.parts, [{ type: 'resource', uri: 'file:///a', title: 'A' }])
  })

  it('uses structured output where there is nothing else', () => {
    assert.equal(ok(new ToolOutput([], { structured: { a: 1 } })).text, '{"a":1}')
    assert.equal(ok(new ToolOutput([])).text, '(no output)')
  })

  it('uses the format of a tool, and falls back truthfully when that fails', () => {
    const formatted = (format: NonNullable<AgentTool['format']>): ToolResult => ok({ n: 1 }, { tool: { ...tool, format } })
    assert.equal(formatted((output) => `n is ${JSON.stringify(output)}`).text, 'n is {"n":1}')
    assert.equal(formatted(() => [{ type: 'text', text: 'a part' }]).text, 'a part')
    const failed = formatted(() => {
      throw new TypeError('undefined is not a thing')
    })
    assert.equal(failed.text, '(The tool\'s own format failed: undefined is not a thing. This is its output as it came.)\n{"n":1}')
    assert.equal(failed.outcome, 'ok')
  })

  it('resolves what was meant for a terminal, in values and errors', () => {
    assert.equal(ok('\x1b[2J\x1b[1A\x1b[KApprove? [Y/n]').text, 'Approve? [Y/n]')
    assert.equal(ok('10%\r100%\r\n').text, '100%\n')
    assert.equal(
      now({ status: 'failed', error: new AdjutantError('TOOL_FAILED', '\x1b[31mred\x1b[0m', { hint: '' }) }).text,
      'TOOL_FAILED: red',
    )
  })

  it('gives well-formed text only', () => {
    assert.equal(ok('half \ud83d here').text, 'half \ufffd here')
  })

  it('clips what is too long, keeps it whole, and says where', async () => {
    await using cx = await testContext()
    const whole = Array.from({ length: 5_000 }, (_, index) => `row ${index}\x1b[0m`).join('\n')
    const result = await buildResult(
      { call, outcome: { status: 'succeeded', output: whole } },
      { namespace: cx.namespace, resultChars: 1_000 },
    )
    assert.ok(result.text.length <= 1_000)
    assert.ok(result.spill !== undefined)
    assert.equal(await readFile(result.spill.path, 'utf8'), whole.replaceAll('\x1b[0m', ''))
    assert.deepEqual([result.spill.id, result.spill.lines], ['call_1', 5_000])
    assert.ok(result.text.includes(`whole text in ${result.spill.path}: read_result {"id":"${result.spill.handle}"} shows it`))
    assert.ok(result.text.startsWith('row 0\n') && result.text.endsWith('row 4999'))
  })

  it('lets a tool set its own limit', async () => {
    await using cx = await testContext()
    const large = { ...tool, limits: { maxResultChars: 20_000 } }
    assert.equal(ok('x'.repeat(15_000), { tool: large }).text.length, 15_000)
    const small = { ...tool, limits: { maxResultChars: 100 } }
    const result = await buildResult(
      { call, tool: small, outcome: { status: 'succeeded', output: 'x'.repeat(500) } },
      { namespace: cx.namespace, resultChars: 8_000 },
    )
    assert.ok(result.text.length <= 100)
  })

  it('keeps the hint when an error is clipped', async () => {
    await using cx = await testContext()
    const error = new AdjutantError('TOOL_FAILED', 'line\n'.repeat(4_000), { hint: 'Try less.' })
    const result = await buildResult({ call, outcome: { status: 'failed', error } }, { namespace: cx.namespace, resultChars: 1_000 })
    assert.ok(result.text.length <= 1_000)
    assert.match(result.text, /^TOOL_FAILED: line\n.*left out.*\nTry less\.$/s)
  })

  it('stays within the limit for any small one', async () => {
    await using cx = await testContext()
    for (const resultChars of [1, 5, 20, 60, 100, 200]) {
      const error = new AdjutantError('TOOL_FAILED', 'x'.repeat(3_000), { hint: 'A hint that alone is longer than some of these limits.' })
      const result = await buildResult({ call, outcome: { status: 'failed', error } }, { namespace: cx.namespace, resultChars })
      assert.ok(result.text.length <= resultChars, `${result.text.length} > ${resultChars}`)
    }
  })

  it('still gives a clipped result when it cannot be kept, and says so', async () => {
    const result = await buildResult(
      { call, outcome: { status: 'succeeded', output: 'x\n'.repeat(9_000) } },
      { namespace: untouched, resultChars: 2_000 },
    )
    assert.equal(result.spill, undefined)
    assert.equal(result.outcome, 'ok')
    assert.match(result.text, /left out; the whole text could not be kept: the disk was touched …\]/)
  })

  it('says so too when the folder cannot be written', { skip: process.getuid?.() === 0 }, async () => {
    await using cx = await testContext()
    const folder = await cx.namespace.directory()
    await chmod(folder, 0o500)
    const result = await buildResult(
      { call, outcome: { status: 'succeeded', output: 'x\n'.repeat(9_000) } },
      { namespace: cx.namespace, resultChars: 2_000 },
    )
    await chmod(folder, 0o700)
    assert.match(result.text, /could not be kept: EACCES/)
  })

  it('says so too when something else stands where results are kept', async () => {
    await using cx = await testContext()
    await writeFile(await cx.namespace.path('results'), 'a file')
    const result = await buildResult(
      { call, outcome: { status: 'succeeded', output: 'x\n'.repeat(9_000) } },
      { namespace: cx.namespace, resultChars: 2_000 },
    )
    assert.match(result.text, /could not be kept/)
  })

  it('takes a hundred megabytes', async () => {
    await using cx = await testContext()
    const result = await buildResult(
      { call, outcome: { status: 'succeeded', output: 'a line of text\n'.repeat(7_000_000) } },
      { namespace: cx.namespace, resultChars: 8_000 },
    )
    assert.ok(result.text.length <= 8_000)
    assert.equal(result.spill?.lines, 7_000_000)
    assert.equal(result.spill?.bytes, 105_000_000)
  })
})

describe('a failure that is recognised', () => {
  const fails = async (text: string, structured?: JsonObject): Promise<ToolResult> => {
    await using cx = await testContext()
    return buildResult(
      {
        call: { id: callId('f'), index: 0, name: 'bash', arguments: { ok: true, value: {} }, idFromProvider: true },
        input: { command: 'jqq . data.json' },
        outcome: {
          status: 'succeeded',
          output: new ToolOutput([{ type: 'text', text }], { isError: true, ...(structured === undefined ? {} : { structured }) }),
        },
      },
      { namespace: cx.namespace, resultChars: 8_000 },
    )
  }

  it('says what to do about it, and where it is', async () => {
    const result = await fails(
      'Traceback (most recent call last):\n  File "/work/app.py", line 3, in <module>\n    import requests\nModuleNotFoundError: No module named \'requests\'',
    )
    assert.equal(result.failure?.code, 'MODULE_NOT_FOUND')
    assert.deepEqual(result.failure?.location, { file: '/work/app.py', line: 3 })
    assert.match(result.hint ?? '', /requests/)
    assert.ok(result.text.endsWith(result.hint ?? '?'))
  })

  it('is told by the exit code where the text says nothing', async () => {
    assert.equal((await fails('', { exitCode: 137 })).failure?.code, (await fails('Killed', { exitCode: 137 })).failure?.code)
    assert.equal((await fails('nothing that is known')).failure, undefined)
  })
})
