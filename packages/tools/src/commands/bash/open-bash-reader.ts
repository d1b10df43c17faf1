/**
 * Owns what a command of bash does: parsed, taken apart, judged by tables of programs. Pure after it is opened, synchronous, never throws; what cannot be
 * parsed, hides characters or is too large is dangerous. It says what the command itself does, not what a script that it starts does, and nothing of
 * aliases and functions that the shell had before.
 */
import type { CommandReading, ReadCommand } from '@adjutant/core'
import { findHidden } from './hidden-characters.ts'
import { MOST_UNITS } from './limits.ts'
import { readingOf } from './reading.ts'
import { ScriptReader } from './script-reader.ts'
import { openSyntax, type ParseSyntax } from './syntax.ts'

/**
 * Loads the grammar (once for each call, about 80 ms) and returns the reader.
 *
 * @throws Error when the grammar's file cannot be read: the installation is broken
 * @example
 * ```ts
 * const readBash = await openBashReader()
 * readBash('git status | head').effect // 'read'
 * readBash("r\\m -rf ~").effect // 'dangerous'
 * ```
 */
export async function openBashReader(): Promise<ReadCommand> {
  const parse = await openSyntax()
  return (command) => {
    if (command.length > MOST_UNITS) return whole(command, `is longer than ${MOST_UNITS} characters`)
    const hidden = findHidden(command)
    if (hidden !== undefined)
      return readingOf([{ start: hidden.at, end: Math.min(hidden.at + 1, command.length), effect: 'dangerous', reason: hidden.reason }])
    // The parser takes quadratic time over them.
    if (OPERATORS.test(command)) return whole(command, 'has too many operators in a row')
    return readSafely(command, parse)
  }
}

const OPERATORS = /[<>|&;]{65}/

function readSafely(command: string, parse: ParseSyntax): CommandReading {
  try {
    const reader = new ScriptReader(command, { parse, scripts: 0, units: 0 }, 0, new Map(), new Set())
    reader.read()
    return readingOf(reader.parts)
  } catch {
    // A fault of this reader (or of the parser's memory) must never let a command pass.
    return whole(command, 'could not be read')
  }
}

function whole(command: string, reason: string): CommandReading {
  return readingOf([{ start: 0, end: command.length, effect: 'dangerous', reason }])
}
