/** `adjutant tools search`: which tools fit a request, over what the configuration names or over a file of definitions. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AdjutantError, type AgentTool, isJsonObject, type SearchHit, searchDocumentOf, ToolIndex } from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { linesOf, stdinChunks } from '../work/input.ts'
import { type CatalogueFile, readCatalogue } from '../work/read-catalogue.ts'
import { writeColumns } from './listing.ts'
import { positiveInteger, roleOption, type SharedOptions, sharedOptions, usage } from './shared-options.ts'

const HELP = `
Columns: name, score, the words that spoke for it. With --json one array: [{"id"?,"name","score","why":[{"word","fields"}]}].
With --queries each line {"id","query"} of the file ("-": stdin) is answered by one line {"id","results":[{"id"?,"name","score"}]}.
"select:NAME,NAME" asks for tools by their exact names. Exit: 0 searched, also when nothing was found; 2 wrong usage or configuration.

Example:
  adjutant tools search "will it rain in Oslo tomorrow" --limit 5
  adjutant tools search --catalog tools.jsonl --queries queries.jsonl --json`

/** Ten, of which a model is shown the first few: twins of the same tool leave room for others. */
const DEFAULT_LIMIT = 10
const LONGEST_QUERY_LINE = 16 * 1024 * 1024

/** What can be searched: an index, and the ids that the outside knows its tools by. */
interface Searchable {
  readonly index: ToolIndex
  /** Absent where a tool is known by its name only. */
  givenIdOf(id: string): string | undefined
}

/** Opens what the configuration names, hands over what this person may see of it, and ends it again. */
export type OpenTools = (options: SharedOptions, work: (tools: readonly AgentTool[]) => Promise<void>) => Promise<void>

export function addToolsSearchCommand(tools: Command, io: CliIo, open: OpenTools): void {
  tools
    .command('search')
    .description('find the tools that fit a request in plain words')
    .argument('[query]', 'what is to be done')
    .option('--catalog <file>', 'a file of tool definitions instead of the configured tools')
    .option('--queries <file>', 'JSON lines {id, query} to answer, all at once')
    .option('--limit <count>', 'most tools to give', positiveInteger, DEFAULT_LIMIT)
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .addOption(roleOption())
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (query: string | undefined, _options, self: Command) => {
      const { catalog, queries, limit } = self.opts()
      const most = typeof limit === 'number' ? limit : DEFAULT_LIMIT
      if ((query === undefined) === (queries === undefined)) {
        throw usage('a query or a file of queries is wanted, and not both', 'Say what to search for, or give --queries FILE.')
      }
      const options = sharedOptions(self)
      const answer = async (searchable: Searchable): Promise<void> => {
        if (typeof queries === 'string') await answerAll(io, searchable, queries, most)
        else await answerOne(io, searchable, query ?? '', most, options.json === true)
      }
      if (typeof catalog === 'string') {
        const file = await readCatalogue(resolve(io.cwd, catalog))
        for (const problem of file.problems) await write(io.stderr, `! ${printableLine(problem)}\n`)
        await answer(ofCatalogue(file))
      } else {
        await open(options, async (found) => {
          const index = new ToolIndex()
          index.addAll(found.map(searchDocumentOf))
          await answer({ index, givenIdOf: () => undefined })
        })
      }
    })
}

function ofCatalogue({ tools }: CatalogueFile): Searchable {
  const index = new ToolIndex()
  index.addAll(tools)
  const given = new Map(tools.map((tool) => [tool.id, tool.givenId]))
  return { index, givenIdOf: (id) => given.get(id) }
}

async function answerOne(io: CliIo, { index, givenIdOf }: Searchable, query: string, limit: number, json: boolean): Promise<void> {
  const hits = index.search(query, { limit })
  if (json) {
    await writeJson(
      io.stdout,
      hits.map((hit) => ({ ...shortHit(hit, givenIdOf), why: hit.why })),
    )
    return
  }
  await writeColumns(
    io,
    hits.map((hit) => [hit.name, String(rounded(hit.score)), reasonsText(hit)]),
  )
  if (hits.length === 0) await write(io.stderr, 'No tool has any of these words. Say it in other words, or see adjutant tools list.\n')
}

async function answerAll(io: CliIo, { index, givenIdOf }: Searchable, file: string, limit: number): Promise<void> {
  for await (const { number, text } of queryLines(io, file)) {
    const { id, query } = queryOf(text, file, number)
    const hits = index.search(query, { limit })
    await writeJson(io.stdout, { id, results: hits.map((hit) => shortHit(hit, givenIdOf)) })
  }
}

async function* queryLines(io: CliIo, file: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  if (file === '-') {
    for await (const line of linesOf(stdinChunks(io, 'a list of queries'), LONGEST_QUERY_LINE)) {
      if ('tooLong' in line) throw usage(`line ${line.number} of the queries is too long`, 'A query has 16 MB at most.')
      const text = new TextDecoder().decode(line.bytes)
      if (text.trim() !== '') yield { number: line.number, text }
    }
    return
  }
  const path = resolve(io.cwd, file)
  const whole = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AdjutantError('USAGE', `the queries ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Name a file of JSON lines {id, query}.',
      cause,
    })
  })
  for (const [at, text] of whole
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries())
    if (text.trim() !== '') yield { number: at + 1, text }
}

function queryOf(text: string, file: string, number: number): { readonly id: string | number; readonly query: string } {
  const wrong = (what: string): AdjutantError => usage(`${file}:${number} ${what}`, 'Each line is {"id": …, "query": "…"}.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('is not JSON')
  }
  if (!isJsonObject(value) || typeof value.query !== 'string') throw wrong('has no "query"')
  const { id } = value
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') throw wrong('has an "id" that is neither text nor a number')
  return { id: id ?? number, query: value.query }
}

function shortHit(hit: SearchHit, givenIdOf: (id: string) => string | undefined): object {
  const id = givenIdOf(hit.id)
  return { ...(id === undefined ? {} : { id }), name: hit.name, score: rounded(hit.score) }
}

function rounded(score: number): number {
  return Number(score.toPrecision(5))
}

function reasonsText({ why }: SearchHit): string {
  return why.map(({ word, as, fields }) => `${as === undefined ? word : `${word}~${as}`} (${fields.join(', ')})`).join('; ')
}
