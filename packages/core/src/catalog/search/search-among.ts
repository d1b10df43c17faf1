import type { AgentTool } from '../../contract/tool.ts'
import { searchDocumentOf } from './search-document.ts'
import type { SearchHit, SearchOptions } from './search-hit.ts'
import { ToolIndex, type ToolIndexOptions } from './tool-index.ts'

/** Finds tools among those given; what is not among them has no influence on the answer. */
export type SearchAmong = (
  query: string,
  limit: number,
  among: readonly AgentTool[],
  options?: Pick<SearchOptions, 'prior'>,
) => readonly SearchHit[]

interface Kept {
  readonly index: ToolIndex
  /** What is in the index, by name. */
  readonly tools: Map<string, AgentTool>
  /** The list it was last brought up to. */
  among: readonly AgentTool[]
}

/** Different sets of tools whose index is kept: those of a few roles. */
const MOST_KEPT = 4
/** An index that differs by at most this share is changed to fit; else a new one is made. */
const NEAR = 0.25

/**
 * Makes a search over lists of tools that keeps its indexes: a list that it saw before is searched at once, one that differs a little from it
 * costs about 30 µs for each tool that differs, and only a list of other tools is read anew. Tools are compared by identity, as a
 * registry keeps those that did not change.
 *
 * @example
 * ```ts
 * const search = searchAmong()
 * search('open an issue on github', 5, registry.snapshot().tools())
 * ```
 */
export function searchAmong(options: ToolIndexOptions = {}): SearchAmong {
  // The last one used comes last.
  const kept: Kept[] = []
  return (query, limit, among, more = {}) => {
    const at = kept.findIndex((each) => each.among === among)
    const found = at >= 0 ? kept.splice(at, 1)[0] : undefined
    const { index } = found ?? fitted(kept, among, options)
    kept.push(found ?? { index, tools: new Map(among.map((tool) => [tool.name, tool])), among })
    return index.search(query, { limit, ...more })
  }
}

/** The nearest of the kept indexes, taken out and brought up to date, or a new one. */
function fitted(kept: Kept[], among: readonly AgentTool[], options: ToolIndexOptions): { readonly index: ToolIndex } {
  let nearest = -1
  let least = Math.max(1, among.length * NEAR)
  for (const [at, { tools }] of kept.entries()) {
    let same = 0
    for (const tool of among) if (tools.get(tool.name) === tool) same++
    const different = among.length + tools.size - 2 * same
    if (different <= least) {
      least = different
      nearest = at
    }
  }
  const taken = nearest >= 0 ? kept.splice(nearest, 1)[0] : undefined
  if (taken === undefined) {
    if (kept.length >= MOST_KEPT) kept.shift()
    const index = new ToolIndex(options)
    for (const tool of among) index.add(searchDocumentOf(tool))
    return { index }
  }
  const names = new Set<string>()
  for (const tool of among) {
    names.add(tool.name)
    if (taken.tools.get(tool.name) !== tool) taken.index.add(searchDocumentOf(tool))
  }
  for (const name of taken.tools.keys()) if (!names.has(name)) taken.index.remove(name)
  return taken
}
