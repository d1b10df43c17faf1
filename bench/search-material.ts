/** Public catalogues of tools with requests and the tools that serve them, read from the folder that ADJUTANT_MATERIAL names. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchDocument } from '@adjutant/core'

export interface BenchQuery {
  readonly id: string
  readonly query: string
  /** Any one of each group will do. */
  readonly wanted: readonly (readonly string[])[]
}

export interface ToolSet {
  readonly name: string
  readonly tools: readonly SearchDocument[]
  readonly queries: readonly BenchQuery[]
}

export interface Material {
  readonly sets: readonly ToolSet[]
  readonly merged: readonly SearchDocument[]
  /** The same tool under several ids counts as one. */
  same(id: string): string
}

interface RawTool extends SearchDocument {
  readonly descriptionForModel?: string
}

interface RawQuery {
  readonly id: string
  readonly query: string
  readonly relevant: readonly string[]
  readonly relevantAny?: readonly (readonly string[])[]
}

export function readMaterial(folder: string): Material {
  const place = join(folder, 'tools', 'normalised')
  const groups: readonly (readonly string[])[] = Object.values(JSON.parse(readFileSync(join(place, 'equivalent-ids.json'), 'utf8')))
  const first = new Map(groups.flatMap((group) => group.map((id) => [id, group[0] ?? id] as const)))
  const same = (id: string): string => first.get(id) ?? id
  const sets = readdirSync(place)
    .flatMap((file) => /^(.*)\.tools\.jsonl$/.exec(file)?.[1] ?? [])
    .sort()
    .map((name): ToolSet => {
      const tools = lines<RawTool>(join(place, `${name}.tools.jsonl`)).map(documentOf)
      const queries = lines<RawQuery>(join(place, `${name}.queries.jsonl`)).map(({ id, query, relevant, relevantAny }): BenchQuery => {
        const wanted = relevantAny === undefined || relevantAny.length === 0 ? relevant.map((each) => [each]) : relevantAny
        return { id, query, wanted: [...new Map(wanted.map((group) => group.map(same)).map((group) => [group.join('|'), group])).values()] }
      })
      return { name, tools, queries }
    })
  return { sets, merged: sets.flatMap(({ tools }) => tools), same }
}

function lines<Line>(path: string): readonly Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line))
}

function documentOf({ id, name, description, descriptionForModel, inputSchema, server, serverDescription }: RawTool): SearchDocument {
  return {
    id,
    name,
    description: descriptionForModel === undefined ? description : `${description}\n${descriptionForModel}`,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(server === undefined ? {} : { server }),
    ...(serverDescription === undefined ? {} : { serverDescription }),
  }
}

export interface Quality {
  /** Share of the wanted tools among the first five, of at most five. */
  readonly recall: number
  /** Share of requests whose first tool is a wanted one. */
  readonly first: number
}

/** @param found ids, best first; a few more than five, as twins count once */
export async function qualityOf(
  queries: readonly BenchQuery[],
  same: (id: string) => string,
  found: (query: string) => readonly string[] | Promise<readonly string[]>,
): Promise<Quality> {
  let recall = 0
  let first = 0
  for (const { query, wanted } of queries) {
    const five = [...new Set((await found(query)).map(same))].slice(0, 5)
    recall += wanted.filter((group) => group.some((id) => five.includes(id))).length / Math.min(5, wanted.length)
    if (wanted.some((group) => group.includes(five[0] ?? ''))) first++
  }
  return { recall: recall / queries.length, first: first / queries.length }
}
