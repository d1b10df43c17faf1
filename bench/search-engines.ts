import { type SearchDocument, ToolIndex } from '@adjutant/core'
import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'

/** Ids, best first. */
export type Find = (query: string) => readonly string[] | Promise<readonly string[]>

/** A search engine that holds a catalogue. */
export interface Engine {
  readonly name: string
  build(tools: readonly SearchDocument[]): Promise<Find>
}

/** Hits asked of each engine: five count, twins count once. */
const HITS = 10

export const adjutant: Engine = {
  name: 'Adjutant',
  build: async (tools) => {
    const index = new ToolIndex()
    index.addAll(tools)
    return (query) => index.search(query, { limit: HITS }).map(({ id }) => id)
  },
}

/** Plain BM25 over name, description and parameters as one text. */
export const miniSearch: Engine = {
  name: 'MiniSearch',
  build: async (tools) => {
    const index = new MiniSearch<{ readonly at: number; readonly text: string }>({ fields: ['text'], idField: 'at' })
    index.addAll(tools.map((tool, at) => ({ at, text: textOf(tool) })))
    return (query) =>
      index
        .search(query)
        .slice(0, HITS)
        .map(({ id }) => tools[Number(id)]?.id ?? '')
  },
}

export const orama: Engine = {
  name: 'Orama',
  build: async (tools) => {
    const index = create({ schema: { at: 'number', text: 'string' }, components: { tokenizer: { language: 'english', stemming: false } } })
    await insertMultiple(
      index,
      tools.map((tool, at) => ({ at, text: textOf(tool) })),
      5_000,
    )
    return async (query) => {
      const { hits } = await search(index, { term: query, properties: ['text'], limit: HITS, threshold: 1 })
      return hits.map(({ document }) => tools[document.at]?.id ?? '')
    }
  },
}

function textOf({ name, description, inputSchema, server }: SearchDocument): string {
  const words = [name, description, server ?? '']
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      if (key === 'properties' && typeof member === 'object' && member !== null) words.push(...Object.keys(member))
      if (key === 'description' && typeof member === 'string') words.push(member)
      else visit(member)
    }
  }
  visit(inputSchema)
  return words.join(' ')
}
