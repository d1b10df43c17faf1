/**
 * Owns what one event has in common with the next: its text without the values that may differ. Depends on the text alone; parses nothing.
 */
export interface EventShape {
  /** What stands before each value, and behind the last one. The quotes of a text stand in the parts. */
  readonly parts: readonly string[]
  readonly keys: readonly string[]
  /** As they are written, without quotes. */
  readonly values: readonly string[]
}

const NUMBERS: ReadonlySet<string> = new Set(['index', 'output_index', 'sequence_number', 'created'])

// In JSON that could be parsed, a quote before one of these words and a colon behind it make it a key: a quote in a text is escaped.
const VALUES =
  /"(arguments|partial_json|content|reasoning_content|reasoning|text|thinking|delta|obfuscation|id|item_id)": ?"((?:[^"\\]|\\.)*)"|"(index|output_index|sequence_number|created)": ?(0|[1-9]\d{0,14})(?!\d)/g

export function isNumberKey(key: string): boolean {
  return NUMBERS.has(key)
}

/** The shape of an event that is JSON, its lines and the empty one included. */
export function shapeOf(block: string): EventShape {
  const parts: string[] = []
  const keys: string[] = []
  const values: string[] = []
  let from = 0
  for (const found of block.matchAll(VALUES)) {
    const value = found[2] ?? found[4] ?? ''
    const end = found.index + found[0].length - (found[4] === undefined ? 1 : 0)
    parts.push(block.slice(from, end - value.length))
    keys.push(found[1] ?? found[3] ?? '')
    values.push(value)
    from = end
  }
  parts.push(block.slice(from))
  return { parts, keys, values }
}

/** Nothing but punctuation: blanks between it mean nothing. Some providers fill up their events with them, each with another number. */
export function isPunctuation(part: string): boolean {
  return /^"?[\]},\s]*$/.test(part)
}

export function withoutBlanks(part: string): string {
  return part.replaceAll(' ', '')
}

/** Whether two events differ in nothing but their values. */
export function isSameShape(one: EventShape, other: EventShape): boolean {
  const last = one.parts.length - 1
  if (other.parts.length !== one.parts.length) return false
  return one.parts.every((part, at) => {
    const counterpart = other.parts[at] ?? ''
    return part === counterpart || (at === last && isPunctuation(part) && withoutBlanks(part) === withoutBlanks(counterpart))
  })
}
