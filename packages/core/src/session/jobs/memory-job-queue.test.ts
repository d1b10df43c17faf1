import { jobQueueConformance } from '@adjutant/testkit'
import { memoryJobQueue } from './memory-job-queue.ts'

jobQueueConformance('memoryJobQueue', async (ports) => {
  const queue = memoryJobQueue(ports)
  return { open: async () => queue, close: async () => {} }
})
