import type { KeywordDefinition } from 'ajv'
import { canonicalJson } from '../util/canonical-json.ts'

/**
 * Owns the keywords that compare whole JSON values. The compiler's own ones compare by JavaScript object: an object without a
 * prototype equals nothing, one with a member `valueOf` throws, and finding twins among n objects takes n² comparisons. These
 * compare by what the JSON says, twins in one pass.
 */

/** Always right and as fast as the compiler's own for scalars, linear for objects. */
export const UNIQUE_ITEMS: KeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: false,
  error: { message: 'must not have items that are the same' },
  validate: (wanted: boolean, items: readonly unknown[]) => !wanted || twinsIn(items) === undefined,
}

/** Slower than the compiler's own; needed only where an object or a list is among the choices. */
export const EXACT_CHOICES: readonly KeywordDefinition[] = [
  {
    keyword: 'const',
    errors: false,
    error: { message: 'must be the constant' },
    compile: (fixed: unknown) => oneOf([fixed]),
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    error: { message: 'must be one of the choices' },
    compile: (choices: readonly unknown[]) => oneOf(choices),
  },
]

function oneOf(choices: readonly unknown[]): (value: unknown) => boolean {
  const known = new Set(choices.map(canonicalJson))
  return (value) => known.has(canonicalJson(value))
}

/**
 * The places of two items that are the same JSON value; the first such pair.
 *
 * @example
 * ```ts
 * twinsIn([{ a: 1, b: 2 }, 3, { b: 2, a: 1 }]) // [0, 2]
 * ```
 */
export function twinsIn(items: readonly unknown[]): readonly [first: number, second: number] | undefined {
  const seen = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    // A scalar is its own key; the text of an object never equals a text among the items, since it is kept apart by its mark.
    const key = typeof item === 'object' && item !== null ? `json:${canonicalJson(item)}` : typeof item === 'string' ? `text:${item}` : item
    const first = seen.get(key)
    if (first !== undefined) return [first, index]
    seen.set(key, index)
  }
  return undefined
}
