/**
 * read_result: reads or searches a result that was too long for the model and was kept whole in the session's namespace. Sees this
 * session's results only. A page is always shorter than the limit at which results are cut.
 */
import { readSpillByHandle, type SpillPage } from '@adjutant/core'
import { AdjutantError, type AgentTool, type JsonObject } from '@adjutant/core/contract'
import { BUILT_IN } from './files/file-tool-context.ts'
import { optionalText, textField, wholeField } from './input-fields.ts'

/** Characters of lines in a page; with its header and footer a page stays below {@link RESULT_CHARS}. */
const PAGE_CHARS = 6_000
const RESULT_CHARS = 8_000
const MAX_LINES = 1_000
const FAR = Number.MAX_SAFE_INTEGER

export const readResultTool: AgentTool = {
  name: 'read_result',
  description:
    'Read or search the whole of an earlier result that was cut. Use for: the lines that the "[… left out …]" line of a result stands for. ' +
    'Not for: files of the workspace (read_file), or results that were shown in full.',
  inputSchema: {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'The id that the cut result names.',
        examples: ['spill_Y2FsbF8x.kq1VUbM3zGZb5C8Yl0cFqw'],
      },
      offset: { type: 'integer', minimum: 1, description: 'First line, counted from 1. Default 1. With search: where to begin looking.' },
      column: { type: 'integer', minimum: 1, description: 'First character of that line, for a line longer than a page. Default 1.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LINES, description: 'Lines, or places found, at most. Default 200, or 50.' },
      tail: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_LINES,
        description: 'Show the last lines instead, so many at most. Not together with offset, column, limit or search.',
      },
      search: {
        type: 'string',
        minLength: 1,
        maxLength: 1_000,
        description: 'Show only the lines with this text (plain text, no pattern; upper and lower case are alike), with line numbers.',
        examples: ['error'],
      },
    },
    required: ['id'],
    additionalProperties: false,
    examples: [
      { id: 'spill_Y2FsbF8x.kq1VUbM3zGZb5C8Yl0cFqw', search: 'error' },
      { id: 'spill_Y2FsbF8x.kq1VUbM3zGZb5C8Yl0cFqw', offset: 120, limit: 40 },
      { id: 'spill_Y2FsbF8x.kq1VUbM3zGZb5C8Yl0cFqw', tail: 30 },
    ],
  },
  origin: BUILT_IN,
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  // What was kept may be text of strangers: what is planted in the middle of a long page must not come back without its fence.
  untrusted: true,
  limits: { maxResultChars: RESULT_CHARS },
  async execute(input, cx) {
    const query = queryOf(input)
    return describe(await readSpillByHandle(cx.namespace, query.id, query), query)
  },
}

interface ResultQuery {
  readonly id: string
  readonly offset?: number
  readonly column?: number
  readonly limit?: number
  readonly tail?: number
  readonly search?: string
  readonly maxChars: number
}

function queryOf(input: JsonObject): ResultQuery {
  const id = textField(input, 'id').trim()
  if (id === '') throw new AdjutantError('INVALID_ARGUMENTS', '"id" is empty', { hint: 'Give the id that the cut result names.' })
  const search = optionalText(input, 'search')
  if (input.tail !== undefined) return tailQuery(id, input)
  return {
    id,
    offset: wholeField(input, 'offset', { min: 1, max: FAR, fallback: 1 }),
    column: wholeField(input, 'column', { min: 1, max: FAR, fallback: 1 }),
    limit: wholeField(input, 'limit', { min: 1, max: MAX_LINES, fallback: search === undefined ? 200 : 50 }),
    ...(search === undefined ? undefined : { search }),
    maxChars: PAGE_CHARS,
  }
}

function tailQuery(id: string, input: JsonObject): ResultQuery {
  const other = ['offset', 'column', 'limit', 'search'].find((name) => input[name] !== undefined)
  if (other === undefined) return { id, tail: wholeField(input, 'tail', { min: 1, max: MAX_LINES, fallback: 1 }), maxChars: PAGE_CHARS }
  throw new AdjutantError('INVALID_ARGUMENTS', `"tail" does not go with "${other}"`, {
    hint: 'Give "tail" alone for the last lines, or "offset" for lines from there on.',
  })
}

function describe(page: SpillPage, query: ResultQuery): string {
  switch (page.kind) {
    case 'binary':
      return `[result ${page.id}: ${page.bytes} bytes that are not text]`
    case 'lines':
      return describeLines(page, query)
    case 'hits':
      return describeHits(page, query)
    default:
      return page satisfies never
  }
}

function describeLines(page: SpillPage & { readonly kind: 'lines' }, query: ResultQuery): string {
  const { id, text, firstLine, lastLine, next, totalLines } = page
  if (text === '') return `[result ${id}: no line ${firstLine}; it has ${totalLines ?? 0}]`
  const { column = 1 } = query
  const from = column === 1 ? '' : ` from character ${column}`
  const head = firstLine === lastLine ? `line ${firstLine}${from}` : `lines ${firstLine} to ${lastLine}${from}`
  const end = next === undefined ? 'the end' : `more: read_result ${JSON.stringify({ id, ...next })}`
  return `[result ${id}, ${head}]\n${text}${text.endsWith('\n') ? '' : '\n'}[${end}]`
}

function describeHits(page: SpillPage & { readonly kind: 'hits' }, query: ResultQuery): string {
  const { id, hits, next } = page
  const { offset = 1 } = query
  const since = offset === 1 ? '' : ` from line ${offset} on`
  if (hits.length === 0) return `[result ${id}: nothing found${since}]`
  const lines = hits.map(({ line, column, text }) => (text.includes('…') ? `${line}:${column}: ${text}` : `${line}: ${text}`))
  const end =
    next === undefined
      ? `the end: ${hits.length} found${since}`
      : `more: read_result ${JSON.stringify({ id, search: query.search, ...next })}`
  return `[result ${id}, lines found]\n${lines.join('\n')}\n[${end}]`
}
