import type { CommandLanguage, CommandPart, ReadCommand } from '../../contract/command.ts'
import type { Effect } from '../../contract/tool.ts'
import { type Answer, both, either, over, type Quantifier, type ValueTest } from './answer.ts'
import { calledByName } from './called-by-name.ts'
import { compileNames, type TextTest } from './name-patterns.ts'
import { type CommandCondition, listed } from './policy-document.ts'

/**
 * Owns what the simple commands of a script must be. A script is read by an injected reader; what it cannot say (a program that is only
 * known when it runs, a language without a reader) nobody can say here.
 *
 * A rule that gives is read narrowly: the program must be called by its bare name, and what is dangerous is covered only where the rule
 * names effects.
 */

export type CommandReaders = Partial<Record<CommandLanguage, ReadCommand>>

export function commandTest(condition: CommandCondition, readers: CommandReaders): ValueTest {
  const read = readers[condition.language]
  const programs = condition.programs === undefined ? undefined : compileNames(listed(condition.programs))
  const effects = condition.effects === undefined ? undefined : new Set<Effect>(listed(condition.effects))
  const run = condition.run === undefined ? undefined : listed(condition.run).map(commandPattern)
  const asksProgram = programs !== undefined || run !== undefined
  return (value, quantifier) => {
    if (typeof value !== 'string' || read === undefined) return undefined
    const { parts, effect } = read(value)
    // What was not taken apart has nothing to compare, but may be known to be harmful as a whole.
    if (parts.length === 0) return asksProgram || effects === undefined ? undefined : effects.has(effect)
    const counted = asksProgram ? parts.filter((part) => countsFor(part, quantifier)) : parts
    if (counted.length === 0) return quantifier === 'every' ? undefined : false
    const answer = over(counted, quantifier, (part) => fits(part, value, quantifier))
    // The whole may be worse than each of its parts.
    if (effects === undefined || parts.some((part) => part.effect === effect)) return answer
    return quantifier === 'every' ? both(answer, effects.has(effect)) : either(answer, effects.has(effect))
  }

  function fits(part: CommandPart, command: string, quantifier: Quantifier): Answer {
    if (effects !== undefined && !effects.has(part.effect)) return false
    if (!asksProgram) return true
    if (part.program === undefined) return undefined
    let answer: Answer = programs === undefined || programs(part.program)
    if (answer !== false && run !== undefined) answer = both(answer, matchesAny(run, part))
    if (answer !== true || quantifier === 'some') return answer
    if (effects === undefined && part.effect === 'dangerous') return undefined
    return calledByName(command.slice(part.start, part.end), part.program) ? true : undefined
  }
}

/**
 * Whether a rule on programs speaks of a part. What runs none (a variable, a redirection) is not covered by a rule that gives unless it
 * changes nothing, and is no program that a rule takes; what is dangerous may run whatever it likes.
 */
function countsFor({ program, effect }: CommandPart, quantifier: Quantifier): boolean {
  return program !== undefined || effect === 'dangerous' || (quantifier === 'every' && effect === 'write')
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
