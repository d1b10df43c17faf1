import { after, before, describe, it } from 'node:test'
import { APPROVAL_CASES } from './approval-cases.ts'
import { CaseContext, type DurableCase, type DurableStoreBench } from './case-context.ts'
import { HOLD_CASES } from './hold-cases.ts'
import { LOG_CASES } from './log-cases.ts'
import { TENANT_CASES } from './tenant-cases.ts'

export const DURABLE_STORE_CASES: readonly DurableCase[] = [...HOLD_CASES, ...LOG_CASES, ...APPROVAL_CASES, ...TENANT_CASES]

/**
 * What every {@link DurableStore} and its desk must do. Call it inside a test file. One store serves all cases; each uses tenants of its own.
 *
 * @param open a store on a `ManualClock`; where it says how, also the same one as another process has it. Disposed of when the suite is over
 * @example
 * ```ts
 * durableStoreConformance('MemoryDurableStore', async () => {
 *   const clock = new ManualClock()
 *   return { clock, store: new MemoryDurableStore({ clock }) }
 * })
 * ```
 */
export function durableStoreConformance(name: string, open: () => Promise<DurableStoreBench & Partial<AsyncDisposable>>): void {
  describe(`a session in ${name}`, () => {
    let bench: (DurableStoreBench & Partial<AsyncDisposable>) | undefined
    before(async () => {
      bench = await open()
    })
    after(async () => {
      await bench?.[Symbol.asyncDispose]?.()
    })
    for (const [index, { name: what, run }] of DURABLE_STORE_CASES.entries()) {
      it(what, { timeout: 60_000 }, async () => {
        if (bench === undefined) throw new Error('the store was not opened')
        await run(new CaseContext(bench, `tenant ${index}`))
      })
    }
  })
}
