import type { Effect } from './tool.ts'

/** The words of what a command does, for whoever classifies, decides or shows it. */

export type CommandLanguage = 'bash' | 'sql' | 'sql:postgresql' | 'sql:sqlite'

/** One simple command of a script, or one statement of SQL. */
export interface CommandPart {
  /** UTF-16 offsets into the command. */
  readonly start: number
  readonly end: number
  readonly effect: Effect
  /** Why, in a few words. */
  readonly reason: string
  /** The program that runs, without folders and with wrappers (`env`, `timeout`, `sudo`) undone; absent where it is not known. */
  readonly program?: string
  /** Its words after the program, quoting undone; a word that is only known when it runs is `undefined`. */
  readonly words?: readonly (string | undefined)[]
}

export interface CommandReading {
  /** The worst of its parts. What cannot be parsed is dangerous. */
  readonly effect: Effect
  /** Why, the worst first, without repetition. */
  readonly reasons: readonly string[]
  readonly parts: readonly CommandPart[]
}

/** Reads what a command does. Pure; never throws. */
export type ReadCommand = (command: string) => CommandReading
