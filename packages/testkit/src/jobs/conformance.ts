import { describe } from 'node:test'
import { failures } from './failures.ts'
import type { OpenJobQueue } from './job-bench.ts'
import { lifeOfAJob } from './life-of-a-job.ts'
import { schedules } from './schedules.ts'
import { takingTurns } from './taking-turns.ts'

/**
 * What every JobQueue must do. Time is a clock's that the tests move: a queue that asks another one fails them.
 *
 * @param open gives jobs of their own each time, of which several nodes can be opened
 *
 * @example
 * ```ts
 * jobQueueConformance('memoryJobQueue', async (ports) => {
 *   const queue = memoryJobQueue(ports)
 *   return { open: async () => queue, close: async () => {} }
 * })
 * ```
 */
export function jobQueueConformance(name: string, open: OpenJobQueue): void {
  describe(`${name}: a job`, () => lifeOfAJob(open))
  describe(`${name}: failures`, () => failures(open))
  describe(`${name}: turns`, () => takingTurns(open))
  describe(`${name}: schedules`, () => schedules(open))
}
