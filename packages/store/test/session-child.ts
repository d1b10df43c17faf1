/**
 * A process beside the test's own, on the same sessions.
 *
 * Usage: node session-child.ts decide URL TENANT BY (ids of approvals come line by line; what came of each goes out as JSON)
 *      | write URL TENANT SESSION (a number of steps comes line by line)
 */
import { createInterface } from 'node:readline'
import { ApprovalConflict, type ApprovalDecision, approvalId, sessionId, traceId } from '@adjutant/core/contract'
import { openStore } from '../src/open-store.ts'

const [verb = '', url = '', tenant = '', name = ''] = process.argv.slice(2)
const YES: ApprovalDecision = { type: 'approve', scope: 'once' }

await using store = await openStore(url, { retryLimitMs: 60_000 })
process.stdout.write('ready\n')
/** Made where it is read: what comes before somebody reads is lost. */
const lines = (): AsyncIterable<string> => createInterface({ input: process.stdin })
if (verb === 'decide') {
  for await (const line of lines()) {
    const came = await store.sessions.approvals.decide(tenant, approvalId(line), { decision: YES, by: name, version: 1 }).then(
      ({ decidedBy }) => ({ won: true, by: decidedBy }),
      (error: unknown) => {
        if (error instanceof ApprovalConflict) return { won: false, by: error.current.decidedBy }
        throw error
      },
    )
    process.stdout.write(`${JSON.stringify(came)}\n`)
  }
} else if (verb === 'write') {
  const key = { tenantId: tenant, sessionId: sessionId(name) }
  const principal = { tenantId: tenant, userId: 'ann', roles: [] }
  await using hold = await store.sessions.hold(key, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'child' })
  let count = 0
  for await (const line of lines()) {
    for (let left = Number(line); left > 0; left -= 1)
      count = await hold.keep([{ version: 1, type: 'user', at: 0, text: `step ${count + 1}` }])
    process.stdout.write(`${count}\n`)
  }
  await hold.keep([], { state: 'ended' })
} else {
  process.stderr.write(`session-child: unknown verb ${verb}\n`)
  process.exitCode = 2
}
