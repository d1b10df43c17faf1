/**
 * Owns the command line: which commands there are, global options, and how a failure is said. A command's module is imported only when
 * it is the one that was typed, so that `--help` and short commands start fast. Does not touch the process: see run-process.ts.
 */
import { CommanderError } from 'commander'
import { type CliIo, type ExitCode, write, writeJson } from './cli-io.ts'
import { buildProgram } from './program.ts'
import { describeError } from './report-error.ts'

/** Which of two ends is told: what the caller did wrong, then an interruption, then a refusal, then a failure. */
const RANK: readonly ExitCode[] = [0, 1, 3, 4, 130, 2]

/**
 * Runs one command line to its end and gives its exit code. Never throws for what a command may meet.
 *
 * @example
 * ```ts
 * const code = await main(['doctor', '--json'], { stdin, stdout, stderr, env, cwd, signal })
 * ```
 */
export async function main(argv: readonly string[], host: Omit<CliIo, 'exit'>): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const io: CliIo = {
    ...host,
    exit(code) {
      if (RANK.indexOf(code) > RANK.indexOf(exitCode)) exitCode = code
    },
  }
  let command = 'adjutant'
  try {
    const built = await buildProgram(argv, io)
    command = built.command
    await built.program.parseAsync([...argv], { from: 'user' })
    return host.signal.aborted ? 130 : exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    // No command, or a command group alone: commander has printed the help on stderr already.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2
    if (host.signal.aborted) return 130
    const report = describeError(error, command)
    if (wantsJson(argv)) await writeJson(io.stdout, report.json)
    await write(io.stderr, report.text)
    io.exit(report.exitCode)
    return exitCode
  }
}

/** Asked of the bare words: the command line may be the very thing that was wrong. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
