import type { JsonValue } from '../contract/json.ts'
import { measureJson } from './json-scanner.ts'

/**
 * Levels that a parser is let into. Its memory grows with every open bracket, some thirty bytes each: a hundred megabytes of
 * brackets would end the process. No provider's event comes near a hundred.
 */
export const PARSE_DEPTH = 10_000

/** Text shorter than this cannot nest deep enough to do harm, and is not measured. */
const MEASURED = 1_048_576

/** Looks for brackets alone, strings or not: nesting needs as many, and looking for one character takes next to no time. */
function opensMoreThan(text: string, limit: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (++count > limit) return true
  }
  return false
}

/**
 * `JSON.parse` for text from outside.
 * @throws SyntaxError for what is no JSON, and for what is nested deeper than {@link PARSE_DEPTH} levels (told only of long text)
 */
export function parseJson(text: string): JsonValue {
  if (text.length > MEASURED && opensMoreThan(text, PARSE_DEPTH) && measureJson(text).deepest > PARSE_DEPTH)
    throw new SyntaxError(`nested deeper than ${PARSE_DEPTH} levels`)
  return JSON.parse(text)
}
