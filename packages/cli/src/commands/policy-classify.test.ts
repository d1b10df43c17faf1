import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { Command } from 'commander'
import type { ExitCode } from '../cli-io.ts'
import { addClassifyCommand } from './policy-classify.ts'

interface Ran {
  readonly code: ExitCode
  readonly stdout: string
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

/** The subcommand alone, on a parent of its own. */
async function run(argv: readonly string[], input: string | AsyncIterable<Buffer>): Promise<Ran> {
  const stdout = new PassThrough()
  const chunks: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  let code: ExitCode = 0
  const policy = new Command('policy').exitOverride()
  addClassifyCommand(policy, {
    stdin: Readable.from(typeof input === 'string' ? [Buffer.from(input)] : input, { objectMode: false }),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: process.cwd(),
    signal: new AbortController().signal,
    exit: (value) => {
      code = value
    },
  })
  for (const command of policy.commands)
    command.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
  await policy.parseAsync(argv, { from: 'user' })
  stdout.end()
  await new Promise((resolve) => stdout.once('end', resolve))
  const text = Buffer.concat(chunks).toString('utf8')
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
  return { code, stdout: text, lines }
}

describe('adjutant policy classify', () => {
  it('answers each line in its place, with the parts', async () => {
    const input = ['{"id":1,"command":"git status | head"}', '', '{"id":"b","command":"r\\\\m -rf $x"}'].join('\n')
    const { code, lines } = await run(['classify', '--lang', 'bash', '--json'], input)
    assert.equal(code, 0)
    assert.deepEqual(lines, [
      {
        id: 1,
        effect: 'read',
        reasons: ['reads a repository', 'prints a file or a part of it'],
        parts: [
          { start: 0, end: 10, effect: 'read', reason: 'reads a repository', program: 'git', words: ['status'] },
          { start: 13, end: 17, effect: 'read', reason: 'prints a file or a part of it', program: 'head', words: [] },
        ],
      },
      {
        id: 'b',
        effect: 'dangerous',
        reasons: ['deletes files, which cannot be undone'],
        parts: [
          { start: 0, end: 10, effect: 'dangerous', reason: 'deletes files, which cannot be undone', program: 'rm', words: ['-rf', null] },
        ],
      },
    ])
  })

  it('says of a bad line what is wrong with it, answers the others, and ends with 1', async () => {
    const input = [
      'not json',
      '[1]',
      '{"command":"ls"}',
      '{"id":4}',
      '{"id":5,"command":"ls"}',
      `{"id":6,"command":"${'x'.repeat(1_000_001)}"}`,
    ].join('\n')
    const { code, lines } = await run(['classify', '--lang', 'bash', '--json'], input)
    assert.equal(code, 1)
    assert.deepEqual(
      lines.map(({ line, id, problem, effect }) => [line, id, effect, typeof problem]),
      [
        [1, undefined, undefined, 'string'],
        [2, undefined, undefined, 'string'],
        [3, undefined, undefined, 'string'],
        [4, 4, undefined, 'string'],
        [undefined, 5, 'read', 'undefined'],
        [6, undefined, undefined, 'string'],
      ],
    )
  })

  it('reads SQL by dialect', async () => {
    const { lines } = await run(
      ['classify', '--lang', 'sql', '--dialect', 'postgresql', '--json'],
      '{"id":1,"command":"SELECT 1"}\n{"id":2,"command":"DELETE FROM orders"}',
    )
    assert.equal(lines[0]?.effect, 'read')
    assert.notEqual(lines[1]?.effect, 'read')
  })

  it('shows a table to people, with nothing that a terminal obeys', async () => {
    const { stdout } = await run(
      ['classify', '--lang', 'bash'],
      '{"id":"a\\u001b[2J","command":"ls\\u001b[2J"}\n{"id":2,"command":"ls\\npwd"}\nx',
    )
    assert.equal(/[\0-\x09\x0b-\x1f\x7f]/.test(stdout), false)
    assert.match(stdout, /^dangerous +a.*\nread +2 +ls\\npwd +.*\nbad line +line 3 /)
  })

  it('takes thousands of lines as they come', async () => {
    async function* input(): AsyncGenerator<Buffer> {
      for (let round = 0; round < 20; round++)
        yield Buffer.from(Array.from({ length: 200 }, (_, at) => `{"id":${round * 200 + at},"command":"ls | head -${at}"}\n`).join(''))
    }
    const { code, lines } = await run(['classify', '--lang', 'bash', '--json'], input())
    assert.equal(code, 0)
    assert.equal(lines.length, 4_000)
    assert.ok(lines.every(({ id, effect }, at) => id === at && effect === 'read'))
  })

  it('wants to know the language, and only one that there is', async () => {
    await assert.rejects(run(['classify'], ''), { code: 'commander.missingMandatoryOptionValue' })
    await assert.rejects(run(['classify', '--lang', 'perl'], ''), { code: 'commander.invalidArgument' })
  })

  it('explains itself with an example', async () => {
    await assert.rejects(run(['classify', '--help'], ''), { code: 'commander.helpDisplayed' })
  })
})
