/**
 * Owns the kept form of an index: eight bytes of magic and version, a JSON head with lengths and names, then the number arrays,
 * little-endian, and a checksum of all of it. Whatever is cut, damaged or of another version is refused with the same advice: build anew.
 */
import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import type { LexiconState } from './lexicon.ts'
import type { PostingsState } from './postings.ts'
import type { Ranking } from './ranking.ts'

/** Raised when words are cut or weighed differently, so that an old index is never searched with new rules. */
const VERSION = 1
const MAGIC = 0x584a4441
const HEAD = 16

export interface IndexState {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly servers: readonly string[]
  readonly lexicon: LexiconState
  readonly postings: PostingsState
  readonly serverOf: Uint32Array
  readonly nameStarts: Uint32Array
  readonly nameTerms: Uint32Array
}

export function writeIndexState(state: IndexState & { readonly ranking: Ranking }): Uint8Array<ArrayBuffer> {
  const { ids, names, servers, lexicon, postings, ranking } = state
  const arrays = [postings.lengths, postings.pool, state.serverOf, state.nameStarts, state.nameTerms, lexicon.ends, lexicon.terms]
  const head = new TextEncoder().encode(
    JSON.stringify({
      ranking: rankingMark(ranking),
      ids,
      names,
      servers,
      terms: lexicon.names,
      arrays: arrays.map(({ length }) => length),
      words: lexicon.bytes.length,
    }),
  )
  const length = HEAD + head.length + arrays.reduce((sum, array) => sum + array.length * 4, 0) + lexicon.bytes.length
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, VERSION, true)
  view.setUint32(8, head.length, true)
  bytes.set(head, HEAD)
  let at = HEAD + head.length
  for (const array of arrays) {
    for (const number of array) {
      view.setUint32(at, number, true)
      at += 4
    }
  }
  bytes.set(lexicon.bytes, at)
  view.setUint32(12, checksum(bytes), true)
  return bytes
}

export function readIndexState(bytes: Uint8Array, ranking: Ranking): IndexState {
  if (bytes.length < HEAD) throw refused('it is cut off')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== MAGIC) throw refused('it is not a search index')
  if (view.getUint32(4, true) !== VERSION) throw refused(`it is of version ${view.getUint32(4, true)}, not ${VERSION}`)
  if (view.getUint32(12, true) !== checksum(bytes)) throw refused('it is cut off or damaged')
  const start = HEAD + view.getUint32(8, true)
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(HEAD, start)))
  if (!isJsonObject(head)) throw refused('its head is not an object')
  if (head.ranking !== rankingMark(ranking)) throw refused('it was made with other numbers of the ranking')
  const lengths = numbersOf(head.arrays)
  let at = start
  const next = (which: number): Uint32Array => {
    const array = new Uint32Array(lengths[which] ?? 0)
    for (let index = 0; index < array.length; index++, at += 4) array[index] = view.getUint32(at, true)
    return array
  }
  const [postingLengths, pool, serverOf, nameStarts, nameTerms, ends, terms] = [
    next(0),
    next(1),
    next(2),
    next(3),
    next(4),
    next(5),
    next(6),
  ]
  return {
    ids: stringsOf(head.ids),
    names: stringsOf(head.names),
    servers: stringsOf(head.servers),
    lexicon: { names: stringsOf(head.terms), ends, terms, bytes: bytes.slice(at) },
    postings: { lengths: postingLengths, pool },
    serverOf,
    nameStarts,
    nameTerms,
  }
}

function refused(reason: string): AdjutantError {
  return new AdjutantError('CONFLICT', `the kept search index cannot be used: ${reason}`, { hint: 'Build the index anew from the tools.' })
}

function rankingMark(ranking: Ranking): string {
  const { fields, ...numbers } = ranking
  return canonicalJson({
    ...numbers,
    fields: Object.entries(fields).map(([name, { weight, slope, pivot }]) => [name, weight, slope, pivot]),
  })
}

/** FNV-1a over everything but the checksum's own place. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < bytes.length; at++) if (at < 12 || at >= HEAD) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return hash >>> 0
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function numbersOf(value: JsonValue | undefined): readonly number[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'number') : []
}
