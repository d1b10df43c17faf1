import type { Wave } from './plan-batch.ts'

/**
 * Runs a plan: waves in order, the members of a concurrent wave by at most `concurrency` workers that take them in the model's
 * order. `run` settles its own call and never rejects; if it does, the batch stops taking new members, waits for what is in
 * flight, and rejects with the first error, so that nothing runs on unobserved.
 *
 * @param concurrency calls in flight at once, 1 or more
 */
export async function runBatch(plan: readonly Wave[], concurrency: number, run: (index: number) => Promise<void>): Promise<void> {
  for (const wave of plan) {
    if (wave.concurrent) await runTogether(wave.members, concurrency, run)
    else for (const index of wave.members) await run(index)
  }
}

async function runTogether(members: readonly number[], concurrency: number, run: (index: number) => Promise<void>): Promise<void> {
  const queue = members.values()
  let broken = false
  const worker = async (): Promise<void> => {
    // One iterator for all workers: each member is taken once, in order.
    for (let next = queue.next(); !next.done && !broken; next = queue.next()) {
      try {
        await run(next.value)
      } catch (error) {
        broken = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(Math.max(1, concurrency), members.length) }, worker)
  const ends = await Promise.allSettled(workers)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
