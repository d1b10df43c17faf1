import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { parseRecording, readRecording } from './recording.ts'

const HEADER = '{"adjutant":"recording","version":1,"dialect":"openai-chat","model":"gpt-5"}'
const REPLY = '{"chunks":["data: [DONE]\\n\\n"]}'
const fault = (...lines: readonly string[]): string => {
  try {
    parseRecording(lines.join('\n'), 'talk.jsonl')
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error))
    assert.equal(error.code, 'CONFIG_INVALID')
    return error.message
  }
  return 'no fault'
}

describe('parseRecording', () => {
  it('reads answers byte for byte, with their defaults', () => {
    const recording = parseRecording(
      [
        '\ufeff'.slice(1) + HEADER,
        '',
        '{"status":429,"headers":{"Retry-After":"1","Content-Length":"7"},"body":"{}","paceMs":5}',
        '{"chunks":["é",{"base64":"w6k="}]}',
        '',
      ].join('\r\n'),
      'talk.jsonl',
    )
    assert.equal(recording.dialect, 'openai-chat')
    assert.equal(recording.model, 'gpt-5')
    assert.deepEqual(recording.replies[0]?.headers, { 'retry-after': '1', 'content-type': 'application/json' })
    assert.equal(recording.replies[0]?.status, 429)
    assert.equal(recording.replies[0]?.line, 3)
    const chunks = recording.replies[1]?.chunks.map((chunk) => Buffer.from(chunk).toString('hex'))
    assert.deepEqual(chunks, ['c3a9', 'c3a9'])
    assert.equal(recording.replies[1]?.headers['content-type'], 'text/event-stream')
  })

  it('reads a person’s answers', () => {
    const approvals =
      '{"approvals":[{"tool":"a","answer":"deny","reason":"no"},{"tool":"a","answer":"approve","scope":"tool"},{"tool":"b","answer":"edit","input":{"x":1}},{"tool":"c","answer":"approve"}]}'
    assert.deepEqual(parseRecording([HEADER, REPLY, approvals].join('\n'), 'f').approvals, [
      { tool: 'a', decision: { type: 'deny', by: 'person', reason: 'no' } },
      { tool: 'a', decision: { type: 'approve', scope: 'tool' } },
      { tool: 'b', decision: { type: 'edit', input: { x: 1 } } },
      { tool: 'c', decision: { type: 'approve', scope: 'once' } },
    ])
  })

  for (const [what, lines, message] of [
    ['an empty file', [''], /^talk\.jsonl:1: the file is empty/],
    ['another file', ['{"name":"x"}'], /^talk\.jsonl:1: no recording/],
    ['text', ['# Notes'], /^talk\.jsonl:1: not JSON/],
    ['a later version', [HEADER.replace('1,', '2,')], /^talk\.jsonl:1: version 2 .* reads version 1/],
    ['another dialect', [HEADER.replace('openai-chat', 'tagged-text')], /^talk\.jsonl:1: "dialect"/],
    ['a header without model', [HEADER.replace('"gpt-5"', '""')], /^talk\.jsonl:1: "model"/],
    ['no answer', [HEADER, ''], /the recording has no answer/],
    ['a line cut short', [HEADER, REPLY, '{"chunks":["da'], /^talk\.jsonl:3: not JSON/],
    ['a list for an answer', [HEADER, '[]'], /^talk\.jsonl:2: not a JSON object/],
    ['a misspelt member', [HEADER, '{"chunk":["x"]}'], /^talk\.jsonl:2: an answer has no member "chunk"/],
    ['neither chunks nor body', [HEADER, '{"status":200}'], /^talk\.jsonl:2: an answer has either/],
    ['both chunks and body', [HEADER, '{"chunks":[],"body":"x"}'], /^talk\.jsonl:2: an answer has either/],
    ['a chunk that is a number', [HEADER, '{"chunks":["x",7]}'], /^talk\.jsonl:2: chunk 1 is neither/],
    ['bad base64', [HEADER, '{"chunks":[{"base64":"%"}]}'], /^talk\.jsonl:2: chunk 0 is neither/],
    ['an impossible status', [HEADER, '{"status":"200","body":""}'], /^talk\.jsonl:2: "status"/],
    ['a negative pace', [HEADER, '{"paceMs":-1,"body":""}'], /^talk\.jsonl:2: "paceMs"/],
    ['a header with a line break', [HEADER, '{"headers":{"x":"a\\r\\nb: c"},"body":""}'], /^talk\.jsonl:2: header "x"/],
    ['approvals twice', [HEADER, REPLY, '{"approvals":[]}', '{"approvals":[]}'], /^talk\.jsonl:4: a second line/],
    ['an approval of no tool', [HEADER, REPLY, '{"approvals":[{"answer":"deny"}]}'], /^talk\.jsonl:3: approval 0 does not name/],
    ['an unknown approval', [HEADER, REPLY, '{"approvals":[{"tool":"a","answer":"yes"}]}'], /^talk\.jsonl:3: approval 0: "answer"/],
    [
      'an approval with another’s member',
      [HEADER, REPLY, '{"approvals":[{"tool":"a","answer":"approve","reason":"x"}]}'],
      /^talk\.jsonl:3: approval 0 has no member "reason"/,
    ],
  ] as const) {
    it(`names the line of ${what}`, () => assert.match(fault(...lines), message))
  }

  it('says so, and throws nothing else, whatever stands in a line', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
          fc.jsonValue().map((value) => JSON.stringify({ chunks: value })),
        ),
        (line) => {
          const said = fault(HEADER, REPLY, line)
          assert.ok(said === 'no fault' || said.startsWith('talk.jsonl:3: '), said)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('readRecording', () => {
  it('says which file cannot be read, and why', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recording-'))
    try {
      await assert.rejects(readRecording(join(folder, 'none.jsonl')), { code: 'CONFIG_INVALID', message: /none\.jsonl: ENOENT/ })
      await assert.rejects(readRecording(folder), { code: 'CONFIG_INVALID', message: /EISDIR/ })
      await writeFile(join(folder, 'binary.jsonl'), Buffer.from([0xff, 0xfe, 0x00, 0xd8]))
      await assert.rejects(readRecording(join(folder, 'binary.jsonl')), { code: 'CONFIG_INVALID', message: /not UTF-8/ })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
