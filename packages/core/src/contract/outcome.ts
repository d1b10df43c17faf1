import type { AdjutantError } from './errors.ts'

/** What came of running one call (or of not running it), before response turns it into a {@link ToolResult}. */
export type RawOutcome =
  | { readonly status: 'succeeded'; readonly output: unknown }
  | { readonly status: 'failed' | 'timed-out' | 'cancelled' | 'unknown' | 'refused' | 'denied' | 'expired'; readonly error: AdjutantError }

/** When it ran. Milliseconds since the session started; no entry for a call that never ran. */
export interface RunTimes {
  readonly startedAt: number
  readonly endedAt: number
  readonly attempts: number
}
