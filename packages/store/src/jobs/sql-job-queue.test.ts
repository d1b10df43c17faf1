import assert from 'node:assert/strict'
import { jobQueueConformance } from '@adjutant/testkit'
import { freshUrl, openStore, STORE_KINDS } from '../../test/open-stores.ts'
import { LocalBell } from '../changes/change-bell.ts'
import { SqlJobQueue } from './sql-job-queue.ts'

for (const kind of STORE_KINDS) {
  jobQueueConformance(`SqlJobQueue on ${kind}`, async (ports) => {
    // The database keeps the machine's time: another writer is waited for while the clock of the jobs stands still.
    const { clock, ids } = ports
    const url = await freshUrl(kind)
    const opened = [await openStore(url, { ids })]
    const warn = (message: string): void => void process.stderr.write(`${message}\n`)
    return {
      async open() {
        // A database in memory is one process's.
        const db = kind === 'sqlite-memory' ? opened[0] : await openStore(url, { ids })
        assert.ok(db !== undefined)
        opened.push(db)
        return new SqlJobQueue({ db, bell: new LocalBell(clock), clock, warn })
      },
      async close() {
        await Promise.all(opened.map((db) => db.close()))
      },
    }
  })
}
