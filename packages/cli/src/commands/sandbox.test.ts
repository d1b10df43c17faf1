import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CommandResult, runMain, spawnCommand } from '../../test/run-command.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-cli-sandbox-'))
  await chmod(folder, 0o777)
})
after(() => rm(folder, { recursive: true, force: true }))

const run = (words: readonly string[], stdin = ''): Promise<CommandResult> => runMain(['sandbox', 'run', ...words], { cwd: folder, stdin })

describe('sandbox run', () => {
  it('passes output on and ends as the code did', { skip }, async () => {
    const fine = await run(['--lang', 'bash', '--', 'echo out; echo err >&2'])
    assert.deepEqual([fine.code, fine.stdout, fine.stderr], [0, 'out\n', 'err\n'])
    const failed = await run(['--lang', 'python', '--', 'print("out"); raise SystemExit(4)'])
    assert.deepEqual([failed.code, failed.stdout, failed.stderr], [1, 'out\n', '[exit code 4]\n'])
  })

  it('gives one document with --json', { skip }, async () => {
    const { code, lines } = await run(['--lang', 'bash', '--timeout', '300', '--memory', '64', '--json', '--', 'echo begun; sleep 1000'])
    const [report = {}] = lines
    assert.equal(code, 1)
    assert.equal(lines.length, 1)
    assert.deepEqual(
      [report.backend, report.exitCode, report.signal, report.timedOut, report.oom, report.limit, report.stdout, report.stderr],
      ['bubblewrap', null, 'SIGKILL', true, false, 'wall', 'begun\n', ''],
    )
    assert.equal(typeof report.durationMs, 'number')
  })

  it('runs JavaScript and SQL everywhere', async () => {
    const js = await run(['--lang', 'js', '--json', '-'], 'console.log(6 * 7)')
    assert.deepEqual([js.code, js.lines[0]?.backend, js.lines[0]?.stdout, js.lines[0]?.exitCode], [0, 'quickjs', '42\n', 0])
    const sql = await run(['--lang', 'sql', '--json', '--', 'SELECT 6 * 7 AS answer'])
    assert.deepEqual([sql.code, sql.lines[0]?.backend, sql.lines[0]?.stdout], [0, 'sqljs', '{"answer":42}\n'])
  })

  it('gives our stdin to the code where that is asked for, every byte of it', { skip }, async () => {
    const given = await run(['--lang', 'bash', '--stdin', '--', 'cat'], 'given')
    assert.equal(given.stdout, 'given')
    const both = await run(['--lang', 'bash', '--stdin', '-'], 'x')
    assert.deepEqual([both.code, both.stdout], [2, ''])
  })

  it('works in the folder that is named, and in no other', { skip }, async () => {
    await writeFile(join(folder, 'in.txt'), 'in')
    const { code, stdout } = await run(['--lang', 'bash', '--workspace', '.', '--', `cat in.txt; echo made > out.txt; ls ${folder}`])
    assert.deepEqual([code, stdout], [1, 'in'])
    assert.equal(await readFile(join(folder, 'out.txt'), 'utf8'), 'made\n')
    const missing = await run(['--lang', 'js', '--workspace', './none', '--json', '--', '1'])
    assert.deepEqual([missing.code, missing.lines[0]?.code], [1, 'NOT_FOUND'])
  })

  it('refuses what is too weak, and never runs it in less', async () => {
    const weak = await run(['--lang', 'bash', '--backend', 'host', '--unsafe-host', '--require', 'network,memory', '--', 'echo ran'])
    assert.deepEqual([weak.code, weak.stdout], [3, ''])
    assert.match(weak.stderr, /SANDBOX_TOO_WEAK: .*host: does not enforce network, memory/)
    const none = await run(['--lang', 'bash', '--backend', 'container', '--', 'echo ran'])
    assert.deepEqual([none.code, none.stdout], [1, ''])
    assert.match(none.stderr, /SANDBOX_UNAVAILABLE: no box here can run bash\. container: /)
    const other = await run(['--lang', 'bash', '--backend', 'quickjs', '--', 'echo ran'])
    assert.match(other.stderr, /quickjs: does not run bash/)
  })

  it('runs on the machine only for whoever says so, and warns', async () => {
    const silent = await run(['--lang', 'bash', '--backend', 'host', '--', 'echo ran'])
    assert.deepEqual([silent.code, silent.stdout], [2, ''])
    const said = await run(['--lang', 'bash', '--backend', 'host', '--unsafe-host', '--', 'echo ran'])
    assert.deepEqual([said.code, said.stdout], [0, 'ran\n'])
    assert.match(said.stderr, /^\[warning: not in a box/)
    const json = await run(['--lang', 'bash', '--backend', 'host', '--unsafe-host', '--json', '--', 'echo ran'])
    assert.match(String(json.lines[0]?.warning), /not in a box/)
  })

  it('says what was wrong with the call', async () => {
    for (const [words, expected] of [
      [['--lang', 'bash'], /missing required argument 'code'/],
      [['--', 'x'], /required option '--lang <language>'/],
      [['--lang', 'ruby', '--', 'x'], /Allowed choices are bash, python, js, sql/],
      [['--lang', 'js', '--timeout', '0', '--', '1'], /must be a whole number above 0/],
      [['--lang', 'js', '--memory', '1e3', '--', '1'], /must be a whole number above 0/],
      [['--lang', 'js', '--require', 'safety', '--', '1'], /There are: filesystem/],
      [['--lang', 'js', '--backend', 'quickj', '--', '1'], /there is no backend "quickj"/],
      [['--lang', 'js', '--', '1', '2'], /too many arguments/],
    ] as const) {
      const { code, stderr, stdout } = await run(words)
      assert.equal(code, 2, stderr)
      assert.match(stderr, expected)
      assert.equal(stdout, '')
    }
  })

  it('stops when it is interrupted', { skip }, async () => {
    const stop = new AbortController()
    const stopped = runMain(['sandbox', 'run', '--lang', 'bash', '-'], {
      signal: stop.signal,
      // Ends only once the code was read: what follows is in the box.
      stdin: (async function* () {
        yield Buffer.from('echo begun; sleep 1000')
        setImmediate(() => stop.abort())
      })(),
    })
    assert.equal((await stopped).code, 130)
  })

  it('is the real program too, which ends by itself', async () => {
    const { code, stdout } = await spawnCommand(['sandbox', 'run', '--lang', 'js', '-'], { stdin: 'console.log("real")' })
    assert.deepEqual([code, stdout], [0, 'real\n'])
  })
})

describe('sandbox doctor', () => {
  it('says which boxes there are and what they enforce', async () => {
    const { stdout } = await runMain(['sandbox', 'doctor'])
    assert.match(stdout, /^[✓√+] quickjs +QuickJS/m)
    assert.match(stdout, /^ +taken for js$/m)
    assert.match(stdout, /^enforced +.*quickjs {2}sqljs$/m)
    assert.match(stdout, /^sees no files but its own .*yes$/m)
    assert.match(stdout, /^js {6}quickjs$/m)
    assert.match(stdout, /^sql {5}sqljs$/m)
  })

  it('gives one document with --json, and fails where a language has no box', async () => {
    const { code, lines } = await runMain(['sandbox', 'doctor', '--json'])
    const [report = {}] = lines
    assert.deepEqual(Object.keys(report), ['ok', 'checks', 'chosen'])
    assert.equal(code, report.ok === true ? 0 : 1)
    assert.ok(Array.isArray(report.checks))
    assert.match(JSON.stringify(report.chosen), /"js":"quickjs","sql":"sqljs"/)
    if (skip === false) assert.match(JSON.stringify(report.chosen), /"bash":"bubblewrap","python":"bubblewrap"/)
  })

  it('has help with an example, as every verb', async () => {
    for (const verb of [[], ['run'], ['doctor']]) {
      const { code, stdout } = await runMain(['sandbox', ...verb, '--help'])
      assert.equal(code, 0)
      assert.match(stdout, /Example:\n {2}adjutant sandbox/)
    }
    assert.equal((await runMain(['sandbox'])).code, 2)
  })
})
