/** Characters of English text and JSON that make one token in the tokenizers of current models, on average. */
const CHARS_PER_TOKEN = 4

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/g

/** A guess good enough for budgets: about a quarter of the characters; about one for each Chinese, Japanese or Korean one. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN + wide)
}
