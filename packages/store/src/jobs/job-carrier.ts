import type { StoreTransaction } from '../database/index.ts'

/**
 * Brings the news of jobs to the processes that do them. The rows are the truth: news that gets lost, comes late or comes twice only changes when somebody
 * looks.
 */
export interface JobCarrier extends AsyncDisposable {
  /** How often everybody looks although there was no news, in milliseconds. */
  readonly pollMs: number
  /** Makes what `send` needs for this kind; asked for before a transaction, so that it does not last longer for it. */
  ready(kind: string): Promise<void>
  /** Goes out with the transaction, or not at all. Sending the same twice is sending it once. */
  send(tx: StoreTransaction, news: JobNews): Promise<void>
  /** The transaction of `send` was kept. */
  sent(): void
  listen(kinds: readonly string[], look: () => Promise<void>): AsyncDisposable
}

export interface JobNews {
  readonly tenantId: string
  readonly id: string
  readonly kind: string
  /** The attempt that may begin. */
  readonly attempt: number
  readonly runAt: number
}
