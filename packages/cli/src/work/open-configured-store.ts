import { randomIds, systemClock } from '@adjutant/core'
import type { Store } from '@adjutant/store'
import type { CliIo } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { readNotify } from '../config/notify-targets.ts'
import { storePlace } from '../config/store-place.ts'

/** Opens the store that is meant; the database is loaded only where one is. @throws AdjutantError what `openStore` and {@link storePlace} throw */
export async function openConfiguredStore(
  io: CliIo,
  config: Config,
  option: string | undefined,
  migrate: 'auto' | 'leave' = 'auto',
): Promise<Store> {
  const { url, encryptionKeys } = storePlace(config, option, io.cwd)
  const { openStore } = await import('@adjutant/store')
  return openStore(url, {
    clock: systemClock,
    ids: randomIds,
    migrate,
    ...(io.env.ADJUTANT_AUDIT_KEY === undefined || io.env.ADJUTANT_AUDIT_KEY === '' ? {} : { auditKey: io.env.ADJUTANT_AUDIT_KEY }),
    notify: await readNotify(config.notify),
    warn: (message) => io.stderr.write(`! ${message}\n`),
    ...(encryptionKeys === undefined ? {} : { encryptionKey: encryptionKeys }),
  })
}
