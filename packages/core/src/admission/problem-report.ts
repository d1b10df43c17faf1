import { isJsonObject, type JsonSchema, ownValue } from '../contract/json.ts'
import { bestAlternative } from './best-alternative.ts'
import { describeSchema, describeValue } from './describe-schema.ts'
import { twinsIn } from './exact-keywords.ts'
import { clippedJson, isJsonArray, isSchema, pointerKeys, pointerToken, valueAt } from './json-shape.ts'
import { nearestNames } from './nearest-names.ts'
import { exampleFor, exampleOf } from './schema-example.ts'
import type { CompiledSchema, Issue } from './validate.ts'

/**
 * Owns what a model is told about wrong arguments: for each, which one, what was got, what is expected, an example. Bounded
 * whatever the arguments and the schema are. Pure.
 */

export interface ArgumentProblem {
  /** As one would write it in code: `filter.dates[0]`; empty for the arguments as a whole. */
  readonly argument: string
  /** Type and clipped value, or `nothing`. */
  readonly got: string
  readonly expected: string
  /** JSON text. */
  readonly example?: string
}

export interface ProblemReport {
  readonly message: string
  readonly hint: string
  readonly problems: readonly ArgumentProblem[]
}

/** Problems told at once. A model that has corrected these hears of the rest. Ours. */
const MAX_PROBLEMS = 8
/** Unions looked into; each costs a check of every alternative. Ours. */
const MAX_UNIONS = 64
const MAX_EXAMPLE = 160
const MAX_WHOLE_EXAMPLE = 400

/**
 * @param value the arguments that `issues` are about
 * @example
 * ```ts
 * reportProblems('read_file', compiled, {}, compiled.issues({})).message
 * // Wrong arguments for read_file:
 * // - path: got nothing, expected string, for example "notes.md"
 * ```
 */
export function reportProblems(toolName: string, compiled: CompiledSchema, value: unknown, issues: readonly Issue[]): ProblemReport {
  const found = new Map<string, ArgumentProblem>()
  const places = new Set<string>()
  for (const issue of plainIssues(compiled, value, issues)) {
    places.add(placeOf(issue))
    if (places.size > MAX_PROBLEMS) continue
    const problem = problemOf(compiled.schema, value, issue)
    if (!found.has(problem.argument)) found.set(problem.argument, problem)
  }
  const shown = [...found.values()]
  const lines = shown.map((problem) => {
    const example = problem.example === undefined ? '' : `, for example ${problem.example}`
    return `- ${problem.argument || 'the arguments'}: got ${problem.got}, expected ${problem.expected}${example}`
  })
  if (places.size > MAX_PROBLEMS) lines.push(`- and ${places.size - MAX_PROBLEMS} more`)
  const whole = wholeExample(compiled)
  if (whole !== undefined) lines.push(`Arguments that fit: ${whole}`)
  const names = shown.map((problem) => problem.argument).filter((name) => name !== '')
  const what = names.length === 0 ? 'the arguments' : names.slice(0, 3).join(', ') + (names.length > 3 ? ' and the others' : '')
  return {
    message: `Wrong arguments for ${toolName}:\n${lines.join('\n')}`,
    hint: `Correct ${what} and call ${toolName} again.`,
    problems: shown,
  }
}

function wholeExample(compiled: CompiledSchema): string | undefined {
  const example = exampleFor(compiled)
  if (!isJsonObject(example) || Object.keys(example).length === 0) return undefined
  const text = JSON.stringify(example)
  return text.length <= MAX_WHOLE_EXAMPLE ? text : undefined
}

/** Without the noise of alternatives that were not meant: of each union, one issue, or those of the alternative that was. */
function plainIssues(compiled: CompiledSchema, value: unknown, issues: readonly Issue[]): readonly Issue[] {
  let plain: Issue[] = []
  let unions = 0
  for (const issue of issues) {
    if (issue.keyword === 'if' || (issue.keyword === 'not' && plain.length > 0)) continue
    if (issue.keyword !== 'anyOf' && issue.keyword !== 'oneOf') {
      plain.push(issue)
      continue
    }
    // More than can be told about: as they are.
    if (++unions > MAX_UNIONS) {
      plain.push(issue)
      continue
    }
    // What the alternatives said stands directly before; it lies at the same place or below.
    plain = plain.filter((other) => other.pointer === issue.pointer || !isAtOrBelow(other.path, issue.path))
    plain.push(...(bestAlternative(compiled, valueAt(value, issue.path), issue) ?? [issue]))
  }
  return plain.length > 0 ? plain : issues
}

