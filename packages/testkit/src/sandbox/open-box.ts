/**
 * Boxes that hold nothing, on purpose: what proves that attempts work, and that the suite sees it. Never for anything else.
 * What runs in them is a user that nobody is, in a throwaway folder; only attempts that can do no harm there are given to them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AdjutantError,
  type Sandbox,
  type SandboxBackend,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxReport,
  type SandboxRun,
} from '@adjutant/core/contract'
import { PYTHON } from './plant-canaries.ts'
import { unprivileged } from './unprivileged.ts'

/** Where the weak box has the Node that runs the suite. */
const NODE_INSIDE = '/opt/node'
const BWRAP = '/usr/bin/bwrap'
/** What a lying backend claims. */
const ALL: ReadonlySet<SandboxGuarantee> = new Set<SandboxGuarantee>([
  'filesystem',
  'network',
  'processes',
  'environment',
  'memory',
  'cpu',
  'process-count',
  'disk',
  'file-count',
  'kernel',
])
/** Each statement by itself, as a database shell would go on after one that failed. */
const SQL_PROGRAM = `
import sqlite3, sys
database = sqlite3.connect("file:own.db", uri=True, isolation_level=None)
for statement in sys.argv[1].split(";"):
    try:
        for row in database.execute(statement):
            print(*row)
    except sqlite3.Error as error:
        print(error)
`
const MAX_OUTPUT = 4 << 20
const MAX_MS = 60_000

/**
 * A backend that claims everything and holds nothing: a plain process with the whole environment and an open descriptor of `/`.
 * For testing suites only. Give it harmless attempts only.
 */
export function leakyBackend(): SandboxBackend {
  return new OpenBackend('leaky', ['bash', 'python', 'js', 'sql'], (command) => command)
}

/**
 * A box with every capability in namespaces of its own: no system call is filtered and nothing is limited, but it reaches no network, no process
 * and no file of the host. Undefined where bubblewrap is not installed.
 */
export function weakBoxBackend(): SandboxBackend | undefined {
  if (process.platform !== 'linux' || !existsSync(BWRAP)) return undefined
  const namespaces = ['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-net', '--uid', '0', '--gid', '0']
  const links = ['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64']
  const folders = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/workspace', '--chdir', '/workspace']
  return new OpenBackend('weak-box', ['bash', 'python', 'js'], (command) => [
    BWRAP,
    ...namespaces,
    ...[
      '--cap-add',
      'ALL',
      '--die-with-parent',
      '--new-session',
      '--clearenv',
      '--setenv',
      'PATH',
      '/usr/bin:/bin',
      '--ro-bind',
      '/usr',
      '/usr',
    ],
    ...links,
    ...['--ro-bind', process.execPath, NODE_INSIDE],
    ...folders,
    '--',
    ...command.map((word) => (word === process.execPath ? NODE_INSIDE : word)),
  ])
}

type Wrap = (command: readonly string[]) => readonly string[]

class OpenBackend implements SandboxBackend {
  readonly name: string
  readonly languages: ReadonlySet<SandboxLanguage>
  readonly enforces = ALL
  readonly #wrap: Wrap

  constructor(name: string, languages: readonly SandboxLanguage[], wrap: Wrap) {
    this.name = name
    this.languages = new Set(languages)
    this.#wrap = wrap
  }

  probe(): Promise<{ readonly ok: boolean; readonly detail: string }> {
    return Promise.resolve({ ok: true, detail: 'holds nothing, on purpose' })
  }

