import { type ClipOptions, type Clipped, DEFAULT_RESULT_CHARS } from '../clip.ts'
import { countLines, countNewlines } from '../lines.ts'
import { plural } from './gap.ts'
import type { JsonNode } from './json-members.ts'
import { type JsonDetail, type JsonRendered, renderJson } from './json-render.ts'
import { skimJson } from './json-skim.ts'
import { clipToTokens } from './token-limit.ts'

/**
 * Owns: making a long JSON text short enough by showing less of it, in its own structure: objects keep their keys, arrays their
 * first and last items, strings their beginning, and each says what is missing. What comes out is JSON again (JSON lines: one value
 * a line) and says at its beginning that it is shortened. Time is linear in the text. Pure.
 */

/**
 * @returns `undefined` when the text is not JSON
 * @example
 * ```ts
 * clipJson('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]', { limit: 50 })?.text // '[\n1,\n2,\n"… 17 more items",\n20\n]'
 * ```
 */
export function clipJson(text: string, options: ClipOptions = {}): Clipped | undefined {
  const limit = options.limit ?? DEFAULT_RESULT_CHARS
  const root = skimJson(text, limit)
  if (root === undefined) return undefined
  return clipToTokens(limit, options.tokens, (most) => {
    const { text: shown, gaps } = shorten(text, root, most, options.rest)
    let omittedChars = 0
    let omittedLines = 0
    for (const [from, to] of gaps) {
      omittedChars += to - from
      omittedLines += countNewlines(text, from, to)
    }
    return { text: shown, clipped: true, omittedLines, omittedChars, totalLines: countLines(text), totalChars: text.length }
  })
}

const ALL = Number.MAX_SAFE_INTEGER
const ITEMS: readonly number[] = [ALL, 1_000, 500, 250, 120, 60, 30, 20, 14, 10, 7, 5, 4, 3, 2, 1]
/** From here on items are given up only when nothing else helps. */
const FEW_ITEMS = 5
const STRINGS: readonly number[] = [4_000, 1_000, 300, 120, 60, 24]
const DEPTHS: readonly number[] = [32, 8, 6, 5, 4, 3, 2, 1]
const KEYS: readonly number[] = [ALL, 60, 20, 8, 3, 1]

/** The most detail that fits: strings are shortened before items go below a few, depth is given up after that, keys last. */
function shorten(text: string, root: JsonNode, limit: number, rest: string | undefined): JsonRendered {
  for (const note of notes(text, rest, limit)) {
    for (const keys of KEYS) {
      for (const depth of DEPTHS) {
        const found = fitStrings(text, root, { keys, depth }, limit, note)
        if (found !== undefined) return found
      }
    }
  }
  const all: JsonRendered['gaps'] = [[0, text.length]]
  for (const said of [`"… JSON of ${plural(text.length, 'character')}"`, '"…"']) if (said.length <= limit) return { text: said, gaps: all }
  return { text: '…', gaps: all }
}

function fitStrings(
  text: string,
  root: JsonNode,
  { keys, depth }: Pick<JsonDetail, 'keys' | 'depth'>,
  limit: number,
  note: string,
): JsonRendered | undefined {
  const few = ITEMS.indexOf(FEW_ITEMS)
  for (const [from, to] of [
    [0, few],
    [few + 1, ITEMS.length - 1],
  ] as const) {
    for (const string of STRINGS) {
      const found = fitItems((items) => renderJson(text, root, { items, keys, string, depth }, limit, note), from, to)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The most items between two places of {@link ITEMS} that fit. */
function fitItems(render: (items: number) => JsonRendered | undefined, from: number, to: number): JsonRendered | undefined {
  let best = render(ITEMS[to] ?? 1)
  if (best === undefined) return undefined
  for (let low = from, high = to; low < high; ) {
    const middle = (low + high) >> 1
    const found = render(ITEMS[middle] ?? 1)
    if (found === undefined) low = middle + 1
    else {
      best = found
      high = middle
    }
  }
  return best
}

/** What is said of the shortening, most telling first; the last one is nothing. */
function notes(text: string, rest: string | undefined, limit: number): readonly string[] {
  const plain = `shortened from ${plural(text.length, 'character')} of JSON`
  const all = rest === undefined ? [plain, ''] : [`${plain}; ${rest}`, plain, '']
  return all.filter((note) => note.length <= limit / 2)
}
