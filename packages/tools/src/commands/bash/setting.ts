/** Owns what a program is judged in: where its input comes from, and how a script within it is read. */
import type { Verdict } from './verdict.ts'
import type { Word } from './word.ts'

export interface Setting {
  /** Its standard input comes from another program, a file or the command itself. */
  readonly piped: boolean
  /** What comes in are paths of files that begin as the command says, one a line: none can be an option. */
  readonly pathsIn: boolean
  /** Functions that the command defines. */
  readonly functions: ReadonlySet<string>
  /** Reads a script inside the command; its parts are told where `at` stands. `piped`: as above, for the script. */
  script(text: string, at: Word, piped: boolean): Verdict
  /** Judges a command inside the command: what a wrapper runs. */
  command(words: readonly Word[], setting: Setting): Verdict
}

/** Judges the words after the program's name. Undefined: nothing special about them, see the tables. */
export type Judge = (words: readonly Word[], setting: Setting, program: string) => Verdict | undefined
