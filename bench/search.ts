import { type Ranking, type SearchDocument, ToolIndex } from '@adjutant/core'
import { adjutant, type Engine, type Find, miniSearch, orama } from './search-engines.ts'
import { type Material, type Quality, qualityOf, readMaterial, type ToolSet } from './search-material.ts'
import { syntheticCatalogue, syntheticQueries } from './search-synthetic.ts'
import { printTable, type Row } from './table.ts'

const ENGINES: readonly Engine[] = [adjutant, miniSearch, orama]
/** Requests of one set that all engines answer: the others take tens of milliseconds for each. */
const SHARED_QUERIES = 25
/** Requests for the speed of the others, which is steady enough. */
const PEER_QUERIES = 12
const SIZES = [1_000, 10_000, 14_000, 50_000] as const

/** How well and how fast tools are found, beside MiniSearch and Orama. */
export async function benchSearch(): Promise<void> {
  const folder = process.env.ADJUTANT_MATERIAL
  if (folder === undefined) process.stdout.write('search: ADJUTANT_MATERIAL is not set; recall over public catalogues was not measured\n')
  else {
    const material = readMaterial(folder)
    await benchRecall(material)
    await benchAblations(material)
    await benchSpeed(
      `Search over ${material.merged.length} published tools, ${material.sets.reduce((sum, { queries }) => sum + queries.length, 0)} requests`,
      material.merged,
      material.sets.flatMap(({ queries }) => queries.map(({ query }) => query)),
    )
  }
  for (const size of SIZES) await benchSpeed(`Search over ${size} made-up tools`, syntheticCatalogue(size), syntheticQueries(1_000))
  benchUpkeep()
}

const pair = ({ recall, first }: Quality): string => `${recall.toFixed(3)} / ${first.toFixed(3)}`

function withQueries({ sets }: Material): readonly ToolSet[] {
  return sets.filter(({ queries }) => queries.length > 0)
}

async function benchRecall(material: Material): Promise<void> {
  const sets = withQueries(material)
  const head = ['', ...sets.map(({ name, queries }) => `${name} (${queries.length})`), 'mean recall']
  for (const [title, toolsOf] of [
    ['own catalogue', (set: ToolSet) => set.tools],
    ['all catalogues merged', () => material.merged],
  ] as const) {
    const rows: Row[] = []
    const row = async (name: string, engine: Engine, share: (set: ToolSet) => ToolSet['queries']): Promise<void> => {
      const cells: Quality[] = []
      let find: Find | undefined
      let tools: readonly SearchDocument[] | undefined
      for (const set of sets) {
        if (find === undefined || tools !== toolsOf(set)) {
          tools = toolsOf(set)
          find = await engine.build(tools)
        }
        cells.push(await qualityOf(share(set), material.same, find))
      }
      rows.push([name, ...cells.map(pair), cells.reduce((sum, { recall }) => sum + recall, 0) / cells.length])
    }
    const sample = ({ queries }: ToolSet): ToolSet['queries'] => {
      const step = Math.ceil(queries.length / SHARED_QUERIES)
      return queries.filter((_, at) => at % step === 0)
    }
    await row('Adjutant, all requests', adjutant, ({ queries }) => queries)
    for (const engine of ENGINES) await row(`${engine.name}, a sample`, engine, sample)
    printTable(`Tools found, ${title}: recall@5 / first hit right`, head, rows)
  }
}

const FLAT: Partial<Ranking> = { clause: 0, cover: 0, server: 0, synonym: 0, joined: 0, digits: 1, quoted: 1 }

