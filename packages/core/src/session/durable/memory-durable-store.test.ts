import { durableStoreConformance, ManualClock } from '@adjutant/testkit'
import { MemoryDurableStore } from './memory-durable-store.ts'

durableStoreConformance('MemoryDurableStore', async () => {
  const clock = new ManualClock()
  return { clock, store: new MemoryDurableStore({ clock }) }
})
