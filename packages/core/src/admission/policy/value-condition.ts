import type { JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { type Answer, both, flipped, negated, over, type Quantifier, type ValueTest } from './answer.ts'
import type { Found } from './argument-path.ts'
import { type CommandReaders, commandTest } from './command-condition.ts'
import { compileNames } from './name-patterns.ts'
import { pathTest } from './path-condition.ts'
import { listed, type ValueCondition } from './policy-document.ts'
import { urlTest } from './url-condition.ts'

/**
 * Owns what one named argument must be: a condition of a rule, compiled. The members of a list are looked at one by one, except by
 * `equals`. A value of another kind than the condition speaks of has no answer.
 */

export interface ConditionContext {
  /** Absolute. */
  readonly workspace: string
  readonly readers: CommandReaders
}

export interface CompiledValue {
  /** The answer for an argument that is not given. */
  readonly absent: boolean
  /** For one value that is there. */
  one(value: JsonValue, quantifier: Quantifier): Answer
  /** Over all that the argument's name stands for. */
  test(found: Found, quantifier: Quantifier): Answer
}

export function compileValue(condition: ValueCondition, context: ConditionContext): CompiledValue {
  const whole = condition.equals === undefined ? undefined : equalsTest(condition.equals)
  const each = eachTests(condition, context)
  const inner = condition.not === undefined ? undefined : compileValue(condition.not, context)
  const absent = condition.absent === true
  const onlyAbsent = whole === undefined && inner === undefined && each.length === 0
  const one = (value: JsonValue, quantifier: Quantifier): Answer => {
    if (onlyAbsent) return false
    let answer: Answer = true
    if (whole !== undefined) answer = whole(value, quantifier)
    if (each.length > 0 && answer !== false) answer = both(answer, overMembers(value, quantifier, each, absent))
    if (inner !== undefined && answer !== false) answer = both(answer, negated(inner.one(value, flipped(quantifier))))
    return answer
  }
  return {
    absent,
    one,
    test({ values, missing }, quantifier) {
      if (values.length === 0) return absent
      // A rule that gives must hold for all that is named; a rule that takes looks at what is there.
      if (missing && quantifier === 'every') return false
      return over(values, quantifier, (value) => one(value, quantifier))
    },
  }
}

/** The members of a list, lists in it too; an empty list is like an argument that is not given. */
function overMembers(value: JsonValue, quantifier: Quantifier, tests: readonly ValueTest[], absent: boolean): Answer {
  if (!Array.isArray(value)) return passes(value, quantifier, tests)
  // Deeper nesting than JSON is parsed to does not arrive here.
  const members: readonly unknown[] = value.flat(Number.POSITIVE_INFINITY)
  return members.length === 0 ? absent : over(members, quantifier, (one) => passes(one, quantifier, tests))
}

function passes(value: unknown, quantifier: Quantifier, tests: readonly ValueTest[]): Answer {
  let answer: Answer = true
  for (const test of tests) {
    answer = both(answer, test(value, quantifier))
    if (answer === false) return false
  }
  return answer
}

function eachTests(condition: ValueCondition, context: ConditionContext): readonly ValueTest[] {
  const tests: ValueTest[] = []
  // The cheap ones first.
  const { min, max } = condition
  if (min !== undefined || max !== undefined) tests.push(rangeTest(min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY))
  if (condition.in !== undefined) tests.push(setTest(condition.in))
  if (condition.methods !== undefined) tests.push(methodTest(listed(condition.methods)))
  if (condition.text !== undefined) {
    const fits = compileNames(listed(condition.text))
    tests.push((value) => (typeof value === 'string' ? fits(value) : undefined))
  }
  const { hosts, schemes, ports } = condition
  if (hosts !== undefined || schemes !== undefined || ports !== undefined) {
    tests.push(
      urlTest({
        hosts: hosts === undefined ? undefined : listed(hosts),
        schemes: schemes === undefined ? undefined : listed(schemes),
        ports: ports === undefined ? undefined : listed(ports),
      }),
    )
  }
  if (condition.command !== undefined) tests.push(commandTest(condition.command, context.readers))
  if (condition.paths !== undefined) tests.push(pathTest(listed(condition.paths), context.workspace))
  return tests
}

function rangeTest(min: number, max: number): ValueTest {
  return (value) => (typeof value === 'number' && !Number.isNaN(value) ? value >= min && value <= max : undefined)
}

function setTest(values: readonly JsonValue[]): ValueTest {
  const set = new Set<unknown>(values)
  const kinds = new Set(values.map(kindOf))
  return (value) => (set.has(value) ? true : kinds.has(kindOf(value)) ? false : undefined)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}

function methodTest(methods: readonly string[]): ValueTest {
  const set = new Set(methods.map((method) => method.toUpperCase()))
  return (value) => (typeof value === 'string' && /^[A-Za-z]+$/.test(value) ? set.has(value.toUpperCase()) : undefined)
}

function equalsTest(wanted: JsonValue): ValueTest {
  if (typeof wanted !== 'object' || wanted === null) return (value) => value === wanted
  const text = canonicalJson(wanted)
  return (value) => typeof value === 'object' && value !== null && canonicalJson(value) === text
}
