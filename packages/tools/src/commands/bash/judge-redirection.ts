/** Owns what `>`, `<` and their like do. */
import { isNothing, systemPath } from './data/paths.ts'
import { dangerous, type Verdict, write } from './verdict.ts'
import type { Word } from './word.ts'

/** Undefined: it changes nothing. */
export function judgeRedirection(operator: string, target: Word | undefined): Verdict | undefined {
  switch (operator) {
    case '<':
    case '<&':
    case '<&-':
    case '>&-':
      return target !== undefined && /^\/dev\/(?:tcp|udp)\//.test(target.pattern)
        ? dangerous('opens a connection to another machine')
        : undefined
    case '>&':
      if (target?.text !== undefined && /^(?:\d+-?|-)$/.test(target.text)) return undefined
      return toFile(target)
    case '>':
    case '>>':
    case '>|':
    case '&>':
    case '&>>':
    case '<>':
      return toFile(target)
    default:
      return dangerous(`has the redirection ${operator}, which is not understood`)
  }
}

function toFile(target: Word | undefined): Verdict {
  if (target === undefined) return dangerous('writes where only the run will tell')
  // `>(…)`: what runs in it is judged where it stands.
  const reason = target.text !== undefined && isNothing(target.text) ? undefined : systemPath(target.pattern)
  if (reason !== undefined) return dangerous(reason)
  return target.text !== undefined && isNothing(target.text) ? { effect: 'read', reason: 'writes to nowhere' } : write('writes a file (>)')
}