/** What each part of the ranking is worth: the whole without it. */
async function benchAblations(material: Material): Promise<void> {
  const sets = withQueries(material)
  const variants: Readonly<Record<string, Partial<Ranking>>> = {
    all: {},
    'without sentences': { clause: 0 },
    'without names': { cover: 0 },
    'without servers': { server: 0 },
    'without synonyms': { synonym: 0 },
    'without joined words': { joined: 0 },
    'digits and quotations as words': { digits: 1, quoted: 1 },
    'fields and stems only': FLAT,
  }
  const rows: Row[] = []
  for (const [name, ranking] of Object.entries(variants)) {
    const merged = new ToolIndex({ ranking })
    merged.addAll(material.merged)
    const cells: string[] = []
    let ownSum = 0
    let mergedSum = 0
    for (const set of sets) {
      const own = new ToolIndex({ ranking })
      own.addAll(set.tools)
      const [a, b] = [
        await qualityOf(set.queries, material.same, (query) => own.search(query, { limit: 10 }).map(({ id }) => id)),
        await qualityOf(set.queries, material.same, (query) => merged.search(query, { limit: 10 }).map(({ id }) => id)),
      ]
      ownSum += a.recall
      mergedSum += b.recall
      cells.push(`${a.recall.toFixed(3)} / ${b.recall.toFixed(3)}`)
    }
    rows.push([name, ...cells, `${(ownSum / sets.length).toFixed(3)} / ${(mergedSum / sets.length).toFixed(3)}`])
  }
  printTable('What each part is worth: recall@5 own / merged', ['', ...sets.map(({ name }) => name), 'mean'], rows)
}

async function benchSpeed(title: string, tools: readonly SearchDocument[], queries: readonly string[]): Promise<void> {
  const rows: Row[] = []
  for (const engine of ENGINES) {
    // The large catalogues take the others seconds to build and half a second a request.
    if (engine !== adjutant && tools.length > 14_000) continue
    const few = engine === adjutant ? queries : queries.filter((_, at) => at % Math.ceil(queries.length / PEER_QUERIES) === 0)
    const builds: number[] = []
    let find: Find = () => []
    for (let turn = 0; turn < (engine === adjutant ? 3 : 1); turn++) {
      const begun = performance.now()
      find = await engine.build(tools)
      await find(few[0] ?? '')
      builds.push(performance.now() - begun)
    }
    // The best of several, so that what else runs on the machine does not count.
    const times = new Float64Array(few.length).fill(Number.POSITIVE_INFINITY)
    for (let turn = 0; turn < (engine === adjutant ? 4 : 1); turn++) {
      for (const [at, query] of few.entries()) {
        const begun = performance.now()
        await find(query)
        times[at] = Math.min(times[at] ?? 0, performance.now() - begun)
      }
    }
    times.sort()
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
    rows.push([engine.name, builds[0] ?? Number.NaN, Math.min(...builds), at(0.5), at(0.99)])
  }
  printTable(`${title} (ms)`, ['', 'first build and answer', 'best build', 'p50', 'p99'], rows)
}

/** Adding one tool, removing one, keeping and loading, memory. */
function benchUpkeep(): void {
  const rows: Row[] = []
  for (const size of [14_000, 50_000]) {
    const tools = syntheticCatalogue(size)
    globalThis.gc?.()
    const before = held()
    const index = new ToolIndex()
    index.addAll(tools)
    index.search('anything')
    globalThis.gc?.()
    const memory = (held() - before) / 2 ** 20
    const more = syntheticCatalogue(500).map((tool) => ({ ...tool, id: `more-${tool.id}` }))
    const add = timed(() => index.addAll(more)) / more.length
    const search = timed(() => index.search('anything'))
    const remove = timed(() => {
      for (const { id } of more) index.remove(id)
      index.search('anything')
    })
    let bytes: Uint8Array = new Uint8Array()
    const keep = timed(() => {
      bytes = index.serialise()
    })
    const load = timed(() => ToolIndex.load(bytes).search('anything'))
    rows.push([size.toLocaleString('en-US'), memory, add, search, remove, keep, bytes.length / 2 ** 20, load])
  }
  printTable(
    'Upkeep of an index (ms)',
    ['tools', 'memory MB', 'add one', 'first search after 500 added', 'remove 500 and search', 'keep', 'MB kept', 'load and search'],
    rows,
  )
}

function held(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function timed(work: () => unknown): number {
  const begun = performance.now()
  work()
  return performance.now() - begun
}
