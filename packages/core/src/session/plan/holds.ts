import type { JsonValue } from '../../contract/json.ts'
import type { Comparison, Condition } from '../../intake/plan/condition.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { lookUp, type Scope } from './look-up.ts'

/**
 * Whether a condition holds. What is not there counts as `null`. `false`, `null`, `0` and `""` do not hold by themselves. `==` compares whole
 * values; `<` and its kin two numbers or two texts, and hold for nothing else. Never throws.
 */
export function holds(condition: Condition, scope: Scope): boolean {
  const value = evaluate(condition, scope)
  return value !== false && value !== null && value !== 0 && value !== ''
}

function evaluate(condition: Condition, scope: Scope): JsonValue {
  switch (condition.type) {
    case 'value':
      return condition.value
    case 'reference': {
      const found = lookUp(condition.reference, scope)
      return found.found ? found.value : null
    }
    case 'not':
      return !holds(condition.of, scope)
    case 'and':
      return holds(condition.left, scope) && holds(condition.right, scope)
    case 'or':
      return holds(condition.left, scope) || holds(condition.right, scope)
    case 'compare':
      return compare(condition.by, evaluate(condition.left, scope), evaluate(condition.right, scope))
    default:
      return condition satisfies never
  }
}

function compare(by: Comparison, left: JsonValue, right: JsonValue): boolean {
  if (by === '==' || by === '!=') {
    const same = left === right || (typeof left === 'object' && typeof right === 'object' && canonicalJson(left) === canonicalJson(right))
    return same === (by === '==')
  }
  const order = orderOf(left, right)
  if (order === undefined) return false
  switch (by) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    default:
      return by satisfies never
  }
}

function orderOf(left: JsonValue, right: JsonValue): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  return undefined
}
