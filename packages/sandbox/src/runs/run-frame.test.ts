/** What is handed into a box arrives as it was, in each of the programs that read it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { ONCE_BASH } from '../programs/once-bash.ts'
import { ONCE_JS } from '../programs/once-js.ts'
import { ONCE_PYTHON } from '../programs/once-python.ts'
import { runFrame } from './run-frame.ts'

/** The programs without a box: the code is ours and harmless. */
function program(command: readonly [string, ...string[]], frame: Buffer): Promise<string> {
  const [name, ...args] = command
  const stdio = Array.from({ length: 199 }, (_, number): 'pipe' | 'ignore' =>
    number === 198 || number === 1 || number === 2 ? 'pipe' : 'ignore',
  )
  const child = spawn(name, args, { stdio, env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' }, cwd: '/' })
  const streams: readonly unknown[] = child.stdio
  const code = streams[198]
  assert.ok(typeof code === 'object' && code !== null && 'end' in code && typeof code.end === 'function')
  code.end(frame)
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => parts.push(bytes))
  return new Promise((resolve) => child.on('close', () => resolve(Buffer.concat(parts).toString())))
}

const LIMITS = ['4000', '1000000', '8000000']
const value = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\0', '').toWellFormed())

describe('runFrame', () => {
  const programs = {
    bash: (text: string) =>
      [['bash', '-c', ONCE_BASH, 'bash', ...LIMITS], `printf '%s' "$GIVEN"; printf '|%s|' ${JSON.stringify(text.length)}; cat`] as const,
    python: (text: string) =>
      [
        ['/usr/bin/python3', '-I', '-S', '-X', 'utf8', '-c', ONCE_PYTHON, ...LIMITS],
        `import os, sys\nsys.stdout.write(os.environ["GIVEN"] + "|${text.length}|" + sys.stdin.read())`,
      ] as const,
    js: (text: string) =>
      [
        [process.execPath, '-e', ONCE_JS],
        `process.stdout.write(process.env.GIVEN + '|${text.length}|' + require('fs').readFileSync(0))`,
      ] as const,
  }
  for (const [name, make] of Object.entries(programs)) {
    it(`arrives as it was in ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(value, value, async (given, comment) => {
          const [[command, ...args], code] = make(given)
          const after =
            name === 'js'
              ? `\n//${comment.replaceAll(/[\r\n\u2028\u2029]/g, '')}`
              : `\n#${comment.replaceAll(/[\r\n\f\v\u0085\u2028\u2029]/g, '')}`
          const frame = runFrame({ word: 'w', stdin: '/dev/null', env: { GIVEN: given }, cwd: '/', code: code + after })
          assert.equal(await program([command, ...args], frame), `${given}|${given.length}|`)
        }),
        { numRuns: 8 },
      )
    })
  }

  it('refuses what cannot be handed in', () => {
    const refused = [
      { env: { '': 'x' } },
      { env: { 'a b': 'x' } },
      { env: { 'a[$(id)]': 'x' } },
      { env: { a: 'x\0y' } },
      { env: { a: 'x'.repeat(100_001) } },
      { env: {}, cwd: 'relative' },
      { env: {}, cwd: '/a\0b' },
    ]
    for (const frame of refused)
      assert.throws(
        () => runFrame({ word: 'w', stdin: '/dev/null', code: '', ...frame }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID',
      )
  })
})
