/**
 * A full disk of the host: the folder of the workspace and the one of the sessions are tiny disks of their own, mounted where nobody else sees them.
 * The real program runs on them.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { ExecResult } from '../../test/exec-session.ts'
import { COMMAND, type JsonLine } from '../../test/run-command.ts'

/** By its path: what it is does not hang on the environment. */
const UNSHARE = '/usr/bin/unshare'
const MOUNT = 'mount -t tmpfs -o size=1m,mode=777 none "$1" && mount -t tmpfs -o size=1m,mode=777 none "$2" && shift 2 && exec "$@"'

function ownMounts(): boolean {
  const tried = spawnSync(UNSHARE, ['--mount', '--propagation', 'private', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' })
  return tried.status === 0
}

const skip = !existsSync('/usr/bin/bwrap') ? 'bubblewrap is not installed' : ownMounts() ? false : 'no disk of its own can be mounted here'

let root = ''
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-full-')))
  await chmod(root, 0o755)
  for (const name of ['work', 'sessions']) await mkdir(join(root, name))
  await writeFile(
    join(root, 'adjutant.yaml'),
    'workspace: work\nsessionsFolder: sessions\ntools: { code: { workspace: project } }\nloopGuard: false\n',
  )
})
after(() => rm(root, { recursive: true, force: true }))

async function exec(commands: readonly string[]): Promise<readonly ExecResult[]> {
  const disks = [join(root, 'work'), join(root, 'sessions')]
  const args = [
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    MOUNT,
    'sh',
    ...disks,
    ...COMMAND,
    'exec',
    '--many',
    '--json',
    '--approve',
    'allow',
  ]
  const child = spawn(UNSHARE, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH } })
  for (const command of commands)
    child.stdin.write(`${JSON.stringify({ action: 'call_tool', tool_name: 'bash', parameters: { command } })}\n`)
  child.stdin.end()
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): JsonLine => JSON.parse(line))
  const results = lines.flatMap((line) => (Array.isArray(line.results) ? line.results : []))
  assert.equal(results.length, commands.length, err)
  return results
}

describe('a full disk of the host', { skip }, () => {
  it('is said by what wrote to it; a result that cannot be kept is cut and not lost, and work goes on', async () => {
    const [wrote, freed, long, next] = await exec([
      'head -c 5000000 /dev/zero > big',
      'rm big; echo freed > small; cat small',
      'head -c 900000 /dev/zero > big; seq 1 400000',
      'rm big; echo next',
    ])
    assert.match(wrote?.text ?? '', /No space left on device/)
    assert.equal(wrote?.isError, true)
    assert.match(freed?.text ?? '', /^freed\n\[files: small \(text, 6 bytes\)\]$/)
    assert.equal(long?.outcome, 'ok')
    assert.match(long?.text ?? '', /^1\n2\n[\s\S]*the whole text could not be kept: ENOSPC[\s\S]*400000/)
    assert.equal(long?.spill, undefined)
    assert.match(next?.text ?? '', /^next/)
  })
})
