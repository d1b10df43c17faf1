/**
 * Owns a PostgreSQL server of a test alone: its own cluster in a folder of its own, on loopback and on a socket. It is removed at
 * {@link TestPostgres.stop}, and when the test process ends without having called it. It does not keep the process running.
 */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { AdjutantError } from '@adjutant/core/contract'
import { findPostgres, type PostgresProgram } from './find-postgres.ts'
import { KEEPER_SCRIPT } from './keeper-script.ts'

export interface TestPostgresOptions {
  /** Whether a commit waits for the disk. Default false; true where the test is about what survives a crash. */
  readonly fsync?: boolean
  /** Further settings of the server, e.g. `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** In PEM: the server takes TLS as well. */
  readonly tls?: { readonly key: string; readonly certificate: string }
}

export interface TestPostgres extends AsyncDisposable {
  /** Of the database `postgres` as the superuser, with the password: `postgres://adjutant:…@127.0.0.1:PORT/postgres`. */
  readonly url: string
  readonly port: number
  /** Folder of the socket, to give as host. */
  readonly socketDir: string
  /** Removes everything; more than once is harmless. */
  stop(): Promise<void>
  /** Ends when the server takes connections again, on the same port. `immediate` is what a crash looks like to clients and to the data. */
  restart(mode: 'immediate' | 'fast'): Promise<void>
  /** @returns its url, as the superuser. @throws AdjutantError TOOL_FAILED when there is one of this name */
  createDatabase(name: string): Promise<string>
}

const USER = 'adjutant'
const run = promisify(execFile)

/** Undefined: {@link startPostgres} works here. Else why it does not, for the one line that a skipped suite prints. */
export function postgresMissing(): string | undefined {
  const found = findPostgres()
  return 'missing' in found ? found.missing : undefined
}

/**
 * @throws AdjutantError UNSUPPORTED with the reason of {@link postgresMissing}, TOOL_FAILED with the end of the server's log
 * @example
 * await using server = await startPostgres()
 * const url = await server.createDatabase('shop')
 */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const found = findPostgres()
  if ('missing' in found) throw new AdjutantError('UNSUPPORTED', `PostgreSQL cannot be started: ${found.missing}`)
  const password = randomBytes(12).toString('hex')
  const keeper = new Keeper(found, password, options)
  try {
    await keeper.tell(`init ${USER}`)
    const port = await startOnFreePort(keeper)
    return testPostgres(keeper, found, password, port)
  } catch (error) {
    await keeper.stop()
    throw error
  }
}

function testPostgres(keeper: Keeper, program: PostgresProgram, password: string, port: number): TestPostgres {
  const urlOf = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  return {
    url: urlOf('postgres'),
    port,
    socketDir: keeper.folder,
    stop: () => keeper.stop(),
    restart: (mode) => keeper.tell(mode),
    async createDatabase(name) {
      // The name comes last and behind `--`, so that it cannot be an option; createdb quotes it.
      const rest = ['-h', keeper.folder, '-p', String(port), '-U', USER, '-w', '--', name]
      try {
        await run(join(program.bin, 'createdb'), rest, { env: { PGPASSWORD: password, LC_ALL: 'C' } })
      } catch (error) {
        throw new AdjutantError('TOOL_FAILED', `the database ${JSON.stringify(name)} was not made`, { cause: error })
      }
      return urlOf(name)
    },
    [Symbol.asyncDispose]: () => keeper.stop(),
  }
}

