import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import { ITEM, type Reference, written } from '../../intake/plan/references.ts'
import type { StepOutput } from './step-output.ts'

/** What the references of one call may stand for. */
export interface Scope {
  /** Undefined for a step that gave nothing: it was passed over. */
  output(step: string): StepOutput | undefined
  /** Of a `for_each`. */
  readonly item?: { readonly value: JsonValue }
}

export type LookUp = { readonly found: true; readonly value: JsonValue } | { readonly found: false; readonly why: string }

/**
 * Finds what a reference stands for. Own members only: no reference reaches what every object inherits.
 */
export function lookUp(reference: Reference, scope: Scope): LookUp {
  const { from, path } = reference
  if (from === ITEM && scope.item !== undefined) return follow(reference, scope.item.value, path)
  const output = scope.output(from)
  if (output === undefined) return { found: false, why: `${written(reference)} is empty: step ${from} was not run` }
  if (path.length === 1 && path[0] === 'text') return { found: true, value: output.text }
  // Most tools for people answer in lines, and the next step wants them one by one.
  if (path[0] === 'lines' && typeof output.value === 'string') return follow(reference, { lines: linesOf(output.text) }, path)
  return follow(reference, output.value, path)
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function follow(reference: Reference, value: JsonValue, path: readonly string[]): LookUp {
  let current = value
  for (const [at, name] of path.entries()) {
    const next = member(current, name)
    if (next === undefined) {
      const place = written({ from: reference.from, path: path.slice(0, at) })
      return { found: false, why: `${written(reference)} is not there: ${place} is ${kindOf(current)}` }
    }
    current = next
  }
  return { found: true, value: current }
}

function member(value: JsonValue, name: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    if (name === 'length') return value.length
    return /^\d+$/.test(name) ? value[Number(name)] : undefined
  }
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return `a list of ${value.length} items`
  if (!isJsonObject(value)) return value === null ? 'null' : `a ${typeof value}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an object without members'
  return `an object with ${keys.slice(0, 8).join(', ')}${keys.length > 8 ? ` and ${keys.length - 8} more` : ''}`
}