  open(): Promise<Sandbox> {
    return Promise.resolve(new OpenBox(this.name, this.#wrap))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class OpenBox implements Sandbox {
  readonly id = randomBytes(6).toString('hex')
  readonly backend: string
  readonly enforces = ALL
  readonly #wrap: Wrap
  readonly #folder: string
  readonly #workspace: string
  readonly #running = new Set<ChildProcess>()

  constructor(backend: string, wrap: Wrap) {
    this.backend = backend
    this.#wrap = wrap
    this.#folder = mkdtempSync(join(tmpdir(), 'adjutant-open-box-'))
    chmodSync(this.#folder, 0o755)
    this.#workspace = join(this.#folder, 'workspace')
    mkdirSync(this.#workspace)
    const user = unprivileged()
    if (user !== undefined) chownSync(this.#workspace, user.uid, user.gid)
  }

  async run(run: SandboxRun): Promise<SandboxReport> {
    const [program = '', ...args] = this.#wrap(commandOf(run))
    // A descriptor that leads everywhere, as a careless host may leave one open.
    const everywhere = openSync('/', 'r')
    const child = spawn(program, args, {
      cwd: this.#workspace,
      env: { ...process.env, ...run.env },
      stdio: ['pipe', 'pipe', 'pipe', everywhere],
      detached: true,
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
      ...(unprivileged() ?? {}),
    })
    closeSync(everywhere)
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    const closed = new Promise((resolve) => child.once('close', resolve))
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let length = 0
    const keep = (stream: 'stdout' | 'stderr', pieces: Buffer[]) => (piece: Buffer) => {
      run.output?.(stream, piece)
      length += piece.length
      if (length > MAX_OUTPUT) child.kill('SIGKILL')
      else pieces.push(piece)
    }
    child.stdout?.on('data', keep('stdout', stdout))
    child.stderr?.on('data', keep('stderr', stderr))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(run.stdin ?? '')
    const [code, signal]: readonly unknown[] = await once(child, 'exit').catch((error: unknown) => {
      throw new AdjutantError('SANDBOX_FAILED', `${program} did not start`, { cause: error })
    })
    // What a daemon keeps open is not waited for without end.
    const patience = AbortSignal.timeout(2_000)
    await Promise.race([closed, new Promise((over) => patience.addEventListener('abort', over, { once: true }))])
    child.stdout?.destroy()
    child.stderr?.destroy()
    return {
      backend: this.backend,
      mode: 'cold',
      ...(typeof code === 'number' ? { exitCode: code } : {}),
      ...(typeof signal === 'string' ? { signal } : {}),
      timedOut: false,
      oom: false,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr),
      truncated: length > MAX_OUTPUT,
      durationMs: 0,
      usage: {},
    }
  }

  /** Follows every link: a host that is careless with what code in a box left there. */
  writeFile(path: string, bytes: Uint8Array): Promise<void> {
    return writeFile(join(this.#workspace, path), bytes)
  }

  readFile(path: string): Promise<Uint8Array> {
    return readFile(join(this.#workspace, path))
  }

  async list(path = ''): Promise<readonly { path: string; type: 'file' | 'folder' | 'other'; bytes: number; modifiedAt: number }[]> {
    const names = await readdir(join(this.#workspace, path))
    return Promise.all(
      names.map(async (name) => {
        const stats = await stat(join(this.#workspace, path, name)).catch(() => undefined)
        const type = stats === undefined ? 'other' : stats.isDirectory() ? 'folder' : 'file'
        return { path: join(path, name), type, bytes: stats?.size ?? 0, modifiedAt: 0 } as const
      }),
    )
  }

  /** Ends what runs, and nothing of what that has started. */
  close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL')
    // What was killed may swap a folder for a link a last time while it is being removed.
    for (let attempt = 1; ; attempt += 1) {
      try {
        rmSync(this.#folder, { recursive: true, force: true })
        return Promise.resolve()
      } catch (error) {
        if (attempt === REMOVALS) return Promise.reject(error)
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const REMOVALS = 20

function commandOf(run: SandboxRun): readonly string[] {
  switch (run.lang) {
    case 'bash':
      return ['/bin/bash', '--noprofile', '--norc', '-c', run.code]
    case 'python':
      return [PYTHON, '-I', '-S', '-c', run.code]
    case 'js':
      return [process.execPath, '-e', run.code]
    case 'sql':
      return [PYTHON, '-I', '-S', '-c', SQL_PROGRAM, run.code]
    default:
      return run.lang satisfies never
  }
}