/** Another program may take a port between our look and the start. */
async function startOnFreePort(keeper: Keeper, tries = 5): Promise<number> {
  const port = await freePort()
  try {
    await keeper.tell(`start ${port}`)
    return port
  } catch (error) {
    if (tries <= 1 || !(error instanceof Error) || !/Address already in use/.test(error.message)) throw error
    return startOnFreePort(keeper, tries - 1)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new AdjutantError('TOOL_FAILED', 'no free port on 127.0.0.1')
  return address.port
}

function serverSettings({ fsync = false, settings = {}, tls }: TestPostgresOptions, folder: string): readonly string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    fsync: fsync ? 'on' : 'off',
    // Small, and nothing outside of the folder: a small container has little in /dev/shm, and files there would stay behind.
    shared_buffers: '16MB',
    dynamic_shared_memory_type: 'mmap',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(tls === undefined ? {} : { ssl: 'on', ssl_key_file: join(folder, 'tls.key'), ssl_cert_file: join(folder, 'tls.pem') }),
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** The shell that keeps the server, and its folder. */
class Keeper {
  readonly folder: string
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #answers: AsyncIterator<string>
  #stopped: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor({ bin, account }: PostgresProgram, password: string, options: TestPostgresOptions) {
    this.folder = mkdtempSync(join(openTemporaryFolder(), 'adjutant-pg-'))
    chmodSync(this.folder, 0o700)
    const secrets = { password: `${password}\n`, 'tls.key': options.tls?.key, 'tls.pem': options.tls?.certificate }
    for (const [name, text] of Object.entries(secrets)) {
      if (text === undefined) continue
      writeFileSync(join(this.folder, name), text, { mode: 0o600 })
      if (account !== undefined) chownSync(join(this.folder, name), account.uid, account.gid)
    }
    if (account !== undefined) chownSync(this.folder, account.uid, account.gid)
    // A group of its own: Ctrl-C on the terminal of the test must not end the server in the middle of what the test still does.
    this.#child = spawn(
      '/bin/sh',
      ['-c', KEEPER_SCRIPT, 'adjutant-postgres-keeper', bin, this.folder, ...serverSettings(options, this.folder)],
      {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
        ...account,
      },
    )
    this.#child.stdin.on('error', () => {})
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#hold(false)
  }

  /** One at a time: the shell answers in order. @throws AdjutantError TOOL_FAILED when the answer is not ok */
  tell(line: string): Promise<void> {
    const turn = this.#last.then(() => this.#ask(line))
    this.#last = turn.catch(() => {})
    return turn
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #ask(line: string): Promise<void> {
    if (this.#stopped !== undefined) throw new AdjutantError('TOOL_FAILED', 'this PostgreSQL was stopped')
    this.#hold(true)
    try {
      this.#child.stdin.write(`${line}\n`)
      const answer = await this.#answers.next()
      if (answer.done !== true && answer.value === 'ok') return
      throw new AdjutantError('TOOL_FAILED', `PostgreSQL: ${line.split(' ')[0]} failed\n${this.#endOfLog()}`)
    } finally {
      this.#hold(false)
    }
  }

  async #end(): Promise<void> {
    this.#hold(true)
    const gone = this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, 'close') : undefined
    // Not by its turn: closing the input is what also ends it in the middle of a restart.
    this.#child.stdin.end('stop\n')
    await gone
    rmSync(this.folder, { recursive: true, force: true })
  }

  #endOfLog(): string {
    const log = join(this.folder, 'log')
    return existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '(there is no log)'
  }

  /** Only while somebody waits for an answer may it keep the process running: a test that forgets to stop still ends. */
  #hold(on: boolean): void {
    const pipes = [this.#child.stdin, this.#child.stdout]
    for (const part of [this.#child, ...pipes]) {
      if (on && 'ref' in part && typeof part.ref === 'function') part.ref()
      if (!on && 'unref' in part && typeof part.unref === 'function') part.unref()
    }
  }
}

/** The usual one when any account may work in it and a socket's path stays below 108 bytes; else /tmp. */
function openTemporaryFolder(): string {
  const usual = tmpdir()
  if (usual.length > 60) return '/tmp'
  if ((statSync(usual).mode & 0o003) !== 0o003) return '/tmp'
  for (let folder = usual; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return '/tmp'
  }
  return usual
}