function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`)
}

/** The JSON Pointer of the argument that an issue is about. */
function placeOf(issue: Issue): string {
  for (const key of ['missingProperty', 'additionalProperty', 'unevaluatedProperty']) {
    const name: unknown = issue.params[key]
    if (typeof name === 'string') return `${issue.path}/${pointerToken(name)}`
  }
  return issue.path
}

function problemOf(root: JsonSchema, value: unknown, issue: Issue): ArgumentProblem {
  const schema = issue.schema ?? true
  const named = (key: string): string | undefined => {
    const name: unknown = issue.params[key]
    return typeof name === 'string' ? name : undefined
  }
  const missing = named('missingProperty')
  if (missing !== undefined) {
    const property = propertyOf(schema, missing)
    const because = named('property')
    const expected = `${describeSchema(root, property)}${issue.keyword === 'required' ? '' : ` (needed with ${because ?? 'another argument'})`}`
    return withExample(root, property, { argument: dotted(`${issue.path}/${pointerToken(missing)}`), got: 'nothing', expected })
  }
  const extra = named('additionalProperty') ?? named('unevaluatedProperty')
  if (extra !== undefined) {
    const holder = valueAt(value, issue.path)
    const got = describeValue(isJsonObject(holder) ? ownValue(holder, extra) : undefined)
    return { argument: dotted(`${issue.path}/${pointerToken(extra)}`), got, expected: `no such argument${allowedNames(schema, extra)}` }
  }
  const argument = dotted(issue.path)
  const got = describeValue(valueAt(value, issue.path))
  const rule = RULES[issue.keyword]
  if (rule !== undefined) return { argument, got, expected: rule(issue) }
  return withExample(root, schema, { argument, got, expected: describeSchema(root, schema) })
}

/** What the description of the whole schema would not say. */
const RULES: Readonly<Record<string, (issue: Issue) => string>> = {
  'false schema': (issue) => (issue.path === '' ? 'nothing: no arguments fit this tool' : 'it to be left out'),
  not: (issue) => `anything but ${describeSchema(true, schemaIn(issue, 'not'))}`,
  oneOf: (issue) =>
    isJsonArray(issue.params.passingSchemas)
      ? `a value that fits one alternative only (it fits number ${issue.params.passingSchemas.map((index) => Number(index) + 1).join(' and ')})`
      : describeSchema(true, issue.schema ?? true),
  uniqueItems: (issue) => {
    const twins = isJsonArray(issue.value) ? twinsIn(issue.value) : undefined
    return `different items${twins === undefined ? '' : ` (items ${twins[0]} and ${twins[1]} are the same)`}`
  },
  contains: (issue) =>
    `at least ${String(issue.params.minContains ?? 1)} item that is ${describeSchema(true, schemaIn(issue, 'contains'))}`,
  propertyNames: (issue) =>
    `other names than ${clippedJson(issue.params.propertyName)}: ${describeSchema(true, schemaIn(issue, 'propertyNames'))}`,
  additionalItems: (issue) => `at most ${String(issue.params.limit)} items`,
  items: (issue) => `at most ${String(issue.params.limit)} items`,
  unevaluatedItems: (issue) => `at most ${String(issue.params.len)} items`,
  minProperties: (issue) => `at least ${String(issue.params.limit)} members`,
  maxProperties: (issue) => `at most ${String(issue.params.limit)} members`,
}

function schemaIn(issue: Issue, keyword: string): JsonSchema {
  const inner = issue.schema === undefined ? undefined : ownValue(issue.schema, keyword)
  return isSchema(inner) ? inner : true
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema {
  const properties = isJsonObject(schema) ? ownValue(schema, 'properties') : undefined
  const property = isJsonObject(properties) ? ownValue(properties, name) : undefined
  return isSchema(property) ? property : true
}

function allowedNames(schema: JsonSchema, wrong: string): string {
  const properties = isJsonObject(schema) ? ownValue(schema, 'properties') : undefined
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  if (names.length === 0) return ''
  const [nearest] = nearestNames(wrong, names, 1)
  if (nearest !== undefined) return `; did you mean ${nearest}?`
  return `; there are ${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`
}

function withExample(root: JsonSchema, schema: JsonSchema, problem: ArgumentProblem): ArgumentProblem {
  const example = exampleOf(root, schema)
  if (example === undefined) return problem
  const text = JSON.stringify(example)
  // The description of a choice has its values already.
  if (text.length > MAX_EXAMPLE || problem.expected.startsWith('one of ') || problem.expected === 'any value') return problem
  return { ...problem, example: text }
}

/** `/filter/dates/0` → `filter.dates[0]`. */
function dotted(pointer: string): string {
  const keys = pointerKeys(pointer.length > 400 ? `${pointer.slice(0, 400)}…` : pointer)
  return keys
    .map((key, at) => {
      if (/^\d+$/.test(key)) return `[${key}]`
      if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `[${clippedJson(key, 60)}]`
      return at === 0 ? key : `.${key}`
    })
    .join('')
}
