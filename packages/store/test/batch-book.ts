import { type BatchBook, mortalCalls, type StartBook } from '@adjutant/testkit'

/** Small, as each of its steps costs the start of a process. */
export const SMALL_BATCH = mortalCalls(['look', 'slow', 'change', 'known'])

/** What really happened, in a file that all processes share. */
export function batchBook(book: StartBook): BatchBook {
  return {
    started: (key, name) => book.started(key, name),
    starts: (key) => book.read().get(key)?.starts ?? 0,
  }
}
