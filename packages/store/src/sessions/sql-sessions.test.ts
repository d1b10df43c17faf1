import { after } from 'node:test'
import { durableStoreConformance, ManualClock } from '@adjutant/testkit'
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
  durableStoreConformance(kind, async () => {
    const clock = new ManualClock()
    const url = await freshUrl(kind)
    const { sessions: store } = await open(url, clock)
    // A database in memory is nobody else's.
    if (kind === 'sqlite-memory') return { store, clock }
    const second = await open(url, clock)
    return { store, clock, elsewhere: async () => second.sessions }
  })
}

durableStoreConformance('a sealed sqlite-file', async () => {
  const clock = new ManualClock()
  const store = await open(await freshUrl('sqlite-file'), clock, { encryptionKey: `k:${'0123456789abcdef'.repeat(4)}` })
  return { store: store.sessions, clock }
})
