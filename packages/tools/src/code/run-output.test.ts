import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
    const report = { stdout: Buffer.from('a\nc\n'), stderr: Buffer.from('b\n') }
    assert.equal(output.text(report), 'a\nb\nc\n')
    assert.equal(output.text({ stdout: Buffer.from('a\nc'), stderr: Buffer.from('b\nlate\n') }), 'a\nc\nb\nlate\n')
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
