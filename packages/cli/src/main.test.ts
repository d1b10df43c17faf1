import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runMain, spawnCommand } from '../test/run-command.ts'
import { COMMANDS } from './command-table.ts'

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-main-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the command line', () => {
  it('lists every command, and each has help with an example', async () => {
    const top = await runMain(['--help'])
    assert.equal(top.code, 0)
    assert.equal(top.stderr, '')
    for (const { name, summary } of COMMANDS) {
      assert.ok(top.stdout.includes(summary), name)
      const help = await runMain([name, '--help'])
      assert.equal(help.code, 0, name)
      assert.match(help.stdout, /Examples?:\n\s+\S/, name)
      assert.match(help.stdout, /--json|^Commands:/m, name)
      const { code, stdout, stderr } = await runMain(['help', name])
      assert.deepEqual({ code, stdout, stderr }, { code: help.code, stdout: help.stdout, stderr: help.stderr })
    }
  })

  it('prints its version', async () => {
    const { code, stdout } = await runMain(['--version'])
    assert.equal(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it('answers wrong usage with 2, one line and a hint on stderr', async () => {
    for (const argv of [
      ['foo'],
      ['decode', '--nope'],
      ['--nope'],
      ['run'],
      ['exec', '--approve', 'maybe'],
      ['run', 'x', '--max-rounds', '0'],
    ]) {
      const { code, stdout, stderr } = await runMain(argv)
      assert.equal(code, 2, argv.join(' '))
      assert.equal(stdout, '')
      assert.match(stderr, /^error USAGE: .+\n {2}.*--help/, argv.join(' '))
    }
    const none = await runMain([])
    assert.equal(none.code, 2)
    assert.match(none.stderr, /^Usage: adjutant/)
  })

  it('prints an error document with --json, wherever that stands', async () => {
    for (const argv of [
      ['decode', '--nope', '--json'],
      ['--json', 'decode', '--nope'],
    ]) {
      const { code, lines } = await runMain(argv)
      assert.equal(code, 2)
      assert.deepEqual(lines, [{ type: 'error', code: 'USAGE', message: "unknown option '--nope'", hint: 'See adjutant decode --help.' }])
    }
    assert.deepEqual((await runMain(['--json', 'doctor', '--config', 'none.yaml'], { cwd: folder })).lines[0]?.ok, false)
  })

  it('never lets a message move the cursor', async () => {
    const { stderr } = await runMain(['\u001b[2Jfoo'])
    assert.match(stderr, /\\x1b\[2Jfoo/)
    assert.doesNotMatch(stderr, /\u001b/)
  })
})

describe('the real program', () => {
  it('starts and ends', async () => {
    const { code, stdout } = await spawnCommand(['--version'])
    assert.equal(code, 0)
    assert.match(stdout, /^\d/)
  })

  it('ends quietly when nobody reads on', () => {
    const entry = fileURLToPath(new URL('./entry.ts', import.meta.url))
    const line = `${JSON.stringify({ action: 'call_tool', tool_name: 'x', parameters: {} })}\n`
    // The reader goes away after one line; far more than a pipe holds is written.
    const script = `head -c 4000000 /dev/zero | tr '\\0' 'x' | "$NODE" --conditions=adjutant-source "$ENTRY" clip --limit 3000000 | head -c 1; printf ' %s' "\${PIPESTATUS[2]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
      env: { PATH: process.env.PATH, NODE: process.execPath, ENTRY: entry },
      input: line,
      encoding: 'utf8',
    })
    assert.equal(stderr, '')
    assert.equal(stdout, 'x 0')
  })
})

const BIN = fileURLToPath(new URL('../bin/adjutant.js', import.meta.url))

describe('bin/adjutant.js', () => {
  it('says how to build where nothing is built', () => {
    const copy = join(folder, 'package')
    cpSync(BIN, join(copy, 'bin', 'adjutant.js'))
    cpSync(fileURLToPath(new URL('../package.json', import.meta.url)), join(copy, 'package.json'))
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(copy, 'bin', 'adjutant.js'), '--help'], { encoding: 'utf8' })
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^[^\n]*npm run build[^\n]*\n$/)
  })

  const old = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    if (!existsSync(path)) return false
    const [major = 0, minor = 0] = execFileSync(path, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number)
    return major < 22 || (major === 22 && minor < 19)
  })
  it('says in one line what an old Node lacks', { skip: old === undefined && 'this machine has no Node older than 22.19' }, () => {
    const { status, stderr, stdout } = spawnSync(old ?? '', [BIN, 'run', 'x'], { encoding: 'utf8' })
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^adjutant needs Node 22\.19 or newer and this is Node [\d.]+: install[^\n]*\n$/)
  })
})
