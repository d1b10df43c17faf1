/** Functions of lists and tuples. */

/** Sums a list. */
export function sumList(values: number[]): { values: number[] } {
  return { values: values.map((value) => value + 0) }
}

/**
 * Takes a list with bounds.
 * @param values between one and three @minItems 1 @maxItems 3
 */
export function takeBounded(values: readonly string[]): { values: readonly string[] } {
  return { values }
}

/** Takes a table. */
export function takeTable(rows: readonly (readonly number[])[]): { rows: readonly (readonly number[])[] } {
  return { rows }
}

/** Takes a pair. */
export function takePair(pair: [string, number]): { pair: [string, number] } {
  return { pair }
}

/** Takes a named tuple with an optional end. */
export function takeRange(range: [from: number, to: number, step?: number]): { range: readonly (number | undefined)[] } {
  return { range }
}

/** Takes a tuple with a rest. */
export function takeCommand(command: readonly [name: string, ...flags: boolean[]]): { command: readonly [string, ...boolean[]] } {
  return { command }
}

/** Takes a list of words. */
export function takeWords(words: ('a' | 'b' | 'c')[]): { words: string[] } {
  return { words }
}

/** Takes a list of a choice. */
export function takeChoices(values: Array<number | string | null>): { values: (number | string | null)[] } {
  return { values }
}

/** Takes a list of objects. */
export function takePoints(points: { x: number; y: number; label?: string }[]): { points: { x: number; y: number; label?: string }[] } {
  return { points }
}

/** Takes a set. */
export function takeSet(names: Set<string>): { names: Set<string> } {
  return { names: new Set(names.values()) }
}

/** Takes a set that nobody changes, with a default. */
export function takeReadonlySet(ids: ReadonlySet<number> = new Set([1, 2])): { ids: ReadonlySet<number> } {
  return { ids: new Set(ids.values()) }
}

/** Takes numbers as the rest. */
export function takeRest(...values: number[]): { values: number[] } {
  return { values }
}

type Nested = (number | Nested)[]

/** Takes lists in lists. */
export function takeNested(nested: Nested): { nested: Nested } {
  return { nested }
}

/** Takes pairs. */
export function takePairs(pairs: [string, boolean][]): { pairs: [string, boolean][] } {
  return { pairs }
}
