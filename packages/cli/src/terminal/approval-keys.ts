/** The answers to a question and the key of each: one table for both kinds of terminal, and for the line that stays afterwards. */
import type { ApprovalView } from './approval-view.ts'

export type ApprovalKey = 'y' | 'c' | 't' | 'a' | 'm' | 'e' | 'n' | 'v'

export interface KeyWords {
  readonly key: ApprovalKey
  readonly words: string
  /** Where there is little room. */
  readonly short: string
}

/** What can be answered to this question, in the order in which it is shown. */
export function keysOf(view: ApprovalView): readonly KeyWords[] {
  const count = 1 + view.others
  return [
    { key: 'y', words: 'once', short: 'once' },
    { key: 'c', words: 'this call, whole session', short: 'call, session' },
    { key: 't', words: 'this tool, whole session', short: 'tool, session' },
    ...(view.saves.length === 0 ? [] : [{ key: 'a' as const, words: 'always', short: 'always' }]),
    ...(view.others === 0 ? [] : [{ key: 'm' as const, words: `all ${count} that match`, short: `all ${count}` }]),
    { key: 'e', words: 'edit', short: 'edit' },
    { key: 'n', words: 'no', short: 'no' },
    { key: 'v', words: 'view all', short: 'view' },
  ]
}

/** What an answer to "Run it?" says, as it is typed: a key, or the word of it. Enter alone is yes, save to what is dangerous. */
export function questionWords({ effect }: ApprovalView): string {
  return effect === 'dangerous' ? 'Run it? [y/n]' : 'Run it? [Y/n]'
}

/** Why a grant for a whole tool is asked about again when the tool does harm. */
export function toolGrantWords({ tool }: ApprovalView): string {
  return `Every dangerous call of ${tool} would run unasked for the rest of the session, whatever its arguments.`
}
