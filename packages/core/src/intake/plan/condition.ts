import type { JsonValue } from '../../contract/json.ts'
import { type Reference, soleReference } from './references.ts'

/**
 * Owns the language of `when`: references, strings, numbers, `true`, `false`, `null`, `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`
 * and brackets. It has no names, no calls and no assignments: nothing in it can do anything but compare. Bounded in length and depth.
 */

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

export type Condition =
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'reference'; readonly reference: Reference }
  | { readonly type: 'not'; readonly of: Condition }
  | { readonly type: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly type: 'compare'; readonly by: Comparison; readonly left: Condition; readonly right: Condition }

export type ConditionRead = { readonly ok: true; readonly condition: Condition } | { readonly ok: false; readonly message: string }

/** Characters. Ours: conditions are a line. */
const LONGEST = 1_000
const DEEPEST = 32

const TOKEN = /\s*(\$\{[^{}]*\}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z]+|[=!<>]=|&&|\|\||[<>!()])/y
const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['==', '=='],
  ['!=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/**
 * Reads a condition.
 *
 * @example
 * ```ts
 * parseCondition('${search.count} > 0 && !${search.partial}').ok // true
 * parseCondition('process.exit()').ok // false
 * ```
 */
export function parseCondition(text: string): ConditionRead {
  if (text.length > LONGEST) return { ok: false, message: `it is longer than ${LONGEST} characters` }
  const tokens = tokensOf(text)
  if (typeof tokens === 'number')
    return { ok: false, message: `${JSON.stringify(text.slice(tokens, tokens + 20))} is no part of a condition` }
  const parser = new Parser(tokens)
  const condition = parser.either(0)
  return condition === undefined || !parser.done ? { ok: false, message: parser.fault } : { ok: true, condition }
}

function tokensOf(text: string): readonly string[] | number {
  const tokens: string[] = []
  let at = 0
  while (text.slice(at).trim() !== '') {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[1]
    if (token === undefined) return at
    tokens.push(token)
    at = TOKEN.lastIndex
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly string[]
  #at = 0
  #fault: string | undefined

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at === this.#tokens.length
  }

  get fault(): string {
    const token = this.#tokens[this.#at]
    return this.#fault ?? (token === undefined ? 'it ends too early' : `${token} was not expected there`)
  }

  either(depth: number): Condition | undefined {
    let left = this.#both(depth)
    while (left !== undefined && this.#take('||')) {
      const right = this.#both(depth)
      left = right && { type: 'or', left, right }
    }
    return left
  }

  #both(depth: number): Condition | undefined {
    let left = this.#one(depth)
    while (left !== undefined && this.#take('&&')) {
      const right = this.#one(depth)
      left = right && { type: 'and', left, right }
    }
    return left
  }

  #one(depth: number): Condition | undefined {
    const left = this.#operand(depth)
    const by = COMPARISONS.get(this.#tokens[this.#at] ?? '')
    if (left === undefined || by === undefined) return left
    this.#at++
    const right = this.#operand(depth)
    return right && { type: 'compare', by, left, right }
  }

  #operand(depth: number): Condition | undefined {
    if (depth > DEEPEST) {
      this.#fault ??= `it is nested deeper than ${DEEPEST} levels`
      return undefined
    }
    if (this.#take('!')) {
      const of = this.#operand(depth + 1)
      return of && { type: 'not', of }
    }
    if (this.#take('(')) {
      const inside = this.either(depth + 1)
      return this.#take(')') ? inside : undefined
    }
    const token = this.#tokens[this.#at]
    const read = token === undefined ? undefined : literal(token)
    if (read !== undefined) this.#at++
    return read
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }
}

function literal(token: string): Condition | undefined {
  const first = token.charAt(0)
  if (first === '$') {
    const reference = soleReference(token)
    return reference && { type: 'reference', reference }
  }
  if (first === '"' || first === "'") return { type: 'value', value: token.slice(1, -1).replace(/\\(.)/gs, '$1') }
  if (first === '-' || (first >= '0' && first <= '9')) return { type: 'value', value: Number(token) }
  const word = WORDS.get(token)
  return word === undefined ? undefined : { type: 'value', value: word }
}

/** All references in a condition. */
export function referencesIn(condition: Condition): readonly Reference[] {
  switch (condition.type) {
    case 'value':
      return []
    case 'reference':
      return [condition.reference]
    case 'not':
      return referencesIn(condition.of)
    case 'and':
    case 'or':
    case 'compare':
      return [...referencesIn(condition.left), ...referencesIn(condition.right)]
    default:
      return condition satisfies never
  }
}
