import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { recording } from '../../test/recording.ts'
import { type RunOptions, runMain, spawnCommand } from '../../test/run-command.ts'

let folder = ''
let state = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-run-'))
  state = await mkdtemp(join(tmpdir(), 'adjutant-state-'))
  await writeFile(join(folder, 'a.txt'), 'alpha\n')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(state, { recursive: true, force: true })
})

const at = (): RunOptions => ({ cwd: folder, env: { XDG_STATE_HOME: state, ADJUTANT_REPLAY_PACE: '0' } })

const TALK = [
  { text: 'I look first.', calls: [['read_file', { path: 'a.txt' }]] },
  {
    text: 'Now I write.',
    calls: [
      ['write_file', { path: 'no.txt', content: 'x' }],
      ['write_file', { path: 'yes.txt', content: 'alpha and more' }],
    ],
  },
  { text: 'It is done.\n' },
] as const

const ANSWERS = [
  { tool: 'write_file', answer: 'deny', reason: 'not that one' },
  { tool: 'write_file', answer: 'approve' },
]

async function run(...args: string[]): ReturnType<typeof runMain> {
  await writeFile(join(folder, 'talk.jsonl'), recording(TALK, ANSWERS))
  return runMain(['run', 'Do it.', '--model', 'replay:talk.jsonl', ...args], at())
}

