import { type ArgumentPath, readArgumentPath } from './argument-path.ts'
import { pathPatternProblem } from './path-patterns.ts'
import { listed, type OneOrMore, ORIGIN_KINDS, type PolicyRule, type RuleScope, type ValueCondition } from './policy-document.ts'
import type { SourcePath } from './policy-source.ts'
import { hostPatternProblem } from './url-condition.ts'

/**
 * Owns what a schema cannot say of a rule: whether its patterns can be read, and whether it can ever hold.
 */

export interface RuleProblem {
  readonly path: SourcePath
  readonly message: string
  /** The key, not its value, is wrong. */
  readonly key?: true
}

export function ruleProblems(rule: PolicyRule, at: SourcePath): readonly RuleProblem[] {
  const problems: RuleProblem[] = []
  if (rule.id === 'default') {
    problems.push({ path: [...at, 'id'], message: '"default" is what decisions call the default of a tier; choose another id' })
  }
  scopeProblems(rule, at, problems)
  for (const [index, scope] of (rule.except ?? []).entries()) scopeProblems(scope, [...at, 'except', index], problems)
  for (const [name, value] of Object.entries(rule.when ?? {})) {
    const path: ArgumentPath | undefined = readArgumentPath(name)
    if (path === undefined) {
      problems.push({
        path: [...at, 'when', name],
        key: true,
        message: `${JSON.stringify(name)} is no name of an argument; write path, target.path or /items/*/path`,
      })
    }
    valueProblems(value, [...at, 'when', name], problems)
  }
  return problems
}

function scopeProblems(scope: RuleScope, at: SourcePath, problems: RuleProblem[]): void {
  patterns(scope.origins, [...at, 'origins'], problems, (pattern) => {
    const kind = /^[^:*]*/.exec(pattern)?.[0] ?? ''
    if (pattern.includes('*') && !pattern.slice(0, pattern.indexOf('*')).includes(':')) return undefined
    if (ORIGIN_KINDS.some((known) => known === kind) && pattern.includes(':')) return undefined
    return `is no origin; write kind:from with one of the kinds ${ORIGIN_KINDS.join(', ')}, e.g. mcp:github`
  })
  for (const [name, value] of Object.entries(scope.who?.attributes ?? {})) {
    valueProblems(value, [...at, 'who', 'attributes', name], problems)
  }
}

function valueProblems(value: ValueCondition, at: SourcePath, problems: RuleProblem[]): void {
  patterns(value.paths, [...at, 'paths'], problems, pathPatternProblem)
  patterns(value.hosts, [...at, 'hosts'], problems, hostPatternProblem)
  patterns(value.command?.run, [...at, 'command', 'run'], problems, (pattern) => {
    if (pattern.trim() === '') return 'is empty'
    return /\s\*\*\s+\S/.test(pattern) || pattern.startsWith('** ')
      ? 'has "**" before its end; it stands for all words that follow'
      : undefined
  })
  if (value.min !== undefined && value.max !== undefined && value.min > value.max) {
    problems.push({ path: [...at, 'min'], message: `min ${value.min} is greater than max ${value.max}: nothing can be both` })
  }
  if (value.not !== undefined) valueProblems(value.not, [...at, 'not'], problems)
}

function patterns(
  values: OneOrMore<string> | undefined,
  at: SourcePath,
  problems: RuleProblem[],
  problemOf: (pattern: string) => string | undefined,
): void {
  for (const [index, pattern] of listed(values).entries()) {
    const problem = problemOf(pattern)
    if (problem === undefined) continue
    const shown = JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern)
    problems.push({ path: typeof values === 'string' ? at : [...at, index], message: `${shown} ${problem}` })
  }
}
