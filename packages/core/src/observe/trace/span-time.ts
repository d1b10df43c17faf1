import type { HrTime } from '@opentelemetry/api'

/** Seconds and nanoseconds: a bare number would be taken for a time since the process started when it is small. */
export function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000)
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)]
}
