/**
 * A process with a cache that it shares. Usage: node cache-child.ts URL. Each line that it is told is JSON: {tool, input, tenant, user, ttlMs?}; it answers with
 * {output, cached, runs}: `runs` of its tools so far.
 */
import { createInterface } from 'node:readline'
import { openStore } from '../src/open-store.ts'
import { CacheNode } from './cache-node.ts'

const [url = ''] = process.argv.slice(2)
await using store = await openStore(url, { retryLimitMs: 60_000 })
const node = new CacheNode(store.cache)
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await node.run(JSON.parse(line)))}\n`)
}
