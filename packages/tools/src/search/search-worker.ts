/**
 * The program of the worker thread that searches: it reads and matches file after file without waiting on an event loop (ten times
 * as fast, and the host stays free), and a pattern that backtracks without end blocks this thread and not the host, which then
 * ends it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openInside } from '../workspace/open-inside.ts'
import { Findings } from './findings.ts'
import { findText, matchLines } from './match-lines.ts'
import { readBlocks } from './read-blocks.ts'
import { isRequest, isSetup, type SearchFile, type SearchReply, type SearchRequest } from './search-protocol.ts'

const setup: unknown = workerData
if (parentPort === null || !isSetup(setup)) throw new Error('search-worker runs as a worker thread only')
const port = parentPort
const { root, query, limits } = setup
const pattern = query.type === 'pattern' ? new RegExp(query.source, query.flags) : undefined
const text = query.type === 'text' ? query.text : ''
const findings = new Findings(limits)

port.on('message', (request: unknown) => {
  if (isRequest(request)) answer(request)
})

function answer(request: SearchRequest): void {
  switch (request.type) {
    case 'files':
      for (const file of request.files) {
        search(file)
        if (findings.full !== undefined) break
      }
      tell({ type: 'done', full: findings.full !== undefined })
      return
    case 'end':
      tell({ type: 'found', found: findings.result() })
      return
    default:
      request satisfies never
  }
}

function search(file: SearchFile): void {
  try {
    using opened = openInside(root, file.real, file.name)
    let firstLine = 1
    let isText = false
    for (const block of readBlocks(opened)) {
      isText = true
      if (pattern !== undefined) tell({ type: 'at', name: file.name })
      const { matches, lines } = pattern === undefined ? findText(block, text, findings.left) : matchLines(block, pattern, findings.left)
      if (matches.length > 0) findings.add(file.name, block, firstLine, matches)
      firstLine += lines
      if (findings.full !== undefined) break
    }
    if (isText) findings.files += 1
    else if (opened.size > 0) findings.binary += 1
  } catch (error) {
    // A pattern that V8 cannot run on a text (its stack is bounded) says so with one of these.
    if (error instanceof SyntaxError || error instanceof RangeError) findings.failed += 1
    // Gone or closed to us since it was listed; the rest of the search is still good.
    else findings.unreadable += 1
  }
}

function tell(reply: SearchReply): void {
  port.postMessage(reply)
}