describe('run', () => {
  it('takes the recorded answers where nobody is at a terminal, and says so', async () => {
    const { code, stdout, stderr } = await run()
    assert.equal(code, 0, stderr)
    assert.equal(stdout, 'It is done.\n')
    assert.match(stderr, /nobody is at a terminal: questions are answered as the recording was/)
    assert.match(stderr, /^✓|^\+ read_file a\.txt/m)
    assert.match(stderr, /not that one/)
    assert.match(stderr, /3 calls: 2 ok, 1 denied; 3 rounds; /)
    assert.equal(await readFile(join(folder, 'yes.txt'), 'utf8'), 'alpha and more')
    assert.equal(existsSync(join(folder, 'no.txt')), false)
  })

  for (const [dialect, model, rounds] of [
    [
      'openai-responses',
      'gpt-5',
      [
        [
          {
            type: 'response.output_item.done',
            output_index: 0,
            item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a.txt"}' },
          },
          { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 7, output_tokens: 2 } } },
        ],
        [
          { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'It says alpha.' },
          { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 9, output_tokens: 3 } } },
        ],
      ],
    ],
    [
      'gemini',
      'gemini-3-pro',
      [
        [
          {
            candidates: [
              {
                content: {
                  role: 'model',
                  parts: [{ functionCall: { name: 'read_file', args: { path: 'a.txt' } }, thoughtSignature: 'c2ln' }],
                },
              },
            ],
          },
          { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2 } },
        ],
        [
          {
            candidates: [{ content: { role: 'model', parts: [{ text: 'It says alpha.' }] }, finishReason: 'STOP' }],
            usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
          },
        ],
      ],
    ],
  ] as const) {
    it(`plays a recording of ${dialect}, whose server checks what goes back`, async () => {
      const answers = rounds.map((events) => ({ chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`) }))
      const lines = [{ adjutant: 'recording', version: 1, dialect, model }, ...answers]
      await writeFile(join(folder, 'talk.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'))
      const result = await runMain(['run', 'What does a.txt say?', '--model', 'replay:talk.jsonl', '--json'], at())
      assert.equal(result.code, 0, result.stderr)
      assert.deepEqual(result.lines.at(-1), {
        type: 'answer',
        text: 'It says alpha.',
        rounds: 2,
        usage: { inputTokens: 16, outputTokens: 5 },
        reason: 'answer',
      })
      assert.match(JSON.stringify(result.lines), /alpha/)
    })
  }

  it('prints JSON lines: states, questions, text, results in the talk, and the answer last', async () => {
    const { code, lines } = await run('--json')
    assert.equal(code, 0)
    const last = lines.at(-1)
    assert.deepEqual(
      { ...last, usage: undefined },
      { type: 'answer', text: 'It is done.\n', rounds: 3, usage: undefined, reason: 'answer' },
    )
    assert.deepEqual(last?.usage, { inputTokens: 30, outputTokens: 15 })
    assert.equal(
      lines
        .filter((line) => line.type === 'text')
        .map((line) => line.text)
        .join(''),
      'I look first.Now I write.It is done.\n',
    )
    assert.equal(lines.filter((line) => line.type === 'question').length, 2)
    assert.equal(lines.filter((line) => line.type === 'results').length, 2)
    assert.equal(lines.filter((line) => line.state === 'settled').length, 3)
  })

  it('does what --approve says instead of the recording', async () => {
    const allowed = await run('--approve', 'allow')
    assert.equal(allowed.code, 0)
    assert.equal(existsSync(join(folder, 'no.txt')), true)
    await rm(join(folder, 'no.txt'))
    const denied = await run('--approve', 'deny')
    assert.equal(denied.code, 0)
    assert.equal(existsSync(join(folder, 'no.txt')), false)
    assert.match(denied.stderr, /2 (denied|not run)/)
  })

  it('keeps the limit of rounds, and says what stopped it', async () => {
    await writeFile(join(folder, 'talk.jsonl'), recording([TALK[0], { text: 'Only that far.' }]))
    const { code, lines } = await runMain(['run', 'x', '--model', 'replay:talk.jsonl', '--max-rounds', '1', '--json'], at())
    assert.equal(code, 0)
    assert.equal(lines.at(-1)?.reason, 'rounds')
    assert.equal(lines.at(-1)?.text, 'Only that far.')
  })

  it('reads model, system prompt and more from the configuration, and the task from stdin', async () => {
    await writeFile(join(folder, 'talk.jsonl'), recording([{ text: 'Hello.' }]))
    await writeFile(join(folder, 'adjutant.yaml'), 'model: replay:talk.jsonl\nsystem: Be brief.\n')
    const { code, stdout } = await runMain(['run', '-'], { ...at(), stdin: 'Say hello.' })
    assert.equal(code, 0)
    assert.equal(stdout, 'Hello.\n')
  })

  it('says what is missing: model, key, task, recording', async () => {
    const model = await runMain(['run', 'x'], at())
    assert.equal(model.code, 2)
    assert.match(model.stderr, /^error USAGE: no model is named\n/)
    const key = await runMain(['run', 'x', '--model', 'openai:gpt-5'], at())
    assert.equal(key.code, 2)
    assert.match(key.stderr, /OPENAI_API_KEY/)
    const task = await runMain(['run', '  ', '--model', 'replay:talk.jsonl'], at())
    assert.equal(task.code, 2)
    const gone = await runMain(['run', 'x', '--model', 'replay:gone.jsonl', '--json'], at())
    assert.equal(gone.code, 2)
    assert.match(String(gone.lines.at(-1)?.message), /gone\.jsonl/)
  })

  it('fails with 1 when the model does, after the calls that were made', async () => {
    await writeFile(join(folder, 'talk.jsonl'), recording([TALK[0]]))
    const { code, stderr, stdout } = await runMain(['run', 'x', '--model', 'replay:talk.jsonl'], at())
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /^error MODEL_FAILED: /m)
    assert.match(stderr, /1 call: 1 ok/)
  })

  it('stops cleanly when interrupted, with 130', async () => {
    await writeFile(join(folder, 'talk.jsonl'), recording(TALK))
    const stop = new AbortController()
    stop.abort()
    const { code } = await runMain(['run', 'x', '--model', 'replay:talk.jsonl'], { ...at(), signal: stop.signal })
    assert.equal(code, 130)
  })

  it('does the same as a program', async () => {
    await writeFile(join(folder, 'talk.jsonl'), recording(TALK, ANSWERS))
    const { code, stdout } = await spawnCommand(['run', 'Do it.', '--model', 'replay:talk.jsonl'], at())
    assert.equal(code, 0)
    assert.equal(stdout, 'It is done.\n')
  })
})
