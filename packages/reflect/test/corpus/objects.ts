/** Functions of one object, or of objects among others. */

/** A place on a map. */
export interface Place {
  /** Degrees north. @minimum -90 @maximum 90 */
  readonly latitude: number
  /**
   * Degrees east.
   * @minimum -180
   * @maximum 180
   */
  readonly longitude: number
  /** What people call it. */
  name?: string
}

/** Shows a place. */
export function showPlace(place: Place): Place {
  return { ...place }
}

/** Measures between places. */
export function measurePlaces(from: Place, to: Place): { from: Place; to: Place } {
  return { from, to }
}

/** Searches with destructured options. */
export function searchText({ query, limit = 10, exact = false }: { query: string; limit?: number; exact?: boolean }): {
  query: string
  limit: number
  exact: boolean
} {
  return { query, limit, exact }
}

/** Renames what it takes. */
export function renameWhat({ from: source, to: target = 'copy' }: { from: string; to?: string }): { from: string; to: string } {
  return { from: source, to: target }
}

/** Reads options that are in options. */
export function readDeep({
  page: { size = 20, number = 1 } = {},
  sort = 'name',
}: {
  page?: { size?: number; number?: number }
  sort?: string
}): {
  page: { size: number; number: number }
  sort: string
} {
  return { page: { size, number }, sort }
}

/**
 * Writes options that may all be left out.
 * @param options how
 * @param options.indent spaces @minimum 0 @maximum 8 @integer
 */
export function writeOptions(options: { indent?: number; tabs?: boolean } = {}): { indent?: number; tabs?: boolean } {
  return { ...options }
}

/** Takes an object that may be left out, whole. */
export function takeMaybe(place?: { id: number }): { place: { id: number } | undefined } {
  return { place }
}

/** Takes names and numbers. */
export function takeScores(scores: Record<string, number>): { scores: Record<string, number> } {
  return { scores }
}

/** Takes a record of words. */
export function takeByDay(hours: Record<'mon' | 'tue', number>): { mon: number; tue: number } {
  return { mon: hours.mon, tue: hours.tue }
}

/** Takes what has known and other names. */
export function takeOpen(headers: { accept: string; [name: string]: string }): { accept: string; [name: string]: string } {
  return { ...headers }
}

/** Takes names that begin in one way. */
export function takeMarked(values: { [key: `x-${string}`]: number }): { values: { [key: `x-${string}`]: number } } {
  return { values }
}

/** Takes numbers as names. */
export function takeSparse(cells: { [index: number]: string }): { cells: { [index: number]: string } } {
  return { cells }
}

/** Takes any object. */
export function takeAnyObject(value: object): { value: object } {
  return { value }
}

interface Base {
  id: number
}
interface Named extends Base {
  name: string
}

/** Takes what extends another. */
export function takeExtended(value: Named): Named {
  return { ...value }
}

/** Takes what is two things. */
export function takeBoth(value: Base & { tag: string }): { id: number; tag: string } {
  return { ...value }
}

/** Takes a data class. */
export class Money {
  amount = 0
  currency = 'EUR'
}
/** Pays. */
export function pay(money: Money): Money {
  return { ...money }
}

/** Takes nested objects. */
export function takeOrder(order: {
  id: string
  customer: { name: string; address: { city: string; zip?: string } }
  lines: { sku: string; count: number }[]
}): {
  id: string
  customer: { name: string; address: { city: string; zip?: string } }
  lines: { sku: string; count: number }[]
} {
  return { ...order }
}

/** Takes the same shape twice. */
export function takeTwice(value: { home: Place; work: Place; other?: Place[] }): { home: Place; work: Place; other?: Place[] } {
  return { ...value }
}
