import type { ClipStrategy } from '../contract/tool.ts'
import { clipToTokens, fitsTokens } from './clip/token-limit.ts'
import { type Clipped, checkClipOptions, DEFAULT_RESULT_CHARS } from './clip.ts'
import { type ClipByOptions, clipBy } from './clip-by.ts'
import { countLines } from './lines.ts'

/**
 * Owns: several texts of one result under one limit. Small ones stay whole, the others share what is left in equal parts, each clipped
 * by its own kind. Pure.
 *
 * @returns the texts joined by line ends, never longer than the limits together
 * @throws AdjutantError USAGE when a number is not a whole number in range
 * @example
 * ```ts
 * clipParts(['short', 'x'.repeat(5_000)], 'auto', { limit: 1_000 }).text // 'short\nxxx…'
 * ```
 */
export function clipParts(texts: readonly string[], strategy: ClipStrategy, options: ClipByOptions = {}): Clipped {
  checkClipOptions(options)
  const { limit = DEFAULT_RESULT_CHARS, tokens, ...other } = options
  const joined = texts.join('\n')
  const asksForLines = other.head !== undefined || other.tail !== undefined
  if (texts.length < 2 || asksForLines || texts.length * LEAST_SHARE > limit) return clipBy(strategy, joined, options)
  if (joined.length <= limit && (tokens === undefined || fitsTokens(joined, tokens))) return clipBy(strategy, joined, options)
  const most = joined.length <= limit ? joined.length - 1 : limit
  return clipToTokens(most, tokens, (chars) =>
    texts.length * LEAST_SHARE > chars
      ? clipBy(strategy, joined, { ...other, limit: chars })
      : shareOut(texts, joined, strategy, chars, other),
  )
}

/** Characters that a part should have; where there are so many parts that each would get less, they are taken as one text. */
const LEAST_SHARE = 300

function shareOut(
  texts: readonly string[],
  joined: string,
  strategy: ClipStrategy,
  limit: number,
  { rest, ...options }: Omit<ClipByOptions, 'limit' | 'tokens'>,
): Clipped {
  const shares = fairShares(
    texts.map(({ length }) => length),
    limit - texts.length + 1,
  )
  let omittedLines = 0
  let omittedChars = 0
  const shown = texts.map((text, index) => {
    // How the rest can be read is said once.
    const said = omittedChars > 0 || rest === undefined ? options : { ...options, rest }
    const clipped = clipBy(strategy, text, { ...said, limit: Math.max(1, shares[index] ?? 1) })
    omittedLines += clipped.omittedLines
    omittedChars += clipped.omittedChars
    return clipped.text
  })
  return {
    text: shown.join('\n'),
    clipped: true,
    omittedLines,
    omittedChars,
    totalLines: countLines(joined),
    totalChars: joined.length,
  }
}

/**
 * What each may have of `room`: what it needs where that is less than an equal share, which leaves more to the others. In the order
 * of `sizes`.
 *
 * @example fairShares([10, 500, 500], 610) // [10, 300, 300]
 */
export function fairShares(sizes: readonly number[], room: number): readonly number[] {
  const shares = new Array<number>(sizes.length).fill(0)
  const order = sizes.map((_, index) => index).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0))
  let left = room
  for (const [done, index] of order.entries()) {
    const share = Math.min(sizes[index] ?? 0, Math.floor(left / (order.length - done)))
    shares[index] = share
    left -= share
  }
  return shares
}
