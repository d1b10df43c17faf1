/**
 * Owns the process around `main`: its signals, its last words and its end. A first Ctrl-C asks for a clean stop (the abort signal
 * of {@link CliIo}), a second ends at once. A reader of stdout that went away (`adjutant … | head`) stops the work without a word.
 * Refuses nothing; never runs twice in a process.
 */
import type { CliIo } from './cli-io.ts'
import { main } from './main.ts'
import { describeError } from './report-error.ts'

/** By POSIX custom: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Resolves when what was written so far has left the process, or can no longer leave it. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve()
    else stream.write('', () => resolve())
  })
}

/** Runs the command of `process.argv` and ends the process. */
export async function runProcess(): Promise<void> {
  const stop = new AbortController()
  let signalled: number | undefined
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (signalled !== undefined) process.exit(signalled)
      signalled = code
      stop.abort(new Error(`stopped by ${name}`))
    })
  }
  let readerGone = false
  process.stdout.on('error', (error) => {
    if (!isCode(error, 'EPIPE')) throw error
    readerGone = true
    stop.abort(new Error('nobody reads the output any more'))
  })
  // Nobody reads what people are told: the work itself may still matter.
  process.stderr.on('error', () => {})
  const lastWords = (error: unknown): void => {
    process.stderr.write(describeError(error).text)
    process.exit(1)
  }
  process.on('uncaughtException', lastWords)
  process.on('unhandledRejection', lastWords)

  // Parts of Node that we stand on knowingly; a person who reads the screen can do nothing about it.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') process.stderr.write(`! ${warning.name}: ${warning.message}\n`)
  })

  const host: Omit<CliIo, 'exit'> = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    signal: stop.signal,
  }
  const code = await main(process.argv.slice(2), host)
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  // Ended here and not by an empty event loop: a pipe on stdin that nobody closes must not keep a finished command alive.
  process.exit(signalled ?? (readerGone ? 0 : code))
}
