import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import { Command } from 'commander'
import type { ExitCode } from '../cli-io.ts'
import { addHintCommand } from './hint.ts'

interface Ran {
  readonly stdout: string
  readonly code: ExitCode
}

/** The command on a program of its own: `main` adds nothing to it. */
async function run(argv: readonly string[], stdin: string | Iterable<Buffer>): Promise<Ran> {
  const stdout = new PassThrough()
  const chunks: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  let code: ExitCode = 0
  const program = new Command().exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
  addHintCommand(program, {
    stdin: Readable.from(typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin, { objectMode: false }),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: process.cwd(),
    signal: new AbortController().signal,
    exit: (said) => {
      code = said
    },
  })
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
  await program.parseAsync(['node', 'adjutant', 'hint', ...argv])
  await new Promise((resolve) => setImmediate(resolve))
  return { stdout: Buffer.concat(chunks).toString('utf8'), code }
}

describe('adjutant hint', () => {
  it('prints one JSON document', async () => {
    const { stdout, code } = await run(['--json', '--exit-code', '1'], 'a.c:1:33: error: ‘y’ undeclared (first use in this function)\n')
    assert.equal(code, 0)
    const hint: unknown = JSON.parse(stdout)
    assert.deepEqual(hint, {
      code: 'UNDECLARED_IDENTIFIER',
      grade: 'clarify',
      hint: 'Declare "y" or include the header that does, and check its spelling.',
      location: { file: 'a.c', line: 1, column: 33 },
    })
  })

  it('prints null, and for people a sentence, where nothing is recognised, and ends well', async () => {
    assert.deepEqual(await run(['--json'], 'all is well\n'), { stdout: 'null\n', code: 0 })
    assert.deepEqual(await run(['--json', '--exit-code', '0'], 'bash: x: command not found\n'), { stdout: 'null\n', code: 0 })
    assert.deepEqual(await run([], ''), { stdout: 'nothing recognised\n', code: 0 })
  })

  it('says it to people in three lines, with nothing that a terminal obeys', async () => {
    const { stdout } = await run(['--exit-code', '1'], 'a.c:1:33: error: ‘y’ undeclared\n')
    assert.equal(
      stdout,
      'UNDECLARED_IDENTIFIER (clarify)\nat a.c:1:33\nDeclare "y" or include the header that does, and check its spelling.\n',
    )
    assert.doesNotMatch((await run(['--exit-code', '127'], 'bash: a\u009b31m: command not found\n')).stdout, /\u009b/)
  })

  it('takes the signal of a process, and the program that an exit code belongs to', async () => {
    assert.match((await run(['--exit-code=-9'], '')).stdout, /^KILLED \(clarify\)\n/)
    assert.match((await run(['--exit-code', '7', '--command', 'curl -s http://localhost:1'], '')).stdout, /^CONNECTION_REFUSED \(retry\)\n/)
    assert.equal((await run(['--exit-code', '7'], '')).stdout, 'nothing recognised\n')
  })

  it('speaks Chinese', async () => {
    assert.match((await run(['--lang', 'zh', '--exit-code', '127'], 'bash: jqq: command not found')).stdout, /检查 "jqq" 的拼写/)
  })

  it('answers many runs in order, and says of each broken line what is wrong with it', async () => {
    const runs = [
      '{"id":"a","stdout":"","stderr":"bash: jqq: command not found\\n","exitCode":127}',
      '{"id":2,"stdout":"0 errors, 0 failed","stderr":"","exitCode":0}',
      '',
      '{"id":"c","exitCode":139}',
      '{"id":',
      '[]',
      '{"id":"d","exitCode":"1"}',
      '{"id":"e","stdout":"","stderr":"","exitCode":1,"command":"grep x y"}',
    ]
    const { stdout, code } = await run(['--many'], runs.join('\n'))
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ id, line, code: said }) => [id ?? line, said]),
      [
        ['a', 'COMMAND_NOT_FOUND'],
        [2, null],
        ['c', 'SEGMENTATION_FAULT'],
        [5, undefined],
        [6, undefined],
        [7, undefined],
        ['e', 'NO_MATCH'],
      ],
    )
    assert.deepEqual(Object.keys(lines[1] ?? {}), ['id', 'code'])
    assert.match(String(lines[3]?.error), /^not JSON/)
    assert.equal(code, 1)
  })

  it('takes dictionaries, and names file and line of a fault', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hint-'))
    try {
      const good = join(folder, 'good.yaml')
      await writeFile(
        good,
        'hints:\n  - code: VPN_DOWN\n    grade: final\n    patterns: ["no route to build-{1:number}"]\n    hint: Ask for {1|the VPN}.\n',
      )
      assert.equal(
        (await run(['--json', '--exit-code', '1', '--dictionary', good], 'x: no route to build-7\n')).stdout,
        '{"code":"VPN_DOWN","grade":"final","hint":"Ask for \\"7\\"."}\n',
      )
      const bad = join(folder, 'bad.yaml')
      await writeFile(bad, 'hints:\n  - code: X1\n    grade: never\n    patterns: ["no route"]\n    hint: Ask.\n')
      await assert.rejects(
        run(['--dictionary', bad], ''),
        (error) => AdjutantError.isInstance(error) && /bad\.yaml: line 3: .*retry/.test(error.message),
      )
      await assert.rejects(run(['--dictionary', join(folder, 'none')], ''), /cannot be read/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('refuses what cannot be meant', async () => {
    await assert.rejects(run(['--exit-code', 'many'], ''))
    await assert.rejects(run(['--lang', 'fr'], ''))
    await assert.rejects(run(['--many', '--exit-code', '1'], ''), /--many takes exit code/)
  })

  it('finds what is at the end of hundred megabytes', async () => {
    const chunk = Buffer.from('compiling one more file of many\n'.repeat(30_000))
    function* input(): Generator<Buffer> {
      for (let round = 0; round < 100; round++) yield chunk
      yield Buffer.from('/usr/bin/ld: cannot find -lfoo\n')
    }
    assert.match((await run(['--exit-code', '1'], input())).stdout, /^LIBRARY_NOT_FOUND/)
  })

  it('explains itself with an example', async () => {
    await assert.rejects(run(['--help'], ''), { code: 'commander.helpDisplayed' })
  })
})
