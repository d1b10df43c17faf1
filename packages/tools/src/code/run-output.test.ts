import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRedactor } from '@adjutant/core'
import fc from 'fast-check'
import { RunOutput } from './run-output.ts'

function outputOf(...pieces: readonly string[]): RunOutput {
  const output = new RunOutput()
  for (const piece of pieces) output.add('stdout', Buffer.from(piece))
  return output
}

describe('RunOutput', () => {
  it('gives the text back, in whatever pieces its bytes come', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.array(fc.nat(200), { maxLength: 6 }), (text, cuts) => {
        const bytes = Buffer.from(text)
        const output = new RunOutput()
        let at = 0
        for (const cut of [...cuts.map((one) => Math.min(one, bytes.length)), bytes.length].sort((a, b) => a - b)) {
          output.add('stdout', bytes.subarray(at, cut))
          at = cut
        }
        assert.equal(output.text(), text.startsWith('\ufeff') ? text.slice(1) : text)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the order of both streams, and takes the report where not all came', () => {
    const output = outputOf('a\n')
    output.add('stderr', Buffer.from('b\n'))
    output.add('stdout', Buffer.from('c\n'))
    const report = { stdout: Buffer.from('a\nc\n'), stderr: Buffer.from('b\n'), truncated: false }
    assert.equal(output.text(report), 'a\nb\nc\n')
    assert.equal(output.text({ stdout: Buffer.from('a\nc'), stderr: Buffer.from('b\nlate\n'), truncated: false }), 'a\nc\nb\nlate\n')
  })

  it('shows no half of a secret where a limit cut it', async () => {
    const secret = 'correct horse battery staple 42'
    const parts = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8))
    const redactor = createRedactor({ values: [secret] })
    const piece = fc.oneof(fc.constantFrom(secret, '\n', ' '), fc.integer({ min: 1, max: 9_000 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 30 }),
        fc.nat(40_000),
        fc.boolean(),
        async (pieces, limit, isStreamed) => {
          const whole = Buffer.from(pieces.map((one) => (typeof one === 'string' ? one : '.'.repeat(one))).join(''))
          const stdout = whole.subarray(0, limit)
          const output = isStreamed ? outputOf(stdout.toString()) : outputOf()
          const text = output.text({ stdout, stderr: Buffer.alloc(0), truncated: limit < whole.length })
          const shown = (await redactor.redact(text)).text
          assert.deepEqual(
            parts.filter((part) => shown.includes(part)),
            [],
          )
          assert.ok(stdout.length - text.length <= 8_192 && stdout.toString().startsWith(text))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('knows the last line, without what moves a cursor', () => {
    assert.equal(outputOf('one\ntwo\n\n').lastLine(), 'two')
    assert.equal(outputOf('10%\r20%\r').lastLine(), '20%')
    assert.equal(outputOf('\u001b[2J\u001b[31mred\u001b[0m\u0007').lastLine(), 'red')
    assert.equal(outputOf().lastLine(), '')
    assert.equal(outputOf('x'.repeat(5_000)).lastLine().length, 300)
  })

  it('sees what asks somebody', () => {
    for (const question of [
      'Continue? [y/N] ',
      'Do you want to continue? [Y/n] ',
      'Overwrite a.txt (y/n)? ',
      'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
      '[sudo] password for me: ',
      "Enter passphrase for key '/a': ",
      "Username for 'https://example.com': ",
      'Press Enter to continue...',
      'What is your name? ',
      '\u001b[1mProceed (Y/n)?\u001b[0m ',
      '>>> ',
      'postgres=# ',
    ])
      assert.notEqual(outputOf('before\n', question).prompt(), undefined, question)
  })

  it('takes ordinary output for no question', () => {
    for (const text of [
      'Continue? [y/N] y\n',
      'done',
      'Downloading: ',
      'tests: 3 passed',
      '50% ',
      'password reset for 3 users\n',
      'a > b',
      '',
      `${'x'.repeat(400)}?`,
    ])
      assert.equal(outputOf(text).prompt(), undefined, text)
  })

  it('sees that nobody was there to ask', () => {
    assert.ok(outputOf('EOFError: EOF when reading a line\n').missedSomebody())
    assert.ok(outputOf('stty: standard input: Inappropriate ioctl for device\n').missedSomebody())
    assert.ok(outputOf('Remove? [y/N] ').missedSomebody())
    assert.ok(!outputOf('error: no such file\n').missedSomebody())
  })

  it('does not take longer the more there is', () => {
    const output = new RunOutput()
    const piece = Buffer.from('password '.repeat(7_000))
    // 60 MB in pieces: looking at all of it each time would not come to an end here.
    for (let count = 0; count < 1_000; count += 1) {
      output.add('stdout', piece)
      output.prompt()
      output.lastLine()
    }
    assert.equal(output.prompt(), undefined)
  })
})
