import { AdjutantError } from '../contract/errors.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** The place after which a page begins: the sort key of the last entry before it. Opaque for whoever passes it on. */
export function writeCursor(time: number, id: string): string {
  return Buffer.from(JSON.stringify([time, id])).toString('base64url')
}

/** @throws AdjutantError USAGE when it is none that a page gave */
export function readCursor(cursor: string): readonly [time: number, id: string] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(value) && value.length === 2) {
      const [time, id]: unknown[] = value
      if (Number.isSafeInteger(time) && typeof time === 'number' && typeof id === 'string') return [time, id]
    }
  } catch {
    // Said below.
  }
  throw new AdjutantError('USAGE', `not the beginning of a page: ${JSON.stringify(cursor.slice(0, 60))}`, {
    hint: 'Use what the page before gave as `next`.',
  })
}

/** @throws AdjutantError USAGE unless a whole number from 1 to 1 000 */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new AdjutantError('USAGE', `a page has 1 to ${MAX_LIMIT} entries, not ${limit}`)
}
