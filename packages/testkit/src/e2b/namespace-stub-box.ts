/**
 * Owns boxes of the stub in namespaces of their own: they see no file, process or network of this machine, and what is in them may do there what it
 * likes. Made by bubblewrap and entered by nsenter; all that is in one ends with it, and nothing of it is on a disk.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import type { E2bStubBox, E2bStubRun } from './stub-box.ts'
import { stubJson } from './stub-reply.ts'

const BWRAP = '/usr/bin/bwrap'
const NSENTER = '/usr/bin/nsenter'
const NOBODY = { uid: 65_534, gid: 65_534 } as const
const HOME = '/home/user'

/** Goes to the folder, or ends as nobody else does. */
const ENTER = 'cd -- "$0" 2>/dev/null || exit 213; unset OLDPWD; exec "$@"'

/** Undefined where the two programs are not installed. */
export function namespaceStubBox(): ((id: string) => Promise<E2bStubBox>) | undefined {
  return process.platform === 'linux' && existsSync(BWRAP) && existsSync(NSENTER) ? open : undefined
}

async function open(id: string): Promise<E2bStubBox> {
  const user = process.geteuid?.() === 0 ? NOBODY : {}
  const keeper = spawn(BWRAP, [...ARGUMENTS, '--', '/bin/sh', '-c', 'echo ready; while :; do sleep 1000; done'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    ...user,
  })
  const ended = once(keeper, 'exit')
  const pid = await insidePid(keeper)
  const usual = {
    PATH: '/usr/bin:/bin:/opt/node',
    HOME,
    USER: 'user',
    LOGNAME: 'user',
    E2B_SANDBOX: 'true',
    E2B_SANDBOX_ID: id,
  }
  return {
    home: HOME,
    run(argv: readonly [string, ...string[]], options: E2bStubRun): ChildProcess {
      if (keeper.exitCode !== null || keeper.signalCode !== null) throw new Error('the box has ended')
      const namespaces = ['--target', String(pid), '--user', '--mount', '--pid', '--net', '--ipc', '--uts', '--preserve-credentials']
      return spawn(NSENTER, [...namespaces, '--', '/bin/sh', '-c', ENTER, posix.resolve(HOME, options.cwd), ...argv], {
        cwd: '/',
        env: { ...usual, ...options.env },
        stdio: [options.stdin, 'pipe', 'pipe'],
        ...user,
      })
    },
    async close() {
      // The first process of a namespace takes all others with it.
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
      await ended
    },
  }
}

const ARGUMENTS: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--uid', '0', '--gid', '0'],
  ...['--die-with-parent', '--new-session', '--as-pid-1', '--info-fd', '3', '--clearenv', '--setenv', 'PATH', '/usr/bin:/bin'],
  ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
  ...['--ro-bind', process.execPath, '/opt/node/node', '--proc', '/proc', '--dev', '/dev'],
  ...['--size', '67108864', '--tmpfs', '/tmp', '--size', '67108864', '--tmpfs', '/workspace', '--size', '67108864', '--tmpfs', HOME],
  ...['--remount-ro', '/'],
]

async function insidePid(keeper: ChildProcess): Promise<number> {
  const info = keeper.stdio[3]
  if (info === null || info === undefined || !('setEncoding' in info)) throw new Error('bubblewrap says nothing of the box')
  const pid = stubJson(Buffer.from(await textOf(info)))['child-pid']
  // Its number is known before its files are there.
  const ready = await new Promise<boolean>((resolve) => {
    keeper.stdout?.once('data', () => resolve(true))
    keeper.once('exit', () => resolve(false))
  })
  if (ready && typeof pid === 'number') return pid
  const said = keeper.stderr === null ? '' : await textOf(keeper.stderr)
  throw new Error(`bubblewrap made no box: ${said}`)
}

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const piece of stream.setEncoding('utf8')) text += String(piece)
  return text
}
