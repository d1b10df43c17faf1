import type { IdSource } from '@adjutant/core/contract'

/** Ids that a test can foretell: `call_1`, `call_2`, … */
export function countingIds(): IdSource {
  let count = 0
  return {
    next: (prefix) => `${prefix}_${++count}`,
    traceId: () => (++count).toString(16).padStart(32, '0'),
  }
}
