import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { SearchDocument } from './search-document.ts'
import { ToolIndex } from './tool-index.ts'

/** Public catalogues and requests that nobody here wrote: a guard that finding tools does not get worse. */
const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('search: ADJUTANT_MATERIAL is not set; recall over public catalogues was not tried\n')

/** What must be reached in all catalogues merged. */
const MERGED: Readonly<Record<string, number>> = { bfcl: 0.72, stabletoolbench: 0.66, livemcpbench: 0.3, 'seal-tools': 0.89 }
/** Measured of each catalogue by itself, less a little: a change that costs more than that is seen. */
const OWN: Readonly<Record<string, number>> = {
  'api-bank': 0.6,
  bfcl: 0.75,
  livemcpbench: 0.4,
  metatool: 0.67,
  'seal-tools': 0.93,
  stabletoolbench: 0.77,
  toolalpaca: 0.88,
}

interface Query {
  readonly query: string
  readonly relevant: readonly string[]
  readonly relevantAny?: readonly (readonly string[])[]
}

describe('search over public catalogues', { skip: material === undefined }, () => {
  const place = join(material ?? '', 'tools', 'normalised')
  const first = new Map<string, string>()
  const same = (id: string): string => first.get(id) ?? id
  const merged = new ToolIndex()
  let sets: readonly string[] = []
  const catalogues = new Map<string, readonly SearchDocument[]>()

  function lines<Line>(file: string): readonly Line[] {
    return readFileSync(join(place, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Line => JSON.parse(line))
  }

  before(() => {
    const groups: readonly (readonly string[])[] = Object.values(JSON.parse(readFileSync(join(place, 'equivalent-ids.json'), 'utf8')))
    for (const group of groups) for (const id of group) first.set(id, group[0] ?? id)
    sets = readdirSync(place).flatMap((file) => /^(.*)\.tools\.jsonl$/.exec(file)?.[1] ?? [])
    for (const set of sets) {
      const tools = lines<SearchDocument & { readonly descriptionForModel?: string }>(`${set}.tools.jsonl`).map((tool) => ({
        ...tool,
        description: `${tool.description}\n${tool.descriptionForModel ?? ''}`,
      }))
      catalogues.set(set, tools)
      merged.addAll(tools)
    }
  })

  function recall(index: ToolIndex, set: string): number {
    const queries = lines<Query>(`${set}.queries.jsonl`)
    let sum = 0
    for (const { query, relevant, relevantAny = [] } of queries) {
      const groups = (relevantAny.length > 0 ? relevantAny : relevant.map((id) => [id])).map((group) => group.map(same))
      const wanted = [...new Map(groups.map((group) => [group.join('|'), group])).values()]
      const five = [...new Set(index.search(query, { limit: 10 }).map(({ id }) => same(id)))].slice(0, 5)
      sum += wanted.filter((group) => group.some((id) => five.includes(id))).length / Math.min(5, wanted.length)
    }
    return sum / queries.length
  }

  for (const [set, least] of Object.entries(MERGED)) {
    it(`finds the tools of ${set} among those of all catalogues`, () => {
      const found = recall(merged, set)
      assert.ok(found >= least, `recall@5 is ${found.toFixed(3)}, below ${least}`)
    })
  }

  for (const [set, least] of Object.entries(OWN)) {
    it(`finds the tools of ${set} in its own catalogue`, () => {
      const own = new ToolIndex()
      own.addAll(catalogues.get(set) ?? [])
      const found = recall(own, set)
      assert.ok(found >= least, `recall@5 is ${found.toFixed(3)}, below ${least}`)
    })
  }

  it('keeps and loads all of it without a difference', () => {
    const loaded = ToolIndex.load(merged.serialise())
    for (const { query } of lines<Query>('livemcpbench.queries.jsonl')) assert.deepEqual(loaded.search(query), merged.search(query))
  })
})
