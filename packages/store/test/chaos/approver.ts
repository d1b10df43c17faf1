/**
 * A process that decides on what it is told, at once, and says whether it was first. Several are told of the same at the same moment.
 *
 * Usage: node approver.ts URL NAME; on its input lines `APPROVAL yes|no`, on its output `APPROVAL won|lost|failed …`
 */
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { systemClock } from '@adjutant/core'
import { AdjutantError, ApprovalConflict, type ApprovalDecision, type ApprovalId, approvalId } from '@adjutant/core/contract'
import { openStore } from '../../src/open-store.ts'

const TENANT = 'local'
const TRIES = 50
const AGAIN_MS = 200

const [url = '', name = ''] = process.argv.slice(2)
await using store = await openStore(url, { retryLimitMs: 20_000 })
// Who is killed leaves no compiled code behind: it is written down now, so that the next ones start faster.
flushCompileCache()
process.stdout.write('ready\n')
const deciding: Promise<void>[] = []
for await (const line of createInterface({ input: process.stdin })) {
  const [id = '', answer = ''] = line.split(' ')
  deciding.push(
    decide(approvalId(id), answer === 'yes' ? { type: 'approve', scope: 'once' } : { type: 'deny', reason: 'not this one' }).then(
      (end) => void process.stdout.write(`${id} ${end}\n`),
    ),
  )
}
await Promise.all(deciding)

async function decide(id: ApprovalId, decision: ApprovalDecision): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.sessions.approvals.decide(TENANT, id, { decision, by: name, version: 1 })
      return 'won'
    } catch (error) {
      // Whoever was not told how its decision ended looks: it may have been its own.
      if (error instanceof ApprovalConflict) return error.current.decidedBy === name ? 'won' : 'lost'
      if (!AdjutantError.isInstance(error) || error.code !== 'STORE_FAILED' || attempt === TRIES) return `failed ${String(error)}`
      await new Promise<void>((resolve) => void systemClock.after(AGAIN_MS, resolve))
    }
  }
}
