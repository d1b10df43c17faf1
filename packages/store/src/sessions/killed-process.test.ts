import { everyPersistedStep, ManualClock } from '@adjutant/testkit'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { openStore } from '../open-store.ts'

for (const kind of STORE_KINDS) {
  everyPersistedStep(kind, async () => {
    const clock = new ManualClock()
    const store = await openStore(await freshUrl(kind), { clock })
    return { clock, store: store.sessions, jobs: store.jobs, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  })
}
