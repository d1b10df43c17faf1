import type { Effect } from '../contract/tool.ts'

/**
 * Decides order and company of a batch's calls. Pure: it sees only what each call may do to the world, never runs anything,
 * and any schedule it gives has the outcome of the serial one.
 */

/** Calls that may be in flight together (`concurrent`), or exactly one. Waves run one after the other. */
export interface Wave {
  /** Positions in the batch, ascending. */
  readonly members: readonly number[]
  readonly concurrent: boolean
}

/**
 * `strict`: a batch of reads runs concurrently; a batch with any write runs one by one in the model's order.
 * `segmented`: each unbroken row of reads runs concurrently, each write alone, in the model's order.
 */
export type BatchStrategy = 'strict' | 'segmented'

/**
 * Plans one batch.
 *
 * @param effects what each call does, by position; `undefined` for a call that will not run (refused)
 * @example
 * ```ts
 * planBatch(['read', 'read'], 'strict') // [{ members: [0, 1], concurrent: true }]
 * planBatch(['read', 'write'], 'strict') // [{ members: [0], … }, { members: [1], … }], one after the other
 * ```
 */
export function planBatch(effects: readonly (Effect | undefined)[], strategy: BatchStrategy): readonly Wave[] {
  const onlyReads = effects.every((effect) => effect === undefined || effect === 'read')
  const mayShare = onlyReads || strategy === 'segmented'
  const waves: Wave[] = []
  let reads: number[] = []
  const closeReads = (): void => {
    if (reads.length > 0) waves.push({ members: reads, concurrent: reads.length > 1 })
    reads = []
  }
  // By number: an entry for each call would be made otherwise.
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index]
    if (effect === undefined) continue
    if (effect === 'read' && mayShare) {
      reads.push(index)
      continue
    }
    closeReads()
    waves.push({ members: [index], concurrent: false })
  }
  closeReads()
  return waves
}
