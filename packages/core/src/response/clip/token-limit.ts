import { estimateTokens } from '../../util/estimate-tokens.ts'

/**
 * Owns: holding a clipped text within a number of tokens. Tokens are estimated (util/estimate-tokens.ts): no tokenizer of any
 * model is run, since the same result may go to another. Stateless.
 */

/** Characters that an estimated token has at most. */
const MOST_CHARS_PER_TOKEN = 4
const TURNS = 4

/** Cheap for a long text: more than four characters a token cannot fit. */
export function fitsTokens(text: string, tokens: number): boolean {
  if (text.length <= tokens) return true
  return text.length <= tokens * MOST_CHARS_PER_TOKEN && estimateTokens(text) <= tokens
}

/**
 * Clips with the largest limit of characters found whose result is within `tokens`. Ends after a few turns, because a character
 * is never more than one token.
 */
export function clipToTokens<T extends { readonly text: string }>(
  limit: number,
  tokens: number | undefined,
  clip: (limit: number) => T,
): T {
  if (tokens === undefined) return clip(limit)
  let chars = Math.min(limit, tokens * MOST_CHARS_PER_TOKEN)
  for (let turn = 0; turn < TURNS && chars > tokens; turn++) {
    const clipped = clip(chars)
    const said = estimateTokens(clipped.text)
    if (said <= tokens) return clipped
    chars = Math.min(chars - 1, Math.floor((chars * tokens * 0.97) / said))
  }
  return clip(Math.min(limit, tokens))
}
