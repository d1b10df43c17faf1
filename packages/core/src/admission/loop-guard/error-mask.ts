import type { JsonObject, JsonValue } from '../../contract/json.ts'

/**
 * Makes failure texts comparable. {@link maskMoments} takes out what differs each time that the very same call fails (times, durations, random ids);
 * {@link maskArguments} also what comes from the arguments (their values and words, numbers, paths), so that `cannot open /a/b1` is `cannot open /a/b2`.
 * Linear in the text, of which the first 2 000 characters count: an error says what it is at its beginning.
 */

const LOOKED_AT = 2_000
const MOST_VALUES = 32
const LONGEST_VALUE = 256
const MOST_WORDS = 128
const MARK = '•'

const MOMENTS =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|µs|us|ms|s|sec|secs|seconds?|milliseconds?)\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0x[0-9a-f]{4,16}\b|\b\d{10,19}\b/gi
/** One word of ASCII: a number, a path, a name. Text of other scripts between is left as it is. */
const WORD = /[\w./\\:@%+~#$*?=-]+/g
const SPLIT = /[^\w./\\:@%+~#$*?=-]+/
const ENDS = '.:?*=,-'

/** For two failures of calls with equal arguments. */
export function maskMoments(text: string): string {
  return text.slice(0, LOOKED_AT).replace(MOMENTS, MARK)
}

/** For two failures of calls with different arguments. */
export function maskArguments(text: string, name: string, input: JsonObject | string): string {
  let masked = text.slice(0, LOOKED_AT)
  const values: string[] = [name]
  collect(input, values, 0)
  // Longest first: a value that contains another is taken out whole.
  values.sort((a, b) => b.length - a.length)
  const words = new Set<string>()
  for (const value of values) {
    if (value.length >= 3) masked = masked.replaceAll(value, MARK)
    for (const word of value.split(SPLIT)) {
      if (words.size >= MOST_WORDS) break
      const bare = bareWord(word)
      if (bare.length >= 2) words.add(bare)
    }
  }
  return masked.replace(WORD, (word) => {
    if (/[\d/\\]/.test(word)) return MARK
    const bare = bareWord(word)
    return words.has(bare) ? MARK : bare
  })
}

function collect(value: JsonValue, into: string[], depth: number): void {
  if (into.length >= MOST_VALUES || depth > 4) return
  if (typeof value === 'string') into.push(value.slice(0, LONGEST_VALUE))
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) {
      if (into.length >= MOST_VALUES) return
      collect(member, into, depth + 1)
    }
  }
}

/** Without the marks around it. By hand: a regular expression for ends takes quadratic time on a row of dots. */
function bareWord(word: string): string {
  let from = 0
  let until = word.length
  while (from < until && ENDS.includes(word.charAt(from))) from++
  while (until > from && ENDS.includes(word.charAt(until - 1))) until--
  return word.slice(from, until)
}
