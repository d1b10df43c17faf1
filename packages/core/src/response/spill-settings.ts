import type { Clock, Namespace } from '../contract/ports.ts'
import type { Redactor } from '../contract/redact.ts'
import { systemClock } from '../util/system-clock.ts'
import type { SharedResults } from './shared-results.ts'

/** How much of whole results a session keeps, and for how long. The oldest go first. */
export interface SpillLimits {
  /** All kept results of one session together. */
  readonly totalBytes: number
  readonly files: number
  /** Milliseconds after which a result is removed. Default: it stays while there is room. */
  readonly maxAgeMs?: number
}

/** 1 GiB and 1 000 results for a session, each for seven days. */
export const SPILL_LIMITS: SpillLimits = Object.freeze({ totalBytes: 1_073_741_824, files: 1_000, maxAgeMs: 604_800_000 })

export interface SpillSettings {
  readonly limits: SpillLimits
  /** Tells the age of what is kept. */
  readonly clock: Clock
  /** Takes secrets out of what is kept. */
  readonly redactor?: Redactor
  /** Where other machines find what is kept. */
  readonly shared?: SharedResults
}

const DEFAULT_SETTINGS: SpillSettings = Object.freeze({ limits: SPILL_LIMITS, clock: systemClock })
const settings = new WeakMap<Namespace, SpillSettings>()

/**
 * Sets what a session may keep; for writers that come later, and for the age at every read.
 *
 * @example
 * ```ts
 * setSpillLimits(session.namespace, { totalBytes: 50_000_000, files: 100, maxAgeMs: 86_400_000 })
 * ```
 */
export function setSpillLimits(namespace: Namespace, limits: SpillLimits, clock: Clock = systemClock): void {
  settings.set(namespace, { ...spillSettings(namespace), limits, clock })
}

/** From now on nothing is kept in this namespace but without its secrets, whoever writes it. */
export function setSpillRedactor(namespace: Namespace, redactor: Redactor): void {
  settings.set(namespace, { ...spillSettings(namespace), redactor })
}

/** From now on what is kept here is kept for other machines too, and what they kept is found. */
export function setSharedResults(namespace: Namespace, shared: SharedResults): void {
  settings.set(namespace, { ...spillSettings(namespace), shared })
}

export function spillSettings(namespace: Namespace): SpillSettings {
  return settings.get(namespace) ?? DEFAULT_SETTINGS
}
