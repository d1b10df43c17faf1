import type { CallWriter } from './call-writer.ts'

/**
 * Owns the words that the readers of calls written as text share. A reader is given what stands behind its opener, piece by piece, and
 * says where its form ends. It looks at no character twice, but for what it holds back because more has to come first.
 */

/** The forms in which a call may be written, as the `end` event names them. */
export type TextFormat =
  | 'tool_use'
  | 'hermes'
  | 'qwen-xml'
  | 'glm'
  | 'invoke'
  | 'dsml'
  | 'deepseek'
  | 'kimi'
  | 'harmony'
  | 'mistral'
  | 'json-list'
  | 'llama-json'
  | 'pythonic'
  | 'gemma'
  | 'fenced-json'

export type BodyStep =
  /** Everything read but `rest`, which must come again with more behind it. */
  | { readonly type: 'more'; readonly rest: string }
  /** The form has ended; `rest` is what follows it. */
  | { readonly type: 'done'; readonly rest: string }

export interface BodyReader {
  /** @param final no more text will come: then the answer is `done` */
  read(text: string, final: boolean): BodyStep
  /** Marks that are dropped, with the white space before them, where they follow directly. */
  readonly trailing?: readonly string[]
}

/** What a reader says when it has read everything. */
export const MORE: BodyStep = { type: 'more', rest: '' }

/** What a reader is made with. */
export interface ReaderContext {
  readonly calls: CallWriter
  /** Whether a call's opener stands at `at`; `wait` when the text ends inside what may be one. */
  opens(text: string, at: number, final: boolean): boolean | 'wait'
  readonly text: (text: string) => void
  readonly reasoning: (text: string) => void
  /** No thinking begins any more: the rest was thought already, and is read again because the thinking never ended. */
  readonly thoughtOver: () => void
}

/** Which of `marks` stands at `at`; `wait` when the text ends inside what may be one. */
export function markAt(text: string, at: number, marks: readonly string[], final: boolean): string | 'wait' | undefined {
  for (const mark of marks) if (text.startsWith(mark, at)) return mark
  return !final && mayBegin(text, at, marks) ? 'wait' : undefined
}

/** Whether the text ends, from `at` on, inside one of `marks`. */
export function mayBegin(text: string, at: number, marks: readonly string[]): boolean {
  const rest = text.length - at
  for (const mark of marks) if (rest < mark.length && text.endsWith(mark.slice(0, rest))) return true
  return false
}
