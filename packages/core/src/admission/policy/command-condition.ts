import type { CommandLanguage, CommandPart, ReadCommand } from '../../contract/command.ts'
import type { Effect } from '../../contract/tool.ts'
import { type Answer, both, either, over, type ValueTest } from './answer.ts'
import { compileNames, type TextTest } from './name-patterns.ts'
import { type CommandCondition, listed } from './policy-document.ts'

/**
 * Owns what the simple commands of a script must be. A script is read by an injected reader; what it cannot say (a program that is only
 * known when it runs, a language without a reader) nobody can say here.
 */

export type CommandReaders = Partial<Record<CommandLanguage, ReadCommand>>

export function commandTest(condition: CommandCondition, readers: CommandReaders): ValueTest {
  const read = readers[condition.language]
  const programs = condition.programs === undefined ? undefined : compileNames(listed(condition.programs))
  const effects = condition.effects === undefined ? undefined : new Set<Effect>(listed(condition.effects))
  const run = condition.run === undefined ? undefined : listed(condition.run).map(commandPattern)
  return (value, quantifier) => {
    if (typeof value !== 'string' || read === undefined) return undefined
    const { parts, effect } = read(value)
    // What was not taken apart has nothing to compare, but may be known to be harmful as a whole.
    if (parts.length === 0) {
      if (programs !== undefined || run !== undefined || effects === undefined) return undefined
      return effects.has(effect)
    }
    const answer = over(parts, quantifier, (part) => fits(part))
    // The whole may be worse than each of its parts.
    if (effects === undefined || parts.some((part) => part.effect === effect)) return answer
    return quantifier === 'every' ? both(answer, effects.has(effect)) : either(answer, effects.has(effect))
  }

  function fits(part: CommandPart): Answer {
    let answer: Answer = effects === undefined || effects.has(part.effect)
    if (answer && programs !== undefined) answer = part.program === undefined ? undefined : programs(part.program)
    if (answer !== false && run !== undefined) answer = both(answer, matchesAny(run, part))
    return answer
  }
}

/** One test a word; `rest`: any number of words may follow. */
interface CommandPattern {
  readonly words: readonly TextTest[]
  readonly rest: boolean
}

function commandPattern(text: string): CommandPattern {
  const words = text.trim().split(/\s+/)
  const rest = words.at(-1) === '**'
  return { words: (rest ? words.slice(0, -1) : words).map((word) => compileNames([word])), rest }
}

function matchesAny(patterns: readonly CommandPattern[], part: CommandPart): Answer {
  if (part.program === undefined || part.words === undefined) return undefined
  const words = [part.program, ...part.words]
  return over(patterns, 'some', (pattern) => matchesWords(pattern, words))
}

/** A word that is only known when it runs may become several, or none: what follows it cannot be compared. */
function matchesWords({ words, rest }: CommandPattern, given: readonly (string | undefined)[]): Answer {
  for (const [at, test] of words.entries()) {
    if (at >= given.length) return false
    const word = given[at]
    if (word === undefined) return undefined
    if (!test(word)) return false
  }
  if (rest || words.length === given.length) return true
  return given.slice(words.length).every((word) => word === undefined) ? undefined : false
}
