import type { Postings } from './postings.ts'

/** What a search may see: counts of words and tools are of this part only, so that nothing hidden shows in a score. */
export interface Visibility {
  /** 1 for each tool that may be found; absent: all. */
  readonly mask: Uint8Array | undefined
  readonly tools: number
  /** How many visible tools a server has. */
  readonly serverSizes: Uint32Array
  /** Whether any visible tool has a server. */
  readonly served: boolean
  /** In how many visible tools a term is. */
  count(term: number): number
}

export function everything(postings: Postings, tools: number, serverOf: Uint32Array, servers: number): Visibility {
  const serverSizes = new Uint32Array(servers)
  for (let tool = 0; tool < tools; tool++) count(serverSizes, serverOf[tool] ?? 0)
  return { mask: undefined, tools, serverSizes, served: tools > (serverSizes[0] ?? 0), count: (term) => postings.length(term) }
}

export function partOf(
  postings: Postings,
  ids: readonly string[],
  serverOf: Uint32Array,
  servers: number,
  filter: (id: string) => boolean,
): Visibility {
  const mask = new Uint8Array(ids.length)
  const serverSizes = new Uint32Array(servers)
  let tools = 0
  for (const [tool, id] of ids.entries()) {
    if (!filter(id)) continue
    mask[tool] = 1
    tools++
    count(serverSizes, serverOf[tool] ?? 0)
  }
  const counts = new Map<number, number>()
  return {
    mask,
    tools,
    serverSizes,
    served: tools > (serverSizes[0] ?? 0),
    count(term) {
      let found = counts.get(term)
      if (found === undefined) {
        found = 0
        const start = postings.start(term)
        const pool = postings.pool
        for (let at = start; at < start + postings.length(term); at++) found += mask[(pool[at] ?? 0) >>> 12] ?? 0
        counts.set(term, found)
      }
      return found
    },
  }
}

function count(sizes: Uint32Array, server: number): void {
  sizes[server] = (sizes[server] ?? 0) + 1
}

/** Inverse document frequency, as BM25 has it; 0 for a term that no visible tool has. */
export function rarity(visible: Visibility, term: number): number {
  const count = visible.count(term)
  return count === 0 ? 0 : Math.log(1 + (visible.tools - count + 0.5) / (count + 0.5))
}
