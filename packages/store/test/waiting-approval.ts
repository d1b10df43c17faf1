/** A call that waits, for tests. */
import { type AskedApproval, approvalId, callId, digest, type SessionKey, sessionId } from '@adjutant/core/contract'

const same = digest(`sha256:${'ab'.repeat(32)}`)

export const WAITING: { readonly key: SessionKey; readonly approval: AskedApproval } = {
  key: { tenantId: 'acme', sessionId: sessionId('session_1') },
  approval: {
    id: approvalId('approval_1'),
    batch: 1,
    callId: callId('call_1'),
    tool: 'delete_file',
    effect: 'dangerous',
    shown: { path: 'a.txt', key: '[REDACTED]' },
    reason: 'it deletes',
    rule: 'mode/ask',
    binding: { arguments: same, tool: same, principal: same },
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_060_000,
  },
}
