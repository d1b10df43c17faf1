import type { Namespace } from '../contract/ports.ts'
import type { RemovalReason } from './spill-removed.ts'
import { spillSettings } from './spill-settings.ts'
import { SpillFile } from './spill-store.ts'

/**
 * Brings a result of this session that another machine kept into the folder here, under its own name and age, as if it had been made here.
 *
 * @returns `here`; `unknown` when nobody kept one; or why it is gone
 * @throws AdjutantError STORE_FAILED; TOO_LARGE when it is more than this session may keep here; an Error of the file system
 */
export async function bringBack(namespace: Namespace, id: string): Promise<'here' | 'unknown' | RemovalReason> {
  const { shared, limits } = spillSettings(namespace)
  const known = await shared?.find(id)
  if (shared === undefined || known === undefined) return 'unknown'
  if (known.removed !== undefined) return known.removed
  const { createdAt } = known
  if (limits.maxAgeMs !== undefined && shared.clock.now() - createdAt > limits.maxAgeMs) return 'age'
  await shared.once(id, async () => {
    const file = await SpillFile.open(namespace, id)
    try {
      for await (const piece of shared.read(id)) await file.write([piece])
    } catch (error) {
      await file.abandon()
      throw error
    }
    await file.place(id, createdAt)
  })
  return 'here'
}
