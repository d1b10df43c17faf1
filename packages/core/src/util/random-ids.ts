import { randomBytes } from 'node:crypto'
import type { IdSource } from '../contract/ports.ts'

/** Ids that one process may make in one millisecond and have in order: three digits to the base 32. */
const PER_MILLISECOND = 32 ** 3

let last = 0
let count = 0

/** Ten digits of the time and three of a counter, to the base 32: what is made later sorts later, also within one millisecond. */
function order(): string {
  const now = Date.now()
  if (now > last) {
    last = now
    count = 0
  } else {
    count += 1
    // More than that, or a clock that was set back: the time of the last one goes on.
    if (count === PER_MILLISECOND) {
      last += 1
      count = 0
    }
  }
  return last.toString(32).padStart(10, '0') + count.toString(32).padStart(3, '0')
}

/** Ids that sort by when they were made in this process, with 96 random bits in base64url; and W3C trace ids. */
export const randomIds: IdSource = {
  next: (prefix) => `${prefix}_${order()}${randomBytes(12).toString('base64url')}`,
  traceId: () => randomBytes(16).toString('hex'),
}
