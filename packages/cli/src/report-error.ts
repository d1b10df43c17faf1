/** Turns whatever a command threw into the words, the JSON document and the exit code that the command line promises. */
import { AdjutantError, type ErrorCode } from '@adjutant/core/contract'
import { CommanderError } from 'commander'
import type { ExitCode } from './cli-io.ts'
import { printableLine } from './terminal/printable.ts'

export interface ErrorReport {
  readonly exitCode: ExitCode
  /** For people: `error CODE: message`, and the hint below it. Ends with a newline. */
  readonly text: string
  /** For `--json`: one document on stdout. */
  readonly json: { readonly type: 'error'; readonly code: ErrorCode; readonly message: string; readonly hint: string }
}

function exitCodeOf(code: ErrorCode): ExitCode {
  switch (code) {
    case 'USAGE':
    case 'CONFIG_INVALID':
    case 'UNKNOWN_DIALECT':
      return 2
    case 'DENIED_BY_PERSON':
    case 'DENIED_BY_POLICY':
      return 3
    default:
      return 1
  }
}

function usageOf(error: CommanderError, command: string): AdjutantError {
  const [said = error.message, ...rest] = error.message.replace(/^error: /, '').split('\n')
  const guess = rest.join(' ').trim()
  return new AdjutantError('USAGE', said, { hint: `${guess === '' ? '' : `${guess} `}See ${command} --help.` })
}

/** @param command what the person typed, for "See … --help" */
export function describeError(error: unknown, command = 'adjutant'): ErrorReport {
  const known = error instanceof CommanderError ? usageOf(error, command) : AdjutantError.from(error, 'INTERNAL')
  // A fault of our own is of use only with the place where it happened.
  const trace = known.code === 'INTERNAL' && error instanceof Error && error.stack !== undefined ? `${error.stack}\n` : ''
  return {
    exitCode: exitCodeOf(known.code),
    // Messages quote what files, servers and models said: none of it may move the cursor.
    text: `error ${known.code}: ${printableLine(known.message)}\n  ${printableLine(known.hint)}\n${trace}`,
    json: { type: 'error', code: known.code, message: known.message, hint: known.hint },
  }
}
