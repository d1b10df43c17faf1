/**
 * The program of the worker thread in which a model's pattern runs: a pattern that backtracks without end blocks this thread
 * and not the host, which then ends the thread. Imports nothing but its own matching.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { matchLines } from './match-lines.ts'

function isSetup(value: unknown): value is { readonly source: string; readonly flags: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    typeof value.source === 'string' &&
    'flags' in value &&
    typeof value.flags === 'string'
  )
}

function isRequest(value: unknown): value is { readonly block: string; readonly limit: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'block' in value &&
    typeof value.block === 'string' &&
    'limit' in value &&
    typeof value.limit === 'number'
  )
}

const setup: unknown = workerData
if (parentPort === null || !isSetup(setup)) throw new Error('regex-worker runs as a worker thread only')
const port = parentPort
const pattern = new RegExp(setup.source, setup.flags)

port.on('message', (request: unknown) => {
  if (isRequest(request)) port.postMessage(matchLines(request.block, pattern, request.limit))
})
