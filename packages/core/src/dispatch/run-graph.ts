import type { Effect, ResourceClaim } from '../contract/tool.ts'
import { claimsConflict } from '../util/claims-overlap.ts'
import type { BatchWork } from './run-batch.ts'

/**
 * Runs a batch by what its calls declare to touch (`resources`). A call waits for every earlier one that it conflicts with, and for nothing
 * else: so the outcome is that of the model's order, while a write that waits for a person holds up only what depends on it. A write that
 * runs is alone, as in every other strategy.
 */

/** One call as the graph sees it. */
export interface GraphCall {
  /** `undefined`: it will not run. */
  readonly effect: Effect | undefined
  /** What it declares; `undefined`: anything. */
  readonly claims: readonly ResourceClaim[] | undefined
}

/** A dangerous call may do what it did not declare, and so may one that declares nothing. */
function conflict(a: GraphCall, b: GraphCall): boolean {
  if (a.effect === 'read' && b.effect === 'read') return false
  if (a.effect === 'dangerous' || b.effect === 'dangerous') return true
  if (a.claims === undefined || b.claims === undefined) return true
  return claimsConflict(a.claims, b.claims)
}

/**
 * For each call the earlier ones that it must wait for.
 *
 * @example
 * ```ts
 * const write = { effect: 'write', claims: [{ key: 'file:/a', mode: 'write' }] } as const
 * const other = { effect: 'read', claims: [{ key: 'file:/b', mode: 'read' }] } as const
 * dependencies([write, other]) // [[], []]
 * ```
 */
export function dependencies(calls: readonly GraphCall[]): readonly (readonly number[])[] {
  return calls.map((call, index) => {
    if (call.effect === undefined) return []
    const before: number[] = []
    for (let earlier = 0; earlier < index; earlier += 1) {
      const other = calls[earlier]
      if (other?.effect !== undefined && conflict(call, other)) before.push(earlier)
    }
    return before
  })
}

/**
 * What depends on a call that stays as it is stays too.
 *
 * @param concurrency calls in flight at once, 1 or more
 * @throws the first error of `work`, after all that had started has ended
 */
export async function runGraph(calls: readonly GraphCall[], concurrency: number, work: BatchWork): Promise<void> {
  const before = dependencies(calls)
  const places = new Places(Math.max(1, concurrency))
  const done: Promise<'done' | 'waits'>[] = []
  for (const [index, call] of calls.entries()) {
    const { effect } = call
    if (effect === undefined) {
      done.push(Promise.resolve('done'))
      continue
    }
    const earlier = (before[index] ?? []).map((each) => done[each])
    const run = (async () => {
      if ((await Promise.all(earlier)).includes('waits')) return 'waits'
      const gate = work.gate?.(index)
      const came = gate === undefined ? 'open' : await gate
      if (came !== 'open') return came === 'waits' ? 'waits' : 'done'
      await places.take(effect !== 'read', index)
      try {
        return (await work.run(index)) ?? 'done'
      } finally {
        places.free(effect !== 'read')
      }
    })()
    // Looked at below; marked handled now, since one that waits for it may end first.
    run.catch(() => {})
    done.push(run)
  }
  for (const end of await Promise.allSettled(done)) if (end.status === 'rejected') throw end.reason
}

interface Waiting {
  readonly alone: boolean
  readonly index: number
  readonly grant: () => void
}

/** Reads share the places; a write has all of them. Whoever waits is served in the model's order, so that nobody starves. */
class Places {
  readonly #limit: number
  readonly #waiting: Waiting[] = []
  #reads = 0
  #alone = false

  constructor(limit: number) {
    this.#limit = limit
  }

  take(alone: boolean, index: number): Promise<void> {
    return new Promise((grant) => {
      this.#waiting.push({ alone, index, grant })
      this.#waiting.sort((a, b) => a.index - b.index)
      this.#serve()
    })
  }

  free(alone: boolean): void {
    if (alone) this.#alone = false
    else this.#reads -= 1
    this.#serve()
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#fits(first); first = this.#waiting[0]) {
      this.#waiting.shift()
      if (first.alone) this.#alone = true
      else this.#reads += 1
      first.grant()
    }
  }

  #fits({ alone }: Waiting): boolean {
    return !this.#alone && (alone ? this.#reads === 0 : this.#reads < this.#limit)
  }
}
