/** Real processes, really killed: before and after every step that they persist, on a file and on a server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { type SessionId, sessionId } from '@adjutant/core/contract'
import { allowAll, carryOn, checkMortalBatch, jobWorker, type MortalRun, mortalFolder, mortalTools, StartBook } from '@adjutant/testkit'
import { batchBook, SMALL_BATCH } from '../../test/batch-book.ts'
import { startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { openStore } from '../open-store.ts'

/** The fewest steps that the second process of the batch persists; fewer were not enumerated. */
const FEWEST = 6

interface Life {
  readonly killed: boolean
  readonly came: 'paused' | 'done' | undefined
}

/** @returns how one process ended */
async function live(url: string, book: string, folder: string, id: SessionId, at: number, moment: string): Promise<Life> {
  const child = startScript('./mortal-child.ts', [url, book, folder, id, String(at), moment], {
    // What one child has compiled the next one need not: written by those that end by themselves.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  })
  const line = await child.line()
  const killed = await child.ended().then(
    () => false,
    (error: unknown) => {
      if (child.process.signalCode === 'SIGKILL') return true
      throw error
    },
  )
  const said: unknown = JSON.parse(line ?? '{}')
  const came = typeof said === 'object' && said !== null && 'came' in said ? said.came : undefined
  return { killed, came: came === 'paused' || came === 'done' ? came : undefined }
}

for (const kind of STORE_KINDS) {
  // Another process cannot see what is in this one's memory.
  if (kind === 'sqlite-memory') continue
  describe(`a process that is SIGKILLed at each step that it persists on ${kind}`, () => {
    it('leaves what others carry on to one result for each call', { timeout: 115_000 }, async () => {
      const url = await freshUrl(kind)
      await using store = await openStore(url, { retryLimitMs: 60_000 })
      using folder = mortalFolder()
      const file = join(folder.path, 'book')
      const book = batchBook(new StartBook(file))
      const tools = mortalTools(book)
      await using _worker = jobWorker(store.jobs, tools, folder.path, systemClock)
      const run = (id: SessionId): MortalRun => ({
        store: store.sessions,
        jobs: store.jobs,
        clock: systemClock,
        id,
        tools,
        folder: folder.path,
        calls: SMALL_BATCH,
      })
      /** Whoever is left carries it on. */
      const finish = async (id: SessionId, when: string): Promise<void> => {
        for (let process = 1; (await carryOn(run(id))) === 'paused'; process += 1) {
          assert.ok(process < 20, `it does not come to an end, ${when}`)
          await allowAll(store.sessions, id)
        }
        await checkMortalBatch(store.sessions, id, book, when, SMALL_BATCH)
      }
      const enumerate = async (moment: 'before' | 'after', part: 'first' | 'second'): Promise<number> => {
        for (let at = 1; ; at += 1) {
          const id = sessionId(`${moment}_${part}_${at}`)
          const when = `the ${part} process was killed ${moment} its step ${at}`
          if (part === 'second') {
            assert.equal(await carryOn(run(id)), 'paused')
            await allowAll(store.sessions, id)
          }
          const { killed, came } = await live(url, file, folder.path, id, at, moment)
          assert.equal(killed, came === undefined, when)
          await finish(id, when)
          if (!killed) {
            assert.equal(came, part === 'first' ? 'paused' : 'done', when)
            return at - 1
          }
        }
      }
      assert.equal((await live(url, file, folder.path, sessionId('first'), Number.MAX_SAFE_INTEGER, 'after')).came, 'paused')
      // Two at a time: a process mostly waits for its own start.
      const [before, after] = await Promise.all(
        (['before', 'after'] as const).map(
          async (moment) => [await enumerate(moment, 'first'), await enumerate(moment, 'second')] as const,
        ),
      )
      assert.deepEqual(before, after)
      assert.ok(before?.[1] !== undefined && before[1] >= FEWEST && before[0] >= 1, `only ${before?.join(' and ')} steps`)
    })
  })
}
