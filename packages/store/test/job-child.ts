/**
 * A process that does jobs of the kind `work` one at a time: says `begun ID ATTEMPT`, and gives back its name when it is told to on its input. Ends with its input.
 *
 * Usage: node job-child.ts URL NAME LEASE_MS
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { openStore } from '../src/open-store.ts'

const [url = '', name = '', leaseMs = ''] = process.argv.slice(2)
await using store = await openStore(url)
const lines = createInterface({ input: process.stdin })
const worker = store.jobs.work(
  {
    work: async ({ job }) => {
      process.stdout.write(`begun ${job.id} ${job.attempt}\n`)
      await once(lines, 'line')
      return name
    },
  },
  { concurrency: 1, leaseMs: Number(leaseMs), node: name },
)
process.stdout.write('ready\n')
await once(lines, 'close')
await worker.stop()
