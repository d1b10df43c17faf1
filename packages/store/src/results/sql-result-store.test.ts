import { after } from 'node:test'
import { ManualClock, resultStoreConformance } from '@adjutant/testkit'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { openStore, type Store } from '../open-store.ts'

const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, clock: ManualClock, options: Parameters<typeof openStore>[1] = {}): Promise<Store> {
  const store = await openStore(url, { clock, ...options })
  opened.push(store)
  return store
}

for (const kind of STORE_KINDS) {
  resultStoreConformance(kind, async () => {
    const clock = new ManualClock()
    const url = await freshUrl(kind)
    const { sessions, results } = await open(url, clock)
    // A database in memory is nobody else's.
    if (kind === 'sqlite-memory') return { sessions, results, clock }
    return { sessions, results, clock, elsewhere: (await open(url, clock)).results }
  })
}

resultStoreConformance('a sealed sqlite-file', async () => {
  const clock = new ManualClock()
  const store = await open(await freshUrl('sqlite-file'), clock, { encryptionKey: `k:${'0123456789abcdef'.repeat(4)}` })
  return { sessions: store.sessions, results: store.results, clock }
})
