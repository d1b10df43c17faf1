/**
 * A process that works on a session and kills itself, really, at the n-th step that it persists.
 *
 * Usage: node mortal-child.ts URL BOOK FOLDER SESSION N before|after
 */
import { systemClock } from '@adjutant/core'
import { sessionId } from '@adjutant/core/contract'
import { carryOn, dyingStore, mortalTools, StartBook } from '@adjutant/testkit'
import { openStore } from '../src/open-store.ts'
import { batchBook, SMALL_BATCH } from './batch-book.ts'

const [url = '', file = '', folder = '', id = '', at = '', moment = ''] = process.argv.slice(2)
await using store = await openStore(url, { retryLimitMs: 60_000 })
const mortal = dyingStore(store.sessions, { at: Number(at), moment: moment === 'before' ? 'before' : 'after' })
const tools = mortalTools(batchBook(new StartBook(file)))
const came = await carryOn({ store: mortal, jobs: store.jobs, clock: systemClock, id: sessionId(id), tools, folder, calls: SMALL_BATCH })
process.stdout.write(`${JSON.stringify({ came, persisted: mortal.persisted })}\n`)
