import type { AgentTool } from '../contract/tool.ts'

interface Entry {
  readonly name: string
  readonly words: ReadonlyMap<string, number>
}

const indexes = new WeakMap<readonly AgentTool[], readonly Entry[]>()

/** Finds tools by the words they share with the request, those of the name counting three times. */
export function searchTools(query: string, limit: number, among: readonly AgentTool[]): readonly { readonly name: string }[] {
  let entries = indexes.get(among)
  if (entries === undefined) {
    entries = among.map((tool) => ({ name: tool.name, words: weigh(tool) }))
    indexes.set(among, entries)
  }
  const asked = new Set(wordsOf(query.slice(0, 10_000)))
  return entries
    .map((entry) => ({ name: entry.name, score: [...asked].reduce((sum, word) => sum + (entry.words.get(word) ?? 0), 0) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
}

function weigh(tool: AgentTool): ReadonlyMap<string, number> {
  const words = new Map<string, number>()
  for (const word of wordsOf(tool.description)) words.set(word, 1)
  for (const word of wordsOf(tool.name)) words.set(word, 3)
  return words
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
