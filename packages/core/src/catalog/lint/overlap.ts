/**
 * Finds tools that a model cannot tell apart by what they say. Twins are grouped by their words; near ones are looked up in a search
 * index, so that ten thousand tools cost seconds, not hours.
 */
import { Lexicon, TERM_KIND, TermBuffer } from '../search/lexicon.ts'
import type { SearchDocument } from '../search/search-document.ts'
import { ToolIndex } from '../search/tool-index.ts'
import { finding, type LintFinding } from './finding.ts'

/** Share of the words, weighed by rarity, that two descriptions have in common to count as near. */
const NEAR = 0.6
/** Neighbours looked at for each tool. */
const NEIGHBOURS = 6
const MOST_SHOWN = 10
const MOST_SEPARATING = 5
const MOST_CHARACTERS = 4_000

interface Words {
  readonly tool: SearchDocument
  readonly terms: ReadonlySet<number>
  /** One spelling for each term, as it stands in the tool. */
  readonly spelling: ReadonlyMap<number, string>
}

export function* overlapFindings(tools: readonly SearchDocument[]): Generator<LintFinding> {
  const lexicon = new Lexicon()
  const words = tools.map((tool) => wordsOf(tool, lexicon)).filter(({ terms }) => terms.size > 0)
  const counts = new Map<number, number>()
  for (const { terms } of words) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const rarity = (term: number): number => Math.log(1 + words.length / (counts.get(term) ?? 1))

  const groups = new Map<string, Words[]>()
  for (const each of words) {
    const key = [...each.terms].sort((a, b) => a - b).join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  const heads: Words[] = []
  for (const group of groups.values()) {
    const [head] = group
    if (head === undefined) continue
    heads.push(head)
    if (group.length > 1) yield sameFinding(group.map(({ tool }) => tool))
  }

  const index = new ToolIndex()
  const byId = new Map<string, Words>()
  for (const head of heads) {
    index.add({ id: head.tool.id, name: head.tool.name, description: head.tool.description.slice(0, MOST_CHARACTERS) })
    byId.set(head.tool.id, head)
  }
  const seen = new Set<string>()
  for (const head of heads) {
    const asked = `${head.tool.name}\n${head.tool.description.slice(0, MOST_CHARACTERS)}`
    for (const { id } of index.search(asked, { limit: NEIGHBOURS })) {
      const other = byId.get(id)
      const pair = head.tool.id < id ? `${head.tool.id}\n${id}` : `${id}\n${head.tool.id}`
      if (other === undefined || other === head || seen.has(pair)) continue
      seen.add(pair)
      const similarity = similarityOf(head.terms, other.terms, rarity)
      if (similarity >= NEAR) yield nearFinding(head, other, similarity, rarity)
    }
  }
}

function wordsOf(tool: SearchDocument, lexicon: Lexicon): Words {
  const terms = new Set<number>()
  const spelling = new Map<number, string>()
  const buffer = new TermBuffer()
  for (const text of [tool.name, tool.description.slice(0, MOST_CHARACTERS)]) {
    buffer.length = 0
    lexicon.scan(text, buffer, true, text.length)
    for (let at = 0; at < buffer.length; at++) {
      const term = buffer.terms[at] ?? 0
      const kind = lexicon.kindOf(term)
      if (kind === TERM_KIND.function || kind === TERM_KIND.connector || terms.has(term)) continue
      terms.add(term)
      spelling.set(term, text.slice(buffer.places[at * 2], buffer.places[at * 2 + 1]).toLowerCase())
    }
  }
  return { tool, terms, spelling }
}

function sameFinding(tools: readonly SearchDocument[]): LintFinding {
  const shown = tools
    .slice(0, MOST_SHOWN)
    .map(({ name, server }) => (server === undefined ? name : `${name} (${server})`))
    .join(', ')
  const more = tools.length > MOST_SHOWN ? ` and ${tools.length - MOST_SHOWN} more` : ''
  return finding(
    'overlap-same',
    tools.map(({ id }) => id),
    `${tools.length} tools say the same of themselves: ${shown}${more}`,
    'Say in each what only it does, or which service it belongs to; or keep one of them.',
    { similarity: 1 },
  )
}

function nearFinding(a: Words, b: Words, similarity: number, rarity: (term: number) => number): LintFinding {
  const separating = [only(a, b, rarity), only(b, a, rarity)]
  const share = `${Math.round(similarity * 100)} %`
  const told = separating.map(
    (words, at) => `${at === 0 ? a.tool.name : b.tool.name} has ${words.length === 0 ? 'no word of its own' : words.join(', ')}`,
  )
  return finding(
    'overlap-near',
    [a.tool.id, b.tool.id],
    `${a.tool.name} and ${b.tool.name} share ${share} of their words; ${told.join('; ')}`,
    'Begin each description with what only that tool does, and name the other for the rest.',
    { similarity: Number(similarity.toFixed(3)), separating },
  )
}

function similarityOf(a: ReadonlySet<number>, b: ReadonlySet<number>, rarity: (term: number) => number): number {
  let common = 0
  let all = 0
  for (const term of a) {
    all += rarity(term)
    if (b.has(term)) common += rarity(term)
  }
  for (const term of b) if (!a.has(term)) all += rarity(term)
  return all === 0 ? 0 : common / all
}

/** The rarest words of one tool that the other does not have. */
function only(mine: Words, other: Words, rarity: (term: number) => number): readonly string[] {
  return [...mine.terms]
    .filter((term) => !other.terms.has(term))
    .sort((x, y) => rarity(y) - rarity(x) || x - y)
    .slice(0, MOST_SEPARATING)
    .map((term) => mine.spelling.get(term) ?? '')
}
