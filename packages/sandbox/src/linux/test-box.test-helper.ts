/** A bubblewrap box with little in it, for tests that need the real kernel. Never root's: started by root it belongs to a throwaway user. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Readable, Writable } from 'node:stream'

const BWRAP = '/usr/bin/bwrap'
export const TEST_UID = 261_111
const AS_ROOT = process.getuid?.() === 0

/** A reason to skip, or undefined. */
export function boxMissing(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (!existsSync(BWRAP)) return `${BWRAP} is not here`
  if (!existsSync('/usr/bin/python3')) return '/usr/bin/python3 is not here'
  return undefined
}

export interface TestBox {
  readonly process: ChildProcess
  readonly stdout: Promise<string>
  readonly stderr: Promise<string>
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | string>
  readonly status: Readable
  /** Lets what waits behind `block` start. */
  release(): void
}

export interface TestBoxOptions {
  readonly seccomp?: Uint8Array
  readonly block?: boolean
  /** Default: a throwaway user when root starts it, else the own one. */
  readonly uid?: number
  readonly extra?: readonly string[]
  /** Default true. When false, `stdout` is empty and the test reads the process's. */
  readonly keepOutput?: boolean
}

export function startBox(command: readonly string[], options: TestBoxOptions = {}): TestBox {
  const args = [
    ...words('--json-status-fd 3 --unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-net --disable-userns'),
    ...words('--uid 1000 --gid 1000 --die-with-parent --new-session --cap-drop ALL --clearenv --setenv PATH /usr/bin:/bin'),
    ...words('--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dir /etc'),
    ...words('--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --proc /proc --dev /dev'),
    ...['--ro-bind', dirname(process.execPath), '/node', ...words('--size 67108864 --tmpfs /tmp --chdir /tmp --remount-ro /')],
    ...(options.block === true ? ['--block-fd', '4'] : []),
    ...(options.seccomp === undefined ? [] : ['--seccomp', '5']),
    ...(options.extra ?? []),
    '--',
    ...command,
  ]
  const uid = options.uid ?? (AS_ROOT ? TEST_UID : undefined)
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe']
  const child = spawn(BWRAP, args, { cwd: '/', env: { PATH: '/usr/bin' }, stdio, ...(uid === undefined ? {} : { uid, gid: uid }) })
  const streams: readonly unknown[] = child.stdio
  const [, , , status, block, filter] = streams
  // A box that ends early closes them: that is not the test's failure.
  for (const stream of [block, filter]) if (stream instanceof Writable) stream.on('error', () => {})
  if (filter instanceof Writable) filter.end(options.seccomp ?? new Uint8Array())
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  return {
    process: child,
    stdout: options.keepOutput === false ? Promise.resolve('') : text(child.stdout),
    stderr: text(child.stderr),
    ended,
    status: readable(status),
    release: () => {
      if (block instanceof Writable) block.end('x')
    },
  }
}

function words(line: string): readonly string[] {
  return line.split(' ')
}

function readable(stream: unknown): Readable {
  if (typeof stream === 'object' && stream !== null && 'read' in stream && 'pipe' in stream && isReadable(stream)) return stream
  throw new Error('the box has no such stream')
}

function isReadable(stream: object): stream is Readable {
  return 'on' in stream
}

async function text(stream: Readable | null): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream ?? []) parts.push(part)
  return Buffer.concat(parts).toString()
}
