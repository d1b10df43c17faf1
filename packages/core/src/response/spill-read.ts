import { AdjutantError } from '../contract/errors.ts'
import type { Namespace } from '../contract/ports.ts'
import { readBlocks } from './spill-blocks.ts'
import { notFound, openSpill } from './spill-open.ts'
import { type LinePage, readLines } from './spill-page.ts'
import { type SearchPage, searchLines } from './spill-search.ts'
import { readLastLines } from './spill-tail.ts'
import { resolveTerminalText } from './terminal-text.ts'

export interface SpillQuery {
  /** First line, from 1. Default 1. With `search`: the first line to look at. */
  readonly offset?: number
  /** Character of that first line to begin with, from 1: for a line that is too long for a page. Default 1. */
  readonly column?: number
  /** Lines, or hits, at most. Default 200 lines, 50 hits. */
  readonly limit?: number
  /** The last lines instead, so many at most; not together with the others but `maxChars`. */
  readonly tail?: number
  /** Plain text to find, upper and lower case alike; not a pattern. */
  readonly search?: string
  /** Characters of text at most. Default 6 000. */
  readonly maxChars?: number
}

export type SpillPage =
  | ({ readonly kind: 'lines'; readonly id: string } & LinePage)
  | ({ readonly kind: 'hits'; readonly id: string } & SearchPage)
  /** Bytes, no text. */
  | { readonly kind: 'binary'; readonly id: string; readonly bytes: number }

const DEFAULT_LINES = 200
const DEFAULT_HITS = 50
const MOST = 10_000
const DEFAULT_PAGE_CHARS = 6_000
const NEEDLE_CHARS = 1_000
const PROBE_BYTES = 8_192

/**
 * Reads a part of a kept result, or searches it. Streams: a file of a gigabyte takes no more memory than one of a kilobyte.
 *
 * @throws AdjutantError NOT_FOUND naming what is kept; INVALID_ARGUMENTS naming the argument
 * @example
 * ```ts
 * const page = await readSpill(namespace, 'call_1', { search: 'error' })
 * if (page.kind === 'hits') page.hits[0] // { line: 812, column: 1, text: 'error TS2322: …' }
 * ```
 */
export function readSpill(namespace: Namespace, id: string, query: SpillQuery = {}): Promise<SpillPage> {
  return readKept(namespace, { id, shown: id, named: 'ids' }, query)
}

/**
 * The same by the handle that a result was given under: for whoever has no namespace but what a session lends to it. One of another session, or
 * that somebody made up, names nothing here, and neither does the plain id.
 *
 * @throws AdjutantError NOT_FOUND naming what is kept; INVALID_ARGUMENTS naming the argument
 */
export async function readSpillByHandle(namespace: Namespace, handle: string, query: SpillQuery = {}): Promise<SpillPage> {
  const id = await namespace.readHandle('spill', handle).catch((error: unknown) => {
    if (AdjutantError.isInstance(error) && error.code === 'NAMESPACE_ESCAPE') return undefined
    throw error
  })
  if (id === undefined) throw await notFound(namespace, handle, 'handles')
  return readKept(namespace, { id, shown: handle, named: 'handles' }, query)
}

interface KeptName {
  readonly id: string
  /** As whoever asked calls it. */
  readonly shown: string
  readonly named: 'ids' | 'handles'
}

async function readKept(namespace: Namespace, { id, shown, named }: KeptName, query: SpillQuery): Promise<SpillPage> {
  const offset = whole('offset', query.offset ?? 1)
  const column = whole('column', query.column ?? 1)
  const maxChars = whole('maxChars', query.maxChars ?? DEFAULT_PAGE_CHARS)
  const limit = Math.min(MOST, whole('limit', query.limit ?? (query.search === undefined ? DEFAULT_LINES : DEFAULT_HITS)))
  if (query.search !== undefined) checkNeedle(query.search)
  const tail = query.tail === undefined ? undefined : Math.min(MOST, whole('tail', query.tail))
  if (tail !== undefined) checkAlone(query)
  const handle = await openSpill(namespace, id, named)
  try {
    for await (const block of readBlocks(handle, 0)) {
      if (block.subarray(0, PROBE_BYTES).includes(0)) return { kind: 'binary', id: shown, bytes: (await handle.stat()).size }
      break
    }
    if (query.search !== undefined) {
      return { kind: 'hits', id: shown, ...(await searchLines(handle, query.search, { offset, limit, maxChars })) }
    }
    const page =
      tail !== undefined ? await readLastLines(handle, tail, maxChars) : await readLines(handle, { offset, column, limit, maxChars })
    // What was kept is resolved already; a file that something else put there need not be.
    return { kind: 'lines', id: shown, ...page, text: resolveTerminalText(page.text) }
  } finally {
    await handle.close()
  }
}

function whole(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new AdjutantError('INVALID_ARGUMENTS', `${name} must be a whole number, at least 1; it is ${value}`)
}

function checkAlone({ offset, column, search, limit }: SpillQuery): void {
  if (offset === undefined && column === undefined && search === undefined && limit === undefined) return
  throw new AdjutantError('INVALID_ARGUMENTS', 'tail goes with none of offset, column, limit and search', {
    hint: 'Give tail alone for the last lines, or offset for lines from there on.',
  })
}

function checkNeedle(needle: string): void {
  if (needle === '')
    throw new AdjutantError('INVALID_ARGUMENTS', 'search is empty', { hint: 'Give the text to find, or leave search out.' })
  if (needle.includes('\n')) {
    throw new AdjutantError('INVALID_ARGUMENTS', 'search holds a line end', { hint: 'Search for the text of one line.' })
  }
  if (needle.length > NEEDLE_CHARS) {
    throw new AdjutantError('INVALID_ARGUMENTS', `search has ${needle.length} characters; ${NEEDLE_CHARS} is the most`)
  }
}
