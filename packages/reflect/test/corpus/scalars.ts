/** Functions of plain values. Each gives back what it got, so that a test can see what arrived. */

/** Adds two numbers. */
export function addNumbers(a: number, b: number): { readonly a: number; readonly b: number } {
  return { a: a + 0, b: b + 0 }
}

/** Joins two texts. */
export function joinTexts(left: string, right: string): { left: string; right: string } {
  return { left: left.concat(''), right: right.concat('') }
}

/** Turns a switch. */
export function turnSwitch(on: boolean): { on: boolean } {
  return { on: on === true }
}

/** Takes nothing at all. */
export function takeNothing(): string {
  return 'done'
}

/**
 * Reads a page.
 * @param page which one, from 1 @minimum 1 @maximum 500 @integer
 * @param size lines of it
 * @minimum 10
 * @maximum 100
 */
export function readPage(page: number, size = 50): { page: number; size: number } {
  return { page, size }
}

/**
 * Finds a person.
 * @param code - the person's code @pattern ^[A-Z]{2}[0-9]{4}$
 * @param nick another name @minLength 2 @maxLength 12
 */
export function findPerson(code: string, nick?: string): { code: string; nick: string | undefined } {
  return { code: code.toUpperCase(), nick }
}

/** Takes what may be nothing. */
export function takeNullable(value: string | null, count: number | null): { value: string | null; count: number | null } {
  return { value, count }
}

/** Takes what may be left out. */
export function takeOptional(first?: string, second?: number, third?: boolean): { first?: string; second?: number; third?: boolean } {
  return {
    ...(first === undefined ? {} : { first }),
    ...(second === undefined ? {} : { second }),
    ...(third === undefined ? {} : { third }),
  }
}

/** Takes defaults of all kinds. */
export function takeDefaults(
  text = 'hello',
  count = -3,
  flag = true,
  list: readonly string[] = ['a', 'b'],
  point: { x: number; y: number } = { x: 1, y: 2 },
): { text: string; count: number; flag: boolean; list: readonly string[]; point: { x: number; y: number } } {
  return { text, count, flag, list, point }
}

const LIMIT = 25

/** Takes a default that has a name. */
export function takeNamedDefault(limit: number = LIMIT): { limit: number } {
  return { limit }
}

/** Takes a number or a text. */
export function takeEither(value: number | string): { value: number | string } {
  return { value }
}

/** Takes anything plain. */
export function takePlain(value: number | string | boolean | null): { value: number | string | boolean | null } {
  return { value }
}

/** Takes what is not known before. */
export function takeUnknown(value: unknown): { value: unknown } {
  return { value }
}

/** Counts all words given. */
export function countWords(title: string, ...words: string[]): { title: string; words: string[] } {
  return { title, words }
}
