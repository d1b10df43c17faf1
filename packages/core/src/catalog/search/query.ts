/**
 * Owns what a request asks for, in terms: one list for each sentence, each term with a weight. Any text is taken; of a long one the
 * beginning and the end are read, where people say what they want.
 */
import { type Lexicon, SENTENCE_END, TERM_KIND, type TermBuffer, UNKNOWN_TERM } from './lexicon.ts'
import { valuesAsKinds } from './query-values.ts'
import type { Ranking } from './ranking.ts'

/** Characters read of a request: half from its beginning, half from its end. */
const MOST_QUERY_CHARACTERS = 4_000
const MOST_CLAUSES = 16
/** A sentence with fewer words that mean something is read with the one before. */
const FEWEST_WORDS = 2

interface QueryTerm {
  readonly term: number
  weight: number
  /** The word of the request that it comes from. */
  readonly word: string
}

export type Clause = readonly QueryTerm[]

const QUOTED = /"[^"\n]{1,120}"|(?<![\p{L}\p{N}])'[^'\n]{1,80}'(?![\p{L}\p{N}])|“[^”\n]{1,120}”|「[^」\n]{1,120}」/gu

/**
 * @param isThere whether any tool that may be found has this term. Words that only hidden tools have must not even change how a request
 *   falls into sentences.
 */
export function readQuery(
  query: string,
  lexicon: Lexicon,
  ranking: Ranking,
  buffer: TermBuffer,
  isThere: (term: number) => boolean,
): readonly Clause[] {
  const half = MOST_QUERY_CHARACTERS / 2
  const bounded = query.length <= MOST_QUERY_CHARACTERS ? query : `${query.slice(0, half)}\n${query.slice(-half)}`
  const text = valuesAsKinds(bounded)
  buffer.length = 0
  lexicon.scan(text, buffer, false, text.length, true)
  const quoted = quotedParts(text)
  const found: QueryTerm[][] = []
  let clause: QueryTerm[] = []
  const weak: QueryTerm[] = []
  let before = -1
  let grammarOnly = true
  for (let at = 0; at < buffer.length; at++) {
    const term = buffer.terms[at] ?? 0
    if (term === SENTENCE_END) {
      if (clause.length > 0) found.push(clause)
      clause = []
      before = -1
      continue
    }
    if (term === UNKNOWN_TERM) {
      grammarOnly = false
      before = -1
      continue
    }
    const from = buffer.places[at * 2] ?? 0
    // A place in a text without spaces is a whole run of it.
    const word = text.charCodeAt(from) > 0x2fff ? lexicon.nameOf(term) : text.slice(from, buffer.places[at * 2 + 1])
    const kind = lexicon.kindOf(term)
    if (kind === TERM_KIND.function || kind === TERM_KIND.connector) {
      if (isThere(term)) note(weak, term, ranking.request, word)
      before = -1
      continue
    }
    grammarOnly = false
    let weight = kind === TERM_KIND.request ? ranking.request : 1
    if (isDigit(word.charCodeAt(0))) weight *= ranking.digits
    if (quoted !== undefined && isWithin(quoted, from)) weight *= ranking.quoted
    const there = isThere(term)
    // A word that no tool has may still have synonyms that some have.
    if (there || lexicon.synonymsOf(term) !== undefined) note(clause, term, weight, word)
    const joined = before < 0 || !there || ranking.joined === 0 ? -1 : lexicon.joined(before, term)
    if (joined >= 0 && isThere(joined)) note(clause, joined, ranking.joined * weight, word)
    before = there ? term : -1
  }
  if (clause.length > 0) found.push(clause)
  // Nothing but grammar was said: it is all there is to go by.
  if (grammarOnly && weak.length > 0) found.push(weak)
  const clauses = mergeShort(found)
  if (ranking.synonym > 0) for (const each of clauses) addSynonyms(each, lexicon, ranking.synonym, isThere)
  return clauses
}

function note(clause: QueryTerm[], term: number, weight: number, word: string): void {
  const known = clause.find((each) => each.term === term)
  if (known === undefined) clause.push({ term, weight, word })
  else if (weight > known.weight) known.weight = weight
}

function mergeShort(found: readonly QueryTerm[][]): QueryTerm[][] {
  const merged: QueryTerm[][] = []
  for (const clause of found) {
    const last = merged.at(-1)
    if (last !== undefined && (merged.length === MOST_CLAUSES || isShort(clause) || isShort(last))) {
      for (const { term, weight, word } of clause) note(last, term, weight, word)
    } else merged.push(clause)
  }
  return merged
}

function isShort(clause: readonly QueryTerm[]): boolean {
  let words = 0
  for (const { weight } of clause) if (weight >= 0.5) words++
  return words < FEWEST_WORDS
}

function addSynonyms(clause: QueryTerm[], lexicon: Lexicon, share: number, isThere: (term: number) => boolean): void {
  const said = clause.length
  for (let at = 0; at < said; at++) {
    const each = clause[at]
    const others = each === undefined ? undefined : lexicon.synonymsOf(each.term)
    if (each === undefined || others === undefined) continue
    if (isThere(each.term)) continue
    const weight = each.weight * share
    for (const other of others) {
      if (isThere(other) && !clause.some(({ term }) => term === other)) {
        clause.push({ term: other, weight, word: each.word })
      }
    }
  }
}

function quotedParts(text: string): readonly number[] | undefined {
  if (!/["'“「]/.test(text)) return undefined
  const parts: number[] = []
  for (const match of text.matchAll(QUOTED)) parts.push(match.index, match.index + match[0].length)
  return parts.length === 0 ? undefined : parts
}

function isWithin(parts: readonly number[], at: number): boolean {
  for (let part = 0; part < parts.length; part += 2) if (at >= (parts[part] ?? 0) && at < (parts[part + 1] ?? 0)) return true
  return false
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
