/**
 * A process beside the test's own that has a session, a job and a delivery in hand and lets none of them go, until a line comes; then it tries to write what came of
 * each, and says what happened.
 *
 * Usage: node work-child.ts URL
 */
import { createInterface } from 'node:readline'
import { AdjutantError } from '@adjutant/core'
import { sessionId, traceId } from '@adjutant/core/contract'
import { openStore } from '../src/open-store.ts'

const [url = ''] = process.argv.slice(2)
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

await using store = await openStore(url, { retryLimitMs: 60_000, notify: [{ event: { name: 'bot' }, on: ['approval.waiting'] }] })
const node = await store.nodes.join({ id: 'child' })
const principal = { tenantId: 'acme', userId: 'ann', roles: [] }
const hold = await store.sessions.hold(
  { tenantId: 'acme', sessionId: sessionId('s') },
  { principal, traceId: traceId('1'.padStart(32, '0')), node: node.id },
)
const go = Promise.withResolvers<void>()
const [job, told, attempted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<string>()]
const worker = store.jobs.work(
  {
    slow: async () => {
      job.resolve()
      await go.promise
      return 'the child'
    },
  },
  { node: node.id },
)
const courier = store.notifications.deliver({
  events: {
    bot: async () => {
      told.resolve()
      await go.promise
    },
  },
  onAttempt: ({ outcome }) => attempted.resolve(outcome),
})
await Promise.all([job.promise, told.promise])
say({ inHand: courier.inHand })
for await (const _line of createInterface({ input: process.stdin })) break
go.resolve()
const kept = await hold.keep([{ version: 1, type: 'user', at: 0, text: 'the child' }]).then(
  () => 'kept',
  (error: unknown) => (AdjutantError.isInstance(error) ? error.code : String(error)),
)
say({ kept, delivery: await attempted.promise })
await worker.stop()
await node.drain()
say({ left: true })
