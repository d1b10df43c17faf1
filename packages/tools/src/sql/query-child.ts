/**
 * The program of one child process of the pool. Its main thread runs no SQL: it passes requests on to a thread and watches the
 * channel to its parent. When the parent is gone, also by `kill -9` and in the middle of a query, it ends itself with SIGKILL: an
 * ordinary exit would wait for the thread, which cannot be interrupted while it is inside SQLite. It does the same when a query
 * takes more memory than {@link MEMORY_BYTES}: Node's SQLite is built without its own memory limit (DEFAULT_MEMSTATUS=0).
 */
import { Worker } from 'node:worker_threads'
import { programUrl } from '../program-url.ts'
import { isReply, isRequest } from './query-protocol.ts'

/** A process at rest has some 80 MB. */
const MEMORY_BYTES = 1_024 * 1_024 * 1_024
const MEMORY_LOOK_MS = 100

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

function tell(message: object): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) end()
  })
}

const worker = new Worker(programUrl(import.meta.url, 'query-worker'), {
  workerData: JSON.parse(process.argv[2] ?? '[]'),
  resourceLimits: { maxOldGenerationSizeMb: 256 },
})

let watch: NodeJS.Timeout | undefined

function watchMemory(): void {
  if (process.memoryUsage.rss() > MEMORY_BYTES) process.stderr.write('too much memory\n', end)
}

process.on('disconnect', end)
// Ctrl-C reaches the whole group of a terminal; the parent decides when the query ends.
process.on('SIGINT', () => {})
worker.on('message', (message: unknown) => {
  if (!isReply(message)) return
  clearInterval(watch)
  tell(message)
})
worker.on('error', (error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, end)
})
worker.on('exit', end)
process.on('message', (message: unknown) => {
  if (!isRequest(message)) return
  watch = setInterval(watchMemory, MEMORY_LOOK_MS)
  worker.postMessage(message)
})
if (!process.connected) end()
