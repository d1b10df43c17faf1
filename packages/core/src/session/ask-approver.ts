import type { ApprovalDecision, ApprovalRequest, Approver, Clock } from '../contract/ports.ts'

/** What came of a question. */
export type Asked =
  | { readonly type: 'decided'; readonly decision: ApprovalDecision }
  | { readonly type: 'expired'; readonly afterMs: number }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: unknown }

/**
 * Asks whoever decides, once, and waits no longer than until the time is up or the run is stopped: an approver that ignores its signal does
 * not keep the call. What it answers later is not heard. Never rejects.
 *
 * @param timeoutMs `undefined`: as long as it takes
 */
export function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  cx: { readonly clock: Clock; readonly timeoutMs: number | undefined },
  signal: AbortSignal,
): Promise<Asked> {
  return new Promise((resolve) => {
    const over = new AbortController()
    let disarm = (): void => {}
    const end = (asked: Asked): void => {
      disarm()
      signal.removeEventListener('abort', stopped)
      resolve(asked)
    }
    const stopped = (): void => {
      over.abort(signal.reason)
      end({ type: 'stopped' })
    }
    if (signal.aborted) {
      stopped()
      return
    }
    signal.addEventListener('abort', stopped, { once: true })
    const { timeoutMs } = cx
    if (timeoutMs !== undefined) {
      disarm = cx.clock.after(timeoutMs, () => {
        over.abort(new DOMException('nobody answered in time', 'TimeoutError'))
        end({ type: 'expired', afterMs: timeoutMs })
      })
    }
    const answer = (async () => approver.decide(request, { signal: over.signal }))()
    answer.then(
      (decision) => end({ type: 'decided', decision }),
      (error: unknown) => end({ type: 'failed', error }),
    )
  })
}
