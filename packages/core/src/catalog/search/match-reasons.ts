import type { Lexicon } from './lexicon.ts'
import { type Postings, STRENGTH } from './postings.ts'
import type { Clause } from './query.ts'
import { REPORTED_FIELDS, type ReportedField } from './ranking.ts'
import type { SearchReason } from './search-hit.ts'
import { rarity, type Visibility } from './visibility.ts'

const MOST_REASONS = 6

/** Field names by the five bits of a posting. */
const FIELDS: readonly (readonly ReportedField[])[] = Array.from({ length: 32 }, (_, bits) =>
  REPORTED_FIELDS.filter((_name, bit) => (bits >> bit) % 2 === 1),
)

/** Which words of the request a tool has, and where; the strongest few. */
export function reasonsOf(
  tool: number,
  clauses: readonly Clause[],
  postings: Postings,
  lexicon: Lexicon,
  visible: Visibility,
): readonly SearchReason[] {
  const found: { reason: SearchReason; strength: number; term: number; name: string }[] = []
  for (const clause of clauses) {
    for (const { term, weight, word } of clause) {
      const posting = postingOf(tool, term, postings)
      if (posting === undefined || found.some((each) => each.term === term)) continue
      const strength = weight * (STRENGTH[(posting >>> 5) & 127] ?? 0) * rarity(visible, term)
      const fields = FIELDS[posting & 31] ?? []
      const name = lexicon.nameOf(term)
      const reason = isSameWord(word, name) ? { word, fields } : { word, fields, as: name }
      if (found.length < MOST_REASONS) found.push({ reason, strength, term, name })
      else {
        let least = 0
        for (let at = 1; at < found.length; at++) if ((found[at]?.strength ?? 0) < (found[least]?.strength ?? 0)) least = at
        if (strength > (found[least]?.strength ?? 0)) found[least] = { reason, strength, term, name }
      }
    }
  }
  return found.sort((a, b) => b.strength - a.strength || (a.name < b.name ? -1 : 1)).map(({ reason }) => reason)
}

/** A word and its stem share a beginning; a synonym does not. */
function isSameWord(word: string, stem: string): boolean {
  const head = Math.min(3, stem.length - 1)
  return word.length > 0 && (word.charCodeAt(0) > 127 || word.slice(0, head).toLowerCase() === stem.slice(0, head))
}

/** Binary search: the tools of a term ascend. */
function postingOf(tool: number, term: number, postings: Postings): number | undefined {
  const pool = postings.pool
  let low = postings.start(term)
  let high = low + postings.length(term) - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const posting = pool[middle] ?? 0
    const at = posting >>> 12
    if (at === tool) return posting
    if (at < tool) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
