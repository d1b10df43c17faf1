import { ManualClock, resultStoreConformance } from '@adjutant/testkit'
import { MemoryDurableStore } from './memory-durable-store.ts'
import { MemoryResultStore } from './memory-result-store.ts'

resultStoreConformance('MemoryResultStore', async () => {
  const clock = new ManualClock()
  return { clock, sessions: new MemoryDurableStore({ clock }), results: new MemoryResultStore({ clock }) }
})
