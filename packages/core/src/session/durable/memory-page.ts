import type { Page } from '../../contract/durable.ts'
import { pageLimit, readCursor, writeCursor } from '../../util/page-cursor.ts'

export interface PageOrder<T> {
  readonly time: (item: T) => number
  readonly id: (item: T) => string
  readonly newestFirst: boolean
}

/**
 * One page of what is in memory, in one order with the databases: by time, then by id.
 *
 * @throws AdjutantError USAGE for a limit or a beginning that is none
 */
export function pageOf<T>(
  items: readonly T[],
  order: PageOrder<T>,
  { after, limit }: { readonly after?: string | undefined; readonly limit?: number | undefined },
): Page<T> {
  const size = pageLimit(limit)
  const place = after === undefined ? undefined : readCursor(after)
  const { time, id, newestFirst } = order
  const compare = (a: readonly [number, string], b: readonly [number, string]): number => {
    const ascending = a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0)
    return newestFirst ? -ascending : ascending
  }
  const keyed = items.map((item) => ({ item, key: [time(item), id(item)] as const })).sort((a, b) => compare(a.key, b.key))
  const rest = place === undefined ? keyed : keyed.filter(({ key }) => compare(key, place) > 0)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  const shown = page.map(({ item }) => item)
  return rest.length > size && last !== undefined ? { items: shown, next: writeCursor(...last.key) } : { items: shown }
}
