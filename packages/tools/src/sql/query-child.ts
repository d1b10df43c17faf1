/**
 * The program of one child process of the pool. Its main thread runs no SQL: it passes requests on to a thread and watches the
 * channel to its parent. When the parent is gone, also by `kill -9` and in the middle of a query, it ends itself with SIGKILL: an
 * ordinary exit would wait for the thread, which cannot be interrupted while it is inside SQLite.
 */
import { Worker } from 'node:worker_threads'
import { programUrl } from '../program-url.ts'
import { isReady, isReply, isRequest } from './query-protocol.ts'

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

process.on('disconnect', end)
// Ctrl-C reaches the whole group of a terminal; the parent decides when the query ends.
process.on('SIGINT', () => {})
worker.on('message', (message: unknown) => {
  if (isReady(message) || isReply(message)) tell(message)
})
worker.on('error', (error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, end)
})
worker.on('exit', end)
process.on('message', (message: unknown) => {
  if (isRequest(message)) worker.postMessage(message)
})
if (!process.connected) end()
