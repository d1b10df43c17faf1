/** Runs the command for tests: in this process with streams of its own, or as the real program. */
import { spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { CliIo, ExitCode } from '../src/cli-io.ts'
import { main } from '../src/main.ts'

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** `stdout` as JSON lines; read when asked for, as not everything in braces is a line. */
  readonly lines: readonly JsonLine[]
}

export type JsonLine = Readonly<Record<string, unknown>>

export interface RunOptions {
  /** Nothing: stdin is empty and ends. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly signal?: AbortSignal
}

function linesOf(stdout: string): readonly JsonLine[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): JsonLine => JSON.parse(line))
}

function collect(stream: PassThrough): { text(): string } {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { text: () => Buffer.concat(chunks).toString('utf8') }
}

/** `main` in this process. */
export async function runMain(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const [out, err] = [collect(stdout), collect(stderr)]
  const { stdin = '' } = options
  const input = typeof stdin === 'string' || stdin instanceof Uint8Array ? [Buffer.from(stdin)] : stdin
  const host: Omit<CliIo, 'exit'> = {
    stdin: Readable.from(input, { objectMode: false }),
    stdout,
    stderr,
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    signal: options.signal ?? new AbortController().signal,
  }
  const code: ExitCode = await main(argv, host)
  // PassThrough hands on in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  const text = out.text()
  return {
    code,
    stdout: text,
    stderr: err.text(),
    get lines() {
      return linesOf(text)
    },
  }
}

const ENTRY = fileURLToPath(new URL('../src/entry.ts', import.meta.url))

/** What starts the real program from its sources. */
export const COMMAND: readonly [string, ...string[]] = [
  process.execPath,
  '--conditions=adjutant-source',
  '--disable-warning=ExperimentalWarning',
  ENTRY,
]

/** The real program, from its sources. */
export function spawnCommand(argv: readonly string[], options: Omit<RunOptions, 'signal'> = {}): Promise<CommandResult> {
  const [program, ...args] = COMMAND
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, ...argv], {
      cwd: options.cwd ?? process.cwd(),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr, lines: linesOf(stdout) }))
    // The program may end before it has read everything.
    child.stdin.on('error', () => {})
    Readable.from(
      typeof options.stdin === 'string' || options.stdin instanceof Uint8Array ? [Buffer.from(options.stdin)] : (options.stdin ?? []),
    ).pipe(child.stdin)
  })
}
