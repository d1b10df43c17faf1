import { everyPersistedStep, ManualClock } from '@adjutant/testkit'
import { memoryJobQueue } from '../jobs/memory-job-queue.ts'
import { MemoryDurableStore } from './memory-durable-store.ts'

everyPersistedStep('MemoryDurableStore', async () => {
  const clock = new ManualClock()
  return { clock, store: new MemoryDurableStore({ clock }), jobs: memoryJobQueue({ clock }) }
})
